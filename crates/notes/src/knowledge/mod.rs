//! Extracts knowledge without a model: which blocks contain some, how it reads without its day, and which page it
//! belongs to.
//!
//! Input: blocks of journal days and the pages of a graph. Output: a confidence with its reasons, a text, and targets
//! with their scores. The word lists are English; a block in another language is judged by its form alone. Called by
//! the product's journal when no model is configured, and to find the candidate pages for a model.

pub mod classify;
pub mod pages;
pub mod reword;
mod terms;

pub use classify::{Judgement, judge};
pub use pages::{Candidate, Hit, PageIndex, Placement};
pub use reword::reword;
pub use terms::terms;
