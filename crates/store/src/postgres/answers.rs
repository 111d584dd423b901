//! `answers`: what models said, each paid for once.

use aha_core::ids::{ItemId, RunId};
use aha_core::score_health::GivenScore;
use async_trait::async_trait;
use sqlx::PgConnection;

use super::PostgresStore;
use crate::shared::answers::{self as sql, AnswerRow, ScoreRow, bind_answer};
use crate::shared::column;
use crate::{AnswerKey, AnswerStore, NewAnswer, Result, Settlement, StoredAnswer};

#[async_trait]
impl AnswerStore for PostgresStore {
    async fn answer(&self, key: &AnswerKey, run: Option<RunId>) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> = sqlx::query_as(sql::ANSWER)
            .bind(key.task)
            .bind(&key.prompt_id)
            .bind(key.schema_version)
            .bind(column::text(&key.fingerprint))
            .bind(key.tier.as_str())
            .bind(run.map(|run| run.to_string()))
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        Ok(row.map(StoredAnswer::from))
    }

    async fn newest_answer(&self, task: &str, members: &[ItemId]) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> = sqlx::query_as(sql::NEWEST_ANSWER)
            .bind(task)
            .bind(column::to_json(&members)?)
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        Ok(row.map(StoredAnswer::from))
    }

    async fn given_scores(&self, limit: i64) -> Result<Vec<GivenScore>> {
        let rows: Vec<ScoreRow> =
            sqlx::query_as(sql::GIVEN_SCORES).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(GivenScore::try_from).collect()
    }
}

/// Stores an answer; without `replace` only where there is none yet.
pub(super) async fn write_answer(
    connection: &mut PgConnection,
    settlement: &Settlement,
    answer: &NewAnswer,
    replace: bool,
) -> Result<()> {
    bind_answer!(sqlx::query(sql::WRITE_ANSWER), settlement, answer, replace).execute(connection).await?;
    Ok(())
}
