//! Summarises one story from the texts of its members.

use aha_core::budget::CRITICAL;

use super::summary::{SummaryInput, local, render};
use super::{
    AnswerKind, Enabled, PromptFiles, StoredAnswers, Task, TaskInput, TaskLimits, TaskSpec, TaskTimeouts, TaskVariables,
};
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "deep_summary",
    description: "summarises the best stories",
    schema_version: "deep_summary_v1",
    prompt: PromptFiles {
        id: "deep_summary_v1",
        system: include_str!("../../../../prompts/deep_summary_v1/system.md"),
        user: include_str!("../../../../prompts/deep_summary_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/deep_summary_v1.json")),
    accepts: None,
    render,
    local: Some(|input| Some(local::summarise(input.get().ok()?))),
    limits: TaskLimits {
        input_chars: 16_000,
        title_chars: 240,
        output_tokens: 1_200,
        typical_output_tokens: 350,
        example_batch: 1,
    },
    retry: STANDARD,
    temperature: None,
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::All,
    skipped_above_share: Some(CRITICAL),
    is_pinned: true,
    logged_phase: None,
};

#[must_use]
pub fn input(story: SummaryInput) -> TaskInput {
    TaskInput::new(TASK, story)
}
