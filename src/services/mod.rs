//! The use cases, written once: the command line, the web and the daemon only parse and render around them. Asking, the
//! assistant, the journal, questionnaires and retention have folders or files of their own next to this one.
//!
//! Input: an [`App`](crate::app::App) and the user's choices as plain values. Output: typed values that serialise, or a
//! [`ServiceError`] whose [`ErrorKind`] an interface maps to an exit code or an HTTP status. A service does not parse
//! arguments, print, or depend on the interface.

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
pub(crate) mod id_prefix;
pub mod idempotency;
pub mod items;
pub mod models;
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
mod turns;

pub use error::{ErrorKind, ServiceError};

pub type Result<T> = std::result::Result<T, ServiceError>;
