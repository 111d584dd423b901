//! `aha-radar llm check`: one cheap question to each model.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_core::money::MicroCredits;
use aha_core::task::purpose;
use aha_core::topic::BudgetTier;
use aha_llm::ModelRef;
use aha_llm::conversation::{Answer, Conversation, ConversationError, Terms};
use aha_llm::provider::AnswerFormat;
use aha_llm::router::Route;
use aha_llm::tasks;
use anyhow::Result;
use futures::StreamExt as _;
use serde_json::json;

use super::super::arguments::CheckArguments;
use super::super::exit::{Exit, UsageError};
use super::super::output;
use crate::app::App;
use crate::services::models::scope;

const QUESTION: &str = "Answer with the single word: ready";
/// Enough for a model that thinks before it says one word.
const MAX_OUTPUT_TOKENS: u32 = 256;
const AT_ONCE: usize = 8;

struct Checked {
    model: ModelRef,
    outcome: Result<Answer, ConversationError>,
    took: Duration,
    cost: i64,
}

pub(super) async fn run(app: &App, arguments: CheckArguments) -> Result<Exit> {
    let routes = if arguments.models.is_empty() {
        configured(app)
    } else {
        arguments.models.iter().map(|name| super::route(app, Some(name.as_str()))).collect::<Result<Vec<_>>>()?
    };
    if routes.is_empty() {
        return Err(UsageError("no model is configured; .env.example says how to set one".to_owned()).into());
    }
    let checks = routes.into_iter().map(|route| check(app, route));
    let checked: Vec<Checked> =
        futures::stream::iter(checks).buffered(AT_ONCE).collect::<Vec<_>>().await.into_iter().collect::<Result<_>>()?;
    if arguments.json {
        output::print_json(&checked.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        let mut table = output::table(&["model", "", "ms", "credits", "it says"]);
        for check in &checked {
            let said = match &check.outcome {
                Ok(answer) => answer.text.trim().chars().take(40).collect(),
                Err(error) => error.to_string(),
            };
            table.add_row([
                check.model.to_string(),
                if check.outcome.is_ok() { "ok" } else { "FAILED" }.to_owned(),
                check.took.as_millis().to_string(),
                MicroCredits(check.cost).to_string(),
                output::one_safe_text(&said),
            ]);
        }
        output::print(&table.to_string())?;
    }
    let answering = checked.iter().filter(|check| check.outcome.is_ok()).count();
    Ok(match answering {
        0 => Exit::Failed,
        n if n < checked.len() => Exit::Partial,
        _ => Exit::Ok,
    })
}

fn as_json(check: &Checked) -> serde_json::Value {
    json!({
        "provider": check.model.provider,
        "model": check.model.model,
        "ok": check.outcome.is_ok(),
        "error": check.outcome.as_ref().err().map(ToString::to_string),
        "answer": check.outcome.as_ref().ok().map(|answer| &answer.text),
        "latency_ms": u64::try_from(check.took.as_millis()).unwrap_or(u64::MAX),
        "cost_microcredits": check.cost,
    })
}

/// Every model that some task may ask, once.
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

async fn check(app: &App, route: Route) -> Result<Checked> {
    let model = route.model.clone();
    let route = Route { max_output_tokens: MAX_OUTPUT_TOKENS, ..route };
    let terms =
        Terms { format: AnswerFormat::Text, max_attempts: 1, ..Terms::of(route, Some(String::new()), purpose::CHECK) };
    let (gateway, store) = (Arc::clone(app.gateway()), Arc::clone(app.store()));
    let mut conversation = Conversation::begin(gateway, store, scope(app, purpose::CHECK), terms)?;
    let begun = Instant::now();
    let outcome = conversation.ask(QUESTION, None).await;
    let took = begun.elapsed();
    let cost = match &outcome {
        Ok(answer) => super::cost(app, answer).await?,
        Err(_) => 0,
    };
    Ok(Checked { model, outcome, took, cost })
}
