//! `answers`: models' answers, each paid for once.

use aha_core::ids::{ItemId, RunId};
use aha_core::score_health::GivenScore;
use aha_core::time::Timestamp;
use aha_core::verdict::Verdict;
use async_trait::async_trait;

use super::{Connection, Database, Values};
use crate::shared::{PerDatabase, column};
use crate::{AnswerKey, AnswerStore, NewAnswer, Result, Settlement, StoreError, StoredAnswer};

/// Selects for each key the answer of its tier, otherwise of the next higher one, otherwise of a lower one that this run,
/// or a call outside of runs for another such call, received because its budget was nearly used up. With a pass in $3,
/// only answers that this run received in it: under the lease with which it began, or a later one. All tiers are listed
/// so that the primary key is used. The keys are given as a list of arrays of task, prompt, schema, fingerprint and
/// tier, and `key_index` is the position of a row's key, from 0.
const ANSWERS: &str = super::statement(PerDatabase {
    sqlite: include_str!("stored_answers.sqlite.sql"),
    postgres: include_str!("stored_answers.postgres.sql"),
});

const NEWEST_ANSWER: &str = "
    SELECT provider, model, input_hash, answer_json, provider_call_id FROM answers
    WHERE task = $1 AND members_json = $2 ORDER BY answered_at DESC, fingerprint, tier LIMIT 1";

/// A call about several members gives an answer for each.
const OF_CALL: &str = "
    SELECT provider, model, input_hash, answer_json, provider_call_id FROM answers
    WHERE provider_call_id = $1 AND task = $2 ORDER BY fingerprint, tier LIMIT 1";

const GIVEN_SCORES: &str = "
    SELECT provider, model, prompt_id, answer_json, answered_at FROM answers
    WHERE task = 'triage' ORDER BY answered_at DESC, fingerprint, tier LIMIT $1";

/// Stores an answer; replaces an earlier one only if $13 is 1.
pub(super) const WRITE_ANSWER: &str = "
    INSERT INTO answers (task, tier, prompt_id, schema_version, fingerprint, provider, model, input_hash,
        answer_json, members_json, provider_call_id, answered_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (task, tier, prompt_id, schema_version, fingerprint) DO UPDATE
    SET provider = excluded.provider, model = excluded.model, input_hash = excluded.input_hash,
        answer_json = excluded.answer_json, members_json = excluded.members_json,
        provider_call_id = excluded.provider_call_id, answered_at = excluded.answered_at
    WHERE CAST($13 AS BIGINT) = 1";

struct AnswerRow {
    provider: String,
    model: String,
    input_hash: String,
    answer_json: String,
    provider_call_id: String,
}

from_row!(AnswerRow { provider, model, input_hash, answer_json, provider_call_id });

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

struct ScoreRow {
    provider: String,
    model: String,
    prompt_id: String,
    answer_json: String,
    answered_at: i64,
}

from_row!(ScoreRow { provider, model, prompt_id, answer_json, answered_at });

impl TryFrom<ScoreRow> for GivenScore {
    type Error = StoreError;

    fn try_from(row: ScoreRow) -> Result<Self> {
        let verdict: Verdict = column::json("answer", &row.answer_json)?;
        Ok(Self {
            model: format!("{}/{}", row.provider, row.model),
            prompt_id: row.prompt_id,
            aha_score: verdict.aha_score,
            given_at: Timestamp::from_millis(row.answered_at),
        })
    }
}

#[async_trait]
impl AnswerStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn answers(&self, keys: &[AnswerKey], run: Option<RunId>) -> Result<Vec<Option<StoredAnswer>>> {
        find_answers(&mut *self.reader().await?, keys, run, None).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn answers_of_pass(&self, keys: &[AnswerKey], run: RunId, pass: i64) -> Result<Vec<Option<StoredAnswer>>> {
        find_answers(&mut *self.reader().await?, keys, Some(run), Some(pass)).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn newest_answer(&self, task: &str, members: &[ItemId]) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> = sqlx::query_as(NEWEST_ANSWER)
            .bind(task)
            .bind(column::to_json(&members)?)
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        Ok(row.map(StoredAnswer::from))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn answer_of_call(&self, task: &str, call_id: &str) -> Result<Option<StoredAnswer>> {
        let row: Option<AnswerRow> =
            sqlx::query_as(OF_CALL).bind(call_id).bind(task).fetch_optional(&mut *self.reader().await?).await?;
        Ok(row.map(StoredAnswer::from))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn given_scores(&self, limit: i64) -> Result<Vec<GivenScore>> {
        let rows: Vec<ScoreRow> =
            sqlx::query_as(GIVEN_SCORES).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(GivenScore::try_from).collect()
    }
}

async fn find_answers(
    connection: &mut Connection,
    keys: &[AnswerKey],
    run: Option<RunId>,
    pass: Option<i64>,
) -> Result<Vec<Option<StoredAnswer>>> {
    let list: Vec<_> = keys
        .iter()
        .map(|key| {
            let fingerprint = column::text(&key.fingerprint);
            (key.task, key.prompt_id.as_str(), key.schema_version, fingerprint, key.tier.as_str())
        })
        .collect();
    let rows: Vec<(i64, String, String, String, String, String)> = sqlx::query_as(ANSWERS)
        .bind(column::to_json(&list)?)
        .bind(run.map(|run| run.to_string()))
        .bind(pass)
        .fetch_all(connection)
        .await?;
    let mut answers = vec![None; keys.len()];
    for (position, provider, model, input_hash, answer_json, call_id) in rows {
        if let Some(answer) = usize::try_from(position).ok().and_then(|position| answers.get_mut(position)) {
            *answer = Some(StoredAnswer { provider, model, input_hash, answer_json, call_id });
        }
    }
    Ok(answers)
}

/// Stores an answer; without `replace` only if there is none yet.
pub(super) async fn write_answer(
    connection: &mut Connection,
    settlement: &Settlement,
    answer: &NewAnswer,
    replace: bool,
) -> Result<()> {
    bind_answer(Values::default(), settlement, answer, replace)?.query(WRITE_ANSWER)?.execute(connection).await?;
    Ok(())
}

/// Binds the parameters of [`WRITE_ANSWER`].
pub(super) fn bind_answer(
    values: Values,
    settlement: &Settlement,
    answer: &NewAnswer,
    replace: bool,
) -> Result<Values> {
    Ok(values
        .bind(answer.key.task)
        .bind(answer.key.tier.as_str())
        .bind(answer.key.prompt_id.as_str())
        .bind(answer.key.schema_version)
        .bind(column::text(&answer.key.fingerprint))
        .bind(column::text(&answer.provider))
        .bind(column::text(&answer.model))
        .bind(answer.input_hash.as_str())
        .bind(column::json_text(&answer.answer_json))
        .bind(column::to_json(&answer.members)?)
        .bind(settlement.call.to_string())
        .bind(settlement.finished_at.as_millis())
        .bind(i64::from(replace)))
}
