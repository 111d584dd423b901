//! A task as data: its name, prompt, answer, limits and policies.
//!
//! Each file of `tasks/` holds one [`TaskSpec`] or several; router, prompts, schemas, settings and gateway use it and
//! know no task by name.

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

/// The complete definition of a task.
#[derive(Debug)]
pub struct TaskSpec {
    /// In settings (`OPENAI_<NAME>_…`), in the catalogue's `tasks:`, on the ledger and with stored answers.
    pub name: &'static str,
    /// What it is for, in a few words, where a person reads of it.
    pub description: &'static str,
    /// Version of the stored answer: the name of its schema's file.
    pub schema_version: &'static str,
    pub prompt: PromptFiles,
    pub answer: AnswerKind,
    /// A wider schema that answers are checked against, where the caller checks their parts itself. `None`: that of
    /// `answer`.
    pub accepts: Option<&'static str>,
    /// Converts inputs to the values of the prompt's templates. Only batched tasks get several inputs.
    pub render: fn(&RenderContext<'_>, &[&TaskInput]) -> Result<PromptValues, RenderError>,
    /// Computes the answer without a model; `None` where it would be a guess.
    pub local: Option<fn(&TaskInput) -> Option<Value>>,
    pub limits: TaskLimits,
    pub retry: RetryPolicy,
    /// Sent where the model's settings give none, and only to a model without reasoning effort.
    pub temperature: Option<f64>,
    pub timeouts: TaskTimeouts,
    /// Context size in tokens to request, where the server allows choosing it and the user has not.
    pub context_tokens: Option<u32>,
    pub enabled: Enabled,
    pub settings: TaskVariables,
    pub stored_answers: StoredAnswers,
    /// Share of a cap from which on the task is skipped, so that the rest serves others; `None`: never.
    pub skipped_above_share: Option<f64>,
    /// Whether the prompt is pinned on a run's row, so that a continued run uses the prompt it began with: true where
    /// a run's stage calls the task, and for `manual_summary`, whose answers stand in the run's digest.
    pub is_pinned: bool,
    /// The log phase under which a call's messages are logged in full (at `debug`); `None`: they are not logged.
    pub logged_phase: Option<&'static str>,
}

/// The shipped prompt. `local` uses none, but its answers carry the prompt's id.
#[derive(Debug, Clone, Copy)]
pub struct PromptFiles {
    /// The folder's name below `prompts/`.
    pub id: &'static str,
    pub system: &'static str,
    pub user: &'static str,
}

/// The format of a model's answer. The text is the JSON Schema of `schemas/`, with or without the four stamped fields.
#[derive(Debug, Clone, Copy)]
pub enum AnswerKind {
    /// One JSON object per call, and no other in its text.
    Object(&'static str),
    /// The first JSON object of the text, whatever follows it.
    FirstObject(&'static str),
    /// One JSON object per call with the list `results`, in which each input has an object with the input's short id.
    Batch(&'static str),
    /// A stream of independent JSON objects, one per line.
    Lines(&'static str),
    /// Plain text.
    Text,
}

/// Input and output limits of a task where no setting overrides them.
#[derive(Debug, Clone, Copy)]
pub struct TaskLimits {
    /// Maximum characters of one input's text.
    pub input_chars: usize,
    pub title_chars: usize,
    /// Maximum tokens for one input; a call about n inputs may return n times as many.
    pub output_tokens: u32,
    /// Typical tokens of an answer for one input, for estimates.
    pub typical_output_tokens: u32,
    /// Inputs of one call in the estimate when no model is configured.
    pub example_batch: usize,
}

/// Timeouts of a server for this task, where they are shorter than the model's own settings. The connection timeout is
/// always 10 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskTimeouts {
    /// Until the answer begins.
    pub first_byte: Option<Duration>,
    /// Between two pieces of it.
    pub idle: Option<Duration>,
    /// Until it is complete.
    pub whole: Option<Duration>,
}

/// Which models of the `OPENAI_…` settings may do a task.
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
    /// Only `OPENAI_<NAME>_MODEL`; the general settings apply otherwise.
    ModelAlone,
}

/// Which answers are stored, so that the same answer is never paid for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredAnswers {
    All,
    /// Those of models, but not those of `local`, which cost nothing and may quote text that must not be stored.
    OfModels,
    None,
}

/// The values of a prompt's templates, and earlier turns.
#[derive(Debug, Clone, Default)]
pub struct PromptValues {
    /// Untrusted text is passed through `fence::fenced`.
    pub values: Vec<(&'static str, String)>,
    /// Earlier turns of a conversation, before the rendered user message.
    pub earlier: Vec<Turn>,
}

impl PromptValues {
    #[must_use]
    pub fn of(values: Vec<(&'static str, String)>) -> Self {
        Self { values, earlier: Vec::new() }
    }
}

/// The limits and settings for rendering inputs.
#[derive(Debug, Clone, Copy)]
pub struct RenderContext<'a> {
    /// Maximum characters of one input's text.
    pub input_chars: usize,
    pub title_chars: usize,
    /// The language of answers; empty for the language of the text.
    pub language: &'a str,
    pub tier: BudgetTier,
}

/// Returns the short id of an input within a call: `s1`, `s2`, …
#[must_use]
pub fn short_id(index: usize) -> String {
    format!("s{}", index + 1)
}

impl StoredAnswers {
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
    /// Returns the JSON Schema of the answer, or of one line of it.
    #[must_use]
    pub const fn schema(self) -> Option<&'static str> {
        match self {
            Self::Object(schema) | Self::FirstObject(schema) | Self::Batch(schema) | Self::Lines(schema) => {
                Some(schema)
            }
            Self::Text => None,
        }
    }
}

/// A reference to a task's spec. Two tasks are equal if their names are.
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

    /// Returns the name in settings, ledger and routes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0.name
    }

    /// Returns what it is for, in a few words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.0.description
    }

    /// Returns the version of the stored answer's schema.
    #[must_use]
    pub const fn schema_version(self) -> &'static str {
        self.0.schema_version
    }

    /// Returns the id of the shipped prompt.
    #[must_use]
    pub const fn prompt_id(self) -> &'static str {
        self.0.prompt.id
    }

    /// Whether one call handles several inputs.
    #[must_use]
    pub const fn is_batched(self) -> bool {
        matches!(self.0.answer, AnswerKind::Batch(_))
    }

    /// Whether `local` can do it.
    #[must_use]
    pub const fn is_done_by_local(self) -> bool {
        self.0.local.is_some()
    }

    /// Returns the index in the list of tasks.
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

/// In the order of the list of tasks.
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
