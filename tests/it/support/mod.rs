//! What several tests stand on.

pub mod feeds;
pub mod http;
pub mod postgres;
pub mod radar;
pub mod rows;
pub mod web;
