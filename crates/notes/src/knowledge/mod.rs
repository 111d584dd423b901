//! What can be told of knowledge without a model: which blocks hold some, how it reads without its day, on which page it belongs.
//!
//! Comes in: blocks of journal days and the pages of a graph. Goes out: a degree with its reasons, a text, places with their scores. The words
//! are English; a block in another language is judged by its form alone. Called by the product's journal where no model is configured, and for the
//! candidates that a model chooses from.

pub mod classify;
pub mod pages;
pub mod reword;
mod terms;

pub use classify::{Judgement, judge};
pub use pages::{Candidate, Hit, PageIndex, Placement};
pub use reword::reword;
