//! Where models may be (`AHA_EGRESS`): what is refused before anything is sent. The transport proves it once more at the socket, where names
//! have become addresses.

use aha_net::endpoint::is_own;
use url::Url;

use crate::settings::Egress;

/// Why a server is not to be asked, if it is not.
#[must_use]
pub fn refusal(egress: Egress, endpoint: &Url) -> Option<String> {
    match egress {
        Egress::Local if !is_own(endpoint) => {
            let host = endpoint.host_str().unwrap_or_default();
            Some(format!("AHA_EGRESS=local: {host} is neither on this host nor on a private network"))
        }
        Egress::Local | Egress::Any => None,
    }
}
