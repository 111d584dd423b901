//! Lists the configured models with their terms, and those whose circuit is open in a running daemon. Asks none of
//! them.

use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;
use aha_llm::Router;
use aha_llm::catalogue::{Catalogue, CatalogueEntry};
use aha_llm::embedder::PURPOSE;
use aha_llm::provider::OPENAI_NAME;
use aha_llm::settings::OpenAiSettings;
use aha_llm::tasks;
use aha_net::endpoint::without_secrets;
use serde::Serialize;
use url::Url;

use super::super::daemon_client;
use super::super::health::OpenCircuitReport;
use super::terms;
use crate::config::Config;

const TIERS: [BudgetTier; 3] = [BudgetTier::Low, BudgetTier::Normal, BudgetTier::High];
/// The source of a model's configuration if it is not the catalogue.
const SETTINGS: &str = "OPENAI_…";

/// A configured model and its terms.
#[derive(Debug, Serialize)]
pub struct ConfiguredModel {
    pub provider: String,
    pub model: String,
    /// Its name in requests to its server.
    pub model_on_the_wire: String,
    pub host: String,
    pub endpoint: String,
    /// The last characters of the key.
    pub key: Option<String>,
    pub capabilities: Vec<&'static str>,
    pub price: Option<Rates>,
    #[serde(skip)]
    pub price_in_words: String,
    pub limits: Limits,
    pub timeout_seconds: f64,
    pub first_byte_seconds: f64,
    pub fallbacks: Vec<String>,
    /// Tasks in whose chain it comes first, with tiers where they differ.
    pub tasks: Vec<String>,
    /// Tasks in whose chain it comes later.
    #[serde(rename = "steps_in_for")]
    pub fallback_for: Vec<String>,
    /// The catalogue's file and line, or the settings.
    pub configured_by: String,
    /// Why it is not asked.
    pub unusable: Option<String>,
    /// Seconds for which the daemon keeps its server's circuit open; `None` if the circuit is closed or no daemon
    /// runs.
    #[serde(rename = "left_alone_seconds")]
    pub circuit_open_seconds: Option<u32>,
}

/// Micro-credits per million tokens.
#[derive(Debug, Serialize)]
pub struct Rates {
    pub input_microcredits_per_million: i64,
    pub cached_input_microcredits_per_million: Option<i64>,
    pub output_microcredits_per_million: i64,
}

impl From<Price> for Rates {
    fn from(price: Price) -> Self {
        Self {
            input_microcredits_per_million: price.input_microcredits_per_million,
            cached_input_microcredits_per_million: price.cached_input_microcredits_per_million,
            output_microcredits_per_million: price.output_microcredits_per_million,
        }
    }
}

#[derive(Debug, Default, Serialize)]
pub struct Limits {
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u32>,
    pub concurrency: Option<u32>,
    pub max_tokens: Option<u32>,
    /// Dimensions of a vector.
    pub dimensions: Option<u32>,
}

/// Lists all models, with the state of their servers' circuits from a running daemon. Asks none of them.
pub async fn configured(config: &Config) -> Vec<ConfiguredModel> {
    let mut models = list(config);
    // Circuit breakers exist only in the daemon's process.
    let open_circuits = daemon_client::health(config).await.map(|health| health.open_circuits).unwrap_or_default();
    for model in &mut models {
        model.circuit_open_seconds =
            open_circuits.iter().find(|server| model.is_at(server)).map(|server| server.seconds);
    }
    models
}

/// Lists the models of the catalogue, then those of the settings.
#[must_use]
pub fn list(config: &Config) -> Vec<ConfiguredModel> {
    let router = Router::configured(&config.llm);
    let catalogue = config.llm.catalogue.iter();
    let of_catalogue = catalogue.flat_map(|catalogue| {
        let file = catalogue.file.display();
        catalogue.entries.iter().map(move |(name, entry)| (format!("{file}:{}", entry.line), catalogue, name, entry))
    });
    let of_catalogue = of_catalogue
        .map(|(location, catalogue, name, entry)| from_catalogue(&router, location, catalogue, name, entry));
    let of_settings = config.llm.openai.iter().flat_map(|openai| from_settings(&router, openai));
    let known: Vec<ConfiguredModel> = of_catalogue.collect();
    known.into_iter().chain(of_settings).collect()
}

fn from_catalogue(
    router: &Router,
    configured_by: String,
    catalogue: &Catalogue,
    name: &ModelRef,
    entry: &CatalogueEntry,
) -> ConfiguredModel {
    let can = entry.capabilities;
    let capabilities = [
        ("strict_schema", can.strict_schema),
        ("streaming_only", can.streaming_only),
        ("reasoning_effort", can.reasoning_effort),
        ("usage_in_streams", can.usage_in_streams),
    ];
    let (mut tasks, fallback_for) = served(router, name, true);
    tasks.extend(task_and_tiers(
        PURPOSE,
        TIERS.map(|tier| catalogue.embedder(tier).is_some_and(|(first, _)| first == name)),
    ));
    ConfiguredModel {
        provider: name.provider.clone(),
        model: name.model.clone(),
        model_on_the_wire: entry.model.clone(),
        host: terms::host(&entry.endpoint),
        endpoint: without_secrets(&entry.endpoint),
        key: entry.key.as_ref().map(terms::masked),
        capabilities: capabilities.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect(),
        price: entry.price.map(Rates::from),
        price_in_words: terms::per_million(entry.price),
        limits: Limits {
            requests_per_minute: entry.limits.requests_per_minute,
            tokens_per_minute: entry.limits.tokens_per_minute,
            concurrency: entry.limits.concurrency,
            max_tokens: entry.max_tokens,
            dimensions: entry.dimensions,
        },
        timeout_seconds: entry.timeouts.whole.as_secs_f64(),
        first_byte_seconds: entry.timeouts.first_byte.as_secs_f64(),
        fallbacks: entry.fallbacks.iter().map(ToString::to_string).collect(),
        tasks,
        fallback_for,
        configured_by,
        unusable: router.named(name).err(),
        circuit_open_seconds: None,
    }
}

fn from_settings(router: &Router, openai: &OpenAiSettings) -> Vec<ConfiguredModel> {
    let mut models: Vec<(&str, Option<Price>)> = Vec::new();
    for task in openai.tasks.values() {
        for model in TIERS.iter().flat_map(|tier| task.chain(*tier)) {
            if models.iter().all(|(known, _)| *known != model.name) {
                models.push((model.name, model.price));
            }
        }
    }
    let configured = models.into_iter().map(|(model, price)| {
        let name = ModelRef { provider: OPENAI_NAME.to_owned(), model: model.to_owned() };
        let (tasks, fallback_for) = served(router, &name, false);
        ConfiguredModel {
            provider: name.provider,
            model: name.model.clone(),
            model_on_the_wire: name.model,
            host: terms::host(&openai.endpoint),
            endpoint: without_secrets(&openai.endpoint),
            key: Some(terms::masked(&openai.key)),
            capabilities: vec!["strict_schema", "reasoning_effort", "usage_in_streams"],
            price: price.map(Rates::from),
            price_in_words: terms::per_million(price),
            limits: Limits::default(),
            timeout_seconds: openai.timeout.as_secs_f64(),
            first_byte_seconds: openai.timeout.as_secs_f64(),
            fallbacks: Vec::new(),
            tasks,
            fallback_for,
            configured_by: SETTINGS.to_owned(),
            unusable: router.settings_refusal().map(str::to_owned),
            circuit_open_seconds: None,
        }
    });
    configured.collect()
}

/// Returns the tasks in whose chain a model comes first, and those in whose chain it comes later. `in_catalogue` tells
/// an entry of the catalogue from a model with the same name in the settings.
fn served(router: &Router, name: &ModelRef, in_catalogue: bool) -> (Vec<String>, Vec<String>) {
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for task in tasks::ALL.iter().copied().filter(|task| router.is_listed(*task) == in_catalogue) {
        let position =
            |tier: &BudgetTier| router.candidates(task, *tier).iter().position(|candidate| candidate.model == *name);
        let positions = TIERS.map(|tier| position(&tier));
        first.extend(task_and_tiers(task.as_str(), positions.map(|position| position == Some(0))));
        if positions.iter().all(|position| *position != Some(0)) {
            later.extend(task_and_tiers(task.as_str(), positions.map(|position| position.is_some())));
        }
    }
    (first, later)
}

/// Formats a task, with its tiers unless all are included; `None` without tiers.
fn task_and_tiers(task: &str, tiers: [bool; 3]) -> Option<String> {
    let named: Vec<&str> =
        TIERS.iter().zip(tiers).filter(|(_, is_meant)| *is_meant).map(|(tier, _)| tier.as_str()).collect();
    match named.len() {
        0 => None,
        3 => Some(task.to_owned()),
        _ => Some(format!("{task} ({})", named.join(", "))),
    }
}

impl Limits {
    /// Formats the limits that are set.
    #[must_use]
    pub fn in_words(&self) -> String {
        let named = [
            (self.concurrency, "at once"),
            (self.requests_per_minute, "requests/min"),
            (self.tokens_per_minute, "tokens/min"),
            (self.max_tokens, "tokens an answer"),
            (self.dimensions, "numbers a vector"),
        ];
        named.into_iter().filter_map(|(count, what)| Some(format!("{} {what}", count?))).collect::<Vec<_>>().join(", ")
    }
}

impl ConfiguredModel {
    fn is_at(&self, server: &OpenCircuitReport) -> bool {
        let origin = |url: Url| Some(url.origin().ascii_serialization());
        let is_meant = server.model.as_ref().is_none_or(|model| *model == self.model);
        is_meant
            && self.provider == server.provider
            && Url::parse(&self.endpoint).is_ok_and(|own| origin(own) == server.server)
    }

    /// Returns why it is not asked now; empty if it is.
    #[must_use]
    pub fn not_asked(&self) -> String {
        let circuit_open = self.circuit_open_seconds;
        let circuit_open = circuit_open
            .map(|seconds| format!("the daemon has paused its server for {seconds} s more, after repeated failures"));
        self.unusable.clone().or(circuit_open).unwrap_or_default()
    }

    /// Formats its terms as one line, for `doctor`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let limits = self.limits.in_words();
        let key = self.key.as_ref().map_or_else(|| "no key".to_owned(), |key| format!("key {key}"));
        let mut parts = vec![format!("at {}", self.host), key, self.price_in_words.clone()];
        parts.extend((!limits.is_empty()).then_some(limits));
        parts.push(match (self.tasks.is_empty(), self.fallback_for.is_empty()) {
            (false, _) => format!("for {}", self.tasks.join(", ")),
            (true, false) => format!("steps in for {}", self.fallback_for.join(", ")),
            (true, true) => "for no task".to_owned(),
        });
        format!("{}/{}: {}", self.provider, self.model, parts.join("; "))
    }
}
