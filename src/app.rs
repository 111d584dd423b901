//! What the whole process shares, built once in `main` and passed down.

use std::sync::Arc;

use crate::clock::Clock;
use crate::config::Config;
use crate::llm::{Gateway, Router};
use crate::sources::fetch::{FetchConfig, FetchError, Fetcher};
use crate::store::SharedStore;

/// Store, gateway, fetcher, clock and settings.
#[derive(Clone)]
pub struct App {
    store: SharedStore,
    gateway: Arc<Gateway>,
    fetcher: Arc<Fetcher>,
    config: Arc<Config>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("config", &self.config).finish_non_exhaustive()
    }
}

impl App {
    /// # Errors
    /// When the HTTP client cannot be built.
    pub fn new(config: Config, store: SharedStore) -> Result<Self, FetchError> {
        Ok(Self {
            store,
            gateway: Arc::new(Gateway::new(Router, config.clock)),
            fetcher: Arc::new(Fetcher::new(fetch_config(&config))?),
            config: Arc::new(config),
        })
    }

    #[must_use]
    pub fn store(&self) -> &SharedStore {
        &self.store
    }

    #[must_use]
    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    #[must_use]
    pub fn fetcher(&self) -> &Arc<Fetcher> {
        &self.fetcher
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    #[must_use]
    pub fn clock(&self) -> Clock {
        self.config.clock
    }
}

/// The fetcher's configuration as the settings say.
#[must_use]
pub fn fetch_config(config: &Config) -> FetchConfig {
    FetchConfig {
        allow: config.fetch.allow.clone(),
        host_gap: config.fetch.host_gap,
        concurrency: config.fetch.concurrency,
        ..FetchConfig::default()
    }
}
