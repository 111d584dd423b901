//! The models configured by the catalogue or by the settings `OPENAI_…`: how each is reached, its price, and its input
//! and output limits for each task. Called by the router, which sees no other difference between the two.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;
use reqwest::header::HeaderMap;
use tokio::sync::Semaphore;

use super::egress;
use super::provider::{self, Capabilities, Sampling, Server};
use super::rate_limiter::{CallLimiter, slots_for};
use super::route::{Backend, Candidate, Connection, ModelOptions, Route};
use super::streaming_only::StreamingOnly;
use super::tasks::{Task, manual_summary};
use super::transport::Timeouts;
use crate::catalogue::{Catalogue, CatalogueEntry};
use crate::settings::{Effort, Egress, OpenAiSettings, PricedModel, TaskSettings};

/// Maximum output tokens where neither a task nor the entry sets a limit: some pages.
const DEFAULT_OUTPUT_TOKENS: u32 = 4_096;

/// The models of one configuration source.
#[derive(Debug, Default)]
pub(super) struct ConfiguredModels {
    /// Each model, or why it is not called.
    models: BTreeMap<ModelRef, Result<Model, String>>,
    /// For each task the models of each tier, in order.
    chains: BTreeMap<Task, [Vec<ChainEntry>; 3]>,
    /// The model used for names on the same server that no setting mentions.
    unnamed: Option<Result<Model, String>>,
}

#[derive(Debug, Clone)]
struct Model {
    wire: Arc<Connection>,
    options: ModelOptions,
    /// The terms in a conversation.
    terms: PriceAndLimits,
}

/// A model of a task's chain.
#[derive(Debug)]
struct ChainEntry {
    model: ModelRef,
    terms: PriceAndLimits,
}

/// The price of a model and its input and output limits.
#[derive(Debug, Clone, Copy)]
struct PriceAndLimits {
    /// `None` when unknown.
    price: Option<Price>,
    max_output_tokens: u32,
    max_input_chars: usize,
    max_title_chars: usize,
    max_calls_per_run: Option<u32>,
    effort: Option<Effort>,
}

impl PriceAndLimits {
    const fn of(task: &TaskSettings, price: Option<Price>) -> Self {
        Self {
            price,
            max_output_tokens: task.max_output_tokens,
            max_input_chars: task.max_input_chars,
            max_title_chars: task.max_title_chars,
            max_calls_per_run: task.max_calls_per_run,
            effort: task.effort,
        }
    }

    /// Returns the terms of a model that is not called for a task.
    const fn without_task(max_output_tokens: u32, price: Option<Price>) -> Self {
        Self {
            price,
            max_output_tokens,
            max_input_chars: usize::MAX,
            max_title_chars: usize::MAX,
            max_calls_per_run: None,
            effort: None,
        }
    }
}

impl ConfiguredModels {
    /// Builds the models of a catalogue; `tasks` holds the settings of each task.
    pub(super) fn of_catalogue(catalogue: &Catalogue, tasks: &BTreeMap<Task, TaskSettings>, egress: Egress) -> Self {
        // Models on the same local server share slots: calling two of them at once makes neither faster.
        let mut shared: BTreeMap<(String, u32), Arc<Semaphore>> = BTreeMap::new();
        let mut slots = |entry: &CatalogueEntry| {
            let calls = entry.limits.concurrency.filter(|_| entry.is_local_network())?;
            let server = (entry.endpoint.origin().ascii_serialization(), calls);
            Some(Arc::clone(shared.entry(server).or_insert_with(|| slots_for(calls))))
        };
        let models = catalogue.entries.iter();
        let models = models.map(|(name, entry)| (name.clone(), Model::of_entry(entry, egress, slots(entry))));
        let chain_entry = |task: Task, (name, entry): (&ModelRef, &CatalogueEntry)| {
            let default_terms =
                PriceAndLimits::without_task(entry.max_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS), entry.price);
            let terms = tasks.get(&task).map_or(default_terms, |settings| PriceAndLimits::of(settings, entry.price));
            ChainEntry { model: name.clone(), terms }
        };
        let chain =
            |task: Task, tier| catalogue.chain(task, tier).into_iter().map(|one| chain_entry(task, one)).collect();
        let chains = catalogue.tasks.keys().map(|task| (*task, BudgetTier::ALL.map(|tier| chain(*task, tier))));
        Self { models: models.collect(), chains: chains.collect(), unnamed: None }
    }

    /// Builds the models that the settings name: each at its own price, all on one server.
    pub(super) fn of_settings(settings: &OpenAiSettings, egress: Egress) -> Self {
        let server =
            Server { endpoint: settings.endpoint.clone(), key: Some(settings.key.clone()), headers: HeaderMap::new() };
        let timeouts = Timeouts::of(settings.timeout);
        let wire = Arc::new(Connection {
            dialect: &provider::OPENAI,
            server,
            timeouts,
            streaming_only: StreamingOnly::default(),
        });
        let refusal = egress::refusal(egress, &settings.endpoint);
        let of_texts = settings.tasks.get(&manual_summary::TASK);
        let model = |price| {
            let terms = of_texts.map_or(PriceAndLimits::without_task(DEFAULT_OUTPUT_TOKENS, price), |task| {
                PriceAndLimits::of(task, price)
            });
            let model = Model { wire: Arc::clone(&wire), options: ModelOptions::default(), terms };
            refusal.clone().map_or(Ok(model), Err)
        };
        let mut named = priced_models(settings);
        // Any other model is charged like the one for manually submitted texts.
        let unnamed = Some(model(named.clone().next().and_then(|first| first.price)));
        let mut models = BTreeMap::new();
        for PricedModel { name, price } in named.by_ref() {
            models.entry(openai_model(name)).or_insert_with(|| model(price));
        }
        let chain = |task: &TaskSettings, tier| {
            let chain = task.chain(tier).into_iter();
            chain
                .map(|one| ChainEntry { model: openai_model(one.name), terms: PriceAndLimits::of(task, one.price) })
                .collect()
        };
        let chains = settings.tasks.iter();
        let chains = chains.map(|(task, settings)| (*task, BudgetTier::ALL.map(|tier| chain(settings, tier))));
        Self { models, chains: chains.collect(), unnamed }
    }

    pub(super) fn serves(&self, task: Task) -> bool {
        self.chains.contains_key(&task)
    }

    pub(super) fn serves_any(&self) -> bool {
        !self.chains.is_empty()
    }

    /// Returns the chain of a task, including refused models.
    pub(super) fn candidates(&self, task: Task, tier: BudgetTier) -> Vec<Candidate> {
        let chain = self.chains.get(&task).map_or(&[][..], |tiers| &tiers[tier as usize]);
        let candidate = |entry: &ChainEntry| Candidate {
            model: entry.model.clone(),
            route: self.model(&entry.model).map(|model| model.route(&entry.model, entry.terms)),
        };
        chain.iter().map(candidate).collect()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &ModelRef> {
        self.models.keys()
    }

    /// Returns a model by its name, for a conversation.
    pub(super) fn named(&self, name: &ModelRef) -> Result<Route, String> {
        self.model(name).map(|model| model.route(name, model.terms))
    }

    fn model(&self, name: &ModelRef) -> Result<&Model, String> {
        let missing = || format!("{name} is no model of the catalogue");
        let model = self.models.get(name).or(self.unnamed.as_ref()).ok_or_else(missing)?;
        model.as_ref().map_err(Clone::clone)
    }

    pub(super) fn refused(&self) -> impl Iterator<Item = (&ModelRef, &str)> {
        self.models.iter().filter_map(|(name, model)| Some((name, model.as_ref().err()?.as_str())))
    }

    /// Why no model of the server is called, whatever its name.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.unnamed.as_ref()?.as_ref().err().map(String::as_str)
    }
}

/// Returns the models that tasks name, starting with the one for manually submitted texts. A model of several tasks
/// appears several times.
fn priced_models(settings: &OpenAiSettings) -> impl Iterator<Item = PricedModel<'_>> + Clone {
    let of_texts = settings.tasks.get(&manual_summary::TASK).into_iter();
    let all = of_texts.chain(settings.tasks.values());
    all.flat_map(|task| BudgetTier::ALL.into_iter().flat_map(|tier| task.chain(tier)))
}

fn openai_model(model: &str) -> ModelRef {
    ModelRef { provider: provider::OPENAI_NAME.to_owned(), model: model.to_owned() }
}

impl Model {
    fn route(&self, name: &ModelRef, terms: PriceAndLimits) -> Route {
        let PriceAndLimits { price, max_output_tokens, max_input_chars, max_title_chars, max_calls_per_run, effort } =
            terms;
        Route {
            model: name.clone(),
            backend: Backend::Wire(Arc::clone(&self.wire)),
            price,
            max_output_tokens,
            max_input_chars,
            max_title_chars,
            max_calls_per_run,
            effort,
            options: self.options.clone(),
        }
    }

    fn of_entry(entry: &CatalogueEntry, egress: Egress, slots: Option<Arc<Semaphore>>) -> Result<Self, String> {
        if let Some(why) = egress::refusal(egress, &entry.endpoint) {
            return Err(why);
        }
        let provider = entry.provider.as_str();
        let dialect = provider::by_name(provider)
            .ok_or_else(|| format!("this version does not speak the interface of {provider:?} yet"))?;
        let server =
            Server { endpoint: entry.endpoint.clone(), key: entry.key.clone(), headers: entry.headers.clone() };
        let times = entry.timeouts;
        let timeouts = Timeouts { first_byte: times.first_byte, idle: times.idle, whole: times.whole };
        let capabilities = entry.capabilities;
        let options = ModelOptions {
            capabilities: Capabilities {
                strict_schema: capabilities.strict_schema,
                streaming_only: capabilities.streaming_only,
                reasoning_effort: capabilities.reasoning_effort,
                usage_in_streams: capabilities.usage_in_streams,
            },
            sampling: Sampling { temperature: entry.temperature, top_p: entry.top_p },
            provider_specific: entry.provider_specific.clone(),
            provider_specific_as_written: entry.provider_specific_as_written.clone(),
            name: Some(entry.model.clone()),
            max_tokens: entry.max_tokens,
            system_prompt: entry.system_prompt.clone(),
            response_format: Some(entry.response_format),
            metadata: entry.metadata.clone(),
            retry: entry.retry,
            limiter: Some(Arc::new(CallLimiter::of(&entry.limits, slots, Instant::now))),
        };
        let wire = Connection { dialect, server, timeouts, streaming_only: StreamingOnly::default() };
        let terms = PriceAndLimits::without_task(entry.max_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS), entry.price);
        Ok(Self { wire: Arc::new(wire), options, terms })
    }
}
#[cfg(test)]
mod tests {
    use aha_core::model::Provider;
    use aha_core::settings::Reader;

    use crate::catalogue::Environment;
    use crate::settings::{self, RawSettings};
    use crate::tasks::triage;

    use super::*;

    #[test]
    fn each_model_of_the_settings_has_its_own_price_and_the_limits_of_its_task() {
        let pairs = [
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_MODEL", "big"),
            ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "1"),
            ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "2"),
            ("OPENAI_TRIAGE_MODEL", "cheap"),
            ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS", "0.001"),
            ("OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS", "0.002"),
            ("OPENAI_TRIAGE_MAX_OUTPUT_TOKENS", "77"),
        ];
        let pairs: Vec<(String, String)> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let (mut reader, mut problems) = (Reader::default(), Vec::new());
        let environment = Environment::of(&pairs);
        let llm = settings::read(&mut reader, &mut problems, &mut RawSettings::default(), &pairs, &environment);
        let models = ConfiguredModels::of_settings(&llm.unwrap().openai.unwrap(), Egress::Any);
        let triage = models.candidates(triage::TASK, BudgetTier::Normal).into_iter().map(|one| one.route.unwrap());
        let terms = |route: Route| {
            let input = route.price.map(|price| price.input_microcredits_per_million);
            (route.model.model, input, route.max_output_tokens)
        };
        let cheap = ("cheap".to_owned(), Some(1_000_000), 77);
        assert_eq!(triage.map(terms).collect::<Vec<_>>(), [cheap, ("big".to_owned(), Some(1_000_000_000), 77)]);
        let other = models.named(&openai_model("of no setting")).map(terms).unwrap();
        assert_eq!(other, ("of no setting".to_owned(), Some(1_000_000_000), 1_500), "as for texts given by hand");
    }

    #[test]
    fn every_provider_that_a_catalogue_may_name_is_spoken() {
        for provider in Provider::ALL {
            assert!(provider::by_name(provider.as_str()).is_some(), "{provider:?}");
        }
    }
}
