//! Asks each model one cheap question.

use std::time::Instant;

use aha_core::purpose;
use aha_core::topic::BudgetTier;
use aha_llm::conversation::{ConversationError, ConversationSettings};
use aha_llm::provider::AnswerFormat;
use aha_llm::router::Route;
use aha_llm::tasks;
use futures::{FutureExt as _, StreamExt as _};
use serde::Serialize;

use super::super::{Result, ServiceError};
use super::{converse, route};
use crate::app::App;

const QUESTION: &str = "Answer with the single word: ready";
/// Enough for a model that reasons before it answers with one word.
const MAX_OUTPUT_TOKENS: u32 = 256;
const AT_ONCE: usize = 8;

/// The result of checking one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedModel {
    pub provider: String,
    pub model: String,
    pub ok: bool,
    pub error: Option<String>,
    pub answer: Option<String>,
    pub latency_ms: u64,
    /// `None` if the model has no price.
    pub cost_microcredits: Option<i64>,
    /// Whether it was not asked, because no budget is left.
    #[serde(skip)]
    pub budget_exhausted: bool,
}

/// Asks the models with these names, or all configured ones, several at a time.
///
/// # Errors
/// When no model has a given name, none is configured, or the store fails. A model that does not answer is not an
/// error.
pub async fn check(app: &App, names: &[String]) -> Result<Vec<CheckedModel>> {
    let routes = if names.is_empty() {
        configured(app)
    } else {
        names.iter().map(|name| route(app, Some(name.as_str()))).collect::<Result<Vec<_>>>()?
    };
    if routes.is_empty() {
        return Err(ServiceError::invalid("models", "no model is configured; .env.example says how to set one"));
    }
    let checks = routes.into_iter().map(|route| check_one(app, route).boxed());
    futures::stream::iter(checks).buffered(AT_ONCE).collect::<Vec<_>>().await.into_iter().collect()
}

/// Returns each model that any task may ask, once.
fn configured(app: &App) -> Vec<Route> {
    let mut found: Vec<Route> = Vec::new();
    for task in tasks::ALL.iter().copied() {
        for tier in BudgetTier::ALL {
            for route in app.gateway().router().choose(task, tier) {
                if !route.is_local() && found.iter().all(|known| known.model != route.model) {
                    found.push(route);
                }
            }
        }
    }
    found
}

async fn check_one(app: &App, route: Route) -> Result<CheckedModel> {
    let model = route.model.clone();
    let route = Route { max_output_tokens: MAX_OUTPUT_TOKENS, ..route };
    let terms = ConversationSettings {
        format: AnswerFormat::Text,
        max_attempts: 1,
        ..ConversationSettings::of(route, Some(String::new()), purpose::CHECK)
    };
    let mut conversation = converse(app, purpose::CHECK, terms)?;
    let begun = Instant::now();
    let outcome = conversation.ask(QUESTION, None).await;
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    // Failed calls may be charged too.
    let calls = conversation.history().last().map(|turn| turn.calls.clone()).unwrap_or_default();
    let costs = app.store().costs_of_calls(&calls).await?;
    let budget_exhausted = matches!(outcome, Err(ConversationError::NoBudget(_)));
    Ok(CheckedModel {
        provider: model.provider,
        model: model.model,
        ok: outcome.is_ok(),
        error: outcome.as_ref().err().map(ToString::to_string),
        answer: outcome.ok().map(|answer| answer.text),
        latency_ms,
        cost_microcredits: costs.iter().map(|cost| cost.microcredits).sum(),
        budget_exhausted,
    })
}
