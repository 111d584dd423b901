//! Local text analysis, without LLM calls: which texts are about the same event, how relevant a text is to interests,
//! how likely a headline is noise. No I/O, and deterministic: input: texts and times; output: numbers and groups.
//!
//! [`text`] prepares texts for comparison. [`stories`] groups items about the same event. [`preferences`] compares stories
//! with likes and dislikes. [`relevance`] scores texts against interests in natural language.
//! [`noise`] estimates the probability that a headline is noise. [`retrieval`] selects the sentences that answer a
//! question. [`static_model`] computes vectors from a folder with weights.
//!
//! ```
//! use aha_analysis::relevance::{Corpus, Interests, NoFrequencies, Query, TextParts};
//!
//! let text = |title| TextParts { title, body: "", categories: &[], is_english: true };
//! let corpus = Corpus::of(&[text("A new telescope sees the first galaxies"), text("The cup final ended in a draw")]);
//! let interests = Interests::parse("telescopes and galaxies, but no sport");
//! let degrees = Query::new(&interests, &corpus, &NoFrequencies).degrees();
//! assert!(degrees[0].lexical > degrees[1].lexical);
//! ```

pub mod noise;
pub mod preferences;
pub mod relevance;
pub mod retrieval;
pub mod static_model;
pub mod stories;
pub mod text;
