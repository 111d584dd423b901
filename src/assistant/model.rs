//! Asks a model for one of the assistant's tasks, through the gateway, so that calls are in the ledger and limited by
//! the caps.

use aha_llm::tasks::assistant::{AssistantInput, input};
use aha_llm::{Outcome, Task};
use futures::FutureExt as _;
use serde_json::Value;

use super::{Draft, TURNS_KEPT, context};
use crate::app::App;
use crate::services::Result;

/// The result of asking a model.
pub(super) enum ModelReply {
    Answered(Value),
    /// No model is configured for the task, none answered, or the budget does not cover the call.
    Unavailable,
}

/// Asks the model of `task` about the message; `task_input` is further input for the task.
pub(super) async fn ask(app: &App, task: Task, draft: &mut Draft<'_>, task_input: Value) -> Result<ModelReply> {
    let gateway = app.gateway();
    let tier = app.config().budget_tier;
    if !gateway.can_do(task, tier) {
        return Ok(ModelReply::Unavailable);
    }
    let message = draft.message;
    let turns = message.transcript.iter().rev().take(TURNS_KEPT).rev();
    let question = message.question.iter().map(|question| format!("assistant: {question}"));
    let asked = AssistantInput {
        today: format!("{} ({})", draft.today.date, draft.today.date.format("%A")),
        timezone: draft.zone.name().to_owned(),
        message: message.text.clone(),
        conversation: turns.map(|turn| format!("{}: {}", turn.role, turn.text)).chain(question).collect(),
        records: context::snapshot(&draft.state, draft.today.date, &draft.focus, &message.selection),
        material: task_input,
    };
    let scope = gateway.standalone(task, tier);
    match gateway.answer(app.store(), &scope, input(task, asked)).boxed().await? {
        Outcome::Answered { answer, .. } => Ok(ModelReply::Answered(answer)),
        Outcome::Failed { reason } | Outcome::Skipped { reason } => {
            tracing::warn!(task = task.as_str(), %reason, "the assistant goes on without a model");
            draft.warnings.push(format!("{task:?} was done by rules, without its model: {reason}"));
            Ok(ModelReply::Unavailable)
        }
    }
}
