//! What feeds and providers have in common on the network: which addresses may be asked, how names are resolved, how a key is read, and how
//! it is kept out of what is shown. No requests are sent from here.

pub mod address;
pub mod endpoint;
pub mod hash;
pub mod redact;
pub mod secret;
