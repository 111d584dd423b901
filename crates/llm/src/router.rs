//! Chooses the models that serve a task at a budget tier.

use std::collections::BTreeSet;
use std::sync::Arc;

use aha_core::money::Price;
use aha_core::topic::BudgetTier;

use super::configured_models::ConfiguredModels;
use super::provider;
use super::tasks::Task;
use crate::settings::{Egress, LlmSettings, OpenAiSettings};

pub use super::route::{Backend, Candidate, Connection, ModelOptions, Route};
pub use aha_core::model::ModelRef;

/// Chooses chains of models. The first of a chain is called first, the others when it fails.
#[derive(Debug, Clone, Default)]
pub struct Router {
    /// From the file that `AHA_LLM_CONFIG` names.
    catalogue: Option<Arc<ConfiguredModels>>,
    /// From the settings `OPENAI_…`.
    settings: Option<Arc<ConfiguredModels>>,
    /// Tasks that `local` does where every model called has failed.
    local_fallback: BTreeSet<Task>,
}

impl Router {
    /// Builds a router with only the server of `OPENAI_…`.
    #[must_use]
    pub fn new(openai: Option<&OpenAiSettings>) -> Self {
        let settings = openai.map(|settings| ConfiguredModels::of_settings(settings, Egress::Any));
        Self { settings: settings.map(Arc::new), ..Self::default() }
    }

    /// Builds a router with everything that is configured.
    #[must_use]
    pub fn configured(llm: &LlmSettings) -> Self {
        let of_catalogue = |catalogue| ConfiguredModels::of_catalogue(catalogue, &llm.tasks, llm.egress);
        let of_settings = |settings| ConfiguredModels::of_settings(settings, llm.egress);
        Self {
            catalogue: llm.catalogue.as_ref().map(of_catalogue).map(Arc::new),
            settings: llm.openai.as_ref().map(of_settings).map(Arc::new),
            local_fallback: llm.local_fallback.clone(),
        }
    }

    /// Returns the catalogue's models, which come first, and those of the settings.
    fn configured_models(&self) -> impl Iterator<Item = &ConfiguredModels> {
        self.catalogue.iter().chain(&self.settings).map(AsRef::as_ref)
    }

    /// Returns the chain for a task at a tier: the catalogue's; where it names no model for the task, that of
    /// `OPENAI_…`; where that names none either, only `local`. Empty for a task without any of these. `local` follows
    /// models only for the tasks of `AHA_LLM_LOCAL_FALLBACK`.
    #[must_use]
    pub fn choose(&self, task: Task, tier: BudgetTier) -> Vec<Route> {
        self.candidates(task, tier).into_iter().filter_map(|candidate| candidate.route.ok()).collect()
    }

    /// Returns the same chain, including models that may not be called.
    #[must_use]
    pub fn candidates(&self, task: Task, tier: BudgetTier) -> Vec<Candidate> {
        let models = self.configured_models().find(|models| models.serves(task));
        let mut chain = models.map(|models| models.candidates(task, tier)).unwrap_or_default();
        if chain.is_empty() || self.local_fallback.contains(&task) {
            chain.extend(local(task).map(|route| Candidate { model: route.model.clone(), route: Ok(route) }));
        }
        chain
    }

    /// Whether `local` does a task only where every model called has failed.
    #[must_use]
    pub fn falls_back_to_local(&self, task: Task, tier: BudgetTier) -> bool {
        let chain = self.candidates(task, tier);
        let is_local = |candidate: &Candidate| candidate.route.as_ref().is_ok_and(Route::is_local);
        chain.len() > 1 && chain.last().is_some_and(is_local)
    }

    /// Returns why a chain is empty.
    #[must_use]
    pub fn why_no_model(&self, task: Task, tier: BudgetTier) -> String {
        let candidates = self.candidates(task, tier).into_iter();
        let refused: Vec<String> =
            candidates.filter_map(|Candidate { model, route }| Some(format!("{model}: {}", route.err()?))).collect();
        if refused.is_empty() {
            return format!("no model is configured for {}", task.as_str());
        }
        format!("no model may be asked for {}: {}", task.as_str(), refused.join("; "))
    }

    /// Returns a model by its name, for a conversation: one of the catalogue without task limits, or any of the server
    /// of `OPENAI_…` on the terms of manually submitted texts.
    ///
    /// # Errors
    /// Why it cannot be called.
    pub fn named(&self, model: &ModelRef) -> Result<Route, String> {
        let of_catalogue = self.catalogue.as_ref().map(|models| models.named(model));
        match (of_catalogue, &self.settings) {
            (Some(Ok(route)), _) => Ok(route),
            (_, Some(settings)) if model.provider == provider::OPENAI_NAME => settings.named(model),
            (Some(Err(why)), _) => Err(why),
            (None, _) => Err(format!("{model} is not configured: AHA_LLM_CONFIG names no file with models")),
        }
    }

    /// Returns every model that is configured.
    pub(super) fn names(&self) -> BTreeSet<ModelRef> {
        self.configured_models().flat_map(ConfiguredModels::names).cloned().collect()
    }

    /// Whether the server of `OPENAI_…` is configured, which may be asked for any model.
    pub(super) const fn has_settings(&self) -> bool {
        self.settings.is_some()
    }

    /// Returns an entry of the catalogue, without task limits.
    pub(super) fn of_catalogue(&self, model: &ModelRef) -> Result<Route, String> {
        let nowhere = || Err(format!("{model} is no model of the catalogue"));
        self.catalogue.as_ref().map_or_else(nowhere, |models| models.named(model))
    }

    /// Whether the catalogue names models for a task.
    #[must_use]
    pub fn is_listed(&self, task: Task) -> bool {
        self.catalogue.as_ref().is_some_and(|models| models.serves(task))
    }

    /// Returns why the server of `OPENAI_…` is not called.
    #[must_use]
    pub fn settings_refusal(&self) -> Option<&str> {
        self.settings.as_ref()?.refusal()
    }

    /// Returns the models that are configured but not called, and why.
    #[must_use]
    pub fn refused(&self) -> Vec<(String, String)> {
        let of_catalogue = self.catalogue.iter().flat_map(|models| models.refused());
        let of_catalogue = of_catalogue.map(|(model, why)| (model.to_string(), why.to_owned()));
        let of_settings = self.settings_refusal().map(|why| ("OPENAI_…".to_owned(), why.to_owned()));
        of_catalogue.chain(of_settings).collect()
    }

    /// Whether any model other than `local` is configured for any task.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.settings.is_some() || self.catalogue.as_ref().is_some_and(|models| models.serves_any())
    }
}

fn local(task: Task) -> Option<Route> {
    task.is_done_by_local().then(|| Route {
        model: ModelRef::local(),
        backend: Backend::Local,
        price: Some(Price::default()),
        max_output_tokens: 0,
        max_input_chars: usize::MAX,
        max_title_chars: usize::MAX,
        max_calls_per_run: None,
        effort: None,
        options: ModelOptions::default(),
    })
}
