//! One attempt at a question. It is settled whether or not a caller still waits for it.

use std::sync::Arc;

use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{AnswerKey, NewAnswer, SharedStore, StoreError};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;

use super::{Answer, ConversationSettings};
use crate::answer;
use crate::call_log::Label;
use crate::call_scope::CallScope;
use crate::error::CallError;
use crate::exchange::{EncodedRequest, read_while_awaited};
use crate::gateway::Gateway;
use crate::metered_call::{Closing, Executed, NotSent, Received};
use crate::model_call::ModelCall;
use crate::provider::{AnswerFormat, ModelRequest, Usage};
use crate::router::Backend;
use crate::schema;

/// Validates an answer; the error is the reason for rejecting it. It receives the text and, unless the answer is plain
/// text, the object.
pub type Validate = Arc<dyn Fn(&str, Option<&Map<String, Value>>) -> Result<(), String> + Send + Sync>;

/// The stored result of a question whose answers were all rejected.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Rejection {
    /// The reason for rejecting each attempt's answer.
    pub(super) rejected: Vec<String>,
    /// The ledger rows of all attempts.
    pub(super) calls: Vec<String>,
}

/// All data of an attempt, so that it can run in a separate task.
pub(super) struct ConversationAttempt {
    pub(super) gateway: Arc<Gateway>,
    pub(super) store: SharedStore,
    pub(super) scope: CallScope,
    pub(super) settings: ConversationSettings,
    pub(super) schema: Option<Arc<Validator>>,
    pub(super) validate: Option<Validate>,
    pub(super) id: CallId,
    /// From 1.
    pub(super) number: u32,
    /// The key under which an accepted answer is stored.
    pub(super) key: Option<AnswerKey>,
    pub(super) asked_at: Timestamp,
    /// The ledger rows of this attempt and of the earlier ones.
    pub(super) calls: Vec<String>,
    pub(super) rejected: Vec<String>,
    /// Whether no further attempt is made when this answer is rejected.
    pub(super) is_last: bool,
}

impl ConversationAttempt {
    /// Executes the call, and forwards the answer's text as it arrives.
    pub(super) async fn run(
        self,
        request: ModelRequest,
        text: UnboundedSender<String>,
    ) -> Result<Executed<Answer>, StoreError> {
        let Backend::Wire(wire) = &self.settings.route.backend else {
            return Ok(Executed::NotSent(NotSent::Unusable("`local` holds no conversations".to_owned())));
        };
        let encoded = match EncodedRequest::new(wire, request) {
            Ok(encoded) => encoded,
            Err(error) => return Ok(Executed::Failed(error.into())),
        };
        let call = ModelCall {
            id: self.id,
            scope: &self.scope,
            purpose: self.settings.purpose,
            prompt_id: &self.scope.prompt_id,
            route: &self.settings.route,
            encoded: Some(&encoded),
            items: 1,
            attempt: i64::from(self.number),
            degraded_from: None,
        };
        let send = || self.send(&encoded, &text);
        let close = |received: &Received<Answer>, closing: &mut Closing| {
            closing.answers.extend(self.answer_to_store(received.outcome.as_ref()));
        };
        self.gateway.execute(&self.store, &call, send, close).await
    }

    async fn send(&self, encoded: &EncodedRequest<'_>, text: &UnboundedSender<String>) -> Received<Answer> {
        let label = Label { call: self.id, purpose: self.settings.purpose, items: 1, is_lines: false };
        let exchange = self.gateway.logged_exchange(label, encoded);
        // The receiver may have been dropped.
        let on_text = |piece| drop(text.send(piece));
        let exchanged = read_while_awaited(exchange, on_text, text, encoded.timeouts).await;
        let usage = exchanged.reply.usage;
        let at_limit = exchanged.reply.at_limit(encoded.request.max_output_tokens);
        Received::of(exchanged, |text| self.read(text, usage, at_limit))
    }

    /// Parses and validates the answer.
    fn read(&self, text: String, usage: Option<Usage>, at_limit: Option<u32>) -> Result<Answer, CallError> {
        let object = match self.settings.format {
            AnswerFormat::Text => None,
            AnswerFormat::Json | AnswerFormat::Schema { .. } => Some(answer::object(&text, at_limit)?),
        };
        let violations = match (&self.schema, &object) {
            (Some(validator), Some(object)) => schema::violations(validator, &Value::Object(object.clone())),
            _ => None,
        };
        if let Some(why) = violations {
            return Err(CallError::Invalid(why));
        }
        if let Some(validate) = &self.validate {
            validate(&text, object.as_ref()).map_err(CallError::Invalid)?;
        }
        Ok(Answer {
            text,
            object,
            input_tokens: usage.map(|usage| usage.input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            asked_at: self.asked_at,
            answered_at: self.gateway.parts.clock.now(),
            attempts: self.number,
            verification_errors: self.rejected.clone(),
            calls: self.calls.clone(),
        })
    }

    /// Returns what to store: an accepted answer, or the final rejection, because rejected answers are paid for as
    /// well.
    fn answer_to_store(&self, outcome: Result<&Answer, &CallError>) -> Option<NewAnswer> {
        let json = match outcome {
            Ok(answer) => serde_json::to_string(answer).ok(),
            Err(CallError::Invalid(why)) if self.is_last => {
                let mut rejected = self.rejected.clone();
                rejected.push(why.clone());
                serde_json::to_string(&Rejection { rejected, calls: self.calls.clone() }).ok()
            }
            Err(_) => None,
        };
        self.key.clone().zip(json).map(|(key, answer_json)| NewAnswer {
            input_hash: key.fingerprint.clone(),
            key,
            provider: self.settings.route.model.provider.clone(),
            model: self.settings.route.model.model.clone(),
            answer_json,
            members: Vec::new(),
        })
    }
}
