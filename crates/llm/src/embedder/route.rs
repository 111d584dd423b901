//! The embedding model of each tier: the catalogue's model for `embed`, else that of `OPENAI_EMBED_…`. There is no
//! fallback model, because vectors of two models cannot be compared.

use std::fmt;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;
use reqwest::header::HeaderMap;

use super::PREPARATION;
use crate::breaker::Account;
use crate::catalogue::CatalogueEntry;
use crate::egress;
use crate::provider::{self, EmbedDialect, EmbedRequest, OPENAI_NAME, Server};

use crate::router::{Backend, ModelOptions, Router};
use crate::settings::{EmbedModel, EmbedSettings, LlmSettings};
use crate::transport::Timeouts;

/// An embedding model, and how it is called.
#[derive(Clone)]
pub struct EmbedRoute {
    pub model: ModelRef,
    /// It is `OPENAI_MODEL`, because no model was named for embedding; it may make no vectors at all.
    pub is_general: bool,
    /// `None` when unknown.
    pub price: Option<Price>,
    pub(super) dialect: &'static dyn EmbedDialect,
    pub server: Server,
    pub(super) timeouts: Timeouts,
    pub(super) options: ModelOptions,
    /// Length of the vectors to request; `None`: the model's default.
    dimensions: Option<u32>,
}

/// Omits the address's query, which may hold a key.
impl fmt::Debug for EmbedRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.server.endpoint.host_str();
        f.debug_struct("EmbedRoute").field("model", &self.model).field("host", &host).finish_non_exhaustive()
    }
}

impl EmbedRoute {
    fn of_catalogue(router: &Router, name: &ModelRef, entry: &CatalogueEntry) -> Result<Self, String> {
        let route = router.of_catalogue(name)?;
        let none = || format!("{name} makes no vectors");
        let Backend::Wire(wire) = &route.backend else { return Err(none()) };
        let endpoint = entry.vectors_endpoint().ok_or_else(none)?;
        Ok(Self {
            model: name.clone(),
            is_general: false,
            price: route.price,
            dialect: provider::embedder_by_name(entry.provider.as_str()).ok_or_else(none)?,
            server: Server { endpoint, ..wire.server.clone() },
            timeouts: wire.timeouts,
            options: route.options,
            dimensions: entry.dimensions,
        })
    }

    fn of_settings(settings: &EmbedSettings, model: EmbedModel<'_>) -> Option<Self> {
        let server =
            Server { endpoint: settings.endpoint.clone(), key: Some(settings.key.clone()), headers: HeaderMap::new() };
        Some(Self {
            model: ModelRef { provider: OPENAI_NAME.to_owned(), model: model.name.to_owned() },
            is_general: model.is_general,
            price: settings.price,
            dialect: provider::embedder_by_name(OPENAI_NAME)?,
            server,
            timeouts: Timeouts::of(settings.timeout),
            options: ModelOptions::default(),
            dimensions: None,
        })
    }

    /// Returns the name of the space, built from everything that decides whether two vectors can be compared: provider,
    /// model, its name at the server where that differs, preparation, and the requested length.
    #[must_use]
    pub fn space(&self) -> String {
        let name = self.options.name.as_ref().filter(|name| **name != self.model.model);
        let name = name.map_or_else(String::new, |name| format!("={name}"));
        let length = self.dimensions.map_or_else(String::new, |dimensions| format!("/{dimensions}"));
        format!("{}{name}#{PREPARATION}{length}", self.model)
    }

    /// Identifies server and key. The server's breaker is shared with text models on the same account.
    pub(super) fn account(&self) -> Account {
        crate::route::account(&self.model.provider, &self.server)
    }

    pub(super) fn request<'a>(&'a self, texts: &'a [&'a str]) -> EmbedRequest<'a> {
        EmbedRequest {
            model: self.options.name.as_deref().unwrap_or(&self.model.model),
            texts,
            dimensions: self.dimensions,
            provider_specific: &self.options.provider_specific,
        }
    }

    /// Returns the number of texts in one call: `wanted`, at least 1 and at most the dialect's limit.
    #[must_use]
    pub fn batch_size(&self, wanted: usize) -> usize {
        wanted.clamp(1, self.dialect.max_texts())
    }
}

/// The embedding model of each tier. `Err`: why the named model is not called.
#[derive(Debug, Clone, Default)]
pub struct EmbedRouter {
    by_tier: [Option<Result<EmbedRoute, String>>; 3],
}

impl EmbedRouter {
    /// Builds the router from the settings. The models share the limiter of the text models of `router`.
    #[must_use]
    pub fn configured(llm: &LlmSettings, router: &Router) -> Self {
        if !llm.has_vectors() {
            return Self::default();
        }
        Self { by_tier: BudgetTier::ALL.map(|tier| chosen(llm, router, tier)) }
    }

    /// Returns the model of a tier; `None` where none is configured.
    #[must_use]
    pub const fn at(&self, tier: BudgetTier) -> Option<&Result<EmbedRoute, String>> {
        self.by_tier[tier as usize].as_ref()
    }

    /// Returns why a named model is not called.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.by_tier.iter().flatten().find_map(|route| route.as_ref().err().map(String::as_str))
    }
}

fn chosen(llm: &LlmSettings, router: &Router, tier: BudgetTier) -> Option<Result<EmbedRoute, String>> {
    if let Some((name, entry)) = llm.catalogue.as_ref().and_then(|catalogue| catalogue.embedder(tier)) {
        return Some(EmbedRoute::of_catalogue(router, name, entry));
    }
    let settings = llm.embed.as_ref()?;
    let model = settings.model(tier)?;
    match egress::refusal(llm.egress, &settings.endpoint) {
        // It was not named for embedding, so a refusal is not reported.
        Some(_) if model.is_general => None,
        Some(why) => Some(Err(why)),
        None => EmbedRoute::of_settings(settings, model).map(Ok),
    }
}
