//! What can be computed about texts without asking anybody: which of them tell the same thing, how much one is what a reader asked for,
//! and how likely a headline is noise. Pure: texts and times go in, numbers and groups come out, and the same input gives the same output.
//!
//! [`stories`] finds which items tell the same thing, [`relevance`] measures texts against interests as a person writes them, [`noise`]
//! gives a headline the probability that it is noise, [`retrieval`] picks the sentences that answer a question, and [`static_model`] makes
//! vectors with weights from a folder.
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
pub mod relevance;
pub mod retrieval;
pub mod static_model;
pub mod stories;
