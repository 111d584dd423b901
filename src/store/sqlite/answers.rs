//! `provider_calls`, the ledger, and `answers`, what has been paid for.

use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::SqliteStore;
use crate::store::shared::answers::{self as sql, AnswerRow};
use crate::store::shared::{column, found};
use crate::store::{AnswerKey, AnswerStore, Lease, NewAnswer, NewCall, Result, Settlement, StoreError, StoredAnswer};

#[async_trait]
impl AnswerStore for SqliteStore {
    async fn answer(&self, key: &AnswerKey) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> = sqlx::query_as(sql::ANSWER)
            .bind(key.task)
            .bind(&key.prompt_id)
            .bind(key.schema_version)
            .bind(column::text(&key.fingerprint))
            .bind(key.tier.as_str())
            .fetch_optional(&self.reader)
            .await?;
        Ok(row.map(StoredAnswer::from))
    }

    async fn reserve_call(&self, call: &NewCall) -> Result<()> {
        let mut write = self.write("reserve_call").await?;
        // A call that was cut off may be made again under its id while it cost nothing; what cost money stays on record.
        let reserved = sqlx::query(sql::RESERVE_CALL)
            .bind(call.id.to_string())
            .bind(call.run.map(|run| run.to_string()))
            .bind(call.purpose)
            .bind(column::text(&call.provider))
            .bind(column::text(&call.model))
            .bind(&call.prompt_id)
            .bind(call.attempt)
            .bind(call.reserved_microcredits)
            .bind(call.started_at.as_millis())
            .execute(write.connection())
            .await?;
        if reserved.rows_affected() == 0 {
            let reason = format_args!("call {} is on the ledger and may have cost money", call.id);
            return Err(StoreError::corrupt("reservation", reason));
        }
        write.commit().await
    }

    async fn settle_call(&self, lease: &Lease, settlement: &Settlement) -> Result<()> {
        let mut write = self.write_fenced("settle_call", lease).await?;
        close_call(write.connection(), settlement).await?;
        for answer in &settlement.answers {
            upsert_answer(write.connection(), settlement, answer).await?;
        }
        write.commit().await
    }

    async fn cost_of_calls(&self, calls: &[String]) -> Result<i64> {
        Ok(sqlx::query_scalar(
            "SELECT coalesce(sum(cost_microcredits), 0) FROM provider_calls
             WHERE id IN (SELECT value FROM json_each($1))",
        )
        .bind(super::id_list(calls)?)
        .fetch_one(&self.reader)
        .await?)
    }
}

async fn close_call(connection: &mut SqliteConnection, settlement: &Settlement) -> Result<()> {
    let (kind, message) = settlement.error.as_ref().map(|(kind, message)| (kind.as_str(), message.as_str())).unzip();
    let closed = sqlx::query(sql::CLOSE_CALL)
        .bind(settlement.call.to_string())
        .bind(if kind.is_some() { "error" } else { "ok" })
        .bind(column::optional_text(kind))
        .bind(column::optional_text(message))
        .bind(settlement.input_tokens)
        .bind(settlement.output_tokens)
        .bind(settlement.cost_microcredits)
        .bind(settlement.latency_ms)
        .bind(settlement.finished_at.as_millis())
        .execute(connection)
        .await?;
    found(closed.rows_affected(), "ledger row", settlement.call)
}

async fn upsert_answer(connection: &mut SqliteConnection, settlement: &Settlement, answer: &NewAnswer) -> Result<()> {
    sqlx::query(sql::UPSERT_ANSWER)
        .bind(answer.key.task)
        .bind(answer.key.tier.as_str())
        .bind(&answer.key.prompt_id)
        .bind(answer.key.schema_version)
        .bind(column::text(&answer.key.fingerprint))
        .bind(column::text(&answer.provider))
        .bind(column::text(&answer.model))
        .bind(&answer.input_hash)
        .bind(column::json_text(&answer.answer_json))
        .bind(column::to_json(&answer.members)?)
        .bind(settlement.call.to_string())
        .bind(settlement.finished_at.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}
