//! A run: one topic, one window, one mode. Its attempts are separate rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ids::{RunId, TopicId};
use super::ranking::Ranking;
use super::time::Timestamp;
use super::topic::{BudgetTier, DigestSizes, Rule};
use super::window::Window;

/// The two kinds of runs (`docs/STATES.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// From the topic's cursor to now: claims items, marks stories as delivered, moves the cursor.
    Cursor,
    /// A given window: reads everything in it; claims, marks and moves nothing.
    Window,
}

impl RunMode {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::Window => "window",
        }
    }
}

/// A run as stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    pub id: RunId,
    pub topic_id: TopicId,
    pub mode: RunMode,
    pub window: Window,
    pub done: bool,
    /// The last stage an attempt reached, for display.
    pub stage: Option<String>,
    /// The attempt in which the current pass over the stages began. Running a finished run again starts a new pass.
    pub pass_attempt: i64,
    pub settings: RunSettings,
    /// Items first seen after this time are excluded from term frequencies. Pinned when ingest is done.
    pub snapshot_at: Option<Timestamp>,
}

/// Settings of a pass over the stages, pinned on the run's row when the pass begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    pub interests: String,
    pub rules: Vec<Rule>,
    pub tier: BudgetTier,
    pub depth: u8,
    pub decay_hours: f64,
    pub timezone: String,
    /// Prompt ids by task, pinned at the run's first attempt.
    pub prompts: BTreeMap<String, String>,
    /// Whether all stories are judged again, whatever answers earlier passes stored (`--rejudge`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejudge: bool,
    #[serde(default)]
    pub ranking: Ranking,
    #[serde(default)]
    pub sizes: DigestSizes,
}

/// The state or the end of an attempt at a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    Running,
    Done,
    Failed,
    Interrupted,
    /// Another process took over.
    Lost,
}

impl AttemptOutcome {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Lost => "lost",
        }
    }
}

/// An attempt at a run, as listed by `aha-radar runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAttempt {
    pub attempt: i64,
    /// The lease owner.
    #[serde(rename = "holder")]
    pub owner: String,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub outcome: AttemptOutcome,
    pub stage: Option<String>,
    pub error: Option<String>,
}

/// Returns the attempt that produced the stored digest.
#[must_use]
pub fn digest_attempt(attempts: &[RunAttempt]) -> Option<&RunAttempt> {
    attempts.iter().rev().find(|attempt| attempt.outcome == AttemptOutcome::Done)
}

/// Why the files of the stored digest could not be written; `None` if they are written.
#[must_use]
pub fn unwritten_files(attempts: &[RunAttempt]) -> Option<&str> {
    digest_attempt(attempts)?.error.as_deref()
}

impl RunAttempt {
    /// Why it failed; `None` if it did not fail or was only interrupted.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let why = || self.error.clone().unwrap_or_else(|| "its process ended".to_owned());
        matches!(self.outcome, AttemptOutcome::Failed | AttemptOutcome::Lost).then(why)
    }
}
