//! Scores how relevant texts are to a reader's interests.
//!
//! Input: interests in natural language, and the texts of a run. Output: for each text a degree with its parts: which
//! clauses match and by which words, which negated clauses match, and the similarity of the vectors. No I/O; called by
//! the evidence of a run and by `topic interests`. `docs/RANKING.md` explains the method and the measured contribution
//! of each part.

mod centered_vectors;
mod clauses;
mod coordination;
mod degree;
mod documents;
mod frequencies;
mod history;
mod lexicon;
mod lists;
mod long_names;
mod naming;
mod nearness;
mod parts;
mod phrases;
pub(crate) mod places;
mod programming;
mod scopes;
mod score;
mod sentence_ends;
mod spelling;
mod terms;
mod tokens;
mod translations;
mod weighted_query;
mod word_ids;
pub(crate) mod word_vectors;
mod wordings;
mod words;

pub use centered_vectors::CenteredVectors;
pub use clauses::{Clause, Interests};
pub use degree::{ClauseMatch, Degree, MET_SHARE, STRONG, WEAK};
pub use documents::{Corpus, TextParts};
pub use frequencies::{DocumentFrequencies, NoFrequencies};
pub use history::StoredQuery;
pub use naming::{Meeting, MeetingWord};
pub use spelling::Correction;
pub use weighted_query::Query;
pub use words::{as_written, is_function_word, light_stem};
