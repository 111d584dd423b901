//! The immutable record of a conversation that has ended.

use aha_net::endpoint::without_secrets;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{AnsweredQuestion, ConversationSettings};
use crate::provider::{AnswerFormat, Secrets, masked};
use crate::router::Backend;

/// All questions and answers, with the model's settings. It is never changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Archive {
    /// As in the log.
    conversation_id: String,
    config_snapshot: ConfigSnapshot,
    system_prompt: String,
    /// `text` or `json`.
    response_format: &'static str,
    turns: Vec<AnsweredQuestion>,
    verification_summary: VerificationSummary,
}

/// The model's settings, with its key masked, its address without a query, and variable names instead of values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigSnapshot {
    pub provider: String,
    pub model: String,
    pub endpoint: String,
    /// Its last four characters; `None` where there is no key.
    pub api_key: Option<String>,
    pub timeout_seconds: u64,
    pub max_output_tokens: u32,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_attempts: u32,
    pub provider_specific: Map<String, Value>,
    pub metadata: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VerificationSummary {
    pub retries: u32,
    pub validator_failures: usize,
    /// Questions without an accepted answer.
    pub unanswered: usize,
}

impl Archive {
    pub(super) fn of(id: &str, settings: &ConversationSettings, turns: &[AnsweredQuestion]) -> Self {
        Self {
            conversation_id: id.to_owned(),
            config_snapshot: ConfigSnapshot::of(settings),
            system_prompt: settings.system.clone(),
            response_format: match settings.format {
                AnswerFormat::Text => "text",
                AnswerFormat::Json | AnswerFormat::Schema { .. } => "json",
            },
            turns: turns.to_vec(),
            verification_summary: VerificationSummary {
                retries: turns.iter().map(|turn| turn.retries).sum(),
                validator_failures: turns.iter().map(|turn| turn.verification_errors.len()).sum(),
                unanswered: turns.iter().filter(|turn| turn.answer.is_none()).count(),
            },
        }
    }

    #[must_use]
    pub fn conversation_id(&self) -> &str {
        &self.conversation_id
    }

    #[must_use]
    pub const fn config_snapshot(&self) -> &ConfigSnapshot {
        &self.config_snapshot
    }

    #[must_use]
    pub fn turns(&self) -> &[AnsweredQuestion] {
        &self.turns
    }

    #[must_use]
    pub const fn verification_summary(&self) -> VerificationSummary {
        self.verification_summary
    }

    /// Returns it as JSON: `conversation_id`, `config_snapshot`, `system_prompt`, `response_format`, `turns`,
    /// `verification_summary`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!(self)
    }
}

impl ConfigSnapshot {
    fn of(settings: &ConversationSettings) -> Self {
        let route = &settings.route;
        let mut metadata = route.options.metadata.clone();
        let (endpoint, api_key, timeout_seconds) = match &route.backend {
            Backend::Local => (String::new(), None, 0),
            Backend::Wire(wire) => {
                // The user's notes may name the variable that has the key.
                let secrets = Secrets::of(&wire.server);
                metadata.values_mut().for_each(|value| redact(value, &secrets));
                let endpoint = without_secrets(&wire.server.endpoint);
                (endpoint, wire.server.key.as_ref().map(masked), wire.timeouts.whole.as_secs())
            }
        };
        Self {
            provider: route.model.provider.clone(),
            model: route.model.model.clone(),
            endpoint,
            api_key,
            timeout_seconds,
            max_output_tokens: route.max_output_tokens,
            temperature: route.options.sampling.temperature,
            top_p: route.options.sampling.top_p,
            max_attempts: settings.max_attempts,
            provider_specific: route.options.provider_specific_as_written.clone(),
            metadata,
        }
    }
}

/// Removes a server's secrets from all texts of a value.
fn redact(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = secrets.text(std::mem::take(text)),
        Value::Array(values) => values.iter_mut().for_each(|value| redact(value, secrets)),
        Value::Object(fields) => fields.values_mut().for_each(|value| redact(value, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
