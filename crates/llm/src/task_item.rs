//! The items of a task, and their outcomes.

use aha_core::ids::ItemId;
use serde_json::Value;

use super::tasks::TaskInput;

/// One item to be judged or summarised.
#[derive(Debug, Clone)]
pub struct TaskItem {
    /// The story's fingerprint: together with task, tier, prompt and schema it is the key of the answer.
    pub fingerprint: String,
    /// The judged members, stored with the answer.
    pub members: Vec<ItemId>,
    pub input: TaskInput,
}

/// The outcome of one item.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Answered {
        answer: Value,
        call_id: String,
    },
    /// No model gave an answer that matches the schema.
    Failed {
        reason: String,
    },
    /// No budget was left for it.
    Skipped {
        reason: String,
    },
}
