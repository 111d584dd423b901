//! `runs` and `run_attempts`.

use std::collections::HashMap;

use aha_core::ids::RunId;
use aha_core::run::{Run, RunAttempt, RunSettings};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use sqlx::FromRow;

use super::column;
use crate::{NewRun, Result, StoreError};

pub(crate) const BY_ID: &str = "
    SELECT id, topic_id, mode, window_start, window_end, status, stage, pass_attempt, settings_json, snapshot_at
    FROM runs WHERE id = $1";

pub(crate) const UNFINISHED_CURSOR_RUN: &str = "
    SELECT id, topic_id, mode, window_start, window_end, status, stage, pass_attempt, settings_json, snapshot_at
    FROM runs WHERE topic_id = $1 AND mode = 'cursor' AND status = 'open'
    ORDER BY window_start, window_end, id LIMIT 1";

pub(crate) const NEWEST: &str = "
    SELECT id, topic_id, mode, window_start, window_end, status, stage, pass_attempt, settings_json, snapshot_at
    FROM runs WHERE CAST($1 AS TEXT) IS NULL OR topic_id = $1 ORDER BY window_end DESC, window_start DESC, id LIMIT $2";

pub(crate) const LOSE_RUNNING: &str = "
    UPDATE run_attempts SET outcome = 'lost', finished_at = $2 WHERE run_id = $1 AND outcome = 'running'";

pub(crate) const INSERT_ATTEMPT: &str = "
    INSERT INTO run_attempts (run_id, attempt, holder, lease_token, started_at) VALUES ($1, $2, $3, $4, $5)";

pub(crate) const NOTE_STAGE: &str = "UPDATE runs SET stage = $2 WHERE id = $1";

pub(crate) const NOTE_ATTEMPT_STAGE: &str = "UPDATE run_attempts SET stage = $3 WHERE run_id = $1 AND attempt = $2";

pub(crate) const PIN_SNAPSHOT: &str = "
    UPDATE runs SET snapshot_at = coalesce(snapshot_at, $2) WHERE id = $1 RETURNING snapshot_at";

pub(crate) const END_ATTEMPT: &str = "
    UPDATE run_attempts SET outcome = $3, error = $4, finished_at = $5
    WHERE run_id = $1 AND attempt = $2 AND outcome = 'running'";

pub const INSERT: &str = "
    INSERT INTO runs (id, topic_id, mode, window_start, window_end, settings_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(crate) const START_NEW_PASS: &str = "
    UPDATE runs SET status = 'open', finished_at = NULL, stage = NULL, snapshot_at = NULL, pass_attempt = $2,
           settings_json = $3
    WHERE id = $1";

pub(crate) const LAST_ATTEMPT: &str = "SELECT coalesce(max(attempt), 0) FROM run_attempts WHERE run_id = $1";

#[derive(FromRow)]
pub(crate) struct RunRow {
    id: String,
    topic_id: String,
    mode: String,
    window_start: i64,
    window_end: i64,
    status: String,
    stage: Option<String>,
    pass_attempt: i64,
    settings_json: String,
    snapshot_at: Option<i64>,
}

impl TryFrom<RunRow> for Run {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self> {
        Ok(Self {
            id: column::id("run id", &row.id)?,
            topic_id: column::id("topic id", &row.topic_id)?,
            mode: column::word("run mode", &row.mode)?,
            window: Window {
                start: Timestamp::from_millis(row.window_start),
                end: Timestamp::from_millis(row.window_end),
            },
            done: row.status == "done",
            stage: row.stage,
            pass_attempt: row.pass_attempt,
            settings: column::json("run's settings", &row.settings_json)?,
            snapshot_at: column::optional_time(row.snapshot_at),
        })
    }
}

#[derive(FromRow)]
pub(crate) struct AttemptRow {
    run_id: String,
    attempt: i64,
    holder: String,
    started_at: i64,
    finished_at: Option<i64>,
    outcome: String,
    stage: Option<String>,
    error: Option<String>,
}

impl From<AttemptRow> for RunAttempt {
    fn from(row: AttemptRow) -> Self {
        Self {
            attempt: row.attempt,
            holder: row.holder,
            started_at: Timestamp::from_millis(row.started_at),
            finished_at: column::optional_time(row.finished_at),
            outcome: row.outcome,
            stage: row.stage,
            error: row.error,
        }
    }
}

/// The settings of a finished run's new pass.
pub(crate) fn settings_of_new_pass(finished: &Run, new: &NewRun) -> RunSettings {
    let prompts = if new.repin_prompts { &new.settings.prompts } else { &finished.settings.prompts };
    RunSettings { prompts: prompts.clone(), ..new.settings.clone() }
}

/// Gives each run its attempts, which come by run and number.
pub fn with_attempts(runs: Vec<Run>, rows: Vec<AttemptRow>) -> Result<Vec<(Run, Vec<RunAttempt>)>> {
    let mut attempts: HashMap<RunId, Vec<RunAttempt>> = HashMap::new();
    for row in rows {
        attempts.entry(column::id("run id", &row.run_id)?).or_default().push(row.into());
    }
    let mut with_its_own = |run: Run| {
        let of_run = attempts.remove(&run.id).unwrap_or_default();
        (run, of_run)
    };
    Ok(runs.into_iter().map(&mut with_its_own).collect())
}
