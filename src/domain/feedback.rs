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

/// What of a story was liked or disliked (`score_debug_json`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Leaning {
    /// The whole, −1 to 1.
    #[serde(default)]
    pub degree: f64,
    /// By its terms, −1 to 1.
    pub terms: f64,
    /// By its source and author, −1 to 1.
    pub voice: f64,
    /// The terms that weigh most, with their share.
    pub because: Vec<(String, f64)>,
}

impl Leaning {
    /// What it is like, in words; nothing where little is known.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        (self.degree.abs() > 0.02)
            .then(|| if self.degree > 0.0 { "like what you liked" } else { "like what you disliked" }.to_owned())
    }
}
