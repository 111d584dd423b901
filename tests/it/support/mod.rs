//! What several tests stand on.

pub mod feeds;
pub mod http;
pub mod radar;
pub mod rows;
pub mod web;
