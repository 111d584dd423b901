//! Settings of the web interface: its public address, and the token of its API.

use aha_core::settings::{Reader, field_names};
use aha_net::secret;
use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

/// How `serve` and `daemon` are reached (`AHA_PUBLIC_URL`, `AHA_API_TOKEN`).
#[derive(Debug, Clone, Default)]
pub struct WebSettings {
    /// The public address provided by a reverse proxy; its path is the prefix of all links.
    pub public_url: Option<Url>,
    /// The token with which programs sign in.
    pub api_token: Option<SecretString>,
}

/// The raw values of the variables.
#[derive(Debug, Default, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are the variables' names")]
pub(super) struct RawWeb {
    aha_public_url: Option<String>,
    aha_api_token: Option<String>,
    aha_api_token_file: Option<String>,
}

/// A token that can be guessed protects nothing.
const MIN_TOKEN_CHARS: usize = 16;

impl WebSettings {
    pub(super) fn read(reader: &mut Reader, raw: RawWeb) -> Self {
        let expected = "the http or https address that browsers use, without query";
        let example = "https://radar.example/reading";
        let public_url = reader.maybe(raw.aha_public_url, ("AHA_PUBLIC_URL", expected, example), public_url);
        let api_token = secret::of(reader, "AHA_API_TOKEN", raw.aha_api_token, raw.aha_api_token_file);
        if api_token.as_ref().is_some_and(is_weak) {
            let expected = "at least 16 characters without spaces";
            reader.problem("AHA_API_TOKEN", Some("…".to_owned()), expected, "the output of `openssl rand -hex 24`");
        }
        Self { public_url, api_token }
    }

    /// `AHA_PUBLIC_URL` without a slash at its end.
    #[must_use]
    pub fn site(&self) -> Option<&str> {
        self.public_url.as_ref().map(|url| url.as_str().trim_end_matches('/'))
    }

    /// Returns the path prefix of all routes, without a trailing slash; empty at the root.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.public_url.as_ref().map_or("", |url| url.path().trim_end_matches('/'))
    }
}

/// Returns the names of its variables.
pub(super) fn variable_names() -> impl Iterator<Item = String> {
    field_names::<RawWeb>().iter().map(|field| field.to_uppercase())
}

fn is_weak(token: &SecretString) -> bool {
    use secrecy::ExposeSecret as _;
    let token = token.expose_secret();
    token.chars().count() < MIN_TOKEN_CHARS || token.contains(char::is_whitespace)
}

fn public_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain).then_some(url)
}
