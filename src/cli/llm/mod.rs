//! `aha-radar llm`: lists models, and asks them by hand.

mod archives;
mod ask;
mod check;
mod models;
mod questionnaire;
mod streamed;

use aha_llm::conversation::ConversationError;
use anyhow::Result;

use super::arguments::LlmCommand;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::config::Config;
use crate::services::database::Absent;
use crate::services::models as service;

pub(super) async fn run(config: Config, command: LlmCommand) -> Result<Exit> {
    match command {
        LlmCommand::Models(arguments) => models::run(&config, &arguments).await,
        LlmCommand::Ask(arguments) => with_settled_calls(config, async |app| ask::run(app, arguments).await).await,
        LlmCommand::Check(arguments) => with_settled_calls(config, async |app| check::run(app, arguments).await).await,
        LlmCommand::Questionnaire(arguments) => {
            with_settled_calls(config, async |app| questionnaire::run(app, arguments).await).await
        }
    }
}

/// Makes sure that every exchange has a known cost: settles those of earlier processes first, and its own at the end.
async fn with_settled_calls(config: Config, work: impl AsyncFnOnce(&App) -> Result<Exit>) -> Result<Exit> {
    let app = super::app(config, Absent::Create).await?;
    service::settle_orphaned_calls(&app).await?;
    let outcome = work(&app).await;
    service::settled(&app).await;
    outcome
}

/// Returns the exit code for a failed conversation, or the error itself.
fn failed(error: ConversationError) -> Result<Exit> {
    match error {
        ConversationError::NoBudget(why) => {
            output::note(&format!("aha-radar: nothing was asked: {why}; see `aha-radar spend`"));
            Ok(Exit::BudgetExhausted)
        }
        other => Err(other.into()),
    }
}
