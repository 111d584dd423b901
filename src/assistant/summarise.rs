//! Summarises the proposal: by a model, from the operations only; by rules if there is no model or it fails.

use aha_llm::tasks::assistant;
use aha_planner::summary::{sentence, summarise};
use serde_json::json;

use super::Draft;
use super::model::{self, ModelReply};
use super::plain_text::plain_text;
use crate::app::App;
use crate::services::Result;

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    let operations = draft.checked.as_ref().map(aha_planner::validate::Validation::valid).unwrap_or_default();
    let sentences: Vec<String> = operations.iter().map(|operation| sentence(operation, &draft.state)).collect();
    let mut text = summarise(&operations, &draft.state);
    if !sentences.is_empty()
        && let ModelReply::Answered(answer) = model::ask(app, assistant::SUMMARY, draft, json!(sentences)).await?
        && let Some(said) = plain_text(&answer)
    {
        text = said;
    }
    if draft.dropped > 0 {
        let (what, were) = if draft.dropped == 1 { ("operation", "was") } else { ("operations", "were") };
        text = format!("{text} ({} {what} {were} not valid, and left out.)", draft.dropped);
    }
    for assumed in &draft.assumed {
        text = format!("{text} {assumed}");
    }
    if let Some(not_planned) = &draft.not_planned {
        text = format!("{text} {not_planned}");
    }
    draft.text = text;
    Ok(())
}
