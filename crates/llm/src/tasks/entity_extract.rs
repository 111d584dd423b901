//! Extracts persons, organisations, products and the like from one story. Where no model is configured, rules find some
//! of them.

mod rules;
mod word_lists;

use aha_core::budget::APPROACHING;
use serde_json::Value;

use super::summary::{SummaryInput, render};
use super::{
    AnswerKind, Enabled, PromptFiles, StoredAnswers, Task, TaskInput, TaskLimits, TaskSpec, TaskTimeouts, TaskVariables,
};
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "entity_extract",
    description: "finds names in stories",
    schema_version: "entities_v1",
    prompt: PromptFiles {
        id: "entities_v1",
        system: include_str!("../../../../prompts/entities_v1/system.md"),
        user: include_str!("../../../../prompts/entities_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/entities_v1.json")),
    accepts: None,
    render,
    local: None,
    limits: TaskLimits {
        input_chars: 8_000,
        title_chars: 240,
        output_tokens: 800,
        typical_output_tokens: 250,
        example_batch: 1,
    },
    retry: STANDARD,
    temperature: None,
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByOwnModel,
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::All,
    skipped_above_share: Some(APPROACHING),
    is_pinned: true,
    logged_phase: None,
};

#[must_use]
pub fn input(story: SummaryInput) -> TaskInput {
    TaskInput::new(TASK, story)
}

/// Returns the entities that rules find, in the format of a model's answer; `None` where there are none.
#[must_use]
pub fn named(input: &SummaryInput) -> Option<Value> {
    rules::named(input)
}
