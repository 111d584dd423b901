//! Reads the words of a sentence: tokens with their spelling mended, numbers, verb forms, phrases and word lists.
//!
//! What belongs here knows words and no calendar: neither which day a word means nor which command it is part of.

pub(super) mod compounds;
pub(super) mod courtesy;
pub(super) mod german;
pub(super) mod numbers;
pub(super) mod past_forms;
pub(super) mod phrases;
mod spelling;
pub(super) mod tokens;
pub(super) mod vocabulary;
pub(super) mod words;
