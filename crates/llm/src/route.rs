//! A model of a chain: how it is reached, its price, and its input and output limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use serde_json::{Map, Value};

use super::breaker::Account;
use super::provider::{self, AnswerFormat, Capabilities, ModelRequest, Sampling, Server};
use super::rate_limiter::CallLimiter;
use super::retry_policy::{RetryPolicy, RetrySettings};
use super::streaming_only::StreamingOnly;
use super::transport::Timeouts;
use crate::catalogue::ResponseFormat;
use crate::settings::Effort;

/// How a model is reached.
#[derive(Debug, Clone)]
pub enum Backend {
    /// In this process.
    Local,
    Wire(Arc<Connection>),
}

/// A server and its dialect.
pub struct Connection {
    pub dialect: &'static dyn provider::Dialect,
    pub server: Server,
    pub timeouts: Timeouts,
    pub streaming_only: StreamingOnly,
}

/// Omits the address's query, which may hold a key.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.server.endpoint.host_str();
        f.debug_struct("Connection").field("dialect", &self.dialect).field("host", &host).finish_non_exhaustive()
    }
}

/// A model of a chain, with its price and limits.
#[derive(Debug, Clone)]
pub struct Route {
    pub model: ModelRef,
    pub backend: Backend,
    /// `None` when unknown.
    pub price: Option<Price>,
    /// For one story.
    pub max_output_tokens: u32,
    pub max_input_chars: usize,
    pub max_title_chars: usize,
    pub max_calls_per_run: Option<u32>,
    pub effort: Option<Effort>,
    pub options: ModelOptions,
}

/// Settings of a model that apply to every request.
#[derive(Debug, Clone, Default)]
pub struct ModelOptions {
    pub capabilities: Capabilities,
    pub sampling: Sampling,
    /// Provider-specific fields, sent with every request.
    pub provider_specific: Map<String, Value>,
    /// The same with variable names instead of their values, so that it may be stored.
    pub provider_specific_as_written: Map<String, Value>,
    /// The name at its server; `None`: the same as here.
    pub name: Option<String>,
    /// Maximum tokens of one answer, whatever the task.
    pub max_tokens: Option<u32>,
    /// System prompt of conversations that bring none.
    pub system_prompt: Option<String>,
    /// Answer format of such conversations; `None` for a model that is in no catalogue.
    pub response_format: Option<ResponseFormat>,
    /// The user's notes about it, stored with conversations and never sent.
    pub metadata: Map<String, Value>,
    /// `None`: the task's settings apply.
    pub retry: Option<RetrySettings>,
    /// `None`: unlimited.
    pub limiter: Option<Arc<CallLimiter>>,
}

impl ModelOptions {
    /// Returns the task's retry policy with this model's settings applied.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.retry.map_or(*of_task, |settings| of_task.with(&settings))
    }
}

impl Route {
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.backend, Backend::Local)
    }

    /// Whether its calls cost nothing; not so if the price is unknown.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.price.is_some_and(|price| price.is_free())
    }

    /// Builds a question to this model, with its settings.
    #[must_use]
    pub fn request(&self, system: String, user: String, format: AnswerFormat, max_output_tokens: u32) -> ModelRequest {
        let ModelOptions { capabilities, sampling, provider_specific, name, max_tokens, .. } = self.options.clone();
        let name = name.as_deref().unwrap_or(&self.model.model);
        let max_output_tokens = max_output_tokens.min(max_tokens.unwrap_or(u32::MAX));
        let is_streaming_only = matches!(&self.backend, Backend::Wire(wire) if wire.streaming_only.is_known(name));
        ModelRequest {
            effort: self.effort.filter(|_| capabilities.reasoning_effort),
            capabilities,
            sampling,
            provider_specific,
            stream: capabilities.streaming_only || is_streaming_only,
            ..ModelRequest::question(name, system, user, format, max_output_tokens)
        }
    }

    /// Returns the maximum duration of an answer.
    #[must_use]
    pub fn longest(&self) -> Duration {
        match &self.backend {
            Backend::Local => Duration::ZERO,
            Backend::Wire(wire) => wire.timeouts.whole,
        }
    }

    /// Returns the task's retry policy with this model's settings applied.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.options.retry(of_task)
    }

    /// Returns the account that is charged, by server and key: models on the same account are refused together.
    pub(super) fn account(&self) -> Account {
        let provider = &self.model.provider;
        let Backend::Wire(wire) = &self.backend else { return Account::new(provider, String::new(), None) };
        account(provider, &wire.server)
    }
}

/// Returns the account of a provider's server and key.
pub(super) fn account(provider: &str, Server { endpoint, key, .. }: &Server) -> Account {
    Account::new(provider, endpoint.origin().ascii_serialization(), key.as_ref())
}

/// A model of a chain with its route, or why it is not called.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub model: ModelRef,
    pub route: Result<Route, String>,
}
