//! Test support: sample tasks of the kinds that need one, which are not in the list of tasks.

use serde::Serialize;

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables,
};
use crate::fence::fenced;
use crate::retry_policy::INTERACTIVE;

const SCHEMA: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "required": ["id", "confidence"],
    "properties": { "id": { "type": "string" }, "confidence": { "type": "number", "minimum": 0, "maximum": 1 } }
}"#;

const SAMPLE: TaskSpec = TaskSpec {
    name: "sample",
    description: "",
    schema_version: "sample_v1",
    prompt: PromptFiles { id: "sample_v1", system: "Answer.", user: "<note>{{ note }}</note>" },
    answer: AnswerKind::Text,
    accepts: None,
    render,
    local: None,
    limits: TaskLimits {
        input_chars: 1_000,
        title_chars: 100,
        output_tokens: 500,
        typical_output_tokens: 50,
        example_batch: 1,
    },
    retry: INTERACTIVE,
    temperature: Some(0.3),
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::ModelAlone,
    stored_answers: StoredAnswers::All,
    skipped_above_share: None,
    is_pinned: false,
    logged_phase: None,
};

/// Answered in plain text.
pub(crate) const TEXT: Task = Task::of(&TEXT_SPEC);
static TEXT_SPEC: TaskSpec = TaskSpec { name: "sample_text", schema_version: "sample_text_v1", ..SAMPLE };

/// Answered in lines of objects.
pub(crate) const LINES: Task = Task::of(&LINES_SPEC);
static LINES_SPEC: TaskSpec =
    TaskSpec { name: "sample_lines", schema_version: "sample_lines_v1", answer: AnswerKind::Lines(SCHEMA), ..SAMPLE };

#[derive(Debug, Serialize)]
pub(crate) struct Note {
    pub(crate) note: &'static str,
}

fn render(_: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    Ok(PromptValues::of(vec![("note", fenced(&input.get::<Note>()?.note)?)]))
}
