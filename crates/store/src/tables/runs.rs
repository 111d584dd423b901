//! `runs` and `run_attempts`.

use std::collections::HashMap;

use aha_core::ids::{RunId, TopicId};
use aha_core::run::{Run, RunAttempt, RunSettings};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use async_trait::async_trait;

use super::{Connection, Database, id_list};
use crate::shared::{PerDatabase, column, require_row};
use crate::{AttemptEnd, Lease, NewRun, Result, RunStore, StoreError};

/// A statement that returns a [`RunRow`] for each row of `runs`.
macro_rules! select_runs {
    ($from:literal) => {
        concat!(
            "SELECT id, topic_id, mode, window_start, window_end, status, stage, pass_attempt, settings_json,
                snapshot_at ",
            $from
        )
    };
}

const BY_ID: &str = select_runs!("FROM runs WHERE id = $1");

const UNFINISHED_CURSOR_RUN: &str = select_runs!(
    "FROM runs WHERE topic_id = $1 AND mode = 'cursor' AND status = 'open'
    ORDER BY window_start, window_end, id LIMIT 1"
);

const NEWEST: &str = select_runs!("FROM runs ORDER BY window_end DESC, window_start DESC, id LIMIT $1");

const NEWEST_OF_TOPIC: &str =
    select_runs!("FROM runs WHERE topic_id = $2 ORDER BY window_end DESC, window_start DESC, id LIMIT $1");

const LATEST_FINISHED: &str = select_runs!(
    "FROM runs WHERE status = 'done' AND (CAST($1 AS TEXT) IS NULL OR topic_id = $1)
    ORDER BY window_end DESC, window_start DESC, id LIMIT 1"
);

const BY_ID_PREFIX: &str = select_runs!(
    "FROM runs WHERE id LIKE $1 OR id IN (SELECT d.run_id FROM digests d WHERE d.id LIKE $1)
    ORDER BY window_end DESC, window_start DESC, id"
);

const LOSE_RUNNING: &str = "
    UPDATE run_attempts SET outcome = 'lost', finished_at = $2 WHERE run_id = $1 AND outcome = 'running'";

const INSERT_ATTEMPT: &str = "
    INSERT INTO run_attempts (run_id, attempt, holder, lease_token, started_at) VALUES ($1, $2, $3, $4, $5)";

const RECORD_STAGE: &str = "UPDATE runs SET stage = $2 WHERE id = $1";

const RECORD_ATTEMPT_STAGE: &str = "UPDATE run_attempts SET stage = $3 WHERE run_id = $1 AND attempt = $2";

const PIN_SNAPSHOT: &str = "
    UPDATE runs SET snapshot_at = coalesce(snapshot_at, $2) WHERE id = $1 RETURNING snapshot_at";

const END_ATTEMPT: &str = "
    UPDATE run_attempts SET outcome = $3, error = $4, finished_at = $5
    WHERE run_id = $1 AND attempt = $2 AND outcome = 'running'";

const RECORD_UNWRITTEN_FILES: &str = "
    UPDATE run_attempts SET error = $3 WHERE run_id = $1 AND attempt = $2 AND outcome = 'done'";

const INSERT: &str = "
    INSERT INTO runs (id, topic_id, mode, window_start, window_end, settings_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const START_NEW_PASS: &str = "
    UPDATE runs SET status = 'open', finished_at = NULL, stage = NULL, snapshot_at = NULL, pass_attempt = $2,
           settings_json = $3
    WHERE id = $1";

const SET_SETTINGS: &str = "UPDATE runs SET settings_json = $2 WHERE id = $1";

const LAST_ATTEMPT: &str = "SELECT coalesce(max(attempt), 0) FROM run_attempts WHERE run_id = $1";

const ATTEMPTS_OF: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT run_id, attempt, holder, started_at, finished_at, outcome, stage, error FROM run_attempts
        WHERE run_id IN (SELECT value FROM json_each($1)) ORDER BY run_id, attempt",
    postgres: "
        SELECT run_id, attempt, holder, started_at, finished_at, outcome, stage, error FROM run_attempts
        WHERE run_id = ANY($1) ORDER BY run_id, attempt",
});

struct RunRow {
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

from_row!(RunRow {
    id,
    topic_id,
    mode,
    window_start,
    window_end,
    status,
    stage,
    pass_attempt,
    settings_json,
    snapshot_at
});

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

struct AttemptRow {
    run_id: String,
    attempt: i64,
    holder: String,
    started_at: i64,
    finished_at: Option<i64>,
    outcome: String,
    stage: Option<String>,
    error: Option<String>,
}

from_row!(AttemptRow { run_id, attempt, holder, started_at, finished_at, outcome, stage, error });

impl TryFrom<AttemptRow> for RunAttempt {
    type Error = StoreError;

    fn try_from(row: AttemptRow) -> Result<Self> {
        Ok(Self {
            attempt: row.attempt,
            owner: row.holder,
            started_at: Timestamp::from_millis(row.started_at),
            finished_at: column::optional_time(row.finished_at),
            outcome: column::word("outcome of an attempt", &row.outcome)?,
            stage: row.stage,
            error: row.error,
        })
    }
}

/// Returns the settings of a finished run's new pass.
fn settings_of_new_pass(finished: &Run, new: &NewRun) -> RunSettings {
    let prompts = if new.settings.rejudge { &new.settings.prompts } else { &finished.settings.prompts };
    RunSettings { prompts: prompts.clone(), ..new.settings.clone() }
}

/// Combines runs with their attempts; the rows are ordered by run and number.
fn with_attempts(runs: Vec<Run>, rows: Vec<AttemptRow>) -> Result<Vec<(Run, Vec<RunAttempt>)>> {
    let mut attempts: HashMap<RunId, Vec<RunAttempt>> = HashMap::new();
    for row in rows {
        attempts.entry(column::id("run id", &row.run_id)?).or_default().push(row.try_into()?);
    }
    let mut with_own_attempts = |run: Run| {
        let of_run = attempts.remove(&run.id).unwrap_or_default();
        (run, of_run)
    };
    Ok(runs.into_iter().map(&mut with_own_attempts).collect())
}

#[async_trait]
impl RunStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn open_run(&self, lease: &Lease, new: &NewRun) -> Result<Run> {
        let mut write = self.write_fenced("open_run", lease).await?;
        match run_by_id(write.connection(), new.id).await? {
            Some(run) if !run.done && (run.settings.rejudge || !new.settings.rejudge) => return Ok(run),
            Some(unfinished) if !unfinished.done => rejudge(write.connection(), &unfinished, new).await?,
            Some(finished) => start_new_pass(write.connection(), &finished, new).await?,
            None => insert_run(write.connection(), new).await?,
        }
        let run = run_by_id(write.connection(), new.id).await?;
        write.commit().await?;
        run.ok_or_else(|| StoreError::NotFound { what: "run", id: new.id.to_string() })
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn unfinished_cursor_run(&self, topic: TopicId) -> Result<Option<Run>> {
        let row: Option<RunRow> = sqlx::query_as(UNFINISHED_CURSOR_RUN)
            .bind(topic.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        row.map(Run::try_from).transpose()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn begin_attempt(&self, lease: &Lease, run: RunId, now: Timestamp) -> Result<i64> {
        let mut write = self.write_fenced("begin_attempt", lease).await?;
        sqlx::query(LOSE_RUNNING).bind(run.to_string()).bind(now.as_millis()).execute(write.connection()).await?;
        let attempt = last_attempt(write.connection(), run).await? + 1;
        sqlx::query(INSERT_ATTEMPT)
            .bind(run.to_string())
            .bind(attempt)
            .bind(&lease.owner)
            .bind(lease.token)
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(attempt)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn record_stage(&self, lease: &Lease, run: RunId, attempt: i64, stage: &str) -> Result<()> {
        let mut write = self.write_fenced("record_stage", lease).await?;
        let recorded = sqlx::query(RECORD_STAGE).bind(run.to_string()).bind(stage).execute(write.connection()).await?;
        require_row(recorded.rows_affected(), "run", run)?;
        sqlx::query(RECORD_ATTEMPT_STAGE)
            .bind(run.to_string())
            .bind(attempt)
            .bind(stage)
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn pin_snapshot(&self, lease: &Lease, run: RunId, at: Timestamp) -> Result<Timestamp> {
        let mut write = self.write_fenced("pin_snapshot", lease).await?;
        let pinned: Option<i64> = sqlx::query_scalar(PIN_SNAPSHOT)
            .bind(run.to_string())
            .bind(at.as_millis())
            .fetch_optional(write.connection())
            .await?;
        let pinned = pinned.ok_or_else(|| StoreError::NotFound { what: "run", id: run.to_string() })?;
        write.commit().await?;
        Ok(Timestamp::from_millis(pinned))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn end_attempt(&self, run: RunId, attempt: i64, end: &AttemptEnd) -> Result<()> {
        let mut write = self.write("end_attempt").await?;
        sqlx::query(END_ATTEMPT)
            .bind(run.to_string())
            .bind(attempt)
            .bind(end.outcome.as_str())
            .bind(column::optional_text(end.error.as_deref()))
            .bind(end.at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn record_unwritten_files(&self, run: RunId, attempt: i64, why: Option<&str>) -> Result<()> {
        let mut write = self.write("record_unwritten_files").await?;
        sqlx::query(RECORD_UNWRITTEN_FILES)
            .bind(run.to_string())
            .bind(attempt)
            .bind(column::optional_text(why))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn run(&self, id: RunId) -> Result<Option<(Run, Vec<RunAttempt>)>> {
        let run = run_by_id(&mut *self.reader().await?, id).await?;
        let runs: Vec<Run> = run.into_iter().collect();
        let attempts = self.attempts_of(&runs).await?;
        Ok(with_attempts(runs, attempts)?.pop())
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn latest_finished_run(&self, topic: Option<TopicId>) -> Result<Option<Run>> {
        let row: Option<RunRow> = sqlx::query_as(LATEST_FINISHED)
            .bind(topic.map(|topic| topic.to_string()))
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        row.map(Run::try_from).transpose()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn runs_by_id_prefix(&self, prefix: &str) -> Result<Vec<Run>> {
        let rows: Vec<RunRow> =
            sqlx::query_as(BY_ID_PREFIX).bind(format!("{prefix}%")).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(Run::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn runs(&self, topic: Option<TopicId>, limit: i64) -> Result<Vec<(Run, Vec<RunAttempt>)>> {
        let statement = if topic.is_some() { NEWEST_OF_TOPIC } else { NEWEST };
        let query = sqlx::query_as(statement).bind(limit);
        let query = match topic {
            Some(topic) => query.bind(topic.to_string()),
            None => query,
        };
        let rows: Vec<RunRow> = query.fetch_all(&mut *self.reader().await?).await?;
        let runs = rows.into_iter().map(Run::try_from).collect::<Result<Vec<_>>>()?;
        let attempts = self.attempts_of(&runs).await?;
        with_attempts(runs, attempts)
    }
}

impl Database {
    async fn attempts_of(&self, runs: &[Run]) -> Result<Vec<AttemptRow>> {
        let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
        Ok(sqlx::query_as(ATTEMPTS_OF).bind(id_list(&ids)?).fetch_all(&mut *self.reader().await?).await?)
    }
}

async fn run_by_id(connection: &mut Connection, id: RunId) -> Result<Option<Run>> {
    let row: Option<RunRow> = sqlx::query_as(BY_ID).bind(id.to_string()).fetch_optional(connection).await?;
    row.map(Run::try_from).transpose()
}

async fn insert_run(connection: &mut Connection, new: &NewRun) -> Result<()> {
    sqlx::query(INSERT)
        .bind(new.id.to_string())
        .bind(new.topic.to_string())
        .bind(new.mode.as_str())
        .bind(new.window.start.as_millis())
        .bind(new.window.end.as_millis())
        .bind(column::to_json(&new.settings)?)
        .bind(new.now.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

/// Lets an unfinished pass judge again, by the current prompts. The attempts that continue it do so, too.
async fn rejudge(connection: &mut Connection, unfinished: &Run, new: &NewRun) -> Result<()> {
    let settings = RunSettings { prompts: new.settings.prompts.clone(), rejudge: true, ..unfinished.settings.clone() };
    sqlx::query(SET_SETTINGS)
        .bind(unfinished.id.to_string())
        .bind(column::to_json(&settings)?)
        .execute(connection)
        .await?;
    Ok(())
}

async fn start_new_pass(connection: &mut Connection, finished: &Run, new: &NewRun) -> Result<()> {
    let settings = settings_of_new_pass(finished, new);
    let first_attempt = last_attempt(connection, finished.id).await? + 1;
    sqlx::query(START_NEW_PASS)
        .bind(finished.id.to_string())
        .bind(first_attempt)
        .bind(column::to_json(&settings)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the number of the run's newest attempt, 0 before the first.
async fn last_attempt(connection: &mut Connection, run: RunId) -> Result<i64> {
    Ok(sqlx::query_scalar(LAST_ATTEMPT).bind(run.to_string()).fetch_one(connection).await?)
}
