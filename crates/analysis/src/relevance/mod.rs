//! How much a text is what a reader asked for.
//!
//! Comes in: interests as a person writes them, and the texts of a run. Goes out: for each text a degree, with what it is made of: which
//! clauses it meets, by which words, what of it was denied, and how close its meaning is. Pure; called by the evidence of a run and by
//! `topic interests`. How it works and what each part adds is measured in `docs/RANKING.md`.

mod clauses;
mod degree;
mod documents;
mod frequencies;
mod history;
mod lexicon;
mod nearness;
mod phrases;
pub(crate) mod places;
mod score;
mod spelling;
mod terms;
mod translations;
mod weighted_query;
mod word_ids;
pub(crate) mod word_vectors;
mod wordings;
mod words;

pub use clauses::{Clause, Interests};
pub use degree::{ClauseMatch, Degree, MET_SHARE, STRONG, WEAK};
pub use documents::{Corpus, TextParts};
pub use frequencies::{DocumentFrequencies, NoFrequencies};
pub use history::StoredQuery;
pub use spelling::Correction;
pub use weighted_query::Query;
pub use words::{is_function_word, stem};
