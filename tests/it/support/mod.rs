//! What several tests stand on.

pub mod conversation_server;
pub mod daemon;
pub mod exchanges;
pub mod feeds;
pub mod http;
pub mod postgres;
pub mod proxy;
pub mod radar;
pub mod responses;
pub mod rows;
pub mod site;
pub mod vectors;
pub mod web;
pub mod weights;
