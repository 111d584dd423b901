//! A content item: one thing that a source published, whatever the source.

use serde::{Deserialize, Serialize};

use super::ids::{ItemId, SourceId};
use super::time::Timestamp;

/// An item as a connector found it, before identity is settled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewItem {
    /// The source's own identifier, when it gives one.
    pub guid: Option<String>,
    /// Absolute link, as published.
    pub url: Option<String>,
    pub title: Option<String>,
    /// Plain text, where the connector has it; else it is made of the longer markup once it is needed.
    pub body_text: Option<String>,
    /// The source's markup for the short and the long text, raw; what is stored of it is sanitised.
    pub summary_markup: Option<String>,
    pub content_markup: Option<String>,
    /// The longer of the two is said to be plain text.
    pub is_plain: bool,
    pub author: Option<String>,
    /// The authors with their addresses, where the source gives any beside the names: `Ann (ann@example.org)`.
    pub byline: Option<String>,
    /// As the source says it; never invented.
    pub published_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    /// The date was written without a zone and read as UTC.
    pub is_zone_assumed: bool,
    pub categories: Vec<String>,
    pub engagement: Engagement,
    pub discussion_url: Option<String>,
    /// What relative addresses in the markup start from.
    pub markup_base: Option<String>,
    /// The language that the source says it writes in.
    pub language: Option<String>,
}

/// What readers did with an item where it was published; unknown is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Engagement {
    pub score: Option<i64>,
    pub comments: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<i64>,
}

/// Which clock an item's time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeBasis {
    /// The source's own date.
    Published,
    /// The source gave no usable date: when we first saw it.
    Fetched,
}

impl TimeBasis {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Fetched => "fetched",
        }
    }
}

/// A stored item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: ItemId,
    /// The source that brought it first; its edits are the ones that count.
    pub source_id: SourceId,
    pub external_id: String,
    pub url: Option<String>,
    pub canonical_url: Option<String>,
    pub title: Option<String>,
    pub body_text: String,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    pub fetched_at: Timestamp,
    /// The time that windows, recency and order go by.
    pub time: Timestamp,
    pub time_basis: TimeBasis,
    pub engagement: Engagement,
    pub metadata: ItemMetadata,
    pub duplicate_of: Option<ItemId>,
}

/// What is kept of an item beside the columns (`metadata_json`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ItemMetadata {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discussion_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Where the page that a teaser links to was read, or was to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<PageNote>,
    /// The date was written without a zone and read as UTC.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_zone_assumed: bool,
    /// The authors with their addresses, where the source gives any beside the names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// As detected from its text, else as the source says: an ISO 639 code, of two letters where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What came of reading the page that an item links to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNote {
    pub outcome: PageOutcome,
    /// The text hash of what the source itself gave: an edit there has the page read again.
    pub source_hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageOutcome {
    /// The item's text is the page's.
    Read,
    /// Too little text to be an article.
    NoContent,
    /// `robots.txt` asks not to.
    Disallowed,
    /// The page could not be fetched.
    Failed,
}

/// A title is cut to this many characters when it has to be made from the body.
const MADE_TITLE_CHARS: usize = 90;

/// Below this many characters of body an item is a teaser: there is nothing to summarise.
pub const TEASER_CHARS: usize = 200;

impl Item {
    /// The title to show: the source's, else the first words of the body, else the link.
    #[must_use]
    pub fn display_title(&self) -> String {
        if let Some(title) = self.title.as_deref().filter(|t| !t.trim().is_empty()) {
            return title.to_owned();
        }
        let body = self.body_text.trim();
        if body.is_empty() {
            return self.url.clone().unwrap_or_else(|| self.external_id.clone());
        }
        first_words(body, MADE_TITLE_CHARS)
    }

    /// Whether its text may be read as English: it is, or nobody says what it is.
    #[must_use]
    pub fn is_english(&self) -> bool {
        self.metadata.language.as_deref().is_none_or(|language| language.starts_with("en"))
    }

    #[must_use]
    pub fn is_teaser(&self) -> bool {
        self.body_text.chars().count() < TEASER_CHARS
    }
}

/// The beginning of `text`, cut at a word, at most `max_chars` long, with an ellipsis where something is left out.
#[must_use]
pub fn first_words(text: &str, max_chars: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= max_chars {
        return line;
    }
    let cut: String = line.chars().take(max_chars).collect();
    let end = cut.rfind(' ').filter(|end| *end > max_chars / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', ':', '.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::first_words;

    #[test]
    fn long_text_is_cut_at_a_word() {
        assert_eq!(first_words("the quick  brown\nfox jumps", 16), "the quick brown…");
        assert_eq!(first_words("short", 16), "short");
        assert_eq!(first_words("日本語日本語日本語", 4), "日本語日…");
    }
}
