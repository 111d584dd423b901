//! Answers one question: from a stored answer, else by attempts until one is accepted.

use std::sync::Arc;

use aha_core::time::Timestamp;
use aha_net::endpoint::without_secrets;
use aha_net::hash::hex32;
use aha_store::{AnswerKey, StoreError};
use futures::Stream;
use serde::Deserialize;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::attempt::{ConversationAttempt, Rejection, Validate};
use super::{Answer, Conversation, ConversationError, Progress};
use crate::error::CallError;
use crate::metered_call::{Executed, NotSent};
use crate::provider::{AnswerFormat, ModelRequest};
use crate::retry::{self, Next};
use crate::retry_policy::{RetryPolicy, STANDARD};
use crate::router::Backend;
use crate::stream::stream_from;
use crate::turn::{Role, Turn};

/// The version of the stored format.
const STORED_VERSION: &str = "conversation_v1";

/// The stored result of a question.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum StoredResult {
    Answer(Box<Answer>),
    Rejection(Rejection),
}

/// The state of a question between attempts.
struct Question<'a> {
    text: &'a str,
    fingerprint: String,
    validate: Option<Validate>,
    asked_at: Timestamp,
    /// Why earlier attempts were not accepted.
    rejected: Vec<String>,
    calls: Vec<String>,
}

impl Conversation {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`ConversationError::ValidationFailed`] when no answer was accepted, [`ConversationError::Provider`] when the
    /// provider gave none.
    pub async fn ask(&mut self, question: &str, validate: Option<Validate>) -> Result<Answer, ConversationError> {
        let (progress, _) = unbounded_channel();
        self.answer(question, validate, &progress).await
    }

    /// Asks, and yields progress: the text where the model streams, each further attempt, and as the last event the
    /// answer or the error.
    pub fn ask_stream<'a>(
        &'a mut self,
        question: &'a str,
        validate: Option<Validate>,
    ) -> impl Stream<Item = Progress> + Send + 'a {
        stream_from(move |progress| async move {
            let outcome = self.answer(question, validate, &progress).await;
            let _ = progress.send(Progress::Ended(outcome.map(Box::new)));
        })
    }

    async fn answer(
        &mut self,
        question: &str,
        validate: Option<Validate>,
        progress: &UnboundedSender<Progress>,
    ) -> Result<Answer, ConversationError> {
        if self.archived {
            return Err(ConversationError::Archived);
        }
        let asked_at = self.gateway.parts.clock.now();
        let mut question = Question {
            text: question,
            fingerprint: self.fingerprint(question),
            validate,
            asked_at,
            rejected: Vec::new(),
            calls: Vec::new(),
        };
        let outcome = match self.stored(&question.fingerprint).await? {
            Some(StoredResult::Answer(answer)) => Ok(*answer),
            Some(StoredResult::Rejection(known)) => Err(self.rejected_before(&mut question, known)),
            None => self.attempts(&mut question, progress).await,
        };
        let attempt_number = u32::try_from(question.calls.len()).unwrap_or(u32::MAX);
        let (retries, verification_errors) = match &outcome {
            Ok(answer) => (answer.attempts.saturating_sub(1), answer.verification_errors.clone()),
            Err(_) => (attempt_number.saturating_sub(1), question.rejected),
        };
        self.turns.push(super::AnsweredQuestion {
            question: question.text.to_owned(),
            answer: outcome.as_ref().ok().map(|answer| answer.text.clone()),
            asked_at: outcome.as_ref().map_or(asked_at, |answer| answer.asked_at),
            answered_at: outcome.as_ref().map_or_else(|_| self.gateway.parts.clock.now(), |answer| answer.answered_at),
            retries,
            verification_errors,
            calls: outcome.as_ref().map_or(question.calls, |answer| answer.calls.clone()),
        });
        outcome
    }

    /// Returns the stored failure of a question whose answers were all rejected before.
    fn rejected_before(&self, question: &mut Question<'_>, known: Rejection) -> ConversationError {
        let attempts = u32::try_from(known.calls.len()).unwrap_or(u32::MAX);
        let reason = known.rejected.last().cloned().unwrap_or_default();
        (question.rejected, question.calls) = (known.rejected, known.calls);
        ConversationError::ValidationFailed { model: self.name(), attempts, reason }
    }

    async fn attempts(
        &self,
        question: &mut Question<'_>,
        progress: &UnboundedSender<Progress>,
    ) -> Result<Answer, ConversationError> {
        let model = self.name();
        let mut attempts = self.settings.max_attempts.max(1);
        let policy: RetryPolicy =
            self.settings.route.retry(&self.gateway.parts.retry_override.unwrap_or(STANDARD)).with_attempts(attempts);
        let mut left = policy.all();
        let mut attempt_number = 0;
        loop {
            attempt_number += 1;
            let error = match self.attempt(question, attempt_number, attempt_number >= attempts, progress).await? {
                Executed::Answered(answer) => return Ok(answer),
                Executed::Failed(failed) => failed.error,
                Executed::NotSent(why) => return Err(self.not_sent(why)),
            };
            self.log_failure(attempt_number, &error);
            let next = retry::next(&policy, left, &error, 1, (self.gateway.parts.jitter)());
            let is_rejection = matches!(error, CallError::Invalid(_));
            if is_rejection {
                question.rejected.push(error.to_string());
            }
            match next {
                Next::Again { after, left: now_left } | Next::Repair { after, left: now_left }
                    if attempt_number < attempts =>
                {
                    left = now_left;
                    tokio::time::sleep(after).await;
                }
                Next::AsStream => attempts += 1,
                _ if is_rejection => {
                    return Err(ConversationError::ValidationFailed {
                        model,
                        attempts: attempt_number,
                        reason: error.to_string(),
                    });
                }
                _ => return Err(ConversationError::Provider { model, source: error }),
            }
            let _ = progress.send(Progress::Retry { attempt: attempt_number + 1, reason: error.to_string() });
        }
    }

    fn not_sent(&self, why: NotSent) -> ConversationError {
        match why {
            NotSent::NoBudget(exhausted) => ConversationError::NoBudget(exhausted.why),
            NotSent::Interrupted => ConversationError::NotSent("the run was interrupted".to_owned()),
            NotSent::CircuitOpen { why, .. } => ConversationError::NotSent(format!("{}: {why}", self.name())),
            NotSent::Unusable(why) => ConversationError::NotSent(why),
        }
    }

    /// Logs a failed attempt without the error message, which may quote the question.
    fn log_failure(&self, attempt: u32, error: &CallError) {
        let route = &self.settings.route;
        let endpoint = match &route.backend {
            Backend::Local => String::new(),
            Backend::Wire(wire) => without_secrets(&wire.server.endpoint),
        };
        tracing::warn!(
            event = "llm_attempt_failed",
            conversation_id = self.id,
            provider = route.model.provider,
            model = route.model.model,
            endpoint,
            attempt,
            kind = error.kind(),
        );
    }

    /// Makes one attempt in a separate task, so that it is settled even if the caller stops waiting.
    async fn attempt(
        &self,
        question: &mut Question<'_>,
        attempt_number: u32,
        is_last: bool,
        progress: &UnboundedSender<Progress>,
    ) -> Result<Executed<Answer>, ConversationError> {
        let id = self.call_id(attempt_number);
        question.calls.push(id.to_string());
        let attempt = ConversationAttempt {
            gateway: Arc::clone(&self.gateway),
            store: Arc::clone(&self.store),
            scope: self.scope.clone(),
            settings: self.settings.clone(),
            schema: self.schema.clone(),
            validate: question.validate.clone(),
            id,
            number: attempt_number,
            key: self.key(&question.fingerprint),
            asked_at: question.asked_at,
            calls: question.calls.clone(),
            rejected: question.rejected.clone(),
            is_last,
        };
        let (text, mut pieces) = unbounded_channel();
        let executing = self.gateway.in_flight.spawn(attempt.run(self.request(question), text));
        while let Some(piece) = pieces.recv().await {
            let _ = progress.send(Progress::Text(piece));
        }
        let ended: Result<Result<Executed<Answer>, StoreError>, _> = executing.await;
        match ended {
            Ok(executed) => Ok(executed?),
            Err(error) => Err(ConversationError::NotSent(format!("the exchange was broken off: {error}"))),
        }
    }

    /// Builds the request: the turns so far, and the question, with the reason why its last answer was rejected.
    fn request(&self, question: &Question<'_>) -> ModelRequest {
        let route = &self.settings.route;
        let mut text = question.text.to_owned();
        if let Some(why) = question.rejected.last() {
            text.push_str("\n\nYour last answer could not be used: ");
            text.push_str(why);
            text.push_str("\nAnswer again.");
        }
        let (system, format) = (self.settings.system.clone(), self.settings.format.clone());
        let mut request = route.request(system, text, format, route.max_output_tokens);
        request.stream |= self.settings.streams;
        let said = self.turns.iter().filter_map(|turn| Some((&turn.question, turn.answer.as_ref()?)));
        let earlier = said.flat_map(|(question, answer)| {
            [(Role::User, question), (Role::Assistant, answer)].map(|(role, text)| Turn { role, content: text.clone() })
        });
        request.turns = earlier.chain(std::mem::take(&mut request.turns)).collect();
        request
    }

    /// Returns a hash of what the answer depends on: the model with its server and settings, what was said, and the
    /// question.
    fn fingerprint(&self, question: &str) -> String {
        let said: Vec<(&str, Option<&str>)> =
            self.turns.iter().map(|turn| (turn.question.as_str(), turn.answer.as_deref())).collect();
        let schema = match &self.settings.format {
            AnswerFormat::Text => "text".to_owned(),
            AnswerFormat::Json => "json".to_owned(),
            AnswerFormat::Schema { schema, .. } => schema.to_string(),
        };
        let route = &self.settings.route;
        let endpoint = match &route.backend {
            Backend::Local => "",
            Backend::Wire(wire) => wire.server.endpoint.as_str(),
        };
        let (sampling, options) = (route.options.sampling, &route.options.provider_specific_as_written);
        let of_model = serde_json::json!({
            "endpoint": endpoint, "effort": route.effort.map(|effort| effort as u8),
            "max_output_tokens": route.max_output_tokens, "temperature": sampling.temperature, "top_p": sampling.top_p,
            "provider_specific": options,
        });
        let all = serde_json::json!([self.name(), of_model, self.settings.system, schema, said, question]);
        hex32(all.to_string().as_bytes())
    }

    fn key(&self, fingerprint: &str) -> Option<AnswerKey> {
        self.settings.stores_answers.then(|| AnswerKey {
            task: self.settings.purpose,
            tier: self.scope.tier,
            prompt_id: self.scope.prompt_id.clone(),
            schema_version: STORED_VERSION,
            fingerprint: fingerprint.to_owned(),
        })
    }

    async fn stored(&self, fingerprint: &str) -> Result<Option<StoredResult>, StoreError> {
        let Some(key) = self.key(fingerprint) else { return Ok(None) };
        let found = self.store.answer(&key, None).await?;
        let kept = found.and_then(|stored| serde_json::from_str(&stored.answer_json).ok());
        Ok(kept.filter(|kept| !self.settings.retries_rejected || matches!(kept, StoredResult::Answer(_))))
    }
}
