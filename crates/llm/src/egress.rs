//! Restricts where models may be (`AHA_EGRESS`). It refuses endpoints before anything is sent. The transport checks
//! again at the socket, where names have been resolved to addresses.

use aha_net::endpoint::is_local_network;
use url::Url;

use crate::settings::Egress;

/// Returns why a server must not be called; `None` if it may be.
#[must_use]
pub fn refusal(egress: Egress, endpoint: &Url) -> Option<String> {
    match egress {
        Egress::Local if !is_local_network(endpoint) => {
            let host = endpoint.host_str().unwrap_or_default();
            Some(format!("AHA_EGRESS=local: {host} is neither on this host nor on a private network"))
        }
        Egress::Local | Egress::Any => None,
    }
}
