//! `local`: a briefing, not a make-believe judge.
//!
//! Comes in: a task's input with its evidence. Goes out: an answer to the task's schema. It orders by what can be counted
//! (interests, corroboration, rarity and cadence of the source, new terms, engagement, recency), quotes sentences word for
//! word, and leaves empty what it cannot know.

mod entities;
mod entity_words;
mod quote;
mod summary;
mod triage;

use serde_json::Value;

pub use triage::{NOTHING_SAID, UNASKED, is_asked_for, worth};

use aha_core::model::ModelRef;
use aha_core::task::Task;

use super::super::input::{SummaryInput, TaskInput};
use super::super::schema::{self, SchemaError};

pub const PROVIDER: &str = "local";
pub const MODEL: &str = "briefing-1";

/// In the place of a prompt, for entities that rules found.
const RULES: &str = "rules_v1";

/// Entities that the texts themselves show to be such; `None` where they show none.
///
/// # Errors
/// When what was found does not fit the schema.
pub fn entities(input: &SummaryInput) -> Result<Option<Value>, SchemaError> {
    let by = ModelRef { provider: PROVIDER.to_owned(), model: MODEL.to_owned() };
    entities::named(input).map(|found| schema::stamp(Task::EntityExtract, RULES, &by, &found)).transpose()
}

/// Answers one ask; `None` where it could only guess.
#[must_use]
pub fn answer(input: &TaskInput) -> Option<Value> {
    match input {
        TaskInput::Triage(input) => Some(triage::judge(input)),
        TaskInput::DeepSummary(input) | TaskInput::ManualSummary(input) => Some(summary::summarise(input)),
        TaskInput::EntityExtract(_) | TaskInput::SignalParse(_) => None,
    }
}
