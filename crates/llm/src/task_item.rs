//! What a task is asked about, and what became of it.

use aha_core::ids::ItemId;
use serde_json::Value;

use super::tasks::TaskInput;

/// One thing to be judged or summarised.
#[derive(Debug, Clone)]
pub struct TaskItem {
    /// The story's fingerprint: with task, tier, prompt and schema the key of the answer.
    pub fingerprint: String,
    /// The members judged, kept with the answer.
    pub members: Vec<ItemId>,
    pub input: TaskInput,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Answered {
        answer: Value,
        call_id: String,
    },
    /// No answer that fits the schema was to be had.
    Failed {
        reason: String,
    },
    /// There was no budget left for it.
    Skipped {
        reason: String,
    },
}
