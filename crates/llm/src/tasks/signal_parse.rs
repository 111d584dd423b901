//! Extracts the fields of each of several search results.

use serde::Serialize;
use serde_json::Value;

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip, short_id,
};
use crate::fence::fenced;
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "signal_parse",
    description: "reads the results of searches",
    schema_version: "signal_v1",
    prompt: PromptFiles {
        id: "signal_v1",
        system: include_str!("../../../../prompts/signal_v1/system.md"),
        user: include_str!("../../../../prompts/signal_v1/user.md"),
    },
    answer: AnswerKind::Batch(include_str!("../../../../schemas/signal_v1.json")),
    accepts: None,
    render,
    // `local` would have to guess.
    local: None,
    limits: TaskLimits {
        input_chars: 8_000,
        title_chars: 240,
        output_tokens: 600,
        typical_output_tokens: 200,
        example_batch: 10,
    },
    retry: STANDARD,
    temperature: None,
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByOwnModelOr("AHA_SIGNAL_URL"),
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::All,
    skipped_above_share: None,
    is_pinned: true,
    logged_phase: None,
};

/// A search result whose fields are to be extracted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignalInput {
    /// As the service returned it.
    pub result: Value,
    /// Other objects in the response that the result refers to, such as its author.
    pub related: Vec<Value>,
}

#[must_use]
pub fn input(result: SignalInput) -> TaskInput {
    TaskInput::new(TASK, result)
}

#[derive(Debug, Serialize)]
struct SearchResult<'a> {
    id: String,
    result: Value,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    related: &'a [Value],
}

fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let mut results = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        results.push(search_result(context, index, input.get()?));
    }
    Ok(PromptValues::of(vec![("results", fenced(&results)?)]))
}

/// Builds the prompt's entry. A result that is too long is truncated and sent as a text, without its related objects.
fn search_result<'a>(context: &RenderContext<'_>, index: usize, input: &'a SignalInput) -> SearchResult<'a> {
    let id = short_id(index);
    let text = input.result.to_string();
    let related: usize = input.related.iter().map(|thing| thing.to_string().chars().count()).sum();
    match context.input_chars.checked_sub(text.chars().count()) {
        Some(left) => {
            let related: &[Value] = if related <= left { &input.related } else { &[] };
            SearchResult { id, result: input.result.clone(), related }
        }
        None => SearchResult { id, result: clip(&text, context.input_chars).into(), related: &[] },
    }
}
