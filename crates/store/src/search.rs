//! What is searched for and what is found: the operations, and their records.

use aha_core::ids::{ItemId, SourceId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;
use crate::terms::{SearchTerms, phrase_stems, query_stems};

/// Full-text search of items and documents.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// What matches, the best first by the database's own measure; of more than 4,000 entries those that were indexed last.
    async fn search(&self, query: &SearchQuery) -> Result<Vec<SearchHit>>;
    /// Those of `entries` that the query's filters and unwanted words leave, in their order, at most its limit; what it wants does not matter.
    async fn search_among(&self, entries: &[i64], query: &SearchQuery) -> Result<Vec<SearchHit>>;
    /// What there are vectors of: the newest entry, and how many vectors a space has. Other numbers mean that [`Self::entry_vectors`] changed.
    async fn vector_state(&self, space: &str) -> Result<(i64, i64)>;
    /// Entries after `after` in the order of the index, at most `limit`: items with a vector in the space, and passages of documents.
    async fn entry_vectors(&self, space: &str, after: i64, limit: i64) -> Result<Vec<EntryVector>>;
    /// In how many entries each of these stems occurs, counted up to [`MAX_FREQUENCY`]; one that no entry has is left out.
    async fn term_frequencies(&self, stems: &[String]) -> Result<Vec<(String, i64)>>;
    /// How many entries there are.
    async fn search_entries(&self) -> Result<i64>;
    /// The time at which the oldest item came that is not indexed; `None` where all are.
    async fn search_behind_since(&self) -> Result<Option<Timestamp>>;
    /// Forgets the index; nothing is found until it is made again.
    async fn clear_search(&self) -> Result<()>;
    /// Indexes up to `limit` items, and up to `limit` passages of documents, that are not indexed; how many that were.
    async fn index_missing(&self, limit: i64) -> Result<usize>;
}

/// Documents of the owner's.
#[async_trait]
pub trait DocumentStore: Send + Sync {
    /// Those of a source, by path: path and hash of the content.
    async fn documents(&self, source: SourceId) -> Result<Vec<(String, String)>>;
    /// Takes over documents that are new or changed, and forgets those that are gone, with their index, at once.
    async fn replace_documents(&self, source: SourceId, read: &[NewDocument], gone: &[String]) -> Result<()>;
}

/// Vectors of sentences and passages by a sentence model, by the hash of their text.
#[async_trait]
pub trait SentenceStore: Send + Sync {
    /// Those of these texts that there are.
    async fn sentence_vectors(&self, space: &str, hashes: &[String]) -> Result<Vec<(String, Vec<u8>)>>;
    /// Keeps more of them; those that are there stay.
    async fn put_sentence_vectors(&self, space: &str, vectors: &[(String, Vec<u8>)]) -> Result<()>;
    async fn clear_sentence_vectors(&self) -> Result<()>;
    /// Passages of all documents, behind the one of a document's id and a position.
    async fn passages_after(&self, after: Option<(&str, i64)>, limit: i64) -> Result<Vec<PassageText>>;
}

/// A passage of a document, as vectors are made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageText {
    pub document_id: String,
    pub position: i64,
    /// Of its document.
    pub name: String,
    pub title: Option<String>,
    pub section: String,
    pub text: String,
}

/// An entry of the index, as it is compared by meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryVector {
    pub entry: i64,
    pub content: EntryContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryContent {
    /// The stored vector of an item.
    Vector(Vec<u8>),
    /// A passage of a document, which has no vector of this space stored.
    Passage { section: String, text: String },
}

/// Beyond it a word is frequent, whatever the number.
pub const MAX_FREQUENCY: i64 = 5_000;

/// A document with its passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Below the source's folder, or the file itself.
    pub path: String,
    /// What it is cited as.
    pub name: String,
    pub title: Option<String>,
    pub content_hash: String,
    pub language: Option<String>,
    /// Since when it holds, as far as it says so, else when its file was written.
    pub dated: Timestamp,
    pub is_replaced: bool,
    pub read_at: Timestamp,
    /// Section and text.
    pub passages: Vec<(String, String)>,
}

/// A word or a phrase, in each form in which it may be indexed: one of them has to occur, its words side by side.
pub type Forms = Vec<Vec<String>>;

/// What is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// All of them, or (`is_any`) one at least.
    pub wanted: Vec<Forms>,
    pub is_any: bool,
    pub unwanted: Vec<Forms>,
    /// Only of these sources; `None` for all.
    pub sources: Option<Vec<SourceId>>,
    /// Only from this time on.
    pub since: Option<Timestamp>,
    /// Whether hits come with their markup.
    pub with_html: bool,
    pub limit: i64,
}

/// The forms of a word or a phrase of a query; empty for one that holds no letter or digit.
#[must_use]
pub fn forms(text: &str) -> Forms {
    let words = phrase_stems(text);
    if words.iter().all(|words| words.len() == 1) {
        return query_stems(text).into_iter().map(|stem| vec![stem]).collect();
    }
    words.into_iter().collect()
}

impl SearchQuery {
    /// In the language of FTS5 (sqlite.org/fts5.html). Stems are letters, digits, `+` and `#`, so that quoting them is safe.
    pub(crate) fn fts5(&self) -> String {
        let phrase = |words: &Vec<String>| format!("\"{}\"", words.join(" "));
        let forms = |forms: &Forms| format!("({})", forms.iter().map(phrase).collect::<Vec<_>>().join(" OR "));
        self.expression(&forms, " OR ", " AND ", " NOT ")
    }

    /// In the language of `tsquery`.
    pub(crate) fn tsquery(&self) -> String {
        let word = |word: &String| format!("'{word}'");
        let phrase = |words: &Vec<String>| words.iter().map(word).collect::<Vec<_>>().join(" <-> ");
        let forms = |forms: &Forms| format!("({})", forms.iter().map(phrase).collect::<Vec<_>>().join(" | "));
        self.expression(&forms, " | ", " & ", " & !")
    }

    /// The unwanted words, any of them; `None` where there are none.
    pub(crate) fn unwanted(&self) -> Option<Self> {
        let unwanted = Self { wanted: self.unwanted.clone(), is_any: true, ..Self::default() };
        (!self.unwanted.is_empty()).then_some(unwanted)
    }

    fn expression(&self, forms: &dyn Fn(&Forms) -> String, any: &str, all: &str, not: &str) -> String {
        let wanted: Vec<String> = self.wanted.iter().map(forms).collect();
        let mut expression = format!("({})", wanted.join(if self.is_any { any } else { all }));
        for unwanted in &self.unwanted {
            expression.push_str(not);
            expression.push_str(&forms(unwanted));
        }
        expression
    }
}

/// An item or a passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// In the index; another one after a `reindex`.
    pub entry: i64,
    /// `None` for a passage of a document.
    pub item: Option<ItemId>,
    /// The document's name; `None` for an item.
    pub document: Option<String>,
    /// Of a document.
    pub section: Option<String>,
    pub title: Option<String>,
    pub text: String,
    /// The markup kept of an item, where it was asked for.
    pub html: Option<String>,
    pub url: Option<String>,
    /// The name of the source, else its address.
    pub source: Option<String>,
    pub time: Timestamp,
    pub is_replaced: bool,
}

/// An entry to be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Of an item or of a document.
    pub(crate) id: String,
    /// Of a passage in its document.
    pub(crate) position: Option<i64>,
    pub(crate) terms: SearchTerms,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_say_the_same() {
        let forms =
            |text: &[&[&str]]| text.iter().map(|words| words.iter().map(|w| (*w).to_owned()).collect()).collect();
        let query = SearchQuery {
            wanted: vec![forms(&[&["heat", "pump"]]), forms(&[&["engin"], &["engine"]])],
            unwanted: vec![forms(&[&["sport"]])],
            ..SearchQuery::default()
        };
        assert_eq!(query.fts5(), r#"(("heat pump") AND ("engin" OR "engine")) NOT ("sport")"#);
        assert_eq!(query.tsquery(), "(('heat' <-> 'pump') & ('engin' | 'engine')) & !('sport')");
    }

    #[test]
    fn signs_alone_have_no_form() {
        assert!(forms("?! --").is_empty());
        assert!(forms("heat pumps").contains(&vec!["heat".to_owned(), "pump".to_owned()]));
    }
}
