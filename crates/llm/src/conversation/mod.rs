//! A conversation with one model: questions and answers share a history, and each answer is validated and paid for
//! once.
//!
//! Input: questions. Output: answers, and at the end an immutable [`Archive`]. Called by `aha-radar llm`. A caller that
//! stops waiting does not change what is spent: the exchange continues for a limited time, so that its cost reaches the
//! ledger.

mod archive;
mod attempt;
mod question;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{SharedStore, StoreError};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::call_scope::CallScope;
use super::error::CallError;
use super::gateway::Gateway;
use super::provider::AnswerFormat;
use super::router::Route;
use crate::catalogue::ResponseFormat;

pub use archive::{Archive, ConfigSnapshot, VerificationSummary};
pub use attempt::Validate;

/// The settings of a conversation.
#[derive(Debug, Clone)]
pub struct ConversationSettings {
    pub route: Route,
    /// Empty when there is none.
    pub system: String,
    pub format: AnswerFormat,
    /// The schema that answers are checked against, if it allows more than the one in the format.
    pub accepts: Option<Arc<Value>>,
    /// Whether to request streamed answers.
    pub streams: bool,
    /// Maximum attempts at an answer, whatever the failure; at least 1.
    pub max_attempts: u32,
    /// The purpose on the ledger.
    pub purpose: &'static str,
    /// Whether answers are stored, so that the same question in the same conversation is never paid for again.
    pub stores_answers: bool,
    /// Whether to retry a question whose answers were all rejected before.
    pub retries_rejected: bool,
}

impl ConversationSettings {
    /// Builds the settings from the model's catalogue entry: its system prompt, unless `system` is given, and its response
    /// format.
    #[must_use]
    pub fn of(route: Route, system: Option<String>, purpose: &'static str) -> Self {
        Self {
            system: system.or_else(|| route.options.system_prompt.clone()).unwrap_or_default(),
            format: match route.options.response_format.unwrap_or_default() {
                ResponseFormat::Json => AnswerFormat::Json,
                ResponseFormat::Text => AnswerFormat::Text,
            },
            accepts: None,
            streams: route.options.capabilities.streaming_only,
            max_attempts: route.options.retry.and_then(|retry| retry.max_attempts).unwrap_or(DEFAULT_MAX_ATTEMPTS),
            purpose,
            stores_answers: false,
            retries_rejected: false,
            route,
        }
    }
}

/// Maximum attempts at an answer where the model's entry sets none.
const DEFAULT_MAX_ATTEMPTS: u32 = 3;

#[derive(Debug, Error)]
pub enum ConversationError {
    #[error("the conversation is archived: begin another one")]
    Archived,
    #[error("the answer format cannot be used: {0}")]
    BadSchema(String),
    #[error("{model} gave no answer that is accepted in {attempts} tries; the last: {reason}")]
    ValidationFailed { model: String, attempts: u32, reason: String },
    #[error("{model}: {source}")]
    Provider { model: String, source: CallError },
    #[error("{0}")]
    NoBudget(String),
    #[error("{0}")]
    NotSent(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An accepted answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// As the model gave it.
    pub text: String,
    /// Its JSON object; `None` for an answer in plain text.
    pub object: Option<Map<String, Value>>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub asked_at: Timestamp,
    pub answered_at: Timestamp,
    /// Attempts made, including this one.
    pub attempts: u32,
    /// Why earlier attempts were not accepted.
    pub verification_errors: Vec<String>,
    /// The ledger rows of all attempts.
    pub calls: Vec<String>,
}

/// A question and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnsweredQuestion {
    pub question: String,
    /// `None` if no answer was accepted.
    pub answer: Option<String>,
    pub asked_at: Timestamp,
    pub answered_at: Timestamp,
    /// Attempts after the first.
    pub retries: u32,
    pub verification_errors: Vec<String>,
    /// The ledger rows of all attempts.
    #[serde(skip)]
    pub calls: Vec<String>,
}

/// An event while a question is being answered.
#[derive(Debug)]
pub enum Progress {
    /// A piece of a streamed answer.
    Text(String),
    /// The text so far is void: another attempt begins.
    Retry {
        /// Its number, from 2.
        attempt: u32,
        /// Why the previous attempt failed.
        reason: String,
    },
    /// The last event.
    Ended(Result<Box<Answer>, ConversationError>),
}

/// A conversation; see the module.
pub struct Conversation {
    gateway: Arc<Gateway>,
    store: SharedStore,
    scope: CallScope,
    settings: ConversationSettings,
    schema: Option<Arc<Validator>>,
    /// Unique on the ledger.
    id: String,
    turns: Vec<AnsweredQuestion>,
    archived: bool,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("id", &self.id).field("turns", &self.turns.len()).finish_non_exhaustive()
    }
}

/// Conversations begun by this process.
static BEGUN: AtomicU64 = AtomicU64::new(0);

impl Conversation {
    /// Begins a conversation.
    ///
    /// # Errors
    /// [`ConversationError::BadSchema`] when the schema of the format, or of accepted answers, is invalid.
    pub fn begin(
        gateway: Arc<Gateway>,
        store: SharedStore,
        scope: CallScope,
        settings: ConversationSettings,
    ) -> Result<Self, ConversationError> {
        let schema = match &settings.format {
            AnswerFormat::Schema { schema, .. } => {
                let compiled = jsonschema::validator_for(settings.accepts.as_ref().unwrap_or(schema));
                Some(Arc::new(compiled.map_err(|error| ConversationError::BadSchema(error.to_string()))?))
            }
            AnswerFormat::Text | AnswerFormat::Json => None,
        };
        let (process, number) = (std::process::id(), BEGUN.fetch_add(1, Ordering::Relaxed));
        let id = format!("{}-{process}-{number}", gateway.parts.clock.wall().as_millis());
        Ok(Self { gateway, store, scope, settings, schema, id, turns: Vec::new(), archived: false })
    }

    #[must_use]
    pub fn history(&self) -> &[AnsweredQuestion] {
        &self.turns
    }

    /// Ends the conversation and returns its record. No further questions are accepted.
    pub fn archive(&mut self) -> Archive {
        self.archived = true;
        Archive::of(&self.id, &self.settings, &self.turns)
    }

    fn name(&self) -> String {
        format!("{}/{}", self.settings.route.model.provider, self.settings.route.model.model)
    }

    fn call_id(&self, tries: u32) -> CallId {
        CallId::of(&[&self.id, &self.turns.len().to_string(), &tries.to_string()])
    }
}
