//! What is asked of a server. Built by the connectors; sent by the fetcher.

use aha_core::source::Validators;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

/// A request. What is secret in it goes to the host it was made for and to no other, wherever that one redirects to.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub(super) url: String,
    pub(crate) validators: Validators,
    pub(super) headers: HeaderMap,
    pub(super) login: Option<(String, SecretString)>,
    /// What is posted, and what it is; makes it a POST.
    pub(super) body: Option<(&'static str, String)>,
}

impl Request {
    #[must_use]
    pub fn to(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// Only if it changed since these were given.
    #[must_use]
    pub fn if_changed(mut self, validators: &Validators) -> Self {
        self.validators = validators.clone();
        self
    }

    /// A header that is never shown. One that is no header is left out, and the server says what it misses.
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

    /// A form, URL-encoded.
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
