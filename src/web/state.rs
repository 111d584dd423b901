//! What all handlers share.

use std::net::IpAddr;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::services::runs::Runs;

use super::guard::rates::Rates;
use super::guard::throttle::Throttle;

/// The application and what guards remember of addresses. A clone is the same one.
#[derive(Debug, Clone)]
pub struct WebState {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    app: App,
    runs: Runs,
    /// Whether who comes without a session or token is turned away.
    sign_in_required: bool,
    /// SHA-256 of `AHA_API_TOKEN`.
    token_hash: Option<[u8; 32]>,
    throttle: Throttle,
    rates: Rates,
}

impl WebState {
    #[must_use]
    pub fn new(app: App, runs: Runs) -> Self {
        use secrecy::ExposeSecret as _;
        let settings = app.config();
        let token_hash = settings.web.api_token.as_ref().map(|token| Sha256::digest(token.expose_secret()).into());
        let sign_in_required = !is_private(settings.listen.ip(), settings.web.public_url.is_some());
        let shared =
            Shared { sign_in_required, token_hash, throttle: Throttle::default(), rates: Rates::default(), runs, app };
        Self { shared: Arc::new(shared) }
    }

    #[must_use]
    pub fn app(&self) -> &App {
        &self.shared.app
    }

    /// The runs that this process makes.
    pub(super) fn runs(&self) -> &Runs {
        &self.shared.runs
    }

    /// The path below which everything is for browsers, without a slash at its end.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.app().config().web.prefix()
    }

    /// A path of ours as an address that leads here from elsewhere.
    pub(super) fn address(&self, path: &str) -> String {
        let config = self.app().config();
        match &config.web.public_url {
            Some(url) => format!("{}{path}", url.as_str().trim_end_matches('/')),
            None => format!("http://{}{path}", config.listen),
        }
    }

    /// Browsers reach it through TLS.
    pub(super) fn is_https(&self) -> bool {
        self.app().config().web.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    pub(super) fn sign_in_required(&self) -> bool {
        self.shared.sign_in_required
    }

    pub(super) fn has_token(&self) -> bool {
        self.shared.token_hash.is_some()
    }

    /// Compares fingerprints, whose first difference tells nothing about the token.
    pub(super) fn is_token(&self, given: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        self.shared.token_hash == Some(given)
    }

    pub(super) fn throttle(&self) -> &Throttle {
        &self.shared.throttle
    }

    pub(super) fn rates(&self) -> &Rates {
        &self.shared.rates
    }
}

/// Only this machine can reach it: it listens on loopback, and no reverse proxy is said to stand before it.
fn is_private(address: IpAddr, behind_proxy: bool) -> bool {
    address.is_loopback() && !behind_proxy
}
