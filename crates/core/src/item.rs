//! A content item: one entry that a source published, of any kind of source.

use serde::{Deserialize, Serialize};

use super::ids::{ItemId, SourceId};
use super::time::Timestamp;

/// An item as a connector found it, before its identity is determined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewItem {
    /// The source's own identifier, if it has one.
    pub guid: Option<String>,
    /// Absolute link, as published.
    pub url: Option<String>,
    pub title: Option<String>,
    /// Plain text, if the connector has it; otherwise it is derived from the longer markup when needed.
    pub body_text: Option<String>,
    /// The source's raw markup of the short and the long text; it is sanitised before it is stored.
    pub summary_markup: Option<String>,
    pub content_markup: Option<String>,
    /// The source declares the longer of the two to be plain text.
    pub is_plain: bool,
    pub author: Option<String>,
    /// The authors with addresses, if the source gives addresses in addition to names: `Ann (ann@example.org)`.
    pub byline: Option<String>,
    /// The date given by the source; never invented.
    pub published_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    /// The date had no zone and was read as UTC.
    pub is_zone_assumed: bool,
    pub categories: Vec<String>,
    pub engagement: Engagement,
    pub discussion_url: Option<String>,
    /// Base URL for relative addresses in the markup.
    pub markup_base: Option<String>,
    /// The language that the source declares.
    pub language: Option<String>,
}

/// Readers' reactions to an item on the site where it was published. Unknown is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Engagement {
    pub score: Option<i64>,
    pub comments: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<i64>,
}

/// Where an item's time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeBasis {
    /// The source's own date.
    Published,
    /// The source gave no usable date; this is the time of the first fetch.
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
    /// The source that its text is from. Only its edits are applied.
    pub source_id: SourceId,
    pub external_id: String,
    pub url: Option<String>,
    pub canonical_url: Option<String>,
    pub title: Option<String>,
    pub body_text: String,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    pub fetched_at: Timestamp,
    /// The time used for windows, recency and order.
    pub time: Timestamp,
    pub time_basis: TimeBasis,
    pub engagement: Engagement,
    pub metadata: ItemMetadata,
    pub duplicate_of: Option<ItemId>,
}

/// Stored properties of an item that have no column (`metadata_json`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ItemMetadata {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discussion_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Result of reading the page that a teaser links to, if that was attempted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<FullTextFetch>,
    /// The date had no zone and was read as UTC.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_zone_assumed: bool,
    /// Its source is of the site of its address, so the text is that of the page, or about it by its publisher.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_site: bool,
    /// The authors with addresses, if the source gives addresses in addition to names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// As detected from its text, otherwise as the source declares: an ISO 639 code, of two letters if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Result of reading the page that an item links to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullTextFetch {
    pub outcome: PageOutcome,
    /// Hash of the text that the source itself gave. If the source edits it, the page is read again.
    pub source_hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageOutcome {
    /// The item's text is that of the page.
    Read,
    /// Too little text to be an article.
    NoContent,
    /// `robots.txt` disallows it.
    Disallowed,
    /// The page could not be fetched.
    Failed,
}

/// Maximum length of a title derived from the body, in characters.
const MADE_TITLE_CHARS: usize = 90;

/// An item with fewer characters of body text is a teaser: there is nothing to summarise.
pub const TEASER_CHARS: usize = 200;

impl Item {
    /// Returns the title to show: the source's, otherwise the first words of the body, otherwise the link.
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

    /// Whether its text may be treated as English: it is English, or its language is unknown.
    #[must_use]
    pub fn is_english(&self) -> bool {
        self.metadata.language.as_deref().is_none_or(|language| language.starts_with("en"))
    }

    #[must_use]
    pub fn is_teaser(&self) -> bool {
        self.body_text.chars().count() < TEASER_CHARS
    }
}

/// Returns the beginning of `text`, cut between words to at most `max_chars` characters, with an ellipsis if something
/// is omitted.
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
