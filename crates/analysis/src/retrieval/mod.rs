//! Extractive question answering: scores, selects and quotes sentences of passages without calling an LLM.
//!
//! Input: a question, and passages with their document, title and section. Output: the sentences that answer it,
//! verbatim, at most [`extract::MAX_WORDS`] words, or nothing. No I/O; called by `src/ask/`. The weights are fitted by
//! `scripts/ask/`.
//!
//! A word of the question matches the same or a similar word in the sentence or, with a lower weight, in its heading,
//! its neighbours or the title of its document. A sentence scores higher if it contains the requested kind of thing (an
//! amount, a time, …). Whether the question is answered is decided separately for documents and for feed items. Text
//! with instructions to its reader is never quoted. If two passages contradict each other, the newer one is quoted.

mod codes;
pub mod confidence;
pub mod decision;
mod duration_words;
mod durations;
pub mod extract;
pub mod features;
mod foreign_kinds;
pub mod kinds;
mod language;
mod literal;
mod names;
mod number_words;
mod overview;
mod own_feedback;
mod passage_prefilter;
mod per_unit;
pub mod prompt_injection;
mod quantities;
mod question;
mod quotable;
mod quoted;
mod recency;
mod score;
mod second_half;
mod siblings;
pub mod similarity_models;
pub mod spelling;
mod subject_sentences;
mod values;
mod vector_index;
pub mod versions;
mod vocabulary;

pub use durations::{StatedDuration, durations};
pub use extract::{Extract, Quote, answer, best_passages};
pub use features::{passage_texts, question_texts};
pub use number_words::numbers;
pub use own_feedback::asks_for_own_feedback;
pub use passage_prefilter::QuestionTerms;
pub use question::Question;
pub use similarity_models::{SentenceVectors, SimilarityModels, neighbours};
pub use vector_index::{NearFrom, VectorIndex};
pub use vocabulary::{PassageFrequencies, contents, is_capitalised};

/// A passage that can be cited, and its origin.
#[derive(Debug, Clone)]
pub struct CandidatePassage<'a> {
    /// The name of its document, or of the source of its item.
    pub document: &'a str,
    pub title: Option<&'a str>,
    pub section: &'a str,
    pub blocks: Vec<Block<'a>>,
    /// The date of its document in Unix milliseconds; 0 if unknown.
    pub dated: i64,
    /// Whether the document states that date; otherwise it is of the time at which its file was changed or copied.
    pub is_date_stated: bool,
    /// The document states that another replaces it, or a newer version of it was found.
    pub is_replaced: bool,
    /// A feed item, one of thousands on all subjects; otherwise a passage of a document.
    pub is_item: bool,
}

/// A paragraph, list entry or row, and its sentences.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    pub text: &'a str,
    pub sentences: Vec<&'a str>,
}
