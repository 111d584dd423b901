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
mod identity;
pub mod lookup;
pub mod memory;
mod prepared;
mod regions;
mod source_boilerplate;
mod split;
