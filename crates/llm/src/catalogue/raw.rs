//! An entry as written in the file. Each value is read separately.

use std::str::FromStr;
use std::time::Duration;

use aha_core::model::ModelRef;
use aha_core::money::parse_decimal;
use aha_core::settings::number;
use aha_net::endpoint::http_url;
use aha_yaml::{Node, Pair, Value};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::{Map, Value as Json};
use url::Url;

use super::environment::only_variable;
use super::reader::{CatalogueReader, Expected, below};
use crate::retry_policy::RetrySettings;

/// The format of an answer in free conversation. By the connector's contract, JSON unless an entry sets another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResponseFormat {
    #[default]
    Json,
    Text,
}

impl FromStr for ResponseFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "json" => Ok(Self::Json),
            "text" => Ok(Self::Text),
            _ => Err(()),
        }
    }
}

pub(super) const KEYS: [&str; 22] = [
    "endpoint",
    "api_key",
    "model",
    "timeout_seconds",
    "first_byte_seconds",
    "idle_seconds",
    "retry",
    "response_format",
    "temperature",
    "top_p",
    "max_tokens",
    "dimensions",
    "system_prompt",
    "metadata",
    "headers",
    "provider_specific",
    "capabilities",
    "prices",
    "requests_per_minute",
    "tokens_per_minute",
    "concurrency",
    "fallbacks",
];

/// Headers that carry keys.
const SECRET_HEADERS: [&str; 6] =
    ["authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"];

const HOUR_MS: i64 = 3_600_000;

/// A value and the line it is on.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

/// The values of an entry. `None`: not given.
#[derive(Default)]
pub(super) struct RawEntry {
    pub(super) endpoint: Option<At<Option<Url>>>,
    pub(super) api_key: Option<At<Option<SecretString>>>,
    pub(super) model: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) first_byte: Option<Duration>,
    pub(super) idle: Option<Duration>,
    pub(super) retry: Option<RetrySettings>,
    pub(super) response_format: Option<ResponseFormat>,
    pub(super) temperature: Option<f64>,
    pub(super) top_p: Option<f64>,
    pub(super) max_tokens: Option<u32>,
    pub(super) dimensions: Option<u32>,
    pub(super) system_prompt: Option<String>,
    pub(super) metadata: Map<String, Json>,
    pub(super) headers: HeaderMap,
    pub(super) provider_specific: Map<String, Json>,
    /// The same with its variables unresolved.
    pub(super) provider_specific_as_written: Map<String, Json>,
    pub(super) capabilities: RawCapabilities,
    pub(super) prices: Option<At<RawPrices>>,
    pub(super) requests_per_minute: Option<u32>,
    pub(super) tokens_per_minute: Option<u32>,
    pub(super) concurrency: Option<u32>,
    pub(super) fallbacks: Vec<At<ModelRef>>,
}

#[derive(Default)]
pub(super) struct RawCapabilities {
    pub(super) strict_schema: Option<bool>,
    pub(super) streaming_only: Option<bool>,
    pub(super) reasoning_effort: Option<bool>,
    pub(super) usage_in_streams: Option<bool>,
}

/// Micro-credits for a million tokens.
#[derive(Default)]
pub(super) struct RawPrices {
    pub(super) input: Option<i64>,
    pub(super) cached_input: Option<i64>,
    pub(super) output: Option<i64>,
}

impl RawEntry {
    pub(super) fn read(reader: &mut CatalogueReader<'_>, pairs: &[Pair], path: &str) -> Self {
        let mut raw = Self::default();
        for pair in pairs {
            raw.set(reader, pair, &below(path, &pair.key));
        }
        raw
    }

    fn set(&mut self, reader: &mut CatalogueReader<'_>, pair: &Pair, path: &str) {
        let node = &pair.node;
        if !KEYS.contains(&pair.key.as_str()) {
            return reader.unknown(pair, path, &KEYS);
        }
        // An explicit null removes a default.
        if node.is_null() {
            return;
        }
        match pair.key.as_str() {
            "endpoint" => self.endpoint = Some(At { line: node.line, value: endpoint(reader, node, path) }),
            "api_key" => self.api_key = Some(At { line: node.line, value: api_key(reader, node, path) }),
            "model" => self.model = text(reader, node, path, ("the model's name at its server", "model: gpt-5-mini")),
            "timeout_seconds" => self.timeout = seconds(reader, node, path),
            "first_byte_seconds" => self.first_byte = seconds(reader, node, path),
            "idle_seconds" => self.idle = seconds(reader, node, path),
            "retry" => self.retry = Some(retry(reader, node, path)),
            "response_format" => {
                let expected = ("json or text", "response_format: json");
                self.response_format = reader.value(node, path, expected, |text| text.parse().ok());
            }
            "temperature" => self.temperature = share(reader, node, path, 2.0),
            "top_p" => self.top_p = share(reader, node, path, 1.0),
            "max_tokens" => self.max_tokens = count(reader, node, path, 1_000_000),
            "dimensions" => self.dimensions = count(reader, node, path, 65_536),
            "system_prompt" => {
                self.system_prompt = reader.text(node, path, ("a text", "system_prompt: Answer in one sentence."));
            }
            "metadata" => self.metadata = object(reader, node, path),
            "headers" => self.headers = headers(reader, node, path),
            "provider_specific" => {
                self.provider_specific = object(reader, node, path);
                if let Json::Object(written) = node.to_json() {
                    self.provider_specific_as_written = written;
                }
            }
            "capabilities" => self.capabilities = capabilities(reader, node, path),
            "prices" => self.prices = Some(At { line: node.line, value: prices(reader, node, path) }),
            "requests_per_minute" => self.requests_per_minute = count(reader, node, path, 1_000_000),
            "tokens_per_minute" => self.tokens_per_minute = count(reader, node, path, 1_000_000_000),
            "concurrency" => self.concurrency = count(reader, node, path, 256),
            "fallbacks" => self.fallbacks = fallbacks(reader, node, path),
            _ => {}
        }
    }
}

fn key_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn text(reader: &mut CatalogueReader<'_>, node: &Node, path: &str, expected: Expected<'_>) -> Option<String> {
    reader.value(node, path, expected, |text| (!text.is_empty()).then(|| text.to_owned()))
}

fn endpoint(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Option<Url> {
    let expected = ("an http(s) URL without a user or password", "endpoint: http://127.0.0.1:8080/v1/responses");
    reader.secret_value(node, path, expected, |text| {
        http_url(text).filter(|url| url.username().is_empty() && url.password().is_none())
    })
}

/// Reads the key from a variable. The key itself is never written in the file, because the file is shown and stored.
fn api_key(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Option<SecretString> {
    let (expected, example) =
        ("the name of a variable, so that no key stands in the file", "api_key: ${OPENAI_API_KEY}");
    let name = match &node.value {
        Value::Scalar { text, .. } => only_variable(text),
        Value::List(_) | Value::Map(_) => None,
    };
    let Some(name) = name else {
        reader.problem(node.line, path, format!("it expects {expected}"), example);
        return None;
    };
    match reader.environment.key(name) {
        Ok(Some(key)) => return Some(key),
        Ok(None) => {
            let what = format!("the variable {name} is not set, and neither is {name}_FILE: it expects {expected}");
            reader.problem(node.line, path, what, example);
        }
        Err(variable) => {
            let what = format!("{variable} expects {}", aha_net::secret::EXPECTED_FILE);
            reader.problem(node.line, path, what, format!("{variable}=/run/secrets/llm"));
        }
    }
    None
}

fn seconds(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Option<Duration> {
    duration(reader, node, path, 1, ("seconds from 0.001 to 3600", &format!("{}: 120", key_of(path))))
}

fn duration(
    reader: &mut CatalogueReader<'_>,
    node: &Node,
    path: &str,
    min_ms: i64,
    expected: Expected<'_>,
) -> Option<Duration> {
    reader.value(node, path, expected, |text| {
        let ms = parse_decimal(text, 3).filter(|ms| (min_ms..=HOUR_MS).contains(ms))?;
        u64::try_from(ms).ok().map(Duration::from_millis)
    })
}

fn count(reader: &mut CatalogueReader<'_>, node: &Node, path: &str, most: u64) -> Option<u32> {
    let expected = (&*format!("a whole number from 1 to {most}"), &*format!("{}: 4", key_of(path)));
    reader.value(node, path, expected, |text| number(1, most)(text).and_then(|number| u32::try_from(number).ok()))
}

fn share(reader: &mut CatalogueReader<'_>, node: &Node, path: &str, most: f64) -> Option<f64> {
    let expected = (&*format!("a number from 0 to {most}"), &*format!("{}: 0.2", key_of(path)));
    reader.value(node, path, expected, |text| decimal(text).filter(|number| (0.0..=most).contains(number)))
}

/// Parses a number in digits, never `inf` or `nan`.
fn decimal(text: &str) -> Option<f64> {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.').then(|| text.parse().ok())?
}

fn boolean(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Option<bool> {
    let example = format!("{}: true", key_of(path));
    reader.value(node, path, ("true or false", &example), |text| text.to_ascii_lowercase().parse().ok())
}

fn object(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Map<String, Json> {
    let example = format!("{}: {{ name: value }}", key_of(path));
    let pairs = reader.map(node, path, ("names with values", &example));
    reader.object(pairs, path)
}

/// Whether a key has a value to read: a null restores the default, and an unknown key is reported.
fn is_given(reader: &mut CatalogueReader<'_>, pair: &Pair, path: &str, known: &[&str]) -> bool {
    let is_known = known.contains(&pair.key.as_str());
    if !is_known {
        reader.unknown(pair, path, known);
    }
    is_known && !pair.node.is_null()
}

fn retry(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> RetrySettings {
    const KEYS: [&str; 7] = [
        "max_attempts",
        "initial_delay_seconds",
        "max_delay_seconds",
        "multiplier",
        "jitter",
        // Other names of the delays, which are in seconds, too.
        "initial_delay",
        "max_delay",
    ];
    let mut retry = RetrySettings::default();
    for pair in reader.map(node, path, ("how often and how soon to try again", "retry: { max_attempts: 3 }")) {
        let (path, node) = (&*below(path, &pair.key), &pair.node);
        if !is_given(reader, pair, path, &KEYS) {
            continue;
        }
        match pair.key.as_str() {
            "max_attempts" => retry.max_attempts = count(reader, node, path, 20),
            "initial_delay_seconds" | "initial_delay" | "max_delay_seconds" | "max_delay" => {
                let example = format!("{}: 1.5", pair.key);
                let delay = duration(reader, node, path, 0, ("seconds from 0 to 3600", &example));
                if pair.key.starts_with("max_delay") {
                    retry.max_delay = delay;
                } else {
                    retry.initial_delay = delay;
                }
            }
            "multiplier" => {
                let expected = ("a number from 1 to 10", "multiplier: 2");
                let is_in_range = |number: &f64| (1.0..=10.0).contains(number);
                retry.multiplier = reader.value(node, path, expected, |text| decimal(text).filter(is_in_range));
            }
            "jitter" => {
                let expected = ("the share of a wait that is left to chance, from 0 to 1", "jitter: 0.5");
                let is_in_range = |number: &f64| (0.0..=1.0).contains(number);
                retry.jitter = reader.value(node, path, expected, |text| decimal(text).filter(is_in_range));
            }
            _ => {}
        }
    }
    retry
}

fn headers(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for pair in reader.map(node, path, ("names of headers with values", "headers: { X-Team: radar }")) {
        let path = below(path, &pair.key);
        let Ok(name) = HeaderName::try_from(pair.key.as_str()) else {
            reader.problem(pair.line, &path, "this is no name of a header", "X-Team");
            continue;
        };
        // An explicit null drops a default, however its name is spelled there.
        if pair.node.is_null() {
            headers.remove(&name);
            continue;
        }
        let expected = if SECRET_HEADERS.contains(&name.as_str()) {
            ("a value from a variable, so that no key stands in the file", "\"Bearer ${MY_KEY}\"")
        } else {
            ("a text that a header can carry", "radar")
        };
        let is_open = matches!(&pair.node.value, Value::Scalar { text, .. } if !text.contains("${"));
        if is_open && SECRET_HEADERS.contains(&name.as_str()) {
            reader.problem(pair.node.line, &path, format!("it expects {}", expected.0), expected.1);
            continue;
        }
        let value = reader.secret_value(&pair.node, &path, expected, |text| HeaderValue::from_str(text).ok());
        if let Some(mut value) = value {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

fn capabilities(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> RawCapabilities {
    const KEYS: [&str; 4] = ["strict_schema", "streaming_only", "reasoning_effort", "usage_in_streams"];
    let mut raw = RawCapabilities::default();
    for pair in reader.map(node, path, ("what the model can do", "capabilities: { strict_schema: false }")) {
        let (path, node) = (&*below(path, &pair.key), &pair.node);
        if !is_given(reader, pair, path, &KEYS) {
            continue;
        }
        match pair.key.as_str() {
            "strict_schema" => raw.strict_schema = boolean(reader, node, path),
            "streaming_only" => raw.streaming_only = boolean(reader, node, path),
            "reasoning_effort" => raw.reasoning_effort = boolean(reader, node, path),
            "usage_in_streams" => raw.usage_in_streams = boolean(reader, node, path),
            _ => {}
        }
    }
    raw
}

fn prices(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> RawPrices {
    const KEYS: [&str; 3] = ["input", "cached_input", "output"];
    let expected = ("credits for a million tokens, of at most six decimals", "prices: { input: 0.25, output: 2 }");
    let mut prices = RawPrices::default();
    for pair in reader.map(node, path, expected) {
        let (path, node) = (&*below(path, &pair.key), &pair.node);
        let price = match pair.key.as_str() {
            "input" => &mut prices.input,
            "cached_input" => &mut prices.cached_input,
            "output" => &mut prices.output,
            _ => {
                reader.unknown(pair, path, &KEYS);
                continue;
            }
        };
        if !node.is_null() {
            *price = reader.value(node, path, expected, |text| parse_decimal(text, 6));
        }
    }
    prices
}

fn fallbacks(reader: &mut CatalogueReader<'_>, node: &Node, path: &str) -> Vec<At<ModelRef>> {
    let expected = ("a list of models of this file", "fallbacks: [ollama/qwen3]");
    let nodes = reader.list(node, path, expected);
    let named = nodes.iter().enumerate().filter_map(|(index, node)| {
        let path = below(path, &index.to_string());
        let text = reader.text(node, &path, ("the name of a model", "openai/gpt-5-mini"))?;
        let (_, value) = reader.model(text.trim(), node.line, &path)?;
        Some(At { line: node.line, value })
    });
    named.collect()
}
