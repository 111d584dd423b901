//! What an owner said of an item, and what of the item it is remembered by. Serialised, it is a line of `feedback export`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ids::ItemId;
use super::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackKind {
    Like,
    Dislike,
    /// Kept for later: half a like.
    Save,
    /// Not now: half a dislike.
    Skip,
    /// Opened or marked as read in another reader: a tenth of a like, as nobody knows why.
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

    /// What cannot be meant at the same time: giving the one takes the other back.
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

    /// What it counts for, from −1 to 1.
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
            _ => Err("it wants like, dislike, save, skip or read".to_owned()),
        }
    }
}

/// One saying of one item. A topic's owner says each thing of an item at most once.
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

/// How a story stands to what was liked and disliked (`score_debug_json`). What an older version stored reads back as far as it goes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Leaning {
    /// By words, vectors, source and author together, −1 to 1: comparable over the stories of a run; 0 where nothing was said.
    pub degree: f64,
    /// By its words and vectors, −1 to 1.
    pub terms: f64,
    /// By its source and author, −1 to 1.
    pub voice: f64,
    /// By each of them.
    pub source: f64,
    pub author: f64,
    /// The words, source or author that weigh most, with their signed share of the degree.
    pub because: Vec<(String, f64)>,
    /// Titles of the liked or saved stories that it resembles, the most alike first.
    pub like: Vec<String>,
    /// How many of these there are, and how many of them were saved rather than liked.
    pub liked_stories: usize,
    pub saved_stories: usize,
    /// How many disliked or skipped stories it resembles, and how many of them were skipped.
    pub disliked_stories: usize,
    pub skipped_stories: usize,
}

/// A smaller degree is not worth a sentence.
const WORTH_SAYING: f64 = 0.05;

/// A source or author from which more comes that is liked than not: two likes reach it.
const LIKED_VOICE: f64 = 0.4;

/// Words named in a sentence.
const NAMED_WORDS: usize = 3;

impl Leaning {
    /// What moves the story, in words: "like two stories you saved"; `None` where nothing moves it enough to say so.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        if self.degree.abs() < WORTH_SAYING {
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
            Some(format!("like {} you {said}", counted_stories(stories)))
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

fn counted_stories(count: usize) -> String {
    const NUMBERS: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match count {
        1 => "a story".to_owned(),
        _ => count
            .checked_sub(2)
            .and_then(|place| NUMBERS.get(place))
            .map_or_else(|| format!("{count} stories"), |number| format!("{number} stories")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_story_is_said_in_words() {
        let said = |leaning: Leaning| leaning.in_words();
        let liked = Leaning { degree: 0.3, liked_stories: 2, saved_stories: 2, ..Leaning::default() };
        assert_eq!(said(liked.clone()).as_deref(), Some("like two stories you saved"));
        let mixed = Leaning { liked_stories: 13, saved_stories: 1, ..liked };
        assert_eq!(said(mixed).as_deref(), Some("like 13 stories you liked or saved"));
        let disliked = Leaning { degree: -0.3, disliked_stories: 1, liked_stories: 2, ..Leaning::default() };
        assert_eq!(said(disliked).as_deref(), Some("like a story you disliked"));
        let source = Leaning { degree: 0.06, source: 0.5, ..Leaning::default() };
        assert_eq!(said(source).as_deref(), Some("from a source you like"));
        let author = Leaning { degree: -0.06, author: -0.5, ..Leaning::default() };
        assert_eq!(said(author).as_deref(), Some("by an author you dislike"));
        let because = vec![("ferry".to_owned(), 0.2), ("rumours".to_owned(), -0.1), ("quay".to_owned(), 0.1)];
        let words = Leaning { degree: 0.2, because, ..Leaning::default() };
        assert_eq!(said(words).as_deref(), Some("has “ferry”, “quay”, as what you liked"));
        assert_eq!(said(Leaning { degree: 0.01, liked_stories: 3, ..Leaning::default() }), None);
    }

    #[test]
    fn what_an_older_version_stored_reads_back() {
        let old: Leaning = serde_json::from_str(r#"{"terms":0.5,"voice":-0.1,"because":[["ferry",0.4]]}"#).unwrap();
        assert_eq!((old.terms, old.voice, old.degree), (0.5, -0.1, 0.0));
    }
}
