//! The providers' dialects: pure translations between our requests and theirs. None of them sends anything.

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
#[cfg(test)]
mod tests;
mod turns;

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::SystemTime;

use aha_net::endpoint::without_secrets;
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

/// The Messages API of Anthropic.
pub static ANTHROPIC: Anthropic = Anthropic;
/// The generative language API of Google.
pub static GEMINI: Gemini = Gemini;
/// The Responses API, of OpenAI and of those who copied it.
pub static OPENAI: OpenAi = OpenAi;
/// Chat completions, which most servers have.
pub static OPENAI_COMPATIBLE: ChatCompletions = ChatCompletions;
/// Ollama's own.
pub static OLLAMA: Ollama = Ollama;

/// All dialects that a server can be said to speak, by name.
pub static DIALECTS: &[(&str, &dyn Dialect)] = &[
    (OPENAI_NAME, &OPENAI),
    (OPENAI_COMPATIBLE_NAME, &OPENAI_COMPATIBLE),
    (ANTHROPIC_NAME, &ANTHROPIC),
    (GEMINI_NAME, &GEMINI),
    (OLLAMA_NAME, &OLLAMA),
];

/// The dialect of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
}

/// All dialects in which a server can be asked for vectors, by name.
pub static EMBED_DIALECTS: &[(&str, &dyn EmbedDialect)] = &[
    (OPENAI_NAME, &openai::Embeddings),
    (OPENAI_COMPATIBLE_NAME, &openai::Embeddings),
    (GEMINI_NAME, &gemini::BatchEmbedContents),
    (OLLAMA_NAME, &ollama::Embed),
];

/// The dialect for vectors of that name.
#[must_use]
pub fn embedder_by_name(name: &str) -> Option<&'static dyn EmbedDialect> {
    EMBED_DIALECTS.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
}

/// The form in which a model is to answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerFormat {
    Text,
    /// One JSON object, whatever is in it.
    Json,
    /// One JSON object that fits a schema. The name: letters, digits and underscores.
    Schema {
        name: String,
        schema: Arc<Value>,
    },
}

/// What a model can do, as its owner or its maker says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact by itself, and any of them may be true with any other"
)]
pub struct Capabilities {
    /// Its server holds it to a schema; else the schema is told in words.
    pub strict_schema: bool,
    /// It answers in streams alone; its answers are gathered here.
    pub streaming_only: bool,
    /// It can be told how much to think.
    pub reasoning_effort: bool,
    /// A stream of its ends with its usage, where that is asked for.
    pub usage_in_streams: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { strict_schema: true, streaming_only: false, reasoning_effort: true, usage_in_streams: true }
    }
}

/// How a model chooses its words. `None`: as its server does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// From 0 to 2.
    pub temperature: Option<f64>,
    /// From 0 to 1.
    pub top_p: Option<f64>,
}

/// What a model is asked, whatever its provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    /// Empty: none.
    pub system: String,
    /// The last is the user's.
    pub turns: Vec<Turn>,
    pub format: AnswerFormat,
    /// Reasoning included.
    pub max_output_tokens: u32,
    /// Room for the prompt and the answer, where the server lets it be chosen.
    pub context_tokens: Option<u32>,
    pub effort: Option<Effort>,
    pub sampling: Sampling,
    pub capabilities: Capabilities,
    /// Whether the answer is to come in pieces.
    pub stream: bool,
    /// Fields of the provider's own, which take the place of ours in the body.
    pub provider_specific: Map<String, Value>,
}

impl ModelRequest {
    /// One question to a model of which nothing special is known.
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

    /// The system prompt, with the form of the answer in words where the server is not known to see to it.
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

    /// Writes a body, with the provider's own fields in the place of ours but for [`OURS`]; objects are merged.
    pub(super) fn finish_body(&self, body: &impl Serialize) -> Vec<u8> {
        let texts = self.turns.iter().map(|turn| turn.content.len()).sum::<usize>() + self.system.len();
        let mut bytes = Vec::with_capacity(texts + texts / 4 + ROOM_FOR_TERMS);
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
        // What is made of strings, numbers and objects with string keys cannot fail to be written.
        debug_assert!(written.is_ok(), "{written:?}");
        bytes
    }
}

/// Bytes of a body beside its texts, about: mostly the schema.
const ROOM_FOR_TERMS: usize = 4096;

/// Fields that decide what a call can cost or how its answer is read: what is reserved goes by ours.
pub(super) const OURS: [&str; 11] = [
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
    for (name, value) in own.iter().filter(|(name, _)| !OURS.contains(&name.as_str())) {
        match (fields.get_mut(name), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Those read from a cache included.
    pub input_tokens: i64,
    pub cached_input_tokens: Option<i64>,
    pub output_tokens: i64,
    /// Part of the output tokens.
    pub reasoning_tokens: Option<i64>,
}

/// What a provider answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The model's text, of which nobody knows yet whether it is what was asked for.
    pub outcome: Result<String, CallError>,
    /// `None` where it is missing or cannot be true.
    pub usage: Option<Usage>,
    /// The provider's own id of the exchange.
    pub request_id: Option<String>,
}

impl Reply {
    /// The most output tokens that were allowed, if it has as many.
    #[must_use]
    pub fn at_limit(&self, most: u32) -> Option<u32> {
        self.usage.filter(|usage| usage.output_tokens >= i64::from(most)).map(|_| most)
    }
}

/// Where a provider is, and how to be let in.
#[derive(Clone)]
pub struct Server {
    /// Of the interface: what a dialect adds to it is the dialect's.
    pub endpoint: Url,
    /// `None` for a server that wants none.
    pub key: Option<SecretString>,
    /// Sent with every request.
    pub headers: HeaderMap,
}

/// Without the address's query, which may hold a key; headers that hold one are marked.
impl Debug for Server {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let endpoint = without_secrets(&self.endpoint);
        let Self { endpoint: _, key, headers } = self;
        f.debug_struct("Server").field("endpoint", &endpoint).field("key", key).field("headers", headers).finish()
    }
}

impl Server {
    /// The request to `url` with a body, and the key in the header that the dialect names.
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
}

/// In which header a provider wants its key.
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

/// How a provider is talked to.
pub trait Dialect: Debug + Send + Sync {
    /// # Errors
    /// [`CallError::Unauthorized`] for a key that cannot be sent.
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError>;

    /// Reads a whole answer of any status; `now` is for a `Retry-After` that is a date.
    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply;

    /// How its streams are cut into events.
    fn framing(&self) -> Framing;

    /// A reader for one stream, whose status was a success.
    fn reader<'a>(&self, request: &'a ModelRequest) -> Box<dyn StreamReader + 'a>;
}

/// Reads the events of one stream.
pub trait StreamReader: Send {
    /// The text that an event adds to the answer, if any.
    ///
    /// # Errors
    /// When the event says that the answer has failed; an event that cannot be read is [`Unreadable`], is counted and passed over.
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable>;

    /// Whether the answer is complete, or has failed: nothing more is waited for.
    fn is_over(&self) -> bool;

    /// What has come of it. `text` is all that the events have added; `broken` says why the stream ended where it did, if not by
    /// itself. One that ends before its end was seen is no answer, whatever it said: [`CallError::Interrupted`].
    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply;
}

/// Why an event was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);
