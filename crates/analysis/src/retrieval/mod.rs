//! What of many passages answers a question: scored, chosen and quoted without asking a model.
//!
//! Comes in: a question and passages with where they stand. Goes out: the sentences that answer it, word for word, at most
//! [`extract::MAX_WORDS`] words, or nothing where nothing does. Pure; called by `src/ask/`. How the parts were weighed is measured by
//! `scripts/ask/`.
//!
//! A word of the question is met by the same word, or by one of like meaning, in the sentence, its heading, its neighbours or the title
//! of its document, each for less. A sentence counts for more where it has what the question wants (an amount, a time, …). Whether anything is
//! answered is decided apart for documents and for items of feeds. What gives
//! orders to its reader is never quoted, and where two passages disagree the newer one is.

pub mod decision;
pub mod extract;
pub mod features;
pub mod kinds;
pub mod meaning;
mod names;
pub mod orders;
mod promising;
mod question;
mod recency;
mod score;
mod values;
mod vector_index;
mod vocabulary;

pub use extract::{Extract, Quote, answer, best_passages};
pub use features::{of_question, texts_of};
pub use meaning::{Meaning, SentenceVectors, neighbours};
pub use promising::Wanted;
pub use question::Question;
pub use vector_index::VectorIndex;
pub use vocabulary::{Frequencies, contents, numbers};

/// A passage that can be cited, and where it stands.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The name of its document, or of the source that brought its item.
    pub document: &'a str,
    pub title: Option<&'a str>,
    pub section: &'a str,
    pub blocks: Vec<Block<'a>>,
    /// When its document holds from, in milliseconds; 0 where nobody knows.
    pub dated: i64,
    /// Its document says that another took its place.
    pub is_replaced: bool,
    /// It is an item of a feed, one of thousands about everything; else a passage of a document.
    pub is_item: bool,
}

/// A paragraph, list entry or row, and its sentences.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    pub text: &'a str,
    pub sentences: Vec<&'a str>,
}
