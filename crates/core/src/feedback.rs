//! A user's feedback on an item, with the properties of the item that are stored with it. Serialised, it is a line of
//! `feedback export`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ids::ItemId;
use super::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackKind {
    Like,
    Dislike,
    /// Saved for later: half a like.
    Save,
    /// Not now: half a dislike.
    Skip,
    /// Opened or marked as read in another reader: a tenth of a like, because the reason is unknown.
    Read,
}

impl FeedbackKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Like => "like",
            Self::Dislike => "dislike",
            Self::Save => "save",
            Self::Skip => "skip",
            Self::Read => "read",
        }
    }

    /// The kind that cannot apply at the same time: giving one withdraws the other.
    #[must_use]
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::Like => Some(Self::Dislike),
            Self::Dislike => Some(Self::Like),
            Self::Save => Some(Self::Skip),
            Self::Skip => Some(Self::Save),
            Self::Read => None,
        }
    }

    /// Its weight, from −1 to 1.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Like => 1.0,
            Self::Save => 0.5,
            Self::Read => 0.1,
            Self::Skip => -0.5,
            Self::Dislike => -1.0,
        }
    }
}

impl FromStr for FeedbackKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "like" => Ok(Self::Like),
            "dislike" => Ok(Self::Dislike),
            "save" => Ok(Self::Save),
            "skip" => Ok(Self::Skip),
            "read" => Ok(Self::Read),
            _ => Err("it expects like, dislike, save, skip or read".to_owned()),
        }
    }
}

/// One feedback event on one item. A topic has at most one event per item and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackEvent {
    pub item_id: ItemId,
    pub kind: FeedbackKind,
    pub title: String,
    /// The source's name.
    pub source: String,
    pub author: Option<String>,
    /// Words of its title and opening, as written.
    pub terms: Vec<String>,
    pub given_at: Timestamp,
}

/// How a story relates to liked and disliked stories (`score_debug_json`). Values stored by an older version
/// deserialise with defaults for missing fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PreferenceScore {
    /// From words, vectors, source and author together, −1 to 1. Comparable across the stories of a run; 0 without
    /// feedback.
    pub degree: f64,
    /// From its words and vectors, −1 to 1.
    pub terms: f64,
    /// The signed share of the degree that comes from its vector.
    #[serde(skip_serializing_if = "is_zero")]
    pub vector: f64,
    /// From its source and author, −1 to 1.
    pub voice: f64,
    /// From the source and the author separately.
    pub source: f64,
    pub author: f64,
    /// The words, source or author with the greatest weight, each with its signed share of the degree.
    pub because: Vec<(String, f64)>,
    /// Titles of the liked or saved stories that it resembles, most similar first.
    pub like: Vec<String>,
    /// Number of these stories, and how many of them were saved rather than liked.
    pub liked_stories: usize,
    pub saved_stories: usize,
    /// Number of disliked or skipped stories that it resembles, and how many of them were skipped.
    pub disliked_stories: usize,
    pub skipped_stories: usize,
}

/// Degrees below this are not reported.
const MIN_REPORTED_DEGREE: f64 = 0.05;

/// Minimum degree at which a source or author counts as liked; two likes reach it.
const LIKED_VOICE: f64 = 0.4;

/// Maximum number of words named in a sentence.
const NAMED_WORDS: usize = 3;

impl PreferenceScore {
    /// Describes what moves the story: "like two stories you saved". Returns `None` if the degree is too small to
    /// report.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        if self.degree.abs() < MIN_REPORTED_DEGREE {
            return None;
        }
        let is_liked = self.degree > 0.0;
        let (stories, later, said, of_later, voice) = if is_liked {
            (self.liked_stories, self.saved_stories, "liked", "saved", "like")
        } else {
            (self.disliked_stories, self.skipped_stories, "disliked", "skipped", "dislike")
        };
        let sign = if is_liked { 1.0 } else { -1.0 };
        let words: Vec<String> =
            self.because.iter().filter(|(_, share)| share * sign > 0.0).map(|(word, _)| format!("“{word}”")).collect();
        if stories > 0 {
            let said = match later {
                0 => said.to_owned(),
                _ if later == stories => of_later.to_owned(),
                _ => format!("{said} or {of_later}"),
            };
            Some(format!("like {} you {said}", story_count(stories)))
        } else if self.vector * sign > self.degree.abs() / 2.0 {
            Some(format!("near in meaning to what you {said}"))
        } else if self.source * sign >= LIKED_VOICE {
            Some(format!("from a source you {voice}"))
        } else if self.author * sign >= LIKED_VOICE {
            Some(format!("by an author you {voice}"))
        } else if words.is_empty() {
            None
        } else {
            let named = words.into_iter().take(NAMED_WORDS).collect::<Vec<_>>().join(", ");
            Some(format!("has {named}, as what you {said}"))
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
pub(crate) fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn story_count(count: usize) -> String {
    const NUMBERS: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match count {
        1 => "a story".to_owned(),
        _ => count
            .checked_sub(2)
            .and_then(|index| NUMBERS.get(index))
            .map_or_else(|| format!("{count} stories"), |number| format!("{number} stories")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaning_is_described_in_words() {
        let said = |leaning: PreferenceScore| leaning.in_words();
        let liked = PreferenceScore { degree: 0.3, liked_stories: 2, saved_stories: 2, ..PreferenceScore::default() };
        assert_eq!(said(liked.clone()).as_deref(), Some("like two stories you saved"));
        let mixed = PreferenceScore { liked_stories: 13, saved_stories: 1, ..liked };
        assert_eq!(said(mixed).as_deref(), Some("like 13 stories you liked or saved"));
        let disliked =
            PreferenceScore { degree: -0.3, disliked_stories: 1, liked_stories: 2, ..PreferenceScore::default() };
        assert_eq!(said(disliked).as_deref(), Some("like a story you disliked"));
        let source = PreferenceScore { degree: 0.06, source: 0.5, ..PreferenceScore::default() };
        assert_eq!(said(source).as_deref(), Some("from a source you like"));
        let author = PreferenceScore { degree: -0.06, author: -0.5, ..PreferenceScore::default() };
        assert_eq!(said(author).as_deref(), Some("by an author you dislike"));
        let because = vec![("ferry".to_owned(), 0.2), ("rumours".to_owned(), -0.1), ("quay".to_owned(), 0.1)];
        let words = PreferenceScore { degree: 0.2, because, ..PreferenceScore::default() };
        assert_eq!(said(words).as_deref(), Some("has “ferry”, “quay”, as what you liked"));
        let vector = PreferenceScore { degree: 0.2, source: 0.5, vector: 0.11, ..PreferenceScore::default() };
        assert_eq!(said(vector).as_deref(), Some("near in meaning to what you liked"));
        assert_eq!(said(PreferenceScore { degree: 0.01, liked_stories: 3, ..PreferenceScore::default() }), None);
    }

    #[test]
    fn what_an_older_version_stored_reads_back() {
        let old: PreferenceScore =
            serde_json::from_str(r#"{"terms":0.5,"voice":-0.1,"because":[["ferry",0.4]]}"#).unwrap();
        assert_eq!((old.terms, old.voice, old.degree), (0.5, -0.1, 0.0));
    }
}
