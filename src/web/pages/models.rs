//! Models: which of them each task asks, their terms, and whether they answer.

use aha_core::money::credits_or_unknown;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::{get, post};

use super::super::{Editor, Failure, WebState};
use super::{Shell, html};
use crate::services::models::configured::{self, ConfiguredModel};
use crate::services::models::{self, CheckedModel, TaskModels};
use crate::services::spending;
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/models", get(page)).route("/models/check", post(check))
}

#[derive(Template)]
#[template(path = "web/models.html")]
struct ModelsPage {
    shell: Shell,
    models: Vec<ConfiguredModel>,
    tasks: Vec<TaskModels>,
    /// `None` unless they were just checked.
    checked: Option<Vec<CheckedModel>>,
}

async fn page(_: Editor, State(state): State<WebState>, shell: Shell) -> Result<Html<String>, Failure> {
    filled(&state, shell, None)
}

/// Asks each configured model one cheap question.
async fn check(_: Editor, State(state): State<WebState>, shell: Shell, _: SentForm) -> Result<Html<String>, Failure> {
    spending::check_headroom(state.app()).await?;
    let checked = models::check(state.app(), &[]).await?;
    filled(&state, shell, Some(checked))
}

fn filled(state: &WebState, shell: Shell, checked: Option<Vec<CheckedModel>>) -> Result<Html<String>, Failure> {
    let config = state.app().config();
    html(&ModelsPage { shell, models: configured::list(config), tasks: models::by_task(config), checked })
}

/// Whether a task asks other models at one tier than at another.
fn is_by_tier(tasks: &[TaskModels]) -> bool {
    tasks.iter().any(|task| task.tiers.len() > 1)
}

/// Says what does a task that no model is asked for.
fn without_model(task: &str) -> &'static str {
    // Only a model reads what a paid search finds.
    if task == "signal_parse" { "needs a model" } else { "built-in rules" }
}

/// Formats `1.2 s`.
#[expect(clippy::cast_precision_loss, reason = "a latency")]
fn seconds(latency_ms: u64) -> String {
    format!("{:.1} s", latency_ms as f64 / 1000.0)
}

fn credits(microcredits: Option<i64>) -> String {
    credits_or_unknown(microcredits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_without_a_model_is_done_by_rules_unless_it_needs_one() {
        assert_eq!(without_model("assistant_route"), "built-in rules");
        assert_eq!(without_model(aha_llm::tasks::signal_parse::TASK.as_str()), "needs a model");
    }
}
