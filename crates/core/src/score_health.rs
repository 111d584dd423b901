//! Distribution and drift of the scores that models give. Models differ: one model's 60 may be another's 80.

use std::collections::BTreeMap;

use serde::Serialize;

use super::time::Timestamp;

/// A score that a model gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenScore {
    /// `provider/model`.
    pub model: String,
    pub prompt_id: String,
    pub aha_score: u8,
    pub given_at: Timestamp,
}

/// Statistics of the scores of one model with one prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreHealth {
    pub model: String,
    pub prompt_id: String,
    pub scores: usize,
    pub mean: f64,
    /// Standard deviation.
    pub spread: f64,
    /// Number of scores in 0–9, 10–19 … 90–100.
    pub histogram: [usize; 10],
    /// Mean of the last [`RECENT_DAYS`] minus the mean of the time before; `None` with fewer than [`MIN_SCORES`]
    /// scores in either.
    pub drift: Option<f64>,
}

/// Days before the newest score that count as recent.
pub const RECENT_DAYS: i64 = 7;
/// Minimum number of scores for a mean.
pub const MIN_SCORES: usize = 20;
/// Minimum drift in points that is reported.
pub const MIN_REPORTED_DRIFT: f64 = 10.0;

/// Returns the statistics of the scores, by model and prompt.
#[must_use]
pub fn health(scores: &[GivenScore]) -> Vec<ScoreHealth> {
    let mut groups: BTreeMap<(&str, &str), Vec<&GivenScore>> = BTreeMap::new();
    for score in scores {
        groups.entry((&score.model, &score.prompt_id)).or_default().push(score);
    }
    groups.into_iter().map(|((model, prompt), scores)| of_group(model, prompt, &scores)).collect()
}

fn of_group(model: &str, prompt_id: &str, scores: &[&GivenScore]) -> ScoreHealth {
    let all: Vec<f64> = scores.iter().map(|score| f64::from(score.aha_score)).collect();
    let mean = mean(&all);
    let deviations: Vec<f64> = all.iter().map(|score| (score - mean).powi(2)).collect();
    let mut histogram = [0; 10];
    for score in scores {
        histogram[usize::from(score.aha_score / 10).min(9)] += 1;
    }
    ScoreHealth {
        model: model.to_owned(),
        prompt_id: prompt_id.to_owned(),
        scores: scores.len(),
        mean: tenths(mean),
        spread: tenths(self::mean(&deviations).sqrt()),
        histogram,
        drift: drift(scores).map(tenths),
    }
}

fn drift(scores: &[&GivenScore]) -> Option<f64> {
    let border = scores.iter().map(|score| score.given_at).max()?.days_before(RECENT_DAYS);
    let of = |is_recent: bool| -> Vec<f64> {
        let selected = scores.iter().filter(|score| (score.given_at > border) == is_recent);
        selected.map(|score| f64::from(score.aha_score)).collect()
    };
    let (recent, before) = (of(true), of(false));
    (recent.len() >= MIN_SCORES && before.len() >= MIN_SCORES).then(|| mean(&recent) - mean(&before))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / f64::from(u32::try_from(values.len().max(1)).unwrap_or(u32::MAX))
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    fn scores(model: &str, day: i64, given: impl IntoIterator<Item = u8>) -> Vec<GivenScore> {
        let score = |aha_score| GivenScore {
            model: model.to_owned(),
            prompt_id: "triage_v1".to_owned(),
            aha_score,
            given_at: Timestamp::from_millis(day * DAY_MS),
        };
        given.into_iter().map(score).collect()
    }

    #[test]
    fn each_model_is_measured_by_itself() {
        let all = [scores("a/one", 1, [10, 30]), scores("b/two", 1, [100])].concat();
        let health = health(&all);
        assert_eq!(health.len(), 2);
        assert_eq!((health[0].mean, health[0].spread, health[0].drift), (20.0, 10.0, None));
        assert_eq!((health[0].histogram[1], health[0].histogram[3], health[1].histogram[9]), (1, 1, 1));
    }

    #[test]
    fn a_mean_that_moves_is_drift() {
        let all = [scores("a/one", 1, [40; 20]), scores("a/one", 30, [55; 20])].concat();
        assert_eq!(health(&all)[0].drift, Some(15.0));
    }
}
