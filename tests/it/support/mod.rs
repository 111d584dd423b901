//! What several tests stand on.

pub mod http;
