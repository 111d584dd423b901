//! Texts in the form in which they are compared: tokens, counted terms, weights by rarity, dense vectors.
//!
//! Input: a title and a body. Output: [`features::Features`], stored once per item, and their
//! [`similarity`](similarity::Frequencies) relative to other texts. [`crate::stories`] groups items by it,
//! [`crate::preferences`] compares stories with feedback.

pub mod dense;
pub mod features;
pub(crate) mod learnable;
pub mod similarity;
pub mod space;
pub mod tokens;
pub mod vocabulary;
pub mod written_form;
