//! Asks a model for one of the assistant's tasks, through the gateway, so that calls are in the ledger and limited by
//! the caps.

use aha_core::model::LOCAL_PROVIDER;
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
        Outcome::Answered { answer, .. } => {
            answer["provider"].as_str().unwrap_or(LOCAL_PROVIDER).clone_into(&mut draft.provider);
            Ok(ModelReply::Answered(answer))
        }
        Outcome::Failed { reason } | Outcome::Skipped { reason } => {
            tracing::warn!(task = task.as_str(), %reason, "the assistant goes on without a model");
            draft.warnings.push(format!("{task:?} was done by rules, without its model: {reason}"));
            Ok(ModelReply::Unavailable)
        }
    }
}

/// Returns the `text` of an answer as one plain paragraph, without the model's reasoning, tags, code blocks and
/// Markdown. If the text is JSON, its field `text`, `summary` or `answer` is used.
pub(super) fn plain_text(answer: &Value) -> Option<String> {
    let text = remove_delimited(answer["text"].as_str()?, "<think>", "</think>");
    let text = text.replace("<response>", "").replace("</response>", "");
    let in_json = serde_json::from_str::<Value>(unfenced(&text)).ok();
    let text = match &in_json {
        Some(Value::Object(fields)) => {
            ["text", "summary", "answer"].iter().find_map(|name| fields.get(*name)?.as_str())?
        }
        _ => &text,
    };
    let text = remove_delimited(text, "```", "```").replace("**", "").replace('`', "");
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_mark(word)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the content of a code block if it makes up the whole text.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

/// Returns whether the word is a list or heading mark.
fn is_mark(word: &str) -> bool {
    matches!(word, "-" | "*") || (!word.is_empty() && word.bytes().all(|byte| byte == b'#'))
}

/// Removes every part from `open` to `close`.
fn remove_delimited(text: &str, open: &str, close: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        // A block that is never closed extends to the end.
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::plain_text;

    #[test]
    fn thoughts_tags_and_code_are_no_part_of_a_text() {
        let text = |text: &str| plain_text(&json!({ "text": text }));
        assert_eq!(text("<think>a\nb</think><response>Add\n milk.</response>").as_deref(), Some("Add milk."));
        assert_eq!(text("One ```json\n{}``` two - three").as_deref(), Some("One two three"));
        assert_eq!(text("<think>never closed"), None);
        assert_eq!(text("## Plan\n* **Add** `milk`").as_deref(), Some("Plan Add milk"));
        for json in [r#"{"text": "Add milk."}"#, "```json\n{\"text\": \"Add milk.\"}\n```"] {
            assert_eq!(text(json).as_deref(), Some("Add milk."));
        }
        assert_eq!(text(r#"{"operations": []}"#), None);
    }
}
