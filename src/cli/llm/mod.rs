//! `aha-radar llm`: what models there are, and conversations with them by hand.

mod archives;
mod ask;
mod check;
pub(super) mod models;
mod questionnaire;
mod streamed;

use aha_llm::conversation::{Answer, ConversationError};
use aha_llm::router::Route;
use aha_store::{Gone, OpenMode};
use anyhow::Result;

use super::arguments::LlmCommand;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::config::Config;

pub(super) async fn run(config: Config, command: LlmCommand) -> Result<Exit> {
    match command {
        LlmCommand::Models(arguments) => models::run(&config, &arguments).await,
        LlmCommand::Ask(arguments) => talking(config, async |app| ask::run(app, arguments).await).await,
        LlmCommand::Check(arguments) => talking(config, async |app| check::run(app, arguments).await).await,
        LlmCommand::Questionnaire(arguments) => {
            talking(config, async |app| questionnaire::run(app, arguments).await).await
        }
    }
}

/// Leaves no exchange behind that nobody knows the cost of, neither an earlier process's nor its own.
async fn talking(config: Config, talk: impl AsyncFnOnce(&App) -> Result<Exit>) -> Result<Exit> {
    let app = super::app(config, OpenMode::CreateIfMissing).await?;
    app.store().sweep_calls(Gone::Expired(app.clock().wall())).await?;
    let outcome = talk(&app).await;
    app.gateway().settled().await;
    outcome
}

/// The model that is called so, or the one that is asked where none is named.
fn route(app: &App, name: Option<&str>) -> Result<Route> {
    let router = app.gateway().router();
    name.map_or_else(|| router.usual(), |name| router.find(name)).map_err(|why| {
        UsageError(format!(
            "{why}; `aha-radar llm models` lists those that can be asked, .env.example says how to set one"
        ))
        .into()
    })
}

/// What all tries of an answer have cost.
async fn cost(app: &App, answer: &Answer) -> Result<i64> {
    Ok(app.store().costs_of_calls(&answer.calls).await?.iter().map(|cost| cost.microcredits).sum())
}

/// The exit code for a conversation that came to nothing, or the error itself.
fn failed(error: ConversationError) -> Result<Exit> {
    match error {
        ConversationError::NoBudget(why) => {
            output::note(&format!("aha-radar: nothing was asked: {why}; see `aha-radar spend`"));
            Ok(Exit::BudgetExhausted)
        }
        other => Err(other.into()),
    }
}
