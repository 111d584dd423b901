//! Findings about the scores that models gave.

use aha_content::numbers::count;
use aha_core::score_health::{MIN_REPORTED_DRIFT, RECENT_DAYS, ScoreHealth, health};
use aha_store::SharedStore;

use super::super::Result;
use super::Findings;

/// How many of the newest scores are examined.
const SCORES: i64 = 20_000;

pub(super) async fn drift(store: &SharedStore, findings: &mut Findings) -> Result<()> {
    for scores in health(&store.given_scores(SCORES).await?) {
        let text = in_words(&scores);
        match scores.drift {
            Some(drift) if drift.abs() >= MIN_REPORTED_DRIFT => {
                let moved = format!("{text}; the mean of the last {RECENT_DAYS} days is {drift:+.1} from before");
                findings.note("scores", format!("{moved}: the percentile beside a score says more than the score"));
            }
            _ => findings.ok("scores", text),
        }
    }
    Ok(())
}

fn in_words(scores: &ScoreHealth) -> String {
    let histogram: Vec<String> = scores.histogram.iter().map(usize::to_string).collect();
    format!(
        "{} by {}: {}, mean {:.1}, spread {:.1}, by tens {}",
        scores.model,
        scores.prompt_id,
        count(scores.scores, "score", "scores"),
        scores.mean,
        scores.spread,
        histogram.join(" ")
    )
}
