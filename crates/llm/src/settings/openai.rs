//! The `OPENAI_*` settings: the server, the models for each task and tier, the input and output limits, and the prices.
//!
//! A model is called only when both a key and a model are set: a key that happens to be in the environment spends
//! nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use aha_core::money::Price;
use aha_core::settings::{Reader, number, size};
use aha_core::topic::BudgetTier;
use aha_net::endpoint::{append_path, http_url, without_secrets};
use aha_net::secret;
use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use crate::tasks::{self, Enabled, Task, TaskVariables};

use super::embed::{self, EmbedLimits, EmbedSettings};
use super::general::{Models, RawGeneral, address, section, time_allowed, trimmed};
use super::prices::Prices;

/// The base address when none is set.
pub(crate) const DEFAULT_BASE: &str = "https://api.openai.com";

/// A configured OpenAI-compatible server.
#[derive(Clone)]
pub struct OpenAiSettings {
    /// Full URL of `/v1/responses`.
    pub endpoint: Url,
    pub key: SecretString,
    /// Timeout of a whole call.
    pub timeout: Duration,
    pub tasks: BTreeMap<Task, TaskSettings>,
}

/// Omits the address's query, which may hold a key.
impl fmt::Debug for OpenAiSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (endpoint, key) = (without_secrets(&self.endpoint), &self.key);
        f.debug_struct("OpenAiSettings").field("endpoint", &endpoint).field("key", key).finish_non_exhaustive()
    }
}

/// The settings of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSettings {
    models: Models,
    /// For one story; a call about n stories may return n times as many.
    pub max_output_tokens: u32,
    /// Maximum characters of one story's text that are sent.
    pub max_input_chars: usize,
    pub max_title_chars: usize,
    pub max_calls_per_run: Option<u32>,
    pub effort: Option<Effort>,
    prices: Prices,
}

/// A model of a task's chain, and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedModel<'a> {
    pub name: &'a str,
    /// `None` when unknown.
    pub price: Option<Price>,
}

/// The reasoning effort of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    None,
    Low,
    Medium,
    High,
}

impl TaskSettings {
    /// Returns the models for a tier: the tier's own first, then that of the low tier, then the general one; each at
    /// its own price. A tier's model has the tier's price, else the task's. Where the task names a model, the task's
    /// price applies to that model, and `OPENAI_MODEL` as its fallback has the general price or none.
    #[must_use]
    pub fn chain(&self, tier: BudgetTier) -> Vec<PricedModel<'_>> {
        let mut chain: Vec<PricedModel<'_>> = Vec::new();
        let is_named = |tier| self.models.is_named(tier);
        let price = |tier: BudgetTier| self.prices.of(tier, self.models.by_tier[tier as usize].is_some());
        let own = |tier| self.models.of(tier).filter(|_| is_named(tier)).map(|name| (name, price(tier)));
        let of_general = if self.models.names_any() { self.prices.of_all } else { self.prices.of_task };
        let general = self.models.of_all.as_ref().map(|name| (name, of_general));
        for (name, price) in [own(tier).or(general), own(BudgetTier::Low), general].into_iter().flatten() {
            if chain.iter().all(|known| known.name != name) {
                chain.push(PricedModel { name, price });
            }
        }
        chain
    }
}

/// The variables of one task (`OPENAI_TRIAGE_…`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct RawTask {
    model: Option<String>,
    model_low: Option<String>,
    model_normal: Option<String>,
    model_high: Option<String>,
    max_output_tokens: Option<String>,
    max_input_chars: Option<String>,
    max_title_chars: Option<String>,
    max_calls_per_run: Option<String>,
    reasoning_effort: Option<String>,
    credits_per_1k_input_tokens: Option<String>,
    credits_per_1k_output_tokens: Option<String>,
    credits_per_1k_input_tokens_low: Option<String>,
    credits_per_1k_output_tokens_low: Option<String>,
    credits_per_1k_input_tokens_normal: Option<String>,
    credits_per_1k_output_tokens_normal: Option<String>,
    credits_per_1k_input_tokens_high: Option<String>,
    credits_per_1k_output_tokens_high: Option<String>,
}

/// The section.
#[derive(Debug)]
pub(super) struct Section {
    /// `None` where no model of it may be called.
    pub(super) openai: Option<OpenAiSettings>,
    pub(super) embed: Option<EmbedSettings>,
    pub(super) embed_limits: EmbedLimits,
    /// The settings of each task, for any model.
    pub(super) tasks: BTreeMap<Task, TaskSettings>,
    /// Settings without effect.
    pub(super) notes: Vec<String>,
}

/// Reads the section. `is_alone`: no catalogue is configured that might use what is set here.
pub(super) fn read(
    pairs: &[(String, String)],
    timeout: Option<u64>,
    is_alone: bool,
    reader: &mut Reader,
) -> Result<Section, envy::Error> {
    let general: RawGeneral = section(pairs, "OPENAI_")?;
    let mut tasks = BTreeMap::new();
    for task in tasks::ALL.iter().copied() {
        let prefix = task_prefix(task);
        let raw: RawTask = section(pairs, &prefix)?;
        let raw = match task.spec().settings {
            TaskVariables::All => raw,
            TaskVariables::ModelAlone => RawTask { model: raw.model, ..RawTask::default() },
        };
        tasks.insert(task, read_task(task, &prefix, raw, &general, reader));
    }
    let all = tasks.clone();
    let is_set = |variable: &str| pairs.iter().any(|(name, _)| name == variable);
    tasks.retain(|task, settings| match task.spec().enabled {
        Enabled::ByAnyModel => true,
        Enabled::ByOwnModel => settings.models.names_any(),
        Enabled::ByOwnModelOr(variable) => is_set(variable) || settings.models.names_any(),
    });
    let key = secret::of(reader, "OPENAI_API_KEY", general.api_key.clone(), general.api_key_file.clone());
    let endpoint = endpoint(&general, reader);
    let (embed_limits, embed) = embed::read(pairs, &general, key.clone(), timeout, reader)?;
    let has_model = tasks.values().any(|task| task.models.any());
    let Some(key) = key.filter(|_| has_model) else {
        let notes = if embed.is_some() { Vec::new() } else { notes(&general, has_model, is_alone) };
        return Ok(Section { openai: None, embed, embed_limits, tasks: all, notes });
    };
    let timeout = time_allowed(&endpoint, timeout);
    let openai = Some(OpenAiSettings { endpoint, key, timeout, tasks });
    Ok(Section { openai, embed, embed_limits, tasks: all, notes: Vec::new() })
}

/// Returns the prefix of a task's settings.
pub(super) fn task_prefix(task: Task) -> String {
    format!("OPENAI_{}_", task.as_str().to_uppercase())
}

fn notes(general: &RawGeneral, has_model: bool, is_alone: bool) -> Vec<String> {
    let has_key = general.api_key.is_some() || general.api_key_file.is_some();
    let has_address = general.endpoint.is_some() || general.base_url.is_some();
    let note = match (has_key, has_model) {
        (true, false) if is_alone => {
            "a key is set and no model: set OPENAI_MODEL (or OPENAI_TRIAGE_MODEL) to have stories judged by one"
        }
        (false, true) => {
            "a model is set and no key: set OPENAI_API_KEY (any word, for a server of your own that expects none)"
        }
        (false, false) if has_address => {
            "an address is set and neither key nor model: set OPENAI_API_KEY and OPENAI_MODEL"
        }
        _ => return Vec::new(),
    };
    vec![note.to_owned()]
}

fn endpoint(raw: &RawGeneral, reader: &mut Reader) -> Url {
    let full = ("OPENAI_ENDPOINT", "the full http(s) URL of /v1/responses", "https://api.openai.com/v1/responses");
    let base = ("OPENAI_BASE_URL", "an http(s) URL, to which /v1/responses is added", DEFAULT_BASE);
    let given = address(reader, raw.endpoint.clone(), full, http_url);
    let below_base = |text: &str| http_url(text).map(|base| append_path(&base, "v1", "responses"));
    let based = address(reader, raw.base_url.clone(), base, below_base);
    given.or(based).unwrap_or_else(default_endpoint)
}

#[expect(clippy::expect_used, reason = "a constant, read by a test")]
fn default_endpoint() -> Url {
    Url::parse(&format!("{DEFAULT_BASE}/v1/responses")).expect("the default address is a URL")
}

fn read_task(task: Task, prefix: &str, raw: RawTask, general: &RawGeneral, reader: &mut Reader) -> TaskSettings {
    let limits = task.spec().limits;
    let name = |rest: &str| format!("{prefix}{rest}");
    let limit = |reader: &mut Reader, text, rest: &str, default, most, example| {
        let expected = format!("a whole number from 16 to {most}");
        reader.or(text, (&name(rest), &expected, example), default, number(16, most))
    };
    let max_output_tokens =
        limit(reader, raw.max_output_tokens, "MAX_OUTPUT_TOKENS", u64::from(limits.output_tokens), 100_000, "250");
    let max_input_chars =
        limit(reader, raw.max_input_chars, "MAX_INPUT_CHARS", limits.input_chars as u64, 1_000_000, "4000");
    let max_title_chars =
        limit(reader, raw.max_title_chars, "MAX_TITLE_CHARS", limits.title_chars as u64, 10_000, "240");
    let calls = (&*name("MAX_CALLS_PER_RUN"), "a whole number of calls", "20");
    let effort = (&*name("REASONING_EFFORT"), "none, low, medium or high", "none");
    TaskSettings {
        models: Models {
            by_tier: [raw.model_low, raw.model_normal, raw.model_high].map(trimmed),
            of_task: trimmed(raw.model),
            of_all: trimmed(general.model.clone()),
        },
        max_output_tokens: u32::try_from(max_output_tokens).unwrap_or(u32::MAX),
        max_input_chars: size(max_input_chars),
        max_title_chars: size(max_title_chars),
        max_calls_per_run: reader.maybe(raw.max_calls_per_run, calls, |text| text.parse().ok()),
        effort: reader.maybe(raw.reasoning_effort, effort, effort_of),
        prices: Prices::read(
            reader,
            prefix,
            [raw.credits_per_1k_input_tokens, raw.credits_per_1k_output_tokens],
            [
                [raw.credits_per_1k_input_tokens_low, raw.credits_per_1k_output_tokens_low],
                [raw.credits_per_1k_input_tokens_normal, raw.credits_per_1k_output_tokens_normal],
                [raw.credits_per_1k_input_tokens_high, raw.credits_per_1k_output_tokens_high],
            ],
            [general.credits_per_1k_input_tokens.clone(), general.credits_per_1k_output_tokens.clone()],
        ),
    }
}

fn effort_of(text: &str) -> Option<Effort> {
    match text {
        "none" => Some(Effort::None),
        "low" => Some(Effort::Low),
        "medium" => Some(Effort::Medium),
        "high" => Some(Effort::High),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
