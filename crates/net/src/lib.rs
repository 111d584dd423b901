//! The network code that feeds and LLM providers share: which addresses may be contacted, how names are resolved, how
//! keys are read and how they are redacted. This crate sends no requests.
//!
//! ```
//! use aha_net::endpoint::{is_local_network, without_secrets};
//! use url::Url;
//!
//! let server = Url::parse("http://me:secret@192.168.0.7:11434/api/chat?key=secret").unwrap();
//! assert!(is_local_network(&server), "it is on a private network");
//! assert_eq!(without_secrets(&server), "http://192.168.0.7:11434/api/chat");
//! ```

pub mod address;
pub mod client;
pub mod endpoint;
pub mod hash;
pub mod redact;
pub mod retry_after;
pub mod secret;
