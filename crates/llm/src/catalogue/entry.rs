//! A model of a catalogue: its address, its request settings and its price.

use std::fmt;
use std::time::Duration;

use crate::retry_policy::RetrySettings;
use aha_core::model::{ModelRef, Provider};
use aha_core::money::Price;
use aha_net::endpoint::{append_path, http_url, is_local_network};
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::{Map, Value};
use url::Url;

use super::environment::Environment;
use super::raw::{At, RawEntry, RawPrices, ResponseFormat};
use super::reader::{CatalogueReader, below};
use crate::settings::general::time_allowed;

/// A server of the user's own answers one call at a time: concurrent calls only slow each other down.
const OWN_CONCURRENCY: u32 = 1;

/// A model as a catalogue describes it.
#[derive(Clone)]
pub struct CatalogueEntry {
    pub provider: Provider,
    /// The model's name at its server.
    pub model: String,
    pub endpoint: Url,
    /// `None` for a server that requires none.
    pub key: Option<SecretString>,
    /// Sent with every request; all are marked as sensitive.
    pub headers: HeaderMap,
    pub timeouts: TimeoutSettings,
    /// `None`: the task's settings apply.
    pub retry: Option<RetrySettings>,
    /// For free conversation; tasks have their own.
    pub response_format: ResponseFormat,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    /// Maximum tokens of one answer.
    pub max_tokens: Option<u32>,
    /// Length of the vectors to request.
    pub dimensions: Option<u32>,
    /// For free conversation; tasks have their own.
    pub system_prompt: Option<String>,
    /// The user's notes, stored with conversations; never sent.
    pub metadata: Map<String, Value>,
    pub provider_specific: Map<String, Value>,
    /// The same as written in the file: with variable names instead of their values, which may be secret.
    pub provider_specific_as_written: Map<String, Value>,
    pub capabilities: CapabilitySettings,
    /// `None` when unknown, so that no cost can be computed.
    pub price: Option<Price>,
    pub limits: LimitSettings,
    /// Models called in this order when this one fails.
    pub fallbacks: Vec<ModelRef>,
    /// Line of the entry in the file.
    pub line: usize,
}

/// Omits what may be secret: header values, and everything the user put into provider-specific fields.
impl fmt::Debug for CatalogueEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatalogueEntry")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .field("host", &self.endpoint.host_str())
            .field("key", &self.key)
            .field("price", &self.price)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Timeouts of calls to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeoutSettings {
    pub whole: Duration,
    pub first_byte: Duration,
    pub idle: Duration,
}

/// Capabilities of a model, as configured by the user.
#[expect(clippy::struct_excessive_bools, reason = "four independent facts, each with its key in the file")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapabilitySettings {
    pub strict_schema: bool,
    pub streaming_only: bool,
    pub reasoning_effort: bool,
    pub usage_in_streams: bool,
}

/// Rate limits of a model. `None`: unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimitSettings {
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u32>,
    /// Concurrent calls.
    pub concurrency: Option<u32>,
}

/// A problem has been recorded.
struct AlreadyReported;

/// The name of an entry and its location in the file.
pub(super) struct EntryLocation<'a> {
    pub(super) name: &'a ModelRef,
    pub(super) provider: Provider,
    pub(super) line: usize,
    pub(super) path: &'a str,
}

impl CatalogueEntry {
    /// Builds an entry. `timeout` is the general setting for a whole call, in seconds. Returns `None` when something is
    /// missing, after recording the problem.
    pub(super) fn of(
        reader: &mut CatalogueReader<'_>,
        location: &EntryLocation<'_>,
        raw: RawEntry,
        timeout: Option<u64>,
    ) -> Option<Self> {
        let endpoint = endpoint(reader, location, raw.endpoint);
        let key = key(reader, location, raw.api_key, endpoint.as_ref());
        let price = price(reader, location, raw.prices.as_ref());
        let endpoint = endpoint?;
        let is_local = is_local_network(&endpoint);
        let whole = raw.timeout.unwrap_or_else(|| time_allowed(&endpoint, timeout));
        Some(Self {
            provider: location.provider,
            model: raw.model.unwrap_or_else(|| location.name.model.clone()),
            endpoint,
            key: key.ok()?,
            headers: raw.headers,
            timeouts: TimeoutSettings {
                whole,
                first_byte: raw.first_byte.unwrap_or(whole).min(whole),
                idle: raw.idle.unwrap_or(whole).min(whole),
            },
            retry: raw.retry,
            response_format: raw.response_format.unwrap_or_default(),
            temperature: raw.temperature,
            top_p: raw.top_p,
            max_tokens: raw.max_tokens,
            dimensions: raw.dimensions,
            system_prompt: raw.system_prompt,
            metadata: raw.metadata,
            provider_specific: raw.provider_specific,
            provider_specific_as_written: raw.provider_specific_as_written,
            capabilities: CapabilitySettings {
                strict_schema: raw.capabilities.strict_schema.unwrap_or(true),
                streaming_only: raw.capabilities.streaming_only.unwrap_or(false),
                reasoning_effort: raw.capabilities.reasoning_effort.unwrap_or(true),
                usage_in_streams: raw.capabilities.usage_in_streams.unwrap_or(true),
            },
            price: price.ok()?,
            limits: LimitSettings {
                requests_per_minute: raw.requests_per_minute,
                tokens_per_minute: raw.tokens_per_minute,
                concurrency: raw.concurrency.or(is_local.then_some(OWN_CONCURRENCY)),
            },
            fallbacks: raw.fallbacks.into_iter().map(|fallback| fallback.value).collect(),
            line: location.line,
        })
    }

    /// Whether its server is on this machine or a private network, as far as its address shows.
    #[must_use]
    pub fn is_local_network(&self) -> bool {
        is_local_network(&self.endpoint)
    }
}

/// The path of a provider's API: the version, and the method, which is empty where each request adds it.
const fn default_path(provider: Provider) -> (&'static str, &'static str) {
    match provider {
        Provider::OpenAi => ("/v1", "/responses"),
        Provider::OpenAiCompatible => ("/v1", "/chat/completions"),
        Provider::Anthropic => ("/v1", "/messages"),
        Provider::Gemini => ("/v1beta", ""),
        Provider::Ollama => ("/api", "/chat"),
    }
}

/// Completes the path of an address: adds all of it, or what follows the version.
fn completed(provider: Provider, mut url: Url) -> Url {
    let (version, method) = default_path(provider);
    let path = url.path().trim_end_matches('/').to_owned();
    if path.is_empty() {
        url.set_path(&format!("{version}{method}"));
    } else if !method.is_empty() && path.ends_with(version) {
        url.set_path(&format!("{path}{method}"));
    }
    url
}

fn default_endpoint(provider: Provider, environment: &Environment) -> Option<Url> {
    let text = match provider {
        Provider::OpenAi => "https://api.openai.com/v1/responses",
        Provider::Anthropic => "https://api.anthropic.com/v1/messages",
        Provider::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        Provider::Ollama => match environment.get("OLLAMA_BASE_URL").map(http_url) {
            Some(base) => return base.map(|base| append_path(&base, "api", "chat")),
            None => "http://127.0.0.1:11434/api/chat",
        },
        Provider::OpenAiCompatible => return None,
    };
    Url::parse(text).ok()
}

fn endpoint(
    reader: &mut CatalogueReader<'_>,
    location: &EntryLocation<'_>,
    given: Option<At<Option<Url>>>,
) -> Option<Url> {
    if let Some(given) = given {
        return given.value.map(|url| completed(location.provider, url));
    }
    let default = default_endpoint(location.provider, reader.environment);
    if default.is_none() && location.provider == Provider::OpenAiCompatible {
        let what = "it is missing: a compatible server can be anywhere";
        reader.problem(location.line, &below(location.path, "endpoint"), what, "endpoint: http://127.0.0.1:8080/v1");
    }
    default
}

fn key(
    reader: &mut CatalogueReader<'_>,
    location: &EntryLocation<'_>,
    given: Option<At<Option<SecretString>>>,
    endpoint: Option<&Url>,
) -> Result<Option<SecretString>, AlreadyReported> {
    if let Some(given) = given {
        return given.value.map(Some).ok_or(AlreadyReported);
    }
    let variable = match location.provider {
        Provider::OpenAi => "OPENAI_API_KEY",
        Provider::Anthropic => "ANTHROPIC_API_KEY",
        Provider::Gemini => "GEMINI_API_KEY",
        Provider::OpenAiCompatible | Provider::Ollama => return Ok(None),
    };
    let path = below(location.path, "api_key");
    match reader.environment.key(variable) {
        Ok(Some(key)) => Ok(Some(key)),
        Ok(None) if endpoint.is_none_or(is_local_network) => Ok(None),
        Ok(None) => {
            let what = format!("it is missing, and neither {variable} nor {variable}_FILE is set");
            reader.problem(location.line, &path, what, format!("api_key: ${{{variable}}}"));
            Err(AlreadyReported)
        }
        Err(file) => {
            let what = format!("{file} expects {}", aha_net::secret::EXPECTED_FILE);
            reader.problem(location.line, &path, what, format!("{file}=/run/secrets/llm"));
            Err(AlreadyReported)
        }
    }
}

fn price(
    reader: &mut CatalogueReader<'_>,
    location: &EntryLocation<'_>,
    given: Option<&At<RawPrices>>,
) -> Result<Option<Price>, AlreadyReported> {
    let path = below(location.path, "prices");
    let Some(At { line, value: RawPrices { input, cached_input, output } }) = given else { return Ok(None) };
    let (line, cached_input) = (*line, *cached_input);
    let (Some(input), Some(output)) = (*input, *output) else {
        if input.is_none() && output.is_none() && cached_input.is_none() {
            return Ok(None);
        }
        let what = "a price has two sides: it expects input and output, 0 for a server of your own";
        reader.problem(line, &path, what, "prices: { input: 0.25, output: 2 }");
        return Err(AlreadyReported);
    };
    if cached_input.is_some_and(|cached| cached > input) {
        let what =
            "what comes from a cache costs no more than what does not: it expects a cached_input of at most input";
        reader.problem(line, &path, what, "prices: { input: 0.25, cached_input: 0.025, output: 2 }");
        return Err(AlreadyReported);
    }
    Ok(Some(Price {
        input_microcredits_per_million: input,
        cached_input_microcredits_per_million: cached_input,
        output_microcredits_per_million: output,
    }))
}
