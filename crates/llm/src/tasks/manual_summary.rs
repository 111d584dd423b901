//! Summarises a text that the user pasted. The text is not stored.

use super::summary::{SummaryInput, local, render};
use super::{
    AnswerKind, Enabled, PromptFiles, StoredAnswers, Task, TaskInput, TaskLimits, TaskSpec, TaskTimeouts, TaskVariables,
};
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "manual_summary",
    description: "summarises a text that you paste",
    schema_version: "manual_summary_v1",
    prompt: PromptFiles {
        id: "manual_summary_v1",
        system: include_str!("../../../../prompts/manual_summary_v1/system.md"),
        user: include_str!("../../../../prompts/manual_summary_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/manual_summary_v1.json")),
    accepts: None,
    render,
    local: Some(|input| Some(local::summarise(input.get().ok()?))),
    limits: TaskLimits {
        input_chars: 60_000,
        title_chars: 240,
        output_tokens: 1_500,
        typical_output_tokens: 500,
        example_batch: 1,
    },
    retry: STANDARD,
    temperature: None,
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::OfModels,
    skipped_above_share: None,
    is_pinned: true,
    logged_phase: None,
};

#[must_use]
pub fn input(story: SummaryInput) -> TaskInput {
    TaskInput::new(TASK, story)
}
