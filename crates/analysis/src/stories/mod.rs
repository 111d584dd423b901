//! Stories: which items are about the same event.
//!
//! Input: texts and times. Output: similarities, clusters, facts about a story. No I/O: the stages of `pipeline/` read
//! and write. Everything is deterministic: the same items give the same stories with any batch size.

mod agglomerate;
pub mod agreement;
pub mod cadence;
pub mod calibration;
mod candidates;
pub mod cluster;
mod cluster_item;
pub mod comparison;
pub mod copies;
pub mod dense;
pub mod features;
mod identity;
mod learnable;
pub mod lookup;
pub mod memory;
pub mod preferences;
mod prepared;
mod regions;
pub mod signals;
pub mod similarity;
mod source_boilerplate;
pub mod space;
mod split;
pub mod tokens;
pub mod vocabulary;
