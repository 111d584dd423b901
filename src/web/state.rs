//! The state that all handlers share.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::app::{App, LastValues};
use crate::services::runs::Runs;

use super::guard::rates::Rates;
use super::guard::throttle::Throttle;
use super::health::LastReport;

/// The application and the guards' records of addresses. Clones share them.
#[derive(Debug, Clone)]
pub struct WebState {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    app: App,
    runs: Runs,
    /// Whether requests without a session or token are rejected.
    sign_in_required: bool,
    /// SHA-256 of `AHA_API_TOKEN`.
    token_hash: Option<[u8; 32]>,
    throttle: Throttle,
    rates: Rates,
    /// Feeds as they were last rendered, by path.
    feeds: LastValues<String, str>,
    last_report: LastReport,
}

impl WebState {
    #[must_use]
    pub fn new(app: App, runs: Runs) -> Self {
        use secrecy::ExposeSecret as _;
        let settings = app.config();
        let token_hash = settings.web.api_token.as_ref().map(|token| Sha256::digest(token.expose_secret()).into());
        let sign_in_required = settings.requires_sign_in();
        let (throttle, rates, feeds) = (Throttle::default(), Rates::default(), LastValues::default());
        let last_report = LastReport::default();
        let shared = Shared { app, runs, sign_in_required, token_hash, throttle, rates, feeds, last_report };
        Self { shared: Arc::new(shared) }
    }

    #[must_use]
    pub fn app(&self) -> &App {
        &self.shared.app
    }

    pub(super) fn feeds(&self) -> &LastValues<String, str> {
        &self.shared.feeds
    }

    /// The health as it was last reported.
    pub(super) fn last_report(&self) -> &LastReport {
        &self.shared.last_report
    }

    /// The runs of this process.
    pub(super) fn runs(&self) -> &Runs {
        &self.shared.runs
    }

    /// Returns the path prefix under which browsers reach everything, without a trailing slash.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.app().config().web.prefix()
    }

    /// Returns the absolute address of a path on this server.
    pub(super) fn address(&self, path: &str) -> String {
        let config = self.app().config();
        match &config.web.public_url {
            Some(url) => format!("{}{path}", url.as_str().trim_end_matches('/')),
            None => format!("http://{}{path}", config.listen),
        }
    }

    /// Returns whether browsers reach the server over TLS.
    pub(super) fn is_https(&self) -> bool {
        self.app().config().web.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    pub(super) fn sign_in_required(&self) -> bool {
        self.shared.sign_in_required
    }

    /// Compares hashes, so that the position of the first difference reveals nothing about the token.
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
