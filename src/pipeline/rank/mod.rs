//! The order of the digest, with every term of each score.
//!
//! The judgement (0 to 100) is moved by recency and engagement, novelty, decay and, if a model gave it, likes, by as
//! many points as `aha_core::ranking` gives each, but never out of its band. Then it is multiplied by the weight of the
//! source and the boost of the rules. Age is measured from the window's end. If the window is longer than the decay
//! time, its length is used as the decay time; otherwise a weekly digest would show only its last day. Then stories are
//! selected one by one: each story already selected of the same source or author subtracts points from the next one,
//! within its band. `docs/RANKING.md` has the formula.

mod selection;

use std::cmp::Reverse;
use std::collections::HashMap;

use aha_analysis::stories::cadence::Cadence;
use aha_core::digest::{Evidence, Label, ScoreDebug, Section};
use aha_core::feedback::PreferenceScore;
use aha_core::ids::SourceId;
use aha_core::ranking::Ranking;
use aha_core::source::Source;
use aha_core::story::Story;
use aha_core::verdict::Verdict;
use aha_llm::local;
use selection::Selection;

use super::ingest::ReadSources;
use super::rules::InScope;
use super::select::{Selected, heuristic, recency};
use super::task_batch::{Skip, TaskResult, TaskResults};
use super::{RunContext, Stage};

/// Neutral engagement of an item whose engagement is unknown.
const UNKNOWN_ENGAGEMENT: f64 = 0.5;

/// A story with its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Index into the selected stories.
    pub story: usize,
    /// `None`: ranked below the stories shown.
    pub section: Option<Section>,
    pub label: Option<Label>,
    /// Share of the other ranked stories with a lower final score, 0–100.
    pub percentile: u8,
    pub debug: ScoreDebug,
    /// The rule that boosts it.
    pub boosted_by: Option<String>,
}

pub(super) fn run(
    context: &RunContext,
    sources: &ReadSources,
    items: &InScope,
    selected: &Selected,
    judged: &TaskResults,
) -> Vec<Ranked> {
    context.progress.begin(Stage::Rank, 0);
    let sources = sources.by_id();
    let scorer = Scorer { items, selected, judged, sources: &sources };
    let mut ranked: Vec<Ranked> = (0..selected.stories.len()).map(|index| scorer.score(context, index)).collect();
    ranked.sort_by(|a, b| {
        let key = |r: &Ranked| (Reverse(selected.stories[r.story].latest()), selected.stories[r.story].cluster_id);
        b.debug.final_score.total_cmp(&a.debug.final_score).then_with(|| key(a).cmp(&key(b)))
    });
    set_percentiles(&mut ranked);
    let settings = &context.run.settings;
    let is_judged = |story: &Story| judged.by_story.get(&story.cluster_id).is_some_and(TaskResult::is_paid);
    let judged = (0..selected.stories.len()).filter(|index| is_judged(&selected.stories[*index])).collect();
    let selection = Selection {
        stories: &selected.stories,
        sources: &sources,
        ranking: &settings.ranking,
        sizes: settings.sizes,
        judged,
    };
    let ranked = selection.choose(ranked);
    let shown = ranked.iter().filter(|r| r.section.is_some()).count();
    context.progress.end(Stage::Rank, &format!("{shown} of {} stories shown", ranked.len()));
    ranked
}

/// Inputs of the scores.
struct Scorer<'a> {
    items: &'a InScope,
    selected: &'a Selected,
    judged: &'a TaskResults,
    sources: &'a HashMap<SourceId, &'a Source>,
}

impl Scorer<'_> {
    fn score(&self, context: &RunContext, index: usize) -> Ranked {
        let story = &self.selected.stories[index];
        let ranking = &context.run.settings.ranking;
        let evidence = self.selected.evidence.get(&story.cluster_id).cloned().unwrap_or_default();
        let judgement = self.judged.by_story.get(&story.cluster_id);
        let verdict: Option<Verdict> = judgement.and_then(TaskResult::read);
        let is_noise = judgement.is_some_and(|judgement| judgement.skipped == Some(Skip::Noise));
        let boosted_by = story.in_scope().find_map(|member| self.items.boosted.get(&member.item.id)).cloned();
        let terms = ScoreTerms {
            judgement: verdict.as_ref().map(|verdict| f64::from(verdict.aha_score)),
            is_local: verdict.is_some_and(|verdict| verdict.provider == local::PROVIDER),
            recency: recency(story.latest(), context.run.window),
            engagement: evidence.engagement_percentile.unwrap_or(UNKNOWN_ENGAGEMENT),
            source_weight: self
                .sources
                .get(&story.representative().source_id)
                .map_or(1.0, |s| s.weight)
                .clamp(0.1, 3.0),
            rule_boost: if boosted_by.is_some() { aha_core::topic::BOOST } else { 1.0 },
            noise_factor: if is_noise { 1.0 - evidence.noise } else { 1.0 },
            decay_hours: context.run.settings.decay_hours.max(context.run.window.hours()),
            leaning: self.selected.preferences.leaning(story.cluster_id),
        };
        let label = label(story, &evidence);
        Ranked { story: index, section: None, label, percentile: 0, debug: terms.weigh(ranking, evidence), boosted_by }
    }
}

struct ScoreTerms {
    /// The Aha score, 0 to 100.
    judgement: Option<f64>,
    /// Whether `local` gave it; it then already includes the reader's likes and interests.
    is_local: bool,
    recency: f64,
    engagement: f64,
    source_weight: f64,
    rule_boost: f64,
    noise_factor: f64,
    decay_hours: f64,
    leaning: PreferenceScore,
}

/// Lower bounds of the Aha score's bands, and the upper bound of the last.
const BANDS: [f64; 5] = [0.0, 21.0, 51.0, 81.0, 100.0];

/// Margin at the upper end of a band, so that a story of the next band always ranks above.
const BELOW_NEXT_BAND: f64 = 0.01;

/// Returns the band of a score of 0 to 100, from 0.
fn band(score: f64) -> usize {
    BANDS[1..4].iter().filter(|begin| score >= **begin).count()
}

/// Returns a score moved by `points` within its band. Decay, novelty and likes only order a band; they do not overrule
/// the judgement.
fn moved(score: f64, points: f64) -> f64 {
    let band = band(score);
    let end = if band == 3 { BANDS[4] } else { BANDS[band + 1] - BELOW_NEXT_BAND };
    (score + points).clamp(BANDS[band], end)
}

impl ScoreTerms {
    fn weigh(self, ranking: &Ranking, evidence: Evidence) -> ScoreDebug {
        let heuristic = heuristic(self.recency, self.engagement);
        // Without a judgement, the score that `local` would give is used for ranking; the Aha score stays unknown.
        let stand_in = local::local_score(&evidence) * self.noise_factor;
        // Integer scores tie; the score of `local` has decimals, which break ties.
        let judged = match self.judgement {
            Some(score) if !self.is_local => score,
            Some(score) => moved(score, (stand_in - score).clamp(-0.5, 0.5)),
            None => stand_in,
        };
        let decay = (-evidence.age_hours / self.decay_hours).exp();
        let preference =
            if self.judgement.is_some() && !self.is_local { ranking.preference * self.leaning.degree } else { 0.0 };
        let personal = if evidence.has_interests { 1.0 } else { evidence.feedback_weight };
        let scale = if self.is_local { 1.0 - personal * (1.0 - INTEREST_MATCH_SCALE) } else { 1.0 };
        let shift = scale
            * (ranking.heuristic * (heuristic - 0.5) + ranking.novelty * (evidence.novelty - 0.5)
                - ranking.decay * (1.0 - decay)
                + preference);
        let base = moved((judged * ranking.ai).clamp(0.0, 100.0), shift);
        let final_score = (base * self.source_weight * self.rule_boost).clamp(0.0, 100.0);
        ScoreDebug {
            ai: self.judgement.map(|score| score / 100.0),
            stand_in: round(stand_in),
            shift: round(shift),
            recency: round(self.recency),
            engagement: round(self.engagement),
            heuristic: round(heuristic),
            preference: round(preference),
            novelty: evidence.novelty,
            base: round(base),
            source_weight: self.source_weight,
            leaning: self.leaning,
            rule_boost: self.rule_boost,
            noise_factor: round(self.noise_factor),
            age_hours: evidence.age_hours,
            decay_hours: round(self.decay_hours),
            decay: round(decay),
            final_score: round(final_score),
            diversity: 0.0,
            weights: *ranking,
            evidence,
        }
    }
}

/// For stories that match the reader's interests or likes, the degree decides; age and novelty only break ties.
const INTEREST_MATCH_SCALE: f64 = 0.2;

/// Returns the first label that fits; `None` if none does.
fn label(story: &Story, evidence: &Evidence) -> Option<Label> {
    let cadence = Cadence { gap_days: evidence.source_gap_days, usual_gap_days: evidence.source_usual_gap_days };
    if !evidence.matched_interests.is_empty() {
        Some(Label::YourWords)
    } else if story.distinct_sources().len() >= 2 {
        Some(Label::ToldBySeveral)
    } else {
        cadence.is_rare().then_some(Label::RareVoices)
    }
}

/// Sets percentiles by position in the order of final scores; ties are ordered by the same keys as in the digest.
#[expect(clippy::cast_possible_truncation, reason = "a percentage")]
fn set_percentiles(ranked: &mut [Ranked]) {
    let others = ranked.len().saturating_sub(1);
    for (index, entry) in ranked.iter_mut().enumerate() {
        entry.percentile = ((others - index) * 100).checked_div(others).unwrap_or(100) as u8;
    }
}

/// Rounds to six decimals, so that stored values read back the same on either database.
fn round(value: f64) -> f64 {
    (value * 1_000_000.0).round() / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(judgement: Option<f64>, age_hours: f64) -> ScoreDebug {
        let terms = ScoreTerms {
            judgement,
            is_local: false,
            recency: 0.5,
            engagement: 0.5,
            source_weight: 1.0,
            rule_boost: 1.0,
            noise_factor: 1.0,
            decay_hours: 48.0,
            leaning: PreferenceScore::default(),
        };
        terms.weigh(&Ranking::default(), Evidence { novelty: 1.0, age_hours, ..Evidence::default() })
    }

    #[test]
    fn the_formula_is_the_documented_one() {
        let expected = 70.0 + 1.0 * 0.5 - 3.0 * (1.0 - (-0.5_f64).exp());
        assert!((weigh(Some(70.0), 24.0).final_score - expected).abs() < 1e-6);
    }

    #[test]
    fn no_judgement_is_not_a_judgement_of_zero() {
        let unknown = weigh(None, 0.0);
        assert_eq!(unknown.ai, None);
        assert!(unknown.final_score > weigh(Some(0.0), 0.0).final_score);
    }

    #[test]
    fn no_age_moves_a_story_out_of_its_band() {
        assert!(weigh(Some(51.0), 10_000.0).final_score > weigh(Some(50.0), 0.0).final_score);
        assert!(weigh(Some(82.0), 10_000.0).final_score > weigh(Some(80.0), 0.0).final_score);
        assert_eq!([0.0, 20.9, 21.0, 50.9, 51.0, 80.9, 81.0, 100.0].map(band), [0, 0, 1, 1, 2, 2, 3, 3]);
    }
}
