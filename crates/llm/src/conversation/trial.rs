//! One try of a question, which settles whether anybody waits for it or not.

use std::sync::Arc;
use std::time::Duration;

use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{AnswerKey, NewAnswer, SharedStore, StoreError};
use jsonschema::Validator;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::asking::{Rejection, Validate};
use super::{Answer, Terms};
use crate::answer;
use crate::error::CallError;
use crate::events::Label;
use crate::exchange::Exchanged;
use crate::gateway::{CallScope, Gateway};
use crate::provider::{AnswerFormat, ModelRequest, Usage};
use crate::purchase::{Bought, Exchange, Kept, Order, Sending};
use crate::router::{Reach, Wire};
use crate::schema;

/// How long an exchange goes on for the sake of its bill after the caller has gone.
const GRACE: Duration = Duration::from_secs(30);

/// All that a try needs, so that it can go on by itself.
pub(super) struct Trial {
    pub(super) gateway: Arc<Gateway>,
    pub(super) store: SharedStore,
    pub(super) scope: CallScope,
    pub(super) terms: Terms,
    pub(super) schema: Option<Arc<Validator>>,
    pub(super) validate: Option<Validate>,
    pub(super) id: CallId,
    /// Which try it is, from 1.
    pub(super) number: u32,
    /// Under which an accepted answer is kept.
    pub(super) key: Option<AnswerKey>,
    pub(super) asked_at: Timestamp,
    /// The ledger rows of this try and of those before it.
    pub(super) calls: Vec<String>,
    pub(super) rejected: Vec<String>,
    /// Whether no further attempt is made when its answer is not accepted.
    pub(super) is_last: bool,
}

impl Trial {
    /// Asks, and hands on the answer's text as it comes.
    pub(super) async fn run(
        self,
        request: ModelRequest,
        text: UnboundedSender<String>,
    ) -> Result<Bought<Answer>, StoreError> {
        let Reach::Wire(wire) = &self.terms.route.reach else {
            return Ok(Bought::Unaskable("`local` holds no conversations".to_owned()));
        };
        let encoded = match wire.dialect.encode(&request, &wire.server) {
            Ok(encoded) => encoded,
            Err(error) => return Ok(Bought::Failed(error)),
        };
        let sending = Sending { wire, request, encoded };
        let order = Order {
            id: self.id,
            scope: &self.scope,
            purpose: self.terms.purpose,
            prompt_id: &self.scope.prompt_id,
            route: &self.terms.route,
            sending: Some(&sending),
            stories: 1,
            tries: i64::from(self.number),
            degraded_from: None,
        };
        let exchange = || self.exchange(&sending, &text);
        self.gateway.buy(&self.store, &order, exchange, |outcome| self.keep(outcome)).await
    }

    async fn exchange(&self, sending: &Sending<'_>, text: &UnboundedSender<String>) -> Exchange<Answer> {
        let label = Label { call: self.id, purpose: self.terms.purpose, items: 1 };
        // Nobody may be listening any more.
        let mut say = |piece: &str| drop(text.send(piece.to_owned()));
        let exchanged = tokio::select! {
            exchanged = self.gateway.told_exchange(label, sending, &mut say) => exchanged,
            error = abandoned(text, sending.wire) => Exchanged::from(error),
        };
        let usage = exchanged.reply.usage;
        let at_limit = exchanged.reply.at_limit(sending.request.max_output_tokens);
        Exchange::of(exchanged, |text| self.read(text, usage, at_limit))
    }

    /// The answer, if it is accepted.
    fn read(&self, text: String, usage: Option<Usage>, at_limit: Option<u32>) -> Result<Answer, CallError> {
        let object = match self.terms.format {
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

    /// An accepted answer; or that none was accepted, which is paid for as well.
    fn keep(&self, outcome: Result<&Answer, &CallError>) -> Kept {
        let json = match outcome {
            Ok(answer) => serde_json::to_string(answer).ok(),
            Err(CallError::Invalid(why)) if self.is_last => {
                let mut rejected = self.rejected.clone();
                rejected.push(why.clone());
                serde_json::to_string(&Rejection { rejected, calls: self.calls.clone() }).ok()
            }
            Err(_) => None,
        };
        let kept = self.key.clone().zip(json).map(|(key, answer_json)| NewAnswer {
            input_hash: key.fingerprint.clone(),
            key,
            provider: self.terms.route.model.provider.clone(),
            model: self.terms.route.model.model.clone(),
            answer_json,
            members: Vec::new(),
        });
        Kept { answers: kept.into_iter().collect(), complaint: None }
    }
}

/// Ends some time after the caller has gone.
async fn abandoned(text: &UnboundedSender<String>, wire: &Wire) -> CallError {
    text.closed().await;
    tokio::time::sleep(GRACE.min(wire.timeouts.whole)).await;
    CallError::Interrupted("nobody was waiting for the answer any more".to_owned())
}
