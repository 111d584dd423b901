//! A model of a chain: how it is reached, what it costs, and how much it may be sent and answer.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};

use super::pace::Pace;
use super::provider::{self, AnswerFormat, Capabilities, ModelRequest, Sampling, Server};
use super::retry_policy::{RetryPolicy, RetrySettings};
use super::streaming_only::StreamingOnly;
use super::transport::Timeouts;
use crate::catalogue::ResponseFormat;
use crate::settings::Effort;

/// How a model is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// In this process.
    Local,
    Wire(Arc<Wire>),
}

/// A server and the dialect it speaks.
pub struct Wire {
    pub dialect: &'static dyn provider::Dialect,
    pub server: Server,
    pub timeouts: Timeouts,
    pub streaming_only: StreamingOnly,
}

/// Without the address's query, which may hold a key.
impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.server.endpoint.host_str();
        f.debug_struct("Wire").field("dialect", &self.dialect).field("host", &host).finish_non_exhaustive()
    }
}

/// A model of a chain, and how much it may be sent and answer.
#[derive(Debug, Clone)]
pub struct Route {
    pub model: ModelRef,
    pub reach: Reach,
    /// `None`: unknown.
    pub price: Option<Price>,
    /// For one story.
    pub max_output_tokens: u32,
    pub max_input_chars: usize,
    pub max_title_chars: usize,
    pub max_calls_per_run: Option<u32>,
    pub effort: Option<Effort>,
    pub traits: Traits,
}

/// What is particular to a model, whatever it is asked.
#[derive(Debug, Clone, Default)]
pub struct Traits {
    pub capabilities: Capabilities,
    pub sampling: Sampling,
    /// Fields of the provider's own, sent with every request.
    pub provider_specific: Map<String, Value>,
    /// The same with the names of variables in the place of their values, fit to be kept.
    pub provider_specific_as_written: Map<String, Value>,
    /// At its server; `None`: as it is called here.
    pub name: Option<String>,
    /// The most that one answer may have, whatever it is about.
    pub max_tokens: Option<u32>,
    /// What it is told first in conversations that bring nothing of their own.
    pub system_prompt: Option<String>,
    /// The form of its answers in such conversations; `None`: the entry does not say.
    pub response_format: Option<ResponseFormat>,
    /// The owner's own words about it, kept with conversations and never sent.
    pub metadata: Map<String, Value>,
    /// `None`: as the task has it.
    pub retry: Option<RetrySettings>,
    /// `None`: as often as is wanted.
    pub pace: Option<Arc<Pace>>,
}

impl Traits {
    /// How often and how soon a model is tried again, where a task has its own idea of it.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.retry.map_or(*of_task, |settings| of_task.with(&settings))
    }
}

impl Route {
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.reach, Reach::Local)
    }

    /// A question to this model, on its terms.
    #[must_use]
    pub fn request(&self, system: String, user: String, format: AnswerFormat, max_output_tokens: u32) -> ModelRequest {
        let Traits { capabilities, sampling, provider_specific, name, max_tokens, .. } = self.traits.clone();
        let name = name.as_deref().unwrap_or(&self.model.model);
        let max_output_tokens = max_output_tokens.min(max_tokens.unwrap_or(u32::MAX));
        let is_found_out = matches!(&self.reach, Reach::Wire(wire) if wire.streaming_only.is_known(name));
        ModelRequest {
            effort: self.effort.filter(|_| capabilities.reasoning_effort),
            capabilities,
            sampling,
            provider_specific,
            stream: capabilities.streaming_only || is_found_out,
            ..ModelRequest::question(name, system, user, format, max_output_tokens)
        }
    }

    /// How long an answer may take.
    #[must_use]
    pub fn longest(&self) -> Duration {
        match &self.reach {
            Reach::Local => Duration::ZERO,
            Reach::Wire(wire) => wire.timeouts.whole,
        }
    }

    /// How often and how soon this model is tried again, where a task has its own idea of it.
    #[must_use]
    pub fn retry(&self, of_task: &RetryPolicy) -> RetryPolicy {
        self.traits.retry(of_task)
    }

    /// Whose account at which server pays for it: models with the same one are refused together.
    pub(super) fn account(&self) -> String {
        let provider = &self.model.provider;
        let Reach::Wire(wire) = &self.reach else { return provider.clone() };
        account(provider, &wire.server)
    }
}

/// Of a provider's server and key.
pub(super) fn account(provider: &str, Server { endpoint, key, .. }: &Server) -> String {
    let mut hasher = DefaultHasher::new();
    key.as_ref().map(ExposeSecret::expose_secret).hash(&mut hasher);
    format!("{provider} at {} {:x}", endpoint.origin().ascii_serialization(), hasher.finish())
}

/// A model of a chain, and how it is asked; or why it is not.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub model: ModelRef,
    pub route: Result<Route, String>,
}
