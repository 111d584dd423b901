//! `runs` and `run_attempts`.

use aha_core::ids::{RunId, TopicId};
use aha_core::run::{Run, RunAttempt};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::SqliteStore;
use crate::shared::runs::{self as sql, AttemptRow, RunRow};
use crate::shared::{column, found};
use crate::{AttemptEnd, Lease, NewRun, Result, RunStore, StoreError};

#[async_trait]
impl RunStore for SqliteStore {
    async fn open_run(&self, lease: &Lease, new: &NewRun) -> Result<Run> {
        let mut write = self.write_fenced("open_run", lease).await?;
        match run_by_id(write.connection(), new.id).await? {
            Some(run) if !run.done => return Ok(run),
            Some(finished) => start_new_pass(write.connection(), &finished, new).await?,
            None => insert_run(write.connection(), new).await?,
        }
        let run = run_by_id(write.connection(), new.id).await?;
        write.commit().await?;
        run.ok_or_else(|| StoreError::NotFound { what: "run", id: new.id.to_string() })
    }

    async fn unfinished_cursor_run(&self, topic: TopicId) -> Result<Option<Run>> {
        let row: Option<RunRow> =
            sqlx::query_as(sql::UNFINISHED_CURSOR_RUN).bind(topic.to_string()).fetch_optional(&self.reader).await?;
        row.map(Run::try_from).transpose()
    }

    async fn begin_attempt(&self, lease: &Lease, run: RunId, now: Timestamp) -> Result<i64> {
        let mut write = self.write_fenced("begin_attempt", lease).await?;
        sqlx::query(sql::LOSE_RUNNING).bind(run.to_string()).bind(now.as_millis()).execute(write.connection()).await?;
        let attempt = last_attempt(write.connection(), run).await? + 1;
        sqlx::query(sql::INSERT_ATTEMPT)
            .bind(run.to_string())
            .bind(attempt)
            .bind(&lease.holder)
            .bind(lease.token)
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(attempt)
    }

    async fn note_stage(&self, lease: &Lease, run: RunId, attempt: i64, stage: &str) -> Result<()> {
        let mut write = self.write_fenced("note_stage", lease).await?;
        let noted = sqlx::query(sql::NOTE_STAGE).bind(run.to_string()).bind(stage).execute(write.connection()).await?;
        found(noted.rows_affected(), "run", run)?;
        sqlx::query(sql::NOTE_ATTEMPT_STAGE)
            .bind(run.to_string())
            .bind(attempt)
            .bind(stage)
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    async fn pin_snapshot(&self, lease: &Lease, run: RunId, at: Timestamp) -> Result<Timestamp> {
        let mut write = self.write_fenced("pin_snapshot", lease).await?;
        let pinned: Option<i64> = sqlx::query_scalar(sql::PIN_SNAPSHOT)
            .bind(run.to_string())
            .bind(at.as_millis())
            .fetch_optional(write.connection())
            .await?;
        let pinned = pinned.ok_or_else(|| StoreError::NotFound { what: "run", id: run.to_string() })?;
        write.commit().await?;
        Ok(Timestamp::from_millis(pinned))
    }

    async fn end_attempt(&self, run: RunId, attempt: i64, end: &AttemptEnd) -> Result<()> {
        let mut write = self.write("end_attempt").await?;
        sqlx::query(sql::END_ATTEMPT)
            .bind(run.to_string())
            .bind(attempt)
            .bind(end.outcome)
            .bind(column::optional_text(end.error.as_deref()))
            .bind(end.at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    async fn runs(&self, topic: Option<TopicId>, limit: i64) -> Result<Vec<(Run, Vec<RunAttempt>)>> {
        let rows: Vec<RunRow> = sqlx::query_as(sql::NEWEST)
            .bind(topic.map(|topic| topic.to_string()))
            .bind(limit)
            .fetch_all(&self.reader)
            .await?;
        let runs = rows.into_iter().map(Run::try_from).collect::<Result<Vec<_>>>()?;
        let attempts = self.attempts_of(&runs).await?;
        sql::with_attempts(runs, attempts)
    }
}

impl SqliteStore {
    async fn attempts_of(&self, runs: &[Run]) -> Result<Vec<AttemptRow>> {
        let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
        Ok(sqlx::query_as(
            "SELECT run_id, attempt, holder, started_at, finished_at, outcome, stage, error FROM run_attempts
             WHERE run_id IN (SELECT value FROM json_each($1)) ORDER BY run_id, attempt",
        )
        .bind(super::id_list(&ids)?)
        .fetch_all(&self.reader)
        .await?)
    }
}

async fn run_by_id(connection: &mut SqliteConnection, id: RunId) -> Result<Option<Run>> {
    let row: Option<RunRow> = sqlx::query_as(sql::BY_ID).bind(id.to_string()).fetch_optional(connection).await?;
    row.map(Run::try_from).transpose()
}

async fn insert_run(connection: &mut SqliteConnection, new: &NewRun) -> Result<()> {
    sqlx::query(sql::INSERT)
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

async fn start_new_pass(connection: &mut SqliteConnection, finished: &Run, new: &NewRun) -> Result<()> {
    let settings = sql::settings_of_new_pass(finished, new);
    let first_attempt = last_attempt(connection, finished.id).await? + 1;
    sqlx::query(sql::START_NEW_PASS)
        .bind(finished.id.to_string())
        .bind(first_attempt)
        .bind(column::to_json(&settings)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// The number of the run's newest attempt, 0 before the first.
async fn last_attempt(connection: &mut SqliteConnection, run: RunId) -> Result<i64> {
    Ok(sqlx::query_scalar(sql::LAST_ATTEMPT).bind(run.to_string()).fetch_one(connection).await?)
}
