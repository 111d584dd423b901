//! Builds a model request from a task's inputs, rendered within the route's limits, with the answer's format.

use aha_core::topic::BudgetTier;
use thiserror::Error;

use super::prompt::{PromptError, Prompts};
use super::provider::{AnswerFormat, ModelRequest};
use super::router::Route;
use super::schema::{self, SchemaError};
use super::settings::Effort;
use super::tasks::{AnswerKind, PromptValues, RenderContext, RenderError, Task, TaskInput};

#[derive(Debug, Error)]
pub enum RequestError {
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Builds the request for the inputs of one call: several for batched tasks, one for all others. `note` states what was
/// wrong with the last answer.
///
/// # Errors
/// When the user's prompt or a shipped schema cannot be used.
pub fn build(
    prompts: &Prompts,
    task: Task,
    route: &Route,
    language: &str,
    tier: BudgetTier,
    inputs: &[&TaskInput],
    note: Option<&str>,
) -> Result<ModelRequest, RequestError> {
    let spec = task.spec();
    let context =
        RenderContext { input_chars: route.max_input_chars, title_chars: route.max_title_chars, language, tier };
    let PromptValues { values, earlier } = (spec.render)(&context, inputs)?;
    let rendered = prompts.render(task, &values)?;
    let mut user = rendered.user;
    if let Some(note) = note {
        user.push_str("\nYour last answer could not be used: ");
        user.push_str(note);
        user.push_str("\nFix the JSON: answer again with exactly one JSON object that fits the schema.\n");
    }
    let stories = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
    let max_output_tokens = route.max_output_tokens.saturating_mul(stories.max(1));
    let mut request = route.request(rendered.system, user, format(task)?, max_output_tokens);
    request.turns.splice(0..0, earlier);
    request.context_tokens = spec.context_tokens;
    let reasons = request.effort.is_some_and(|effort| effort != Effort::None);
    if request.sampling.temperature.is_none() && !reasons {
        request.sampling.temperature = spec.temperature;
    }
    Ok(request)
}

fn format(task: Task) -> Result<AnswerFormat, SchemaError> {
    Ok(match task.spec().answer {
        AnswerKind::Object(_) | AnswerKind::Batch(_) => {
            AnswerFormat::Schema { name: task.schema_version().to_owned(), schema: schema::wire_schema(task)? }
        }
        // No server enforces a schema for lines of objects; each line is checked here.
        AnswerKind::Lines(_) | AnswerKind::Text => AnswerFormat::Text,
    })
}
