//! The configuration of a fetcher, and its defaults.

use std::sync::Arc;
use std::time::Duration;

use aha_net::address::{Allowed, Lookup, SystemLookup};
use secrecy::SecretString;

/// Configuration of the fetcher; the defaults are those of a polite reader.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Exceptions from the address rules.
    pub allow: Vec<Allowed>,
    /// Minimum time between two requests to a host; zero for none.
    pub host_gap: Duration,
    /// Maximum number of concurrent requests, over all hosts.
    pub concurrency: usize,
    pub connect_timeout: Duration,
    /// Maximum time without data while a response is awaited or received.
    pub idle_timeout: Duration,
    /// Maximum time of a fetch with its redirects, without waiting for a permit.
    pub total_timeout: Duration,
    /// Measured after decompression.
    pub max_body_bytes: usize,
    pub max_redirects: usize,
    pub user_agent: String,
    /// Resolves host names.
    pub lookup: Arc<dyn Lookup>,
    /// The proxy for all requests, as a URL; it may contain a password.
    pub proxy: Option<SecretString>,
    /// Trusted in addition to the default ones.
    pub certificates: Vec<reqwest::Certificate>,
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            host_gap: Duration::from_secs(1),
            concurrency: 8,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_mins(1),
            max_body_bytes: 16 * 1024 * 1024,
            max_redirects: 5,
            user_agent: concat!("aha-radar/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")")
                .to_owned(),
            lookup: Arc::new(SystemLookup),
            proxy: None,
            certificates: Vec::new(),
        }
    }
}
