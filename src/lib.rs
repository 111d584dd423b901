//! Aha Radar.
pub mod clock;
pub mod domain;
pub mod store;
