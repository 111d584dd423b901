//! Settings of source fetching: `AHA_FETCH_*`, `AHA_SITES`, `REDDIT_*`. Searches are in [`super::signal`].

use std::time::Duration;

use aha_core::settings::{number, size};
use aha_net::address::Allowed;
use aha_net::{endpoint, secret};
use secrecy::SecretString;

use super::{Raw, SettingsReader};
use crate::sources::signal::SearchProvider;
use crate::sources::{RedditKey, Sites};

/// How sources are fetched (`AHA_FETCH_*`).
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// Hosts and networks exempt from the address rules.
    pub allow: Vec<Allowed>,
    /// Minimum time between two requests to one host.
    pub host_gap: Duration,
    /// Maximum number of sources fetched at the same time.
    pub concurrency: usize,
    /// The proxy for fetching sources; its address may contain a password.
    pub proxy: Option<SecretString>,
    /// Trusted in addition to the default ones.
    pub certificates: Vec<reqwest::Certificate>,
}

/// Settings of site-specific connectors (`AHA_SITES`, `REDDIT_*`).
#[derive(Debug, Clone, Default)]
pub struct SourceSettings {
    pub sites: Sites,
    /// If unset, Reddit's public listings are read.
    pub reddit: Option<RedditKey>,
    /// For `source import-miniflux`.
    pub miniflux_token: Option<SecretString>,
    /// If unset, sources of the kind `signal` are disabled.
    pub search: Option<SearchProvider>,
}

impl SettingsReader {
    pub(super) fn fetch(&mut self, raw: &mut Raw) -> FetchSettings {
        let (allow, gap) = (raw.aha_fetch_allow.take(), raw.aha_fetch_host_gap_ms.take());
        let hosts = "host names, addresses or networks, separated by commas";
        let allow = self.variables.or(
            allow,
            ("AHA_FETCH_ALLOW", hosts, "192.168.1.20,10.1.0.0/16,feeds.lan"),
            Vec::new(),
            |text| text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(|t| t.parse().ok()).collect(),
        );
        let gap = self.variables.or(
            gap,
            ("AHA_FETCH_HOST_GAP_MS", "milliseconds from 0 to 600000", "1000"),
            1000,
            number(0, 600_000),
        );
        let concurrency = self.variables.or(
            raw.aha_fetch_concurrency.take(),
            ("AHA_FETCH_CONCURRENCY", "a number of sources from 1 to 256", "8"),
            8,
            number(1, 256),
        );
        let bundle = ("AHA_FETCH_CA_FILE", "the path of a PEM file with certificates", "/etc/ssl/company.pem");
        FetchSettings {
            allow,
            host_gap: Duration::from_millis(gap),
            concurrency: size(concurrency),
            proxy: self.proxy(raw.aha_fetch_proxy.take()),
            certificates: self.variables.or(raw.aha_fetch_ca_file.take(), bundle, Vec::new(), |path| {
                let pem = std::fs::read(path).ok()?;
                reqwest::Certificate::from_pem_bundle(&pem).ok().filter(|found| !found.is_empty())
            }),
        }
    }

    /// An unusable value is not shown, because it may contain a password.
    fn proxy(&mut self, text: Option<String>) -> Option<SecretString> {
        let text = text?.trim().to_owned();
        if endpoint::http_url(&text).is_none() || reqwest::Proxy::all(&text).is_err() {
            let (expected, example) = ("the http(s) URL of a proxy", "http://proxy.example:3128");
            self.variables.problem("AHA_FETCH_PROXY", Some("…".to_owned()), expected, example);
            return None;
        }
        Some(text.into())
    }

    pub(super) fn sources(&mut self, raw: &mut Raw) -> SourceSettings {
        let names = Sites::NAMES.join(", ");
        let pairs = format!("NAME=URL pairs, separated by commas, with http(s) URLs and the names {names}");
        let expected = ("AHA_SITES", pairs.as_str(), "lobsters=https://lobsters.example");
        let sites = self.variables.or(raw.aha_sites.take(), expected, Sites::default(), |text| text.parse().ok());
        let (given, file) = (raw.reddit_client_secret.take(), raw.reddit_client_secret_file.take());
        let secret = secret::of(&mut self.variables, "REDDIT_CLIENT_SECRET", given, file);
        let id = raw.reddit_client_id.take().map(|id| id.trim().to_owned());
        if id.is_some() != secret.is_some() && self.variables.problems.is_empty() {
            let missing = if id.is_some() { "REDDIT_CLIENT_SECRET" } else { "REDDIT_CLIENT_ID" };
            self.variables.problem(missing, None, "the other half of the key of your application at Reddit", "…");
        }
        let (given, file) = (raw.aha_miniflux_token.take(), raw.aha_miniflux_token_file.take());
        let miniflux_token = secret::of(&mut self.variables, "AHA_MINIFLUX_TOKEN", given, file);
        let reddit = id.zip(secret).map(|(id, secret)| RedditKey { id, secret });
        SourceSettings { sites, reddit, miniflux_token, search: self.search(raw) }
    }
}
