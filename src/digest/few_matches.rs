//! The line of a digest whose top section holds few stories that match the reader's interests: how many do, and why the
//! others are there.

use aha_core::digest::{Digest, DigestStory, Section};
use aha_core::verdict::Verdict;
use aha_llm::local;

use super::format::list;

/// Why a story that does not match the interests is at the top; the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Boosted,
    Touching,
    Near,
    Liked,
    OfSeveral,
    Rest,
}

impl Why {
    const ALL: [Self; 6] = [Self::Boosted, Self::Touching, Self::Near, Self::Liked, Self::OfSeveral, Self::Rest];

    /// Returns `None` for a story that matches.
    fn of(story: &DigestStory) -> Option<Self> {
        let evidence = &story.score_debug.evidence;
        let by_model = |verdict: &Verdict| verdict.provider != local::PROVIDER && verdict.is_relevant;
        if !evidence.matched_interests.is_empty() || story.triage.as_ref().is_some_and(by_model) {
            None
        } else if story.score_debug.rule_boost > 1.0 {
            Some(Self::Boosted)
        } else if !evidence.touched_interests.is_empty() {
            Some(Self::Touching)
        } else if local::is_close_to_interests(evidence) {
            Some(Self::Near)
        } else if evidence.preference > 0.0 {
            Some(Self::Liked)
        } else if evidence.distinct_sources > 1 {
            Some(Self::OfSeveral)
        } else {
            Some(Self::Rest)
        }
    }

    /// Returns what one story does, and what several do.
    const fn in_words(self) -> [&'static str; 2] {
        match self {
            Self::Boosted => ["is boosted by a rule of yours", "are boosted by rules of yours"],
            Self::Touching => ["touches them", "touch them"],
            Self::Near => ["comes near to them", "come near to them"],
            Self::Liked => ["is like what you liked", "are like what you liked"],
            Self::OfSeveral => ["is what several sources report", "are what several sources report"],
            Self::Rest => ["is there for want of better ones", "are there for want of better ones"],
        }
    }
}

/// Formats `2 of 10 stories at the top match your interests; the others are what several sources report`; `None` if half
/// of them match or touch the interests, or there are no interests.
pub(super) fn few_matches_line(digest: &Digest) -> Option<String> {
    let is_at_top = |story: &&DigestStory| story.section == Section::Top && story.score_debug.evidence.has_interests;
    let why: Vec<Option<Why>> = digest.stories.iter().filter(is_at_top).map(Why::of).collect();
    let count = |wanted: Option<Why>| why.iter().filter(|why| **why == wanted).count();
    let matching = count(None);
    if why.is_empty() || (matching + count(Some(Why::Touching))) * 2 >= why.len() {
        return None;
    }
    let matches = match (matching, why.len()) {
        (0, 1) => "The story at the top matches none of your interests".to_owned(),
        (0, all) => format!("None of the {all} stories at the top matches your interests"),
        (1, all) => format!("1 of {all} stories at the top matches your interests"),
        (some, all) => format!("{some} of {all} stories at the top match your interests"),
    };
    let counts = Why::ALL.map(|why| (count(Some(why)), why)).into_iter();
    let others: Vec<(usize, Why)> = counts.filter(|(count, _)| *count > 0).collect();
    Some(format!("{matches}; {}", reasons_of(&others, matching > 0)))
}

/// Formats why `others` are at the top, beside stories that match or not: `the others touch them`.
fn reasons_of(others: &[(usize, Why)], are_beside_matches: bool) -> String {
    let verb = |count: usize, why: Why| why.in_words()[usize::from(count > 1)];
    match (others, are_beside_matches) {
        ([(1, why)], false) => format!("it {}", verb(1, *why)),
        ([(1, why)], true) => format!("the other one {}", verb(1, *why)),
        ([(count, why)], false) => format!("they {}", verb(*count, *why)),
        ([(count, why)], true) => format!("the others {}", verb(*count, *why)),
        (_, are_beside_matches) => {
            let parts = others.iter().map(|(count, why)| format!("{count} {}", verb(*count, *why)));
            let of_the_others = if are_beside_matches { "of the others, " } else { "" };
            format!("{of_the_others}{}", list(&parts.collect::<Vec<_>>(), Why::ALL.len()))
        }
    }
}
