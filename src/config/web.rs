//! Settings of the web interface: its public address, the proxies before it, and the token of its API.

use std::net::IpAddr;

use aha_core::settings::{Reader, field_names};
use aha_net::address::Allowed;
use aha_net::secret;
use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

/// How `serve` and `daemon` are reached (`AHA_PUBLIC_URL`, `AHA_TRUSTED_PROXIES`, `AHA_API_TOKEN`).
#[derive(Debug, Clone, Default)]
pub struct WebSettings {
    /// The public address provided by a reverse proxy; its path is the prefix of all links.
    pub public_url: Option<Url>,
    /// Networks of the reverse proxies whose `X-Forwarded-For` counts.
    trusted_proxies: Vec<Allowed>,
    /// The token with which programs sign in.
    pub api_token: Option<SecretString>,
}

/// The raw values of the variables.
#[derive(Debug, Default, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are the variables' names")]
pub(super) struct RawWeb {
    aha_public_url: Option<String>,
    aha_trusted_proxies: Option<String>,
    aha_api_token: Option<String>,
    aha_api_token_file: Option<String>,
}

/// Only a proxy on this machine is trusted if no other is named.
const LOOPBACK: &str = "127.0.0.0/8,::1";

/// A token that can be guessed protects nothing.
const MIN_TOKEN_CHARS: usize = 16;

impl WebSettings {
    pub(super) fn read(reader: &mut Reader, raw: RawWeb) -> Self {
        let expected = "the http or https address that browsers use, without query";
        let example = "https://radar.example/reading";
        let public_url = reader.maybe(raw.aha_public_url, ("AHA_PUBLIC_URL", expected, example), public_url);
        let expected = "addresses or networks, separated by commas";
        let proxies = Some(raw.aha_trusted_proxies.unwrap_or_else(|| LOOPBACK.to_owned()));
        let trusted_proxies =
            reader.or(proxies, ("AHA_TRUSTED_PROXIES", expected, "172.18.0.0/16"), Vec::new(), networks);
        let variable = if raw.aha_api_token.is_some() { "AHA_API_TOKEN" } else { "AHA_API_TOKEN_FILE" };
        let shown = raw.aha_api_token_file.clone().filter(|_| raw.aha_api_token.is_none());
        let api_token = secret::of(reader, "AHA_API_TOKEN", raw.aha_api_token, raw.aha_api_token_file);
        if api_token.as_ref().is_some_and(is_weak) {
            let (expected, example) = match &shown {
                None => ("at least 16 characters without spaces", "the output of `openssl rand -hex 24`"),
                Some(_) => ("the path of a file with at least 16 characters without spaces", "/run/secrets/aha-token"),
            };
            reader.problem(variable, shown.or(Some("…".to_owned())), expected, example);
        }
        Self { public_url, trusted_proxies, api_token }
    }

    /// Returns whether a reverse proxy at this address may say for whom it asks.
    #[must_use]
    pub fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        let contains = |proxy: &Allowed| matches!(proxy, Allowed::Network(network) if network.contains(&address));
        self.trusted_proxies.iter().any(contains)
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

/// Parses networks; an address is a network of one.
fn networks(text: &str) -> Option<Vec<Allowed>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok().filter(|proxy| matches!(proxy, Allowed::Network(_)))).collect()
}

fn public_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(trusted_proxies: Option<&str>) -> (WebSettings, usize) {
        let raw = RawWeb { aha_trusted_proxies: trusted_proxies.map(str::to_owned), ..RawWeb::default() };
        let mut reader = Reader::default();
        (WebSettings::read(&mut reader, raw), reader.problems.len())
    }

    #[test]
    fn a_proxy_on_this_machine_is_trusted_unless_others_are_named() {
        let trusts = |settings: &WebSettings, address: &str| settings.is_trusted_proxy(address.parse().unwrap());
        let (settings_here, problems) = settings(None);
        assert_eq!(problems, 0);
        assert!(trusts(&settings_here, "127.0.0.9") && trusts(&settings_here, "::1"));
        assert!(!trusts(&settings_here, "172.18.0.2"));
        let (named, problems) = settings(Some("172.18.0.0/16, fd00::7"));
        assert_eq!(problems, 0);
        assert!(trusts(&named, "172.18.0.2") && trusts(&named, "fd00::7"));
        assert!(!trusts(&named, "172.19.0.2") && !trusts(&named, "127.0.0.1"));
        for wrong in ["proxy.lan", "172.18.0.0/40", "10.0.0.1,proxy"] {
            assert_eq!(settings(Some(wrong)).1, 1, "{wrong}");
        }
    }
}
