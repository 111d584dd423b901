//! A conversation with one model: questions and answers that know of each other, each answer checked and paid for once.
//!
//! Comes in: questions. Goes out: answers, and at the end an [`Archive`] that nothing changes any more. Called by `aha-radar llm`. A
//! caller that stops waiting changes nothing about what was spent: the exchange goes on for a while by itself, so that its row tells
//! what it cost.

mod archive;
mod asking;
mod attempt;

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

/// What the whole conversation goes by.
#[derive(Debug, Clone)]
pub struct Terms {
    pub route: Route,
    /// Empty: none.
    pub system: String,
    pub format: AnswerFormat,
    /// Whether answers are to come in pieces.
    pub streams: bool,
    /// Attempts at an answer, of whatever they fail; at least 1.
    pub max_attempts: u32,
    /// On the ledger.
    pub purpose: &'static str,
    /// Whether an answer is kept, so that the same question in the same conversation is never paid for again.
    pub keeps_answers: bool,
    /// Whether a question is asked again to which no answer was accepted before.
    pub asks_again: bool,
}

impl Terms {
    /// As the model's entry in the catalogue has it: its system prompt, unless there is another one, and its form of answers.
    #[must_use]
    pub fn of(route: Route, system: Option<String>, purpose: &'static str) -> Self {
        Self {
            system: system.or_else(|| route.traits.system_prompt.clone()).unwrap_or_default(),
            format: match route.traits.response_format.unwrap_or_default() {
                ResponseFormat::Json => AnswerFormat::Json,
                ResponseFormat::Text => AnswerFormat::Text,
            },
            streams: route.traits.capabilities.streaming_only,
            max_attempts: route.traits.retry.and_then(|retry| retry.max_attempts).unwrap_or(USUAL_ATTEMPTS),
            purpose,
            keeps_answers: false,
            asks_again: false,
            route,
        }
    }
}

/// Attempts at an answer, where the model's entry says nothing of it.
const USUAL_ATTEMPTS: u32 = 3;

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

/// An answer that was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// As the model gave it.
    pub text: String,
    /// Its JSON object; `None` for an answer in words.
    pub object: Option<Map<String, Value>>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub asked_at: Timestamp,
    pub answered_at: Timestamp,
    /// Attempts that it took, this one included.
    pub attempts: u32,
    /// Why earlier attempts were not accepted.
    pub verification_errors: Vec<String>,
    /// The ledger rows of all attempts.
    pub calls: Vec<String>,
}

/// A question and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchanged {
    pub question: String,
    /// `None`: no answer was accepted.
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

/// What comes while a question is being answered.
#[derive(Debug)]
pub enum Progress {
    /// A piece of a streamed answer.
    Text(String),
    /// The answer so far is void: another attempt begins.
    Retry {
        /// Its number, from 2.
        attempt: u32,
        /// What went wrong with the one before.
        reason: String,
    },
    /// The last event.
    Ended(Result<Box<Answer>, ConversationError>),
}

/// See the module.
pub struct Conversation {
    gateway: Arc<Gateway>,
    store: SharedStore,
    scope: CallScope,
    terms: Terms,
    schema: Option<Arc<Validator>>,
    /// Told apart from any other on the ledger.
    id: String,
    turns: Vec<Exchanged>,
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
    /// # Errors
    /// [`ConversationError::BadSchema`] when the format's schema is none.
    pub fn begin(
        gateway: Arc<Gateway>,
        store: SharedStore,
        scope: CallScope,
        terms: Terms,
    ) -> Result<Self, ConversationError> {
        let schema = match &terms.format {
            AnswerFormat::Schema { schema, .. } => {
                let compiled = jsonschema::validator_for(schema);
                Some(Arc::new(compiled.map_err(|error| ConversationError::BadSchema(error.to_string()))?))
            }
            AnswerFormat::Text | AnswerFormat::Json => None,
        };
        let (process, number) = (std::process::id(), BEGUN.fetch_add(1, Ordering::Relaxed));
        let id = format!("{}-{process}-{number}", gateway.parts.clock.wall().as_millis());
        Ok(Self { gateway, store, scope, terms, schema, id, turns: Vec::new(), archived: false })
    }

    #[must_use]
    pub fn history(&self) -> &[Exchanged] {
        &self.turns
    }

    /// Ends the conversation and hands over what was said. Nothing can be asked after it.
    pub fn archive(&mut self) -> Archive {
        self.archived = true;
        Archive::of(&self.id, &self.terms, &self.turns)
    }

    fn name(&self) -> String {
        format!("{}/{}", self.terms.route.model.provider, self.terms.route.model.model)
    }

    fn call_id(&self, tries: u32) -> CallId {
        CallId::of(&[&self.id, &self.turns.len().to_string(), &tries.to_string()])
    }
}
