//! What feedback on a story does to the score of one like it.

use aha_analysis::stories::features::Features;
use aha_analysis::stories::preferences::{Candidate, Profile};
use aha_core::digest::{DigestStory, Evidence};
use aha_core::feedback::FeedbackEvent;
use aha_core::ranking::Ranking;
use aha_llm::local;

/// Points of 100 by which a story with the same words, source and author stands higher with the one profile than with the other, judged by
/// the judge of this one. Age and variety come on top, and no judge's band is left for it (`docs/RANKING.md`).
pub(super) fn points(
    story: &DigestStory,
    event: &FeedbackEvent,
    before: &Profile,
    after: &Profile,
    ranking: &Ranking,
) -> f64 {
    let features = Features::of(Some(&story.title), &event.terms.join(" "));
    let degree = |profile: &Profile| {
        let story = Candidate {
            id: event.item_id,
            title: &story.title,
            features: &features,
            vector: None,
            source: &event.source,
            author: event.author.as_deref(),
        };
        profile.leaning(&[story]).degree
    };
    let (before, after) = (degree(before), degree(after));
    let by_model = story.triage.as_ref().is_some_and(|verdict| verdict.provider != local::PROVIDER);
    let points = if by_model {
        ranking.preference * (after - before)
    } else {
        let worth = |preference| local::worth(&Evidence { preference, ..story.score_debug.evidence.clone() });
        worth(after) - worth(before)
    };
    (points * 10.0).round() / 10.0
}
