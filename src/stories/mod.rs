//! Stories: which items tell the same thing, and what is new in them.
//!
//! Comes in: texts and times. Goes out: similarities, clusters, facts about a story. Pure: the stages of `pipeline/` do the
//! reading and writing. Everything here is deterministic: the same items give the same stories in any batch size.

pub mod cadence;
pub mod cluster;
pub mod comparison;
pub mod dense;
pub mod features;
pub mod interests;
pub mod preferences;
pub mod scores;
pub mod signals;
pub mod similarity;
pub mod tokens;
