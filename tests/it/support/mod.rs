//! What several tests stand on.

pub mod feeds;
pub mod http;
pub mod postgres;
pub mod radar;
pub mod responses;
pub mod rows;
pub mod web;
