//! What feeds and providers have in common on the network: which addresses may be asked, how names are resolved, how a key is read, and how
//! it is kept out of what is shown. No requests are sent from here.
//!
//! ```
//! use aha_net::endpoint::{is_own, without_secrets};
//! use url::Url;
//!
//! let server = Url::parse("http://me:secret@192.168.0.7:11434/api/chat?key=secret").unwrap();
//! assert!(is_own(&server), "it is on a private network");
//! assert_eq!(without_secrets(&server), "http://192.168.0.7:11434/api/chat");
//! ```

pub mod address;
pub mod client;
pub mod endpoint;
pub mod hash;
pub mod redact;
pub mod secret;
