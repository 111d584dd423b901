//! What a task is, as data: its name, prompt, answer, limits and policies.
//!
//! One file of `tasks/` holds one [`TaskSpec`]; router, prompts, schemas, settings and gateway go by it and know no task by
//! name.

mod input;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use aha_core::topic::BudgetTier;
use serde_json::Value;

use crate::retry_policy::RetryPolicy;
use crate::turn::Turn;

pub use input::{RenderError, TaskInput};

/// All that there is to know of a task.
#[derive(Debug)]
pub struct TaskSpec {
    /// In settings (`OPENAI_<NAME>_…`), in the catalogue's `tasks:`, on the ledger and with stored answers.
    pub name: &'static str,
    /// Of the stored answer: the name of its schema's file.
    pub schema_version: &'static str,
    pub prompt: PromptFiles,
    pub answer: AnswerKind,
    /// A wider schema that answers are checked by, where what is in them is checked by who asked, part by part. `None`: that of `answer`.
    pub accepts: Option<&'static str>,
    /// From inputs to what the prompt's templates may name. Only batched tasks are given several inputs.
    pub render: fn(&RenderContext<'_>, &[&TaskInput]) -> Result<PromptValues, RenderError>,
    /// The answer without a model; `None`: it could only be guessed.
    pub local: Option<fn(&TaskInput) -> Option<Value>>,
    pub limits: TaskLimits,
    pub retry: RetryPolicy,
    /// Sent where the model's own settings name none, and only to a model that is not asked to reason.
    pub temperature: Option<f64>,
    pub timeouts: TaskTimeouts,
    /// Tokens of context that a server is to have room for, where it lets that be chosen and the owner chose none.
    pub context_tokens: Option<u32>,
    pub enabled: Enabled,
    pub settings: TaskVariables,
    pub kept: KeptAnswers,
    /// From which share of a cap on the task is left out, so that the rest serves others; `None`: never.
    pub spared_from: Option<f64>,
    /// Whether the prompt is pinned on a run's row, so that a run that is continued asks as it began: true where a run's stage asks the task.
    pub is_pinned: bool,
    /// The name of the phase under which the log has the messages of a call in full (at `debug`); `None`: it has none of them.
    pub logged_phase: Option<&'static str>,
}

/// The prompt that ships with this version. `local` reads none, but its answers carry the id of the contract they fill.
#[derive(Debug, Clone, Copy)]
pub struct PromptFiles {
    /// The folder's name below `prompts/`.
    pub id: &'static str,
    pub system: &'static str,
    pub user: &'static str,
}

/// What a model answers with. The text is the JSON Schema of `schemas/`, with or without the four fields that we stamp.
#[derive(Debug, Clone, Copy)]
pub enum AnswerKind {
    /// One JSON object a call.
    Object(&'static str),
    /// One JSON object a call with the list `results`, in which each input has its own object with the short id of the input.
    Batch(&'static str),
    /// A stream of JSON objects, one a line, each by itself.
    Lines(&'static str),
    /// Words.
    Text,
}

/// How much of a task is sent and answered where no setting says otherwise.
#[derive(Debug, Clone, Copy)]
pub struct TaskLimits {
    /// Characters of one input's text.
    pub input_chars: usize,
    pub title_chars: usize,
    /// For one input; a call about n may answer n times as much.
    pub output_tokens: u32,
    /// Tokens that an answer about one input usually takes, for estimates.
    pub usual_output_tokens: u32,
    /// Inputs of one call in the estimate for those who have configured no model.
    pub example_batch: usize,
}

/// How long a server may take for this task, where that is less than its model's own settings allow. A connection is given
/// 10 s, whatever it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskTimeouts {
    /// Until the answer begins.
    pub first_byte: Option<Duration>,
    /// Between two pieces of it.
    pub idle: Option<Duration>,
    /// Until it is complete.
    pub whole: Option<Duration>,
}

/// Which models of the `OPENAI_…` settings do a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enabled {
    /// The task's own, or `OPENAI_MODEL`.
    ByAnyModel,
    /// Only one that is named for the task.
    ByOwnModel,
    /// One that is named for the task; with this variable set also `OPENAI_MODEL`.
    ByOwnModelOr(&'static str),
}

/// Which variables a task has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskVariables {
    /// Models by tier, limits, effort and prices (`OPENAI_<NAME>_…`).
    All,
    /// `OPENAI_<NAME>_MODEL` alone; all else is general.
    ModelAlone,
}

/// Which answers are stored, so that the same is never paid for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptAnswers {
    All,
    /// Those of models, not those of `local`: they cost nothing, and may quote what is to be stored nowhere.
    OfModels,
    None,
}

/// What the templates of a prompt may name, and what was said before.
#[derive(Debug, Clone, Default)]
pub struct PromptValues {
    /// Text from outside comes through [`crate::fence::fenced`].
    pub values: Vec<(&'static str, String)>,
    /// Earlier turns of a conversation, before the rendered message of the user.
    pub earlier: Vec<Turn>,
}

impl PromptValues {
    #[must_use]
    pub fn of(values: Vec<(&'static str, String)>) -> Self {
        Self { values, earlier: Vec::new() }
    }
}

/// By what inputs are rendered.
#[derive(Debug, Clone, Copy)]
pub struct RenderContext<'a> {
    /// Characters of one input's text that may be sent.
    pub input_chars: usize,
    pub title_chars: usize,
    /// In which answers are to be written; empty for that of the text.
    pub language: &'a str,
    pub tier: BudgetTier,
}

/// The short id of an input within a call: `s1`, `s2`, …
#[must_use]
pub fn short_id(index: usize) -> String {
    format!("s{}", index + 1)
}

impl KeptAnswers {
    /// Whether an answer is stored; `is_local`: `local` gave it.
    #[must_use]
    pub const fn includes(self, is_local: bool) -> bool {
        match self {
            Self::All => true,
            Self::OfModels => !is_local,
            Self::None => false,
        }
    }
}

impl AnswerKind {
    /// The JSON Schema of the answer, or of one line of it.
    #[must_use]
    pub const fn schema(self) -> Option<&'static str> {
        match self {
            Self::Object(schema) | Self::Batch(schema) | Self::Lines(schema) => Some(schema),
            Self::Text => None,
        }
    }
}

/// A task, by its spec. Copied like a name; two are equal whose names are.
#[derive(Clone, Copy)]
pub struct Task(&'static TaskSpec);

impl Task {
    #[must_use]
    pub const fn of(spec: &'static TaskSpec) -> Self {
        Self(spec)
    }

    #[must_use]
    pub const fn spec(self) -> &'static TaskSpec {
        self.0
    }

    /// The name in settings, ledger and routes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0.name
    }

    /// The version of the stored answer's schema.
    #[must_use]
    pub const fn schema_version(self) -> &'static str {
        self.0.schema_version
    }

    /// Of the prompt that ships with this version.
    #[must_use]
    pub const fn prompt_id(self) -> &'static str {
        self.0.prompt.id
    }

    /// Whether one call asks about several inputs.
    #[must_use]
    pub const fn is_batched(self) -> bool {
        matches!(self.0.answer, AnswerKind::Batch(_))
    }

    /// Whether `local` can do it.
    #[must_use]
    pub const fn is_done_by_local(self) -> bool {
        self.0.local.is_some()
    }

    /// In the list of tasks.
    fn position(self) -> usize {
        super::ALL.iter().position(|task| *task == self).unwrap_or(usize::MAX)
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Task {}

impl Hash for Task {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// As in the list of tasks.
impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        self.position().cmp(&other.position()).then_with(|| self.as_str().cmp(other.as_str()))
    }
}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
