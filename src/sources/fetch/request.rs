//! Requests to servers. Built by the connectors; sent by the fetcher.

use aha_core::source::Validators;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

/// A request. Its secrets are sent only to the host for which it was built, wherever that redirects to.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub(super) url: String,
    pub(crate) validators: Validators,
    pub(super) headers: HeaderMap,
    pub(super) login: Option<(String, SecretString)>,
    /// Media type and content of the body; makes the request a POST.
    pub(super) body: Option<(&'static str, String)>,
    /// Whether a page is preferred to a feed.
    pub(super) is_page: bool,
}

impl Request {
    #[must_use]
    pub fn to(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// Creates a request for a page.
    #[must_use]
    pub fn to_page(url: impl Into<String>) -> Self {
        Self { is_page: true, ..Self::to(url) }
    }

    /// Makes the request conditional on a change since these validators were returned.
    #[must_use]
    pub fn if_changed(mut self, validators: &Validators) -> Self {
        self.validators = validators.clone();
        self
    }

    /// Adds a header that is never logged. An invalid header is omitted, and the server then reports what is missing.
    #[must_use]
    pub fn secret_header(mut self, name: &str, value: &str) -> Self {
        if let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
        self
    }

    #[must_use]
    pub fn login(mut self, name: &str, password: &SecretString) -> Self {
        self.login = Some((name.to_owned(), password.clone()));
        self
    }

    /// Posts a URL-encoded form.
    #[must_use]
    pub fn posting(mut self, form: &str) -> Self {
        self.body = Some(("application/x-www-form-urlencoded", form.to_owned()));
        self
    }

    #[must_use]
    pub fn posting_json(mut self, document: String) -> Self {
        self.body = Some(("application/json", document));
        self
    }
}
