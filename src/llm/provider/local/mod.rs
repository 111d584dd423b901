//! `local`: a briefing, not a make-believe judge.
//!
//! Comes in: a task's input with its evidence. Goes out: an answer to the task's schema. It orders by what can be counted
//! (interests, corroboration, rarity and cadence of the source, new terms, engagement, recency), quotes sentences word for
//! word, and leaves empty what it cannot know.

mod quote;
mod summary;
mod triage;

use serde_json::Value;

use super::super::input::TaskInput;

pub const PROVIDER: &str = "local";
pub const MODEL: &str = "briefing-1";

/// Answers one ask; `None` where it could only guess.
#[must_use]
pub fn answer(input: &TaskInput) -> Option<Value> {
    match input {
        TaskInput::Triage(input) => Some(triage::judge(input)),
        TaskInput::DeepSummary(input) | TaskInput::ManualSummary(input) => Some(summary::summarise(input)),
        TaskInput::EntityExtract(_) | TaskInput::SignalParse(_) => None,
    }
}
