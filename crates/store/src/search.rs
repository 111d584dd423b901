//! Full-text search and documents: the operations and their records.

mod tsvector;

use aha_content::index_terms::{ANY_ENDING, Forms, indexed};
use aha_content::stems::SearchTerms;
use aha_core::ids::{ItemId, SourceId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::{Lease, Result};

/// A fingerprint of a space's vectors: equal while they are unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorsVersion {
    /// The newest entry.
    pub newest: i64,
    /// The number of items with a vector.
    pub vectors: i64,
    /// When the last run finished, in milliseconds: runs store vectors.
    pub run_finished: Option<i64>,
    /// When a document was last read, in milliseconds.
    pub document_read: Option<i64>,
}

/// Full-text search of items and documents.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// Returns the matching entries, best first by the database's own ranking. If more than
    /// [`SearchQuery::max_ranked`] entries match, only those indexed last are ranked.
    async fn find_entries(&self, query: &SearchQuery) -> Result<Vec<i64>>;
    /// Returns the entries that pass the query's filters and excluded words, newest first, up to its limit; of a
    /// document its first passage. The query's wanted words are ignored.
    async fn newest_entries(&self, query: &SearchQuery) -> Result<Vec<i64>>;
    /// Returns those of `entries` that pass the query's filters and excluded words, in the given order, up to its
    /// limit. The query's wanted words are ignored.
    async fn keep_entries(&self, entries: &[i64], query: &SearchQuery) -> Result<Vec<i64>>;
    /// Returns what these entries contain, in the given order, with the markup of items if `with_html`. Entries that no
    /// longer exist are left out.
    async fn search_hits(&self, entries: &[i64], with_html: bool) -> Result<Vec<SearchHit>>;
    /// Returns the fingerprint of what [`Self::entry_vectors`] returns for a space.
    async fn vectors_version(&self, space: &str) -> Result<VectorsVersion>;
    /// Returns at most `limit` entries after `after`, in index order: items with a vector in the space, and passages.
    async fn entry_vectors(&self, space: &str, after: i64, limit: i64) -> Result<Vec<EntryVector>>;
    /// Returns the number of entries in which each of these stems occurs, counted up to [`MAX_FREQUENCY`]. Stems that
    /// do not occur are omitted.
    async fn term_frequencies(&self, stems: &[String]) -> Result<Vec<(String, i64)>>;
    /// Returns the number of entries.
    async fn search_entries(&self) -> Result<i64>;
    /// Returns the arrival time of the oldest item or document that is not indexed, or was by a version with other
    /// terms; `None` if there is none.
    async fn oldest_unindexed(&self) -> Result<Option<Timestamp>>;
    /// Clears the index; searches find nothing until it is rebuilt.
    async fn clear_search(&self) -> Result<()>;
    /// Indexes up to `limit` items, and up to `limit` passages of documents, that are not indexed. Returns their
    /// number.
    async fn index_missing(&self, limit: i64) -> Result<usize>;
}

/// The user's documents.
#[async_trait]
pub trait DocumentStore: Send + Sync {
    /// Returns path and content hash of a source's documents, by path.
    async fn documents(&self, source: SourceId) -> Result<Vec<(String, String)>>;
    /// Returns the names that several documents have, in ascending order.
    async fn shared_document_names(&self) -> Result<Vec<String>>;
    /// Deletes the documents at the `removed` paths and stores new or changed ones, with their index entries, in one
    /// transaction. With the lease of a run, fails if that is lost.
    /// [`StoreError::NotFound`](crate::StoreError::NotFound) if the source was removed.
    async fn replace_documents(
        &self,
        lease: Option<&Lease>,
        source: SourceId,
        read: &[NewDocument],
        removed: &[String],
    ) -> Result<()>;
    /// Sets the content hashes of a source's documents, by path; their passages stay. With a lease as above.
    async fn set_document_hashes(
        &self,
        lease: Option<&Lease>,
        source: SourceId,
        hashes: &[(String, String)],
    ) -> Result<()>;
}

/// Vectors of sentences and passages by a sentence model, by the hash of their text.
#[async_trait]
pub trait SentenceStore: Send + Sync {
    /// Returns the stored vectors of these texts.
    async fn sentence_vectors(&self, space: &str, hashes: &[String]) -> Result<Vec<(String, Vec<u8>)>>;
    /// Stores vectors; existing ones are not replaced.
    async fn put_sentence_vectors(&self, space: &str, vectors: &[(String, Vec<u8>)]) -> Result<()>;
    async fn clear_sentence_vectors(&self) -> Result<()>;
    /// Returns passages of all documents that come after the given document id and position.
    async fn passages_after(&self, after: Option<(&str, i64)>, limit: i64) -> Result<Vec<PassageText>>;
}

/// A passage of a document, as input for embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageText {
    pub document_id: String,
    pub position: i64,
    /// Name of its document.
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

/// How many of the matching entries are ranked if all words have to occur: ranking reads each of them.
const MAX_RANKED: i64 = 2_000;
/// The same if one of the words is enough. The caller leaves out frequent words, so that rarely more entries match.
const MAX_RANKED_OF_ANY: i64 = 4_000;

/// From this number on, a word counts as frequent without further distinction.
pub const MAX_FREQUENCY: i64 = 5_000;

/// A document with its passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Relative to the source's folder, or the file name if the source is a file.
    pub path: String,
    /// The name used in citations.
    pub name: String,
    pub title: Option<String>,
    pub content_hash: String,
    pub language: Option<String>,
    /// Date from which it is valid, if the document states one; otherwise the time its file was written.
    pub dated: Timestamp,
    pub is_replaced: bool,
    pub read_at: Timestamp,
    /// Section and text of each passage.
    pub passages: Vec<(String, String)>,
}

/// A search query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// All of them have to occur, or at least one if `is_any`.
    pub wanted: Vec<Forms>,
    pub is_any: bool,
    pub unwanted: Vec<Forms>,
    /// Only these sources; `None` for all.
    pub sources: Option<Vec<SourceId>>,
    /// Only from this time on.
    pub since: Option<Timestamp>,
    pub limit: i64,
}

impl SearchQuery {
    /// Returns how many of the matching entries are ranked, at most.
    #[must_use]
    pub const fn max_ranked(&self) -> i64 {
        if self.is_any { MAX_RANKED_OF_ANY } else { MAX_RANKED }
    }

    /// Renders the query in FTS5 syntax (sqlite.org/fts5.html). Stems contain only letters, digits, `+` and `#`, so
    /// quoting them is safe.
    pub(crate) fn fts5(&self) -> String {
        let phrase = |words: &Vec<String>| {
            let words = words.join(" ");
            words.strip_suffix(ANY_ENDING).map_or_else(|| format!("\"{words}\""), |begin| format!("\"{begin}\"*"))
        };
        let forms = |forms: &Forms| format!("({})", indexed(forms).iter().map(phrase).collect::<Vec<_>>().join(" OR "));
        self.expression(&forms, " OR ", " AND ", " NOT ")
    }

    /// Renders the query in `tsquery` syntax.
    pub(crate) fn tsquery(&self) -> String {
        let phrase = |words: &Vec<String>| tsvector::phrase(words);
        let forms = |forms: &Forms| format!("({})", indexed(forms).iter().map(phrase).collect::<Vec<_>>().join(" | "));
        self.expression(&forms, " | ", " & ", " & !")
    }

    /// The unwanted words, any of them; `None` where there are none.
    pub(crate) fn unwanted(&self) -> Option<Self> {
        let unwanted = Self { wanted: self.unwanted.clone(), is_any: true, ..Self::default() };
        (!self.unwanted.is_empty()).then_some(unwanted)
    }

    fn expression(&self, forms: &dyn Fn(&Forms) -> String, any: &str, all: &str, not: &str) -> String {
        let wanted: Vec<String> = self.wanted.iter().map(forms).collect();
        let wanted = format!("({})", wanted.join(if self.is_any { any } else { all }));
        // One NOT for all, as FTS5 allows no more than 256 within each other.
        match self.unwanted.iter().map(forms).collect::<Vec<_>>().as_slice() {
            [] => wanted,
            [unwanted] => format!("{wanted}{not}{unwanted}"),
            unwanted => format!("{wanted}{not}({})", unwanted.join(any)),
        }
    }
}

/// A matching item or passage.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// In the index; another one after a `reindex`.
    pub entry: i64,
    /// `None` for a passage of a document.
    pub item: Option<ItemId>,
    /// The document's name; `None` for an item.
    pub document: Option<String>,
    /// Section of a document.
    pub section: Option<String>,
    pub title: Option<String>,
    pub text: String,
    /// The stored markup of an item, if requested.
    pub html: Option<String>,
    pub url: Option<String>,
    /// The name of the source, otherwise its address.
    pub source: Option<String>,
    pub time: Timestamp,
    pub is_replaced: bool,
}

/// An entry to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Id of an item or of a document.
    pub(crate) id: String,
    /// Position of a passage in its document.
    pub(crate) position: Option<i64>,
    pub(crate) terms: SearchTerms,
}

impl Entry {
    /// Renders a Postgres `tsvector`.
    pub(crate) fn tsvector(&self) -> String {
        tsvector::tsvector(&self.terms)
    }
}

#[cfg(test)]
mod tests {
    use aha_content::index_terms::{IndexTerms, forms};

    use super::*;

    #[test]
    fn both_databases_get_equivalent_queries() {
        let forms =
            |text: &[&[&str]]| text.iter().map(|words| words.iter().map(|w| (*w).to_owned()).collect()).collect();
        let query = SearchQuery {
            wanted: vec![forms(&[&["heat", "pump"]]), forms(&[&["engin"], &["engine"]])],
            unwanted: vec![forms(&[&["sport"]])],
            ..SearchQuery::default()
        };
        assert_eq!(query.fts5(), r#"(("heat pump") AND ("engin" OR "engine")) NOT ("sport")"#);
        assert_eq!(query.tsquery(), "(('heat' <-> 'pump' | 'heat pump') & ('engin' | 'engine')) & !('sport')");
        let query = SearchQuery {
            wanted: vec![forms(&[&["jerí"], &["ferr*"]])],
            unwanted: vec![forms(&[&["sport"]]), forms(&[&["日本"]])],
            ..SearchQuery::default()
        };
        assert_eq!(query.fts5(), r#"(("jeri" OR "ferr"*)) NOT (("sport") OR ("日 本"))"#);
        assert_eq!(query.tsquery(), "(('jeri' | 'ferr':*)) & !(('sport') | ('日' <-> '本' | '日 本'))");
    }

    #[test]
    fn signs_alone_have_no_form() {
        assert!(forms("?! --").is_empty());
        assert!(forms("heat pumps").contains(&vec!["heat".to_owned(), "pump".to_owned()]));
    }

    #[test]
    fn hostile_text_stays_a_vector() {
        let terms = IndexTerms::default().terms("a'b\\c & d|!(e", "':*<-> x\0y", None);
        let entry = Entry { id: String::new(), position: None, terms };
        assert_eq!(entry.tsvector(), "'a':1A 'b':2A 'c':3A 'd':4A 'e':5A 'x':7 'y':8 ");
    }
}
