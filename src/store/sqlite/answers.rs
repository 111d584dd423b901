//! `provider_calls`, the ledger, and `answers`, what has been paid for.

use async_trait::async_trait;
use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column, found};
use crate::store::{AnswerKey, AnswerStore, Lease, NewAnswer, NewCall, Result, Settlement, StoreError, StoredAnswer};

#[derive(FromRow)]
struct AnswerRow {
    provider: String,
    model: String,
    input_hash: String,
    answer_json: String,
    provider_call_id: String,
}

impl From<AnswerRow> for StoredAnswer {
    fn from(row: AnswerRow) -> Self {
        Self {
            provider: row.provider,
            model: row.model,
            input_hash: row.input_hash,
            answer_json: row.answer_json,
            call_id: row.provider_call_id,
        }
    }
}

#[async_trait]
impl AnswerStore for SqliteStore {
    async fn answer(&self, key: &AnswerKey) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> = sqlx::query_as(
            "SELECT provider, model, input_hash, answer_json, provider_call_id
             FROM (SELECT a.*, CASE a.tier WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END AS height
                   FROM answers a
                   WHERE a.task = $1 AND a.prompt_id = $2 AND a.schema_version = $3 AND a.fingerprint = $4) AS given
             WHERE height >= CASE $5 WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END
             ORDER BY height LIMIT 1",
        )
        .bind(key.task)
        .bind(&key.prompt_id)
        .bind(key.schema_version)
        .bind(&key.fingerprint)
        .bind(key.tier.as_str())
        .fetch_optional(&self.reader)
        .await?;
        Ok(row.map(StoredAnswer::from))
    }

    async fn reserve_call(&self, call: &NewCall) -> Result<()> {
        let mut write = self.write("reserve_call").await?;
        // A call that was cut off may be made again under its id while it cost nothing; what cost money stays on record.
        let reserved = sqlx::query(
            "INSERT INTO provider_calls (id, run_id, purpose, provider, model, prompt_id, attempt, state,
                 reserved_microcredits, started_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, $9)
             ON CONFLICT (id) DO UPDATE
             SET run_id = excluded.run_id, provider = excluded.provider, model = excluded.model,
                 prompt_id = excluded.prompt_id, attempt = excluded.attempt, state = 'reserved', error_kind = NULL,
                 error = NULL, reserved_microcredits = excluded.reserved_microcredits, cost_microcredits = NULL,
                 latency_ms = NULL, started_at = excluded.started_at, finished_at = NULL
             WHERE coalesce(provider_calls.cost_microcredits, provider_calls.reserved_microcredits) = 0",
        )
        .bind(call.id.to_string())
        .bind(call.run.map(|run| run.to_string()))
        .bind(call.purpose)
        .bind(&call.provider)
        .bind(&call.model)
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
        .bind(column::id_list(calls)?)
        .fetch_one(&self.reader)
        .await?)
    }
}

async fn close_call(connection: &mut SqliteConnection, settlement: &Settlement) -> Result<()> {
    let (kind, message) = settlement.error.as_ref().map(|(kind, message)| (kind, message)).unzip();
    let closed = sqlx::query(
        "UPDATE provider_calls SET state = $2, error_kind = $3, error = $4, input_tokens = $5, output_tokens = $6,
                cost_microcredits = $7, latency_ms = $8, finished_at = $9
         WHERE id = $1",
    )
    .bind(settlement.call.to_string())
    .bind(if kind.is_some() { "error" } else { "ok" })
    .bind(kind)
    .bind(message)
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
    sqlx::query(
        "INSERT INTO answers (task, tier, prompt_id, schema_version, fingerprint, provider, model, input_hash,
             answer_json, members_json, provider_call_id, answered_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (task, tier, prompt_id, schema_version, fingerprint) DO UPDATE
         SET provider = excluded.provider, model = excluded.model, input_hash = excluded.input_hash,
             answer_json = excluded.answer_json, members_json = excluded.members_json,
             provider_call_id = excluded.provider_call_id, answered_at = excluded.answered_at",
    )
    .bind(answer.key.task)
    .bind(answer.key.tier.as_str())
    .bind(&answer.key.prompt_id)
    .bind(answer.key.schema_version)
    .bind(&answer.key.fingerprint)
    .bind(&answer.provider)
    .bind(&answer.model)
    .bind(&answer.input_hash)
    .bind(&answer.answer_json)
    .bind(column::to_json(&answer.members)?)
    .bind(settlement.call.to_string())
    .bind(settlement.finished_at.as_millis())
    .execute(connection)
    .await?;
    Ok(())
}
