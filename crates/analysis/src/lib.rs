//! What can be computed about texts without asking anybody: which of them tell the same thing, how much one is what a reader asked for,
//! and how likely a headline is noise. Pure: texts and times go in, numbers and groups come out, and the same input gives the same output.

pub mod noise;
pub mod relevance;
pub mod static_model;
pub mod stories;
