//! The use cases, once: the command line, the web and the daemon call these and only parse and render. Asking, the assistant, the journal,
//! questionnaires and retention are beside this folder, each with its own.
//!
//! Comes in: an [`App`](crate::app::App) and what a person chose, as plain values. Goes out: typed values that serialise, or a
//! [`ServiceError`] whose [`ErrorKind`] a face maps to an exit code or an HTTP status. Nothing here parses arguments, prints, or
//! knows which face asks.

pub mod accounts;
pub mod calibration;
pub mod calls;
pub mod daemon_client;
pub mod database;
pub mod deep_dive;
pub mod diagnostics;
pub mod digests;
pub mod documents;
mod error;
pub mod estimate;
pub mod feed_tokens;
pub mod feedback;
pub mod followups;
pub mod health;
pub mod items;
pub(crate) mod meaning;
pub mod models;
pub mod once;
mod password;
pub mod planner;
pub mod preview;
pub mod replay;
pub mod runs;
pub mod scratch;
pub mod search;
pub mod sources;
pub mod spending;
pub mod stories;
pub mod topics;
pub mod vector_search;

pub use error::{ErrorKind, ServiceError};

pub type Result<T> = std::result::Result<T, ServiceError>;
