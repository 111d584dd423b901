//! Who makes the vectors of a tier: the catalogue's model for `embed`, else that of `OPENAI_EMBED_…`. Only one is asked: there is no next
//! model, as vectors of two cannot be compared.

use std::fmt;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;
use reqwest::header::HeaderMap;

use super::PREPARATION;
use crate::catalogue::CatalogueEntry;
use crate::egress;
use crate::provider::{self, EmbedDialect, EmbedRequest, OPENAI_NAME, Server};

use crate::router::{Reach, Router, Traits};
use crate::settings::{EmbedModel, EmbedSettings, LlmSettings};
use crate::transport::Timeouts;

/// A model that makes vectors, and how it is asked.
#[derive(Clone)]
pub struct EmbedRoute {
    pub model: ModelRef,
    /// It is `OPENAI_MODEL`, for want of one that was named for this: perhaps it makes no vectors at all.
    pub is_general: bool,
    /// `None`: unknown.
    pub price: Option<Price>,
    pub(super) dialect: &'static dyn EmbedDialect,
    pub server: Server,
    pub(super) timeouts: Timeouts,
    pub(super) traits: Traits,
    /// How many numbers a vector is to have; `None`: as the model makes them.
    dimensions: Option<u32>,
}

/// Without the address's query, which may hold a key.
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
        let Reach::Wire(wire) = &route.reach else { return Err(none()) };
        let endpoint = entry.vectors_endpoint().ok_or_else(none)?;
        Ok(Self {
            model: name.clone(),
            is_general: false,
            price: route.price,
            dialect: provider::embedder_by_name(entry.provider.as_str()).ok_or_else(none)?,
            server: Server { endpoint, ..wire.server.clone() },
            timeouts: wire.timeouts,
            traits: route.traits,
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
            traits: Traits::default(),
            dimensions: None,
        })
    }

    /// What names all that decides whether two vectors can be compared: provider, model, what it is called at its server where that
    /// differs, preparation, and the length that is asked for.
    #[must_use]
    pub fn space(&self) -> String {
        let name = self.traits.name.as_ref().filter(|name| **name != self.model.model);
        let name = name.map_or_else(String::new, |name| format!("={name}"));
        let length = self.dimensions.map_or_else(String::new, |dimensions| format!("/{dimensions}"));
        format!("{}{name}#{PREPARATION}{length}", self.model)
    }

    /// Of its server and key: the breaker is that of the models that are asked for texts there.
    pub(super) fn account(&self) -> String {
        crate::route::account(&self.model.provider, &self.server)
    }

    pub(super) fn request<'a>(&'a self, texts: &'a [&'a str]) -> EmbedRequest<'a> {
        EmbedRequest {
            model: self.traits.name.as_deref().unwrap_or(&self.model.model),
            texts,
            dimensions: self.dimensions,
            provider_specific: &self.traits.provider_specific,
        }
    }

    /// Texts in one call, where so many are wanted.
    #[must_use]
    pub fn batch_size(&self, wanted: usize) -> usize {
        wanted.clamp(1, self.dialect.most_texts())
    }
}

/// Who makes the vectors of each tier. `Err`: why the one that was named for it is not asked.
#[derive(Debug, Clone, Default)]
pub struct EmbedRouter {
    by_tier: [Option<Result<EmbedRoute, String>>; 3],
}

impl EmbedRouter {
    /// With all that is configured. The models share the pace of those that `router` asks for texts.
    #[must_use]
    pub fn configured(llm: &LlmSettings, router: &Router) -> Self {
        if !llm.has_vectors() {
            return Self::default();
        }
        Self { by_tier: BudgetTier::ALL.map(|tier| chosen(llm, router, tier)) }
    }

    /// `None` where no model is configured.
    #[must_use]
    pub const fn at(&self, tier: BudgetTier) -> Option<&Result<EmbedRoute, String>> {
        self.by_tier[tier as usize].as_ref()
    }

    /// Why a model that was named is not asked.
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
        // It was not named for this, so nothing is missed.
        Some(_) if model.is_general => None,
        Some(why) => Some(Err(why)),
        None => EmbedRoute::of_settings(settings, model).map(Ok),
    }
}
