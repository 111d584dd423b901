//! The providers' dialects: pure translations between our requests and theirs. None of them sends anything.

pub mod local;
mod openai;

use std::fmt::Debug;
use std::time::SystemTime;

use serde_json::Value;

use super::error::CallError;
use super::transport::WireResponse;
use crate::config::Effort;

pub use openai::{NAME as OPENAI_NAME, OpenAi};

/// The Responses API, of OpenAI and of those who copied it.
pub static OPENAI: OpenAi = OpenAi;

/// What a model is asked, whatever its provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    pub system: String,
    pub user: String,
    /// Of the schema: letters, digits and underscores.
    pub schema_name: String,
    pub schema: Value,
    /// Reasoning included.
    pub max_output_tokens: u32,
    pub effort: Option<Effort>,
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
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

/// How a provider is talked to.
pub trait Dialect: Debug + Send + Sync {
    /// The body of a request.
    fn encode(&self, request: &ModelRequest) -> Vec<u8>;
    /// Reads an answer of any status; `now` is for a `Retry-After` that is a date.
    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply;
}
