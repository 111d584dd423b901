//! What an owner's likes and dislikes say about a story: a linear profile over terms, sources and authors.
//!
//! Comes in: what was said, and the window's end. Goes out: for a story a leaning from −1 to 1 by its terms and one by its voice, with
//! what they are made of. A saying is shared out over its item's terms, counts for half after a half-life, and is bounded by a
//! hyperbolic tangent, so that no number of likes drowns the judgement. Sums are made in the order of the sayings.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::tokens::tokens;
use crate::domain::feedback::{FeedbackEvent, Leaning};
use crate::domain::time::Timestamp;

/// Words of a text by which a saying remembers it: of the title and the opening.
const TERMS: usize = 40;
const OPENING_CHARS: usize = 400;

/// Terms told with a story's score, and on each side of the summary.
const TOLD: usize = 5;
const SUMMARISED: usize = 8;

/// A term that was said less of is not spoken of.
const WORTH_SAYING: f64 = 0.1;

/// The weights that sayings gave.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Profile {
    terms: BTreeMap<String, Weighed>,
    sources: BTreeMap<String, f64>,
    authors: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
struct Weighed {
    /// As it was first written.
    written: String,
    weight: f64,
}

/// The words of a text that a saying remembers and a story is compared by, without repetition.
#[must_use]
pub fn terms_of(title: &str, body: &str) -> Vec<String> {
    let opening: String = body.chars().take(OPENING_CHARS).collect();
    let mut seen = BTreeSet::new();
    let words = tokens(title).chain(tokens(&opening)).filter(|token| seen.insert(token.term.clone()));
    words.map(|token| token.written.to_lowercase()).take(TERMS).collect()
}

impl Profile {
    /// As it stands at `end`; a saying of later counts as one of then.
    #[must_use]
    pub fn of(events: &[FeedbackEvent], end: Timestamp, half_life_days: f64) -> Self {
        let mut profile = Self::default();
        for event in events {
            let age_days = end.hours_since(event.given_at).max(0.0) / 24.0;
            profile.add(event, event.kind.weight() * (-age_days / half_life_days).exp2());
        }
        profile
    }

    fn add(&mut self, event: &FeedbackEvent, weight: f64) {
        let share = weight / root(event.terms.len());
        for written in &event.terms {
            for token in tokens(written) {
                let entry = self.terms.entry(token.term.into_owned()).or_default();
                if entry.written.is_empty() {
                    written.clone_into(&mut entry.written);
                }
                entry.weight += share;
            }
        }
        *self.sources.entry(event.source.to_lowercase()).or_default() += weight;
        if let Some(author) = &event.author {
            *self.authors.entry(author.to_lowercase()).or_default() += weight;
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.sources.is_empty()
    }

    /// How a text of that source and author stands with the owner.
    #[must_use]
    pub fn leaning(&self, title: &str, body: &str, source: &str, author: Option<&str>) -> Leaning {
        let words = terms_of(title, body);
        let share = 1.0 / root(words.len());
        let mut because: Vec<(String, f64)> = Vec::new();
        let mut sum = 0.0;
        for written in words {
            let weight: f64 = tokens(&written).filter_map(|token| self.terms.get(&*token.term)).map(|w| w.weight).sum();
            if weight.abs() > 0.0 {
                sum += share * weight;
                because.push((written, round(share * weight)));
            }
        }
        because.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        because.truncate(TOLD);
        let of = |known: &BTreeMap<String, f64>, name: &str| known.get(&name.to_lowercase()).copied().unwrap_or(0.0);
        let voice = of(&self.sources, source) + author.map_or(0.0, |author| of(&self.authors, author));
        let degree = round((sum + voice / 5.0).tanh());
        Leaning { degree, terms: round(sum.tanh()), voice: round((voice / 5.0).tanh()), because }
    }

    /// In words, for a model's prompt and for the owner; empty while nothing was said.
    #[must_use]
    pub fn summary(&self) -> String {
        let likes = self.strongest(|weight| weight);
        let dislikes = self.strongest(|weight| -weight);
        let part = |name: &str, words: Vec<&str>| (!words.is_empty()).then(|| format!("{name}: {}", words.join(", ")));
        [part("liked", likes), part("disliked", dislikes)].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn strongest(&self, sign: impl Fn(f64) -> f64) -> Vec<&str> {
        let mut found: Vec<(&str, f64)> =
            self.terms.values().map(|term| (term.written.as_str(), round(sign(term.weight)))).collect();
        found.retain(|(_, weight)| *weight >= WORTH_SAYING);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.into_iter().take(SUMMARISED).map(|(written, _)| written).collect()
    }
}

fn root(count: usize) -> f64 {
    f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX)).sqrt()
}

/// To six digits, so that what is stored reads back the same on either database.
fn round(value: f64) -> f64 {
    (value * 1_000_000.0).round() / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::feedback::FeedbackKind;
    use crate::domain::ids::ItemId;
    use crate::domain::time::DAY_MS;

    fn event(kind: FeedbackKind, title: &str, day: i64) -> FeedbackEvent {
        FeedbackEvent {
            item_id: ItemId::of(&[title]),
            kind,
            title: title.to_owned(),
            source: "The Wire".to_owned(),
            author: None,
            terms: terms_of(title, ""),
            given_at: Timestamp::from_millis(day * DAY_MS),
        }
    }

    fn leaning(events: &[FeedbackEvent], title: &str) -> Leaning {
        Profile::of(events, Timestamp::from_millis(60 * DAY_MS), 60.0).leaning(title, "", "Elsewhere", None)
    }

    #[test]
    fn what_was_liked_is_leant_to_and_what_was_disliked_is_not() {
        let events = [
            event(FeedbackKind::Like, "Ferries under sail", 60),
            event(FeedbackKind::Dislike, "Football transfer rumours", 60),
        ];
        assert!(leaning(&events, "A new ferry for Skerrow").terms > 0.1);
        assert!(leaning(&events, "Transfer of a football star").terms < -0.1);
        assert_eq!(leaning(&events, "Lentil soup"), Leaning::default());
        let summary = Profile::of(&events, Timestamp::from_millis(60 * DAY_MS), 60.0).summary();
        assert_eq!(summary, "liked: ferries, sail; disliked: football, rumours, transfer");
    }

    #[test]
    fn a_saying_counts_for_half_after_a_half_life() {
        let of = |day| {
            let profile =
                Profile::of(&[event(FeedbackKind::Like, "Ferries", day)], Timestamp::from_millis(60 * DAY_MS), 60.0);
            profile.terms["ferri"].weight
        };
        assert!((of(0) - of(60) / 2.0).abs() < 1e-12);
        assert!((of(70) - of(60)).abs() < 1e-12, "what is said later counts in full");
    }

    #[test]
    fn no_number_of_likes_passes_the_bounds() {
        let events: Vec<FeedbackEvent> = (0..1000).map(|_| event(FeedbackKind::Like, "Ferries", 60)).collect();
        let leaning =
            Profile::of(&events, Timestamp::from_millis(60 * DAY_MS), 60.0).leaning("Ferries", "", "the wire", None);
        assert!(leaning.terms <= 1.0 && leaning.voice <= 1.0 && leaning.voice > 0.99);
    }
}
