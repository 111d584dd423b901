//! The providers' dialects: pure translations between our requests and theirs. They perform no I/O.

mod anthropic;
mod chat_completions;
#[cfg(test)]
mod cuts;
mod effort;
mod embedding;
mod failure;
mod gemini;
mod keywords;
mod messages;
mod ollama;
mod openai;
mod secrets;
#[cfg(test)]
mod tests;
mod turns;

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::SystemTime;

use aha_net::endpoint::without_secrets;
use aha_net::redact::Redactor;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::error::CallError;
use super::stream::{Frame, Framing};
use super::transport::{WireRequest, WireResponse};
pub use super::turn::{Role, Turn};
use crate::settings::Effort;

pub use anthropic::{Anthropic, NAME as ANTHROPIC_NAME};
pub use chat_completions::{ChatCompletions, NAME as OPENAI_COMPATIBLE_NAME};
pub use embedding::{EmbedDialect, EmbedReply, EmbedRequest};
pub(super) use failure::short;
pub use gemini::{Gemini, NAME as GEMINI_NAME};
pub use ollama::{NAME as OLLAMA_NAME, Ollama};
pub use openai::{NAME as OPENAI_NAME, OpenAi};
pub(crate) use secrets::Secrets;
pub use secrets::masked;

/// The Messages API of Anthropic.
pub static ANTHROPIC: Anthropic = Anthropic;
/// The generative language API of Google.
pub static GEMINI: Gemini = Gemini;
/// The Responses API of OpenAI and compatible servers.
pub static OPENAI: OpenAi = OpenAi;
/// Chat completions, which most servers support.
pub static OPENAI_COMPATIBLE: ChatCompletions = ChatCompletions;
/// Ollama's native API.
pub static OLLAMA: Ollama = Ollama;

/// All text dialects, by name.
pub static DIALECTS: &[(&str, &dyn Dialect)] = &[
    (OPENAI_NAME, &OPENAI),
    (OPENAI_COMPATIBLE_NAME, &OPENAI_COMPATIBLE),
    (ANTHROPIC_NAME, &ANTHROPIC),
    (GEMINI_NAME, &GEMINI),
    (OLLAMA_NAME, &OLLAMA),
];

/// Returns the dialect with that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
}

/// All embedding dialects, by name.
pub static EMBED_DIALECTS: &[(&str, &dyn EmbedDialect)] = &[
    (OPENAI_NAME, &openai::Embeddings),
    (OPENAI_COMPATIBLE_NAME, &openai::Embeddings),
    (GEMINI_NAME, &gemini::BatchEmbedContents),
    (OLLAMA_NAME, &ollama::Embed),
];

/// Returns the embedding dialect with that name.
#[must_use]
pub fn embedder_by_name(name: &str) -> Option<&'static dyn EmbedDialect> {
    EMBED_DIALECTS.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
}

/// The format of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerFormat {
    Text,
    /// One JSON object with any content.
    Json,
    /// One JSON object that matches a schema. The name contains letters, digits and underscores.
    Schema {
        name: String,
        schema: Arc<Value>,
    },
}

/// Capabilities of a model, as configured by the user or stated by its vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact by itself, and any of them may be true with any other"
)]
pub struct Capabilities {
    /// Its server enforces a schema; otherwise the schema is described in the prompt.
    pub strict_schema: bool,
    /// It answers only as a stream.
    pub streaming_only: bool,
    /// It accepts a reasoning effort.
    pub reasoning_effort: bool,
    /// Its streams can end with the usage on request.
    pub usage_in_streams: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { strict_schema: true, streaming_only: false, reasoning_effort: true, usage_in_streams: true }
    }
}

/// Sampling parameters of a model. `None`: the server's default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// From 0 to 2.
    pub temperature: Option<f64>,
    /// From 0 to 1.
    pub top_p: Option<f64>,
}

/// A provider-independent request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    /// Empty when there is none.
    pub system: String,
    /// The last is the user's.
    pub turns: Vec<Turn>,
    pub format: AnswerFormat,
    /// Includes reasoning.
    pub max_output_tokens: u32,
    /// Context size for prompt and answer, where the server allows choosing it.
    pub context_tokens: Option<u32>,
    pub effort: Option<Effort>,
    pub sampling: Sampling,
    pub capabilities: Capabilities,
    /// Whether to stream the answer.
    pub stream: bool,
    /// Provider-specific fields, which replace ours in the body.
    pub provider_specific: Map<String, Value>,
}

impl ModelRequest {
    /// Builds a request with one question to a model with default settings.
    #[must_use]
    pub fn question(model: &str, system: String, user: String, format: AnswerFormat, max_output_tokens: u32) -> Self {
        Self {
            model: model.to_owned(),
            system,
            turns: vec![Turn { role: Role::User, content: user }],
            format,
            max_output_tokens,
            context_tokens: None,
            effort: None,
            sampling: Sampling::default(),
            capabilities: Capabilities::default(),
            stream: false,
            provider_specific: Map::new(),
        }
    }

    /// Returns the system prompt. Where the server may not enforce the answer's format, it includes a description of
    /// the format.
    #[must_use]
    pub fn system_in_words(&self) -> Cow<'_, str> {
        let form = match &self.format {
            AnswerFormat::Text => return Cow::Borrowed(&self.system),
            AnswerFormat::Json => "Answer with exactly one JSON object and nothing else.".to_owned(),
            AnswerFormat::Schema { .. } if self.capabilities.strict_schema => return Cow::Borrowed(&self.system),
            AnswerFormat::Schema { schema, .. } => {
                format!("Answer with exactly one JSON object and nothing else. It fits this JSON Schema:\n{schema}")
            }
        };
        Cow::Owned(if self.system.is_empty() { form } else { format!("{}\n\n{form}", self.system) })
    }

    /// Serialises a body. Provider-specific fields replace ours, except for [`RESERVED_FIELDS`]; objects are merged.
    pub(super) fn finish_body(&self, body: &impl Serialize) -> Vec<u8> {
        let texts = self.turns.iter().map(|turn| turn.content.len()).sum::<usize>() + self.system.len();
        let mut bytes = Vec::with_capacity(texts + texts / 4 + BODY_OVERHEAD_BYTES);
        let written = if self.provider_specific.is_empty() {
            serde_json::to_writer(&mut bytes, body)
        } else {
            serde_json::to_value(body).and_then(|mut body| {
                if let Value::Object(fields) = &mut body {
                    merge(fields, &self.provider_specific);
                }
                serde_json::to_writer(&mut bytes, &body)
            })
        };
        // Strings, numbers and objects with string keys can always be serialised.
        debug_assert!(written.is_ok(), "{written:?}");
        bytes
    }
}

/// Approximate bytes of a body in addition to its texts, mostly the schema.
const BODY_OVERHEAD_BYTES: usize = 4096;

/// Fields that determine the cost of a call or how its answer is read. They cannot be overridden, because the
/// reservation is computed from ours.
pub(super) const RESERVED_FIELDS: [&str; 11] = [
    "model",
    "stream",
    "max_output_tokens",
    "max_tokens",
    "max_completion_tokens",
    "maxOutputTokens",
    "num_predict",
    "n",
    "candidateCount",
    "best_of",
    "background",
];

pub(super) fn merge(fields: &mut Map<String, Value>, own: &Map<String, Value>) {
    for (name, value) in own.iter().filter(|(name, _)| !RESERVED_FIELDS.contains(&name.as_str())) {
        match (fields.get_mut(name), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
}

/// Tokens, as counted by the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Includes those read from a cache.
    pub input_tokens: i64,
    pub cached_input_tokens: Option<i64>,
    pub output_tokens: i64,
    /// Part of the output tokens.
    pub reasoning_tokens: Option<i64>,
}

impl Usage {
    /// Whether no part exceeds its whole. How much was used in all is believed, also where it is more than a call is
    /// reserved for: a provider may add instructions of its own, or not apply the limit.
    pub(crate) fn is_plausible(&self) -> bool {
        let is_part = |part: Option<i64>, whole: i64| part.is_none_or(|part| part <= whole);
        is_part(self.cached_input_tokens, self.input_tokens) && is_part(self.reasoning_tokens, self.output_tokens)
    }
}

/// A provider's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The model's text, not yet validated.
    pub outcome: Result<String, CallError>,
    /// `None` where it is missing or implausible.
    pub usage: Option<Usage>,
    /// The provider's id of the exchange.
    pub request_id: Option<String>,
    /// The model's name in the provider's answer, which may add a date or a version to the configured name.
    pub model: Option<String>,
}

impl Reply {
    /// A reply without an answer.
    #[must_use]
    pub const fn failed(error: CallError, request_id: Option<String>) -> Self {
        Self { outcome: Err(error), usage: None, request_id, model: None }
    }

    /// Returns the allowed output tokens, if the answer used them all.
    #[must_use]
    pub fn at_limit(&self, max: u32) -> Option<u32> {
        self.usage.filter(|usage| usage.output_tokens >= i64::from(max)).map(|_| max)
    }
}

/// A provider's address and credentials.
#[derive(Clone)]
pub struct Server {
    /// The API's base address, which a dialect may extend.
    pub endpoint: Url,
    /// `None` for a server that requires none.
    pub key: Option<SecretString>,
    /// Sent with every request.
    pub headers: HeaderMap,
}

/// Omits the address's query, which may hold a key; headers with keys are marked as sensitive.
impl Debug for Server {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let endpoint = without_secrets(&self.endpoint);
        let Self { endpoint: _, key, headers } = self;
        f.debug_struct("Server").field("endpoint", &endpoint).field("key", key).field("headers", headers).finish()
    }
}

impl Server {
    /// Builds the request to `url` with a body, and the key in the header that the dialect requires.
    ///
    /// # Errors
    /// [`CallError::Unauthorized`] for a key that no header can carry.
    pub(crate) fn request(&self, url: Url, key_header: KeyHeader, body: Vec<u8>) -> Result<WireRequest, CallError> {
        let mut headers = self.headers.clone();
        if let Some(key) = &self.key {
            let text = match key_header {
                KeyHeader::Bearer => format!("Bearer {}", key.expose_secret()),
                KeyHeader::Named(_) => key.expose_secret().to_owned(),
            };
            let mut value = HeaderValue::from_str(&text)
                .map_err(|_| CallError::Unauthorized("the key holds characters that no header can carry".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(key_header.name(), value);
        }
        Ok(WireRequest { url, headers, body: body.into() })
    }

    /// Removes the key from a response, and all secrets from one with an error status.
    pub(crate) fn redact(&self, response: &mut WireResponse) {
        if failure::is_success(response) {
            Redactor::of(self.key.as_ref()).bytes(&mut response.body);
        } else {
            Secrets::of(self).bytes(&mut response.body);
        }
    }
}

/// The header in which a provider expects its key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyHeader {
    Bearer,
    Named(&'static str),
}

impl KeyHeader {
    fn name(self) -> HeaderName {
        match self {
            Self::Bearer => AUTHORIZATION,
            Self::Named(name) => HeaderName::from_static(name),
        }
    }
}

/// Encodes and decodes the calls of a provider.
pub trait Dialect: Debug + Send + Sync {
    /// Encodes a request.
    ///
    /// # Errors
    /// [`CallError::Unauthorized`] for a key that cannot be sent.
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError>;

    /// Decodes a whole answer of any status; `now` is used for a `Retry-After` that is a date.
    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply;

    /// Whether a model takes a temperature; some refuse requests that have one.
    fn takes_temperature(&self, _model: &str) -> bool {
        true
    }

    /// Returns how its streams are split into events.
    fn framing(&self) -> Framing;

    /// Returns a reader for one stream with a success status.
    fn reader<'a>(&self, request: &'a ModelRequest) -> Box<dyn StreamReader + 'a>;
}

/// Reads the events of one stream.
pub trait StreamReader: Send {
    /// Returns the text that an event adds to the answer, if any. An event that reports a failure ends the answer: see
    /// [`Self::is_over`].
    ///
    /// # Errors
    /// [`Unreadable`] for an event that cannot be read; it is counted and skipped.
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable>;

    /// Returns whether the answer is complete or has failed, so that reading can stop.
    fn is_over(&self) -> bool;

    /// Returns whether a stream that its server closed here, between two events, may have contained a whole answer in
    /// lines: such an answer needs no final event. A dialect whose servers always send one returns `false`.
    fn may_end_without_final_event(&self) -> bool {
        false
    }

    /// Returns the reply. `text` is all text added by the events; `broken` is the error that ended the stream, if any.
    /// A stream without its final event is [`CallError::Interrupted`], whatever its text; only for an answer in lines
    /// the caller may decide otherwise: see [`Self::may_end_without_final_event`].
    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply;
}

/// Why an event was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);
