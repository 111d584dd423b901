//! The effect of feedback on the score of a similar story.

use aha_analysis::preferences::{Candidate, Profile};
use aha_analysis::text::features::Features;
use aha_core::digest::{DigestStory, Evidence};
use aha_core::feedback::FeedbackEvent;
use aha_core::ranking::Ranking;
use aha_llm::local;

/// Returns by how many points of 100 a story with the same words, source and author scores higher with the profile
/// `after` than with `before`, if judged as this story was. It leaves out age and variety, the limits of a judge's score
/// band, and how near the other stories of a window are (`docs/RANKING.md`).
pub(super) fn points(
    story: &DigestStory,
    event: &FeedbackEvent,
    before: &Profile,
    after: &Profile,
    ranking: &Ranking,
) -> f64 {
    let story_evidence = &story.score_debug.evidence;
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
        let compared = profile.compare(&[story]);
        if story_evidence.has_interests {
            profile.unusual(vec![compared]).first().map_or(0.0, |leaning| leaning.degree)
        } else {
            compared.leaning.degree
        }
    };
    // The same weight for both scores: the difference is the effect of the preference alone.
    let feedback_weight = before.feedback_weight().max(after.feedback_weight());
    let (before, after) = (degree(before), degree(after));
    let by_model = story.triage.as_ref().is_some_and(|verdict| verdict.provider != local::PROVIDER);
    let points = if by_model {
        ranking.preference * (after - before)
    } else {
        let score =
            |preference| local::local_score(&Evidence { preference, feedback_weight, ..story_evidence.clone() });
        score(after) - score(before)
    };
    (points * 10.0).round() / 10.0
}
