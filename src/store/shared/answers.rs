//! `provider_calls`, the ledger, and `answers`, what has been paid for.

use sqlx::FromRow;

use crate::store::StoredAnswer;

pub(crate) const ANSWER: &str = "
    SELECT provider, model, input_hash, answer_json, provider_call_id
    FROM (SELECT a.*, CASE a.tier WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END AS height
          FROM answers a
          WHERE a.task = $1 AND a.prompt_id = $2 AND a.schema_version = $3 AND a.fingerprint = $4) AS given
    WHERE height >= CASE $5 WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END
    ORDER BY height LIMIT 1";

pub(crate) const RESERVE_CALL: &str = "
    INSERT INTO provider_calls (id, run_id, purpose, provider, model, prompt_id, attempt, state,
        reserved_microcredits, started_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, $9)
    ON CONFLICT (id) DO UPDATE
    SET run_id = excluded.run_id, provider = excluded.provider, model = excluded.model,
        prompt_id = excluded.prompt_id, attempt = excluded.attempt, state = 'reserved', error_kind = NULL,
        error = NULL, reserved_microcredits = excluded.reserved_microcredits, cost_microcredits = NULL,
        latency_ms = NULL, started_at = excluded.started_at, finished_at = NULL
    WHERE coalesce(provider_calls.cost_microcredits, provider_calls.reserved_microcredits) = 0";

pub(crate) const CLOSE_CALL: &str = "
    UPDATE provider_calls SET state = $2, error_kind = $3, error = $4, input_tokens = $5, output_tokens = $6,
           cost_microcredits = $7, latency_ms = $8, finished_at = $9
    WHERE id = $1";

pub(crate) const UPSERT_ANSWER: &str = "
    INSERT INTO answers (task, tier, prompt_id, schema_version, fingerprint, provider, model, input_hash,
        answer_json, members_json, provider_call_id, answered_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (task, tier, prompt_id, schema_version, fingerprint) DO UPDATE
    SET provider = excluded.provider, model = excluded.model, input_hash = excluded.input_hash,
        answer_json = excluded.answer_json, members_json = excluded.members_json,
        provider_call_id = excluded.provider_call_id, answered_at = excluded.answered_at";

#[derive(FromRow)]
pub(crate) struct AnswerRow {
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
