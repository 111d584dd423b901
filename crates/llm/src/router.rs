//! Which provider and model serve a task at a budget tier, and on what terms.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};

use super::catalogue_models::CatalogueModels;
use super::egress;
use super::pace::Pace;
use super::provider::{self, AnswerFormat, Capabilities, ModelRequest, Sampling, Server};
use super::retry_policy::{RetryPolicy, RetrySettings};
use super::streaming_only::StreamingOnly;
use super::tasks::{Task, manual_summary};
use super::transport::Timeouts;
use crate::catalogue::ResponseFormat;
use crate::settings::{Effort, Egress, LlmSettings, OpenAiSettings, PricedModel, TaskSettings};
pub use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;

/// How a model is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// In this process.
    Local,
    Wire(Arc<Wire>),
}

/// A server and the dialect it speaks.
pub struct Wire {
    pub dialect: &'static dyn provider::Dialect,
    pub server: Server,
    pub timeouts: Timeouts,
    pub streaming_only: StreamingOnly,
}

/// Without the address's query, which may hold a key.
impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.server.endpoint.host_str();
        f.debug_struct("Wire").field("dialect", &self.dialect).field("host", &host).finish_non_exhaustive()
    }
}

/// A model of a chain, and how much it may be sent and answer.
#[derive(Debug, Clone)]
pub struct Route {
    pub model: ModelRef,
    pub reach: Reach,
    /// `None`: unknown.
    pub price: Option<Price>,
    /// For one story.
    pub max_output_tokens: u32,
    pub max_input_chars: usize,
    pub max_title_chars: usize,
    pub max_calls_per_run: Option<u32>,
    pub effort: Option<Effort>,
    pub traits: Traits,
}

/// What is particular to a model, whatever it is asked.
#[derive(Debug, Clone, Default)]
pub struct Traits {
    pub capabilities: Capabilities,
    pub sampling: Sampling,
    /// Fields of the provider's own, sent with every request.
    pub provider_specific: Map<String, Value>,
    /// The same with the names of variables in the place of their values, fit to be kept.
    pub provider_specific_as_written: Map<String, Value>,
    /// At its server; `None`: as it is called here.
    pub name: Option<String>,
    /// The most that one answer may have, whatever it is about.
    pub max_tokens: Option<u32>,
    /// What it is told first in conversations that bring nothing of their own.
    pub system_prompt: Option<String>,
    /// The form of its answers in such conversations; `None`: the entry does not say.
    pub response_format: Option<ResponseFormat>,
    /// The owner's own words about it, kept with conversations and never sent.
    pub metadata: Map<String, Value>,
    /// `None`: as the task has it.
    pub retry: Option<RetrySettings>,
    /// `None`: as often as is wanted.
    pub pace: Option<Arc<Pace>>,
}

impl Traits {
    /// How often and how soon a model is tried again, where a task has its own idea of it.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.retry.map_or(*of_task, |settings| of_task.with(&settings))
    }
}

impl Route {
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.reach, Reach::Local)
    }

    /// A question to this model, on its terms.
    #[must_use]
    pub fn request(&self, system: String, user: String, format: AnswerFormat, max_output_tokens: u32) -> ModelRequest {
        let Traits { capabilities, sampling, provider_specific, name, max_tokens, .. } = self.traits.clone();
        let name = name.as_deref().unwrap_or(&self.model.model);
        let max_output_tokens = max_output_tokens.min(max_tokens.unwrap_or(u32::MAX));
        let is_found_out = matches!(&self.reach, Reach::Wire(wire) if wire.streaming_only.is_known(name));
        ModelRequest {
            effort: self.effort.filter(|_| capabilities.reasoning_effort),
            capabilities,
            sampling,
            provider_specific,
            stream: capabilities.streaming_only || is_found_out,
            ..ModelRequest::question(name, system, user, format, max_output_tokens)
        }
    }

    /// How long an answer may take.
    #[must_use]
    pub fn longest(&self) -> Duration {
        match &self.reach {
            Reach::Local => Duration::ZERO,
            Reach::Wire(wire) => wire.timeouts.whole,
        }
    }

    /// How often and how soon this model is tried again, where a task has its own idea of it.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.traits.retry(of_task)
    }

    /// Whose account at which server pays for it: models with the same one are refused together.
    pub(super) fn account(&self) -> String {
        let provider = &self.model.provider;
        let Reach::Wire(wire) = &self.reach else { return provider.clone() };
        account(provider, &wire.server)
    }
}

/// Of a provider's server and key.
pub(super) fn account(provider: &str, Server { endpoint, key, .. }: &Server) -> String {
    let mut hasher = DefaultHasher::new();
    key.as_ref().map(ExposeSecret::expose_secret).hash(&mut hasher);
    format!("{provider} at {} {:x}", endpoint.origin().ascii_serialization(), hasher.finish())
}

/// A model of a chain, and how it is asked; or why it is not.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub model: ModelRef,
    pub route: Result<Route, String>,
}

/// Chooses; the first of a chain is asked first, the others when it fails.
#[derive(Debug, Clone, Default)]
pub struct Router {
    openai: Option<OpenAi>,
    listed: Option<Arc<CatalogueModels>>,
    /// Tasks that `local` does where every model asked has failed.
    local_fallback: BTreeSet<Task>,
}

/// The server of the settings `OPENAI_…`.
#[derive(Debug, Clone)]
struct OpenAi {
    settings: OpenAiSettings,
    wire: Arc<Wire>,
    /// Why it is not to be asked.
    refusal: Option<String>,
}

impl Router {
    /// With the server of `OPENAI_…` alone.
    #[must_use]
    pub fn new(openai: Option<&OpenAiSettings>) -> Self {
        Self { openai: openai.map(|settings| OpenAi::new(settings, Egress::Any)), ..Self::default() }
    }

    /// With all that is configured.
    #[must_use]
    pub fn configured(llm: &LlmSettings) -> Self {
        let listed = llm.catalogue.as_ref().map(|catalogue| CatalogueModels::new(catalogue, &llm.tasks, llm.egress));
        Self {
            openai: llm.openai.as_ref().map(|settings| OpenAi::new(settings, llm.egress)),
            listed: listed.map(Arc::new),
            local_fallback: llm.local_fallback.clone(),
        }
    }

    /// The chain for a task at a tier: the catalogue's; where it names no model for it, that of `OPENAI_…`; where that names none either, `local`
    /// alone. Empty for a task that nobody can do. `local` comes after models only for the tasks of `AHA_LLM_LOCAL_FALLBACK`.
    #[must_use]
    pub fn choose(&self, task: Task, tier: BudgetTier) -> Vec<Route> {
        self.candidates(task, tier).into_iter().filter_map(|candidate| candidate.route.ok()).collect()
    }

    /// The same, with those that are not asked.
    #[must_use]
    pub fn candidates(&self, task: Task, tier: BudgetTier) -> Vec<Candidate> {
        let mut chain = match &self.listed {
            Some(listed) if listed.serves(task) => listed.candidates(task, tier),
            _ => self.openai.as_ref().map(|openai| openai.candidates(task, tier)).unwrap_or_default(),
        };
        if chain.is_empty() || self.local_fallback.contains(&task) {
            chain.extend(local(task).map(|route| Candidate { model: route.model.clone(), route: Ok(route) }));
        }
        chain
    }

    /// Whether `local` does a task only where every model asked has failed.
    #[must_use]
    pub fn falls_back_to_local(&self, task: Task, tier: BudgetTier) -> bool {
        let chain = self.candidates(task, tier);
        let is_local = |candidate: &Candidate| candidate.route.as_ref().is_ok_and(Route::is_local);
        chain.len() > 1 && chain.last().is_some_and(is_local)
    }

    /// Why a chain is empty.
    #[must_use]
    pub fn why_nobody(&self, task: Task, tier: BudgetTier) -> String {
        let candidates = self.candidates(task, tier).into_iter();
        let refused: Vec<String> =
            candidates.filter_map(|Candidate { model, route }| Some(format!("{model}: {}", route.err()?))).collect();
        if refused.is_empty() {
            return format!("no model is configured for {}", task.as_str());
        }
        format!("no model may be asked for {}: {}", task.as_str(), refused.join("; "))
    }

    /// A model by its name, for a conversation: one of the catalogue with no task's limits, or any of the server of `OPENAI_…` on the
    /// terms of texts that are given by hand.
    ///
    /// # Errors
    /// Why it cannot be asked.
    pub fn named(&self, model: &ModelRef) -> Result<Route, String> {
        let listed = self.listed.as_ref().map(|listed| listed.named(model));
        match (listed, &self.openai) {
            (Some(Ok(route)), _) => Ok(route),
            (_, Some(openai)) if model.provider == provider::OPENAI_NAME => openai.named(model),
            (Some(Err(why)), _) => Err(why),
            (None, _) => Err(format!("{model} is not configured: AHA_LLM_CONFIG names no file with models")),
        }
    }

    /// Every model that is configured: the catalogue's, then those that settings name.
    pub(super) fn names(&self) -> BTreeSet<ModelRef> {
        let listed = self.listed.iter().flat_map(|listed| listed.names()).cloned();
        let of_settings = self.openai.iter().flat_map(OpenAi::priced_models).map(|model| openai_model(model.name));
        listed.chain(of_settings).collect()
    }

    /// Whether the server of `OPENAI_…` is configured, which is asked for any of its models.
    pub(super) const fn has_settings(&self) -> bool {
        self.openai.is_some()
    }

    /// An entry of the catalogue, whatever it is asked for.
    pub(super) fn of_catalogue(&self, model: &ModelRef) -> Result<Route, String> {
        let nowhere = || Err(format!("{model} is no model of the catalogue"));
        self.listed.as_ref().map_or_else(nowhere, |listed| listed.named(model))
    }

    /// Whether the catalogue names the models of a task.
    #[must_use]
    pub fn is_listed(&self, task: Task) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.serves(task))
    }

    /// Why the server of `OPENAI_…` is not asked.
    #[must_use]
    pub fn settings_refusal(&self) -> Option<&str> {
        self.openai.as_ref()?.refusal.as_deref()
    }

    /// The models that are configured and not asked, and why.
    #[must_use]
    pub fn refused(&self) -> Vec<(String, String)> {
        let listed = self.listed.iter().flat_map(|listed| listed.refused());
        let listed = listed.map(|(model, why)| (model.to_string(), why.to_owned()));
        let of_settings = self.settings_refusal().map(|why| ("OPENAI_…".to_owned(), why.to_owned()));
        listed.chain(of_settings).collect()
    }

    /// Whether anything but `local` is configured for a task.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.openai.is_some() || self.listed.as_ref().is_some_and(|listed| listed.serves_any())
    }
}

impl OpenAi {
    fn new(settings: &OpenAiSettings, egress: Egress) -> Self {
        let key = Some(settings.key.clone());
        let server = Server { endpoint: settings.endpoint.clone(), key, headers: HeaderMap::new() };
        let timeouts = Timeouts::of(settings.timeout);
        let wire = Wire { dialect: &provider::OPENAI, server, timeouts, streaming_only: StreamingOnly::default() };
        let refusal = egress::refusal(egress, &settings.endpoint);
        Self { settings: settings.clone(), wire: Arc::new(wire), refusal }
    }

    fn candidates(&self, task: Task, tier: BudgetTier) -> Vec<Candidate> {
        let Some(limits) = self.settings.tasks.get(&task) else { return Vec::new() };
        let chain = limits.chain(tier).into_iter();
        chain
            .map(|model| Candidate {
                model: openai_model(model.name),
                route: self.refusal.clone().map_or_else(|| Ok(self.route(model, limits)), Err),
            })
            .collect()
    }

    fn named(&self, model: &ModelRef) -> Result<Route, String> {
        if let Some(why) = &self.refusal {
            return Err(why.clone());
        }
        let limits = self.settings.tasks.get(&manual_summary::TASK);
        limits
            .map(|limits| self.route(self.priced(&model.model), limits))
            .ok_or_else(|| format!("{model} is not configured"))
    }

    /// What a model costs that some task names; any other is booked like the one for texts that are given by hand.
    fn priced<'a>(&'a self, name: &'a str) -> PricedModel<'a> {
        let mut models = self.priced_models();
        let of_others = models.clone().next().and_then(|model| model.price);
        models.find(|model| model.name == name).unwrap_or(PricedModel { name, price: of_others })
    }

    /// Those that some task names, first of all the one for texts that are given by hand; a model of several tasks comes several times.
    fn priced_models(&self) -> impl Iterator<Item = PricedModel<'_>> + Clone {
        let of_texts = self.settings.tasks.get(&manual_summary::TASK).into_iter();
        of_texts
            .chain(self.settings.tasks.values())
            .flat_map(|settings| BudgetTier::ALL.into_iter().flat_map(|tier| settings.chain(tier)))
    }

    fn route(&self, model: PricedModel<'_>, limits: &TaskSettings) -> Route {
        Route {
            model: openai_model(model.name),
            reach: Reach::Wire(Arc::clone(&self.wire)),
            price: model.price,
            max_output_tokens: limits.max_output_tokens,
            max_input_chars: limits.max_input_chars,
            max_title_chars: limits.max_title_chars,
            max_calls_per_run: limits.max_calls_per_run,
            effort: limits.effort,
            traits: Traits::default(),
        }
    }
}

fn openai_model(model: &str) -> ModelRef {
    ModelRef { provider: provider::OPENAI_NAME.to_owned(), model: model.to_owned() }
}

fn local(task: Task) -> Option<Route> {
    task.is_done_by_local().then(|| Route {
        model: ModelRef::local(),
        reach: Reach::Local,
        price: Some(Price::default()),
        max_output_tokens: 0,
        max_input_chars: usize::MAX,
        max_title_chars: usize::MAX,
        max_calls_per_run: None,
        effort: None,
        traits: Traits::default(),
    })
}
