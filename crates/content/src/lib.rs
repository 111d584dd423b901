//! Text that came from outside, made fit to be read, compared and counted; and numbers in texts of our own.

pub mod boilerplate;
pub mod canonical;
#[cfg(test)]
mod deadline;
pub mod escapes;
pub mod feed;
pub mod fold;
pub mod html;
pub mod language;
pub mod links;
mod markup;
mod nesting;
pub mod numbers;
pub mod prune;
pub mod quotable;
mod quotable_words;
pub mod sanitize;
pub mod sentences;
