//! Stories: which items tell the same thing, and what is new in them.
//!
//! Comes in: texts and times. Goes out: similarities, clusters, facts about a story. Pure: the stages of `pipeline/` do the
//! reading and writing. Everything here is deterministic: the same items give the same stories in any batch size.

mod agglomerate;
pub mod agreement;
pub mod cadence;
pub mod calibration;
mod candidates;
pub mod cluster;
pub mod comparison;
pub mod copies;
pub mod dense;
mod document;
pub mod features;
mod house_words;
mod identity;
mod learnable;
pub mod lookup;
pub mod memory;
pub mod preferences;
mod prepared;
mod regions;
pub mod signals;
pub mod similarity;
pub mod space;
mod split;
pub mod tokens;
pub mod vocabulary;
