//! `provider_calls`, the ledger's rows, and `budget_adjustments`, their manual corrections.

use std::collections::BTreeMap;

use aha_core::ids::{CallId, RunId};
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;

use super::counters::{charge, charge_one};
use super::{Connection, Values, id_list};
use crate::shared::charges::{Moves, OpenCall};
use crate::shared::{PerDatabase, column, require_row};
use crate::{
    Adjustment, AnswerKey, CallCost, CallFilter, CallRecord, CallState, LeasedSettlement, NewCall, OrphanedCalls,
    Result, Settlement, SpendBy, SpendRow, StoreError,
};

pub(super) const INSERT_CALL: &str = "
    INSERT INTO provider_calls (id, run_id, topic_id, purpose, provider, model, prompt_id, attempt, stories, state,
        reserved_microcredits, counters_json, lease_token, started_at, expires_at, degraded_from)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'reserved', $10, $11, $12, $13, $14, $15)";

pub(super) const CLOSE_CALL: &str = "
    UPDATE provider_calls
    SET state = $2, error_kind = $3, error = $4, input_tokens = $5, cached_input_tokens = $6, output_tokens = $7,
        reasoning_tokens = $8, cost_microcredits = $9, latency_ms = $10, request_id = $11, finished_at = $12
    WHERE id = $1";

/// Without an order, for which SQLite would walk the primary key: open calls have their own index.
const EXPIRED: &str = "
    SELECT id FROM provider_calls WHERE state = 'reserved' AND coalesce(expires_at, 0) < $1";

/// A cross join, which SQLite executes in this order: from the few open calls to their runs.
const SUPERSEDED: &str = "
    SELECT c.id FROM provider_calls c CROSS JOIN runs r
    WHERE c.state = 'reserved' AND r.id = c.run_id AND r.topic_id = $1 AND coalesce(c.lease_token, 0) < $2";

const END_UNKNOWN: &str = "
    UPDATE provider_calls
    SET state = CASE WHEN reserved_microcredits = 0 THEN 'error' ELSE 'unsettled' END,
        error_kind = 'interrupted',
        cost_microcredits = CASE WHEN reserved_microcredits = 0 THEN 0 END,
        error = 'the process that made the call ended before the answer was stored'
    WHERE id = $1";

const ADJUST_CALL: &str = "
    UPDATE provider_calls
    SET cost_microcredits = $2, state = CASE WHEN state = 'unsettled' THEN 'error' ELSE state END
    WHERE id = $1";

const INSERT_ADJUSTMENT: &str = "
    INSERT INTO budget_adjustments (id, provider_call_id, from_microcredits, to_microcredits, reason, adjusted_at)
    VALUES ($1, $2, $3, $4, $5, $6)";

const COUNT_ADJUSTMENTS: &str = "SELECT count(*) FROM budget_adjustments WHERE provider_call_id = $1";

/// A statement that returns a [`CallRecord`] for each row of `provider_calls` as `c`, with `topics` as `t`.
macro_rules! select_calls {
    ($from:literal) => {
        concat!(
            "SELECT c.id, c.run_id, t.name AS topic, c.purpose, c.provider, c.model, c.prompt_id, c.attempt, c.stories,
                c.state, c.error_kind, c.error, c.input_tokens, c.cached_input_tokens, c.output_tokens,
                c.reasoning_tokens, c.reserved_microcredits, c.cost_microcredits, c.latency_ms, c.request_id,
                c.started_at, c.finished_at ",
            $from
        )
    };
}

const CALLS: &str = select_calls!(
    "FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE (CAST($1 AS TEXT) IS NULL OR c.state = CAST($1 AS TEXT))
      AND (CAST($2 AS TEXT) IS NULL OR c.purpose = CAST($2 AS TEXT))
      AND (CAST($4 AS BIGINT) IS NULL OR c.started_at < $4 OR (c.started_at = $4 AND c.id > $5))
    ORDER BY c.started_at DESC, c.id LIMIT $3"
);

/// The same of one run, whose calls have their own index.
const CALLS_OF_RUN: &str = select_calls!(
    "FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE c.run_id = $6
      AND (CAST($1 AS TEXT) IS NULL OR c.state = CAST($1 AS TEXT))
      AND (CAST($2 AS TEXT) IS NULL OR c.purpose = CAST($2 AS TEXT))
      AND (CAST($4 AS BIGINT) IS NULL OR c.started_at < $4 OR (c.started_at = $4 AND c.id > $5))
    ORDER BY c.started_at DESC, c.id LIMIT $3"
);

/// Ids that begin with `$1`: ids are lower case, so every continuation of the prefix is below "g". The primary key is
/// used.
const CALLS_BY_ID: &str = select_calls!(
    "FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE c.id >= $1 AND c.id < $1 || 'g' ORDER BY c.started_at DESC, c.id LIMIT $2"
);

/// Only a few of many rows; they have their own index.
const UNSETTLED_CALLS: &str = select_calls!(
    "FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE c.state = 'unsettled' ORDER BY c.started_at DESC, c.id LIMIT $1"
);

/// All tiers are listed so that the primary key is used.
const CALLS_OF_ANSWER: &str = select_calls!(
    "FROM answers a JOIN provider_calls c ON c.id = a.provider_call_id LEFT JOIN topics t ON t.id = c.topic_id
    WHERE a.task = $1 AND a.tier IN ('low', 'normal', 'high') AND a.prompt_id = $2 AND a.schema_version = $3
      AND a.fingerprint = $4
    ORDER BY c.started_at, c.id"
);

// Each grouping has a statement of its own, and the key is formatted after grouping: expressions evaluated for each row
// take twice the time.
const SPEND_BY_DAY: &str = include_str!("spend_by_day.sql");
const SPEND_BY_PURPOSE: &str = include_str!("spend_by_purpose.sql");
const SPEND_BY_MODEL: &str = include_str!("spend_by_model.sql");
const SPEND_BY_TOPIC: &str = include_str!("spend_by_topic.sql");

const HAS_PAID: &str = "
    SELECT CAST(CASE WHEN EXISTS (SELECT 1 FROM provider_calls WHERE started_at >= $1 AND provider <> 'local')
                     THEN 1 ELSE 0 END AS BIGINT)";

/// The stories or texts of a run's calls of one purpose, from its attempt `$3` on. A call's own number of attempts is
/// that of its request.
const ANSWERED_IN_PASS: &str = "
    SELECT CAST(coalesce(sum(c.stories), 0) AS BIGINT) FROM provider_calls c
    JOIN run_attempts p ON p.run_id = c.run_id AND p.attempt = $3
    WHERE c.run_id = $1 AND c.purpose = $2 AND c.lease_token >= p.lease_token AND c.state <> 'error'
      AND c.finished_at IS NOT NULL";

const COSTS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT id, coalesce(cost_microcredits, reserved_microcredits) AS microcredits, stories FROM provider_calls
        WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id",
    postgres: "
        SELECT id, coalesce(cost_microcredits, reserved_microcredits) AS microcredits, stories FROM provider_calls
        WHERE id = ANY($1) ORDER BY id",
});

/// Rows that are about to be written. On Postgres they stay locked until the end; SQLite has only one writer at a time.
const OPEN_CALLS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT id, state, reserved_microcredits, cost_microcredits, counters_json, latency_ms, finished_at
        FROM provider_calls WHERE id IN (SELECT value FROM json_each($1))",
    postgres: "
        SELECT id, state, reserved_microcredits, cost_microcredits, counters_json, latency_ms, finished_at
        FROM provider_calls WHERE id = ANY($1) ORDER BY id FOR UPDATE",
});

pub(super) async fn insert_call(connection: &mut Connection, lease_token: Option<i64>, call: &NewCall) -> Result<()> {
    bind_call(Values::default(), call, lease_token)?.query(INSERT_CALL)?.execute(connection).await?;
    Ok(())
}

/// Binds the parameters of [`INSERT_CALL`].
pub(super) fn bind_call(values: Values, call: &NewCall, lease_token: Option<i64>) -> Result<Values> {
    Ok(values
        .bind(call.id.to_string())
        .bind(call.run.map(|run| run.to_string()))
        .bind(call.topic.map(|topic| topic.to_string()))
        .bind(call.purpose)
        .bind(column::text(&call.provider))
        .bind(column::text(&call.model))
        .bind(call.prompt_id.as_str())
        .bind(call.attempt)
        .bind(call.stories)
        .bind(call.reserved_microcredits)
        .bind(column::to_json(&call.counters())?)
        .bind(lease_token)
        .bind(call.started_at.as_millis())
        .bind(call.expires_at.as_millis())
        .bind(call.degraded_from.map(BudgetTier::as_str)))
}

/// Whether all these calls have a row that is reserved. They were written in one transaction, so all have one or none.
pub(super) async fn are_reserved(connection: &mut Connection, calls: &[NewCall]) -> Result<bool> {
    let ids: Vec<String> = calls.iter().map(|call| call.id.to_string()).collect();
    let open = open_calls(connection, &ids).await?;
    Ok(open.len() == ids.len() && open.iter().all(|call| call.state == CallState::Reserved))
}

async fn open_calls(connection: &mut Connection, ids: &[String]) -> Result<Vec<OpenCall>> {
    Ok(sqlx::query_as(OPEN_CALLS).bind(id_list(ids)?).fetch_all(connection).await?)
}

async fn open_call(connection: &mut Connection, id: &str) -> Result<OpenCall> {
    let row = open_calls(connection, &[id.to_owned()]).await?.pop();
    row.ok_or_else(|| StoreError::NotFound { what: "ledger row", id: id.to_owned() })
}

/// Closes the calls' rows and moves their charges.
pub(super) async fn close_calls(connection: &mut Connection, settlements: &[LeasedSettlement]) -> Result<()> {
    let settlements: BTreeMap<String, &Settlement> =
        settlements.iter().map(|leased| (leased.settlement.call.to_string(), &leased.settlement)).collect();
    let ids: Vec<String> = settlements.keys().cloned().collect();
    let open: BTreeMap<String, OpenCall> =
        open_calls(connection, &ids).await?.into_iter().map(|open| (open.id.clone(), open)).collect();
    let mut moves = Moves::default();
    let mut closing = Vec::with_capacity(ids.len());
    for (id, settlement) in &settlements {
        let open = open.get(id).ok_or_else(|| StoreError::NotFound { what: "ledger row", id: id.clone() })?;
        if let Some((release, settle)) = open.change_by(settlement)? {
            moves.add(&open.counters_json, release, settle)?;
            closing.push(*settlement);
        }
    }
    charge(connection, moves).await?;
    for settlement in closing {
        close_row(connection, settlement).await?;
    }
    Ok(())
}

async fn close_row(connection: &mut Connection, settlement: &Settlement) -> Result<()> {
    let closed = bind_settlement(Values::default(), settlement).query(CLOSE_CALL)?.execute(connection).await?;
    require_row(closed.rows_affected(), "ledger row", settlement.call)
}

/// Binds the parameters of [`CLOSE_CALL`].
pub(super) fn bind_settlement(values: Values, settlement: &Settlement) -> Values {
    let (kind, message) = settlement.kind_and_message();
    values
        .bind(settlement.call.to_string())
        .bind(settlement.outcome.as_str())
        .bind(column::optional_text(kind))
        .bind(column::optional_text(message))
        .bind(settlement.input_tokens)
        .bind(settlement.cached_input_tokens)
        .bind(settlement.output_tokens)
        .bind(settlement.reasoning_tokens)
        .bind(settlement.cost_microcredits)
        .bind(settlement.latency_ms)
        .bind(column::optional_text(settlement.request_id.as_deref()))
        .bind(settlement.finished_at.as_millis())
}

pub(super) async fn end_unknown(connection: &mut Connection, id: &str) -> Result<bool> {
    let open = open_call(connection, id).await?;
    if open.state != CallState::Reserved {
        return Ok(false);
    }
    let reserved = open.reserved_microcredits.unwrap_or(0);
    charge_one(connection, &open, reserved, reserved).await?;
    sqlx::query(END_UNKNOWN).bind(id).execute(connection).await?;
    Ok(true)
}

pub(super) async fn adjust(connection: &mut Connection, adjustment: &Adjustment) -> Result<()> {
    let id = adjustment.call.to_string();
    let open = open_call(connection, &id).await?;
    if open.state == CallState::Reserved {
        return Err(StoreError::StillOpen { id });
    }
    let from = open.cost_microcredits.or(open.reserved_microcredits);
    let change = adjustment.to_microcredits - from.unwrap_or(0);
    charge_one(connection, &open, 0, change).await?;
    sqlx::query(ADJUST_CALL).bind(&id).bind(adjustment.to_microcredits).execute(&mut *connection).await?;
    let earlier: i64 = sqlx::query_scalar(COUNT_ADJUSTMENTS).bind(&id).fetch_one(&mut *connection).await?;
    sqlx::query(INSERT_ADJUSTMENT)
        .bind(CallId::of(&["adjustment", &id, &earlier.to_string()]).to_string())
        .bind(&id)
        .bind(from)
        .bind(adjustment.to_microcredits)
        .bind(column::text(&adjustment.reason))
        .bind(adjustment.at.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the ids of orphaned calls, in ascending order.
pub(super) async fn orphaned_calls(connection: &mut Connection, orphaned_calls: OrphanedCalls) -> Result<Vec<String>> {
    let mut ids: Vec<String> = match orphaned_calls {
        OrphanedCalls::Expired(wall) => {
            sqlx::query_scalar(EXPIRED).bind(wall.as_millis()).fetch_all(connection).await?
        }
        OrphanedCalls::Superseded(topic, token) => {
            let query = sqlx::query_scalar(SUPERSEDED).bind(topic.to_string()).bind(token);
            query.fetch_all(connection).await?
        }
    };
    ids.sort_unstable();
    Ok(ids)
}

pub(super) async fn list_calls(connection: &mut Connection, filter: &CallFilter) -> Result<Vec<CallRecord>> {
    let CallFilter { state, purpose, run, after, limit } = filter;
    if (state.as_deref(), purpose, run, after) == (Some(CallState::Unsettled.as_str()), &None, &None, &None) {
        return Ok(sqlx::query_as(UNSETTLED_CALLS).bind(limit).fetch_all(connection).await?);
    }
    let statement = if run.is_some() { CALLS_OF_RUN } else { CALLS };
    let query = sqlx::query_as(statement)
        .bind(state.as_deref())
        .bind(purpose.as_deref())
        .bind(limit)
        .bind(after.as_ref().map(|(time, _)| time.as_millis()))
        .bind(after.as_ref().map(|(_, id)| id.as_str()));
    let query = match run {
        Some(run) => query.bind(run.to_string()),
        None => query,
    };
    Ok(query.fetch_all(connection).await?)
}

pub(super) async fn list_calls_by_id(connection: &mut Connection, prefix: &str, limit: i64) -> Result<Vec<CallRecord>> {
    Ok(sqlx::query_as(CALLS_BY_ID).bind(prefix).bind(limit).fetch_all(connection).await?)
}

pub(super) async fn list_calls_of_answer(connection: &mut Connection, answer: &AnswerKey) -> Result<Vec<CallRecord>> {
    Ok(sqlx::query_as(CALLS_OF_ANSWER)
        .bind(answer.task)
        .bind(&answer.prompt_id)
        .bind(answer.schema_version)
        .bind(column::text(&answer.fingerprint))
        .fetch_all(connection)
        .await?)
}

pub(super) async fn list_spend(connection: &mut Connection, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>> {
    let statement = match by {
        SpendBy::Day => SPEND_BY_DAY,
        SpendBy::Purpose => SPEND_BY_PURPOSE,
        SpendBy::Model => SPEND_BY_MODEL,
        SpendBy::Topic => SPEND_BY_TOPIC,
    };
    Ok(sqlx::query_as(statement).bind(since.as_millis()).fetch_all(connection).await?)
}

pub(super) async fn has_paid(connection: &mut Connection, since: Timestamp) -> Result<bool> {
    let found: i64 = sqlx::query_scalar(HAS_PAID).bind(since.as_millis()).fetch_one(connection).await?;
    Ok(found != 0)
}

pub(super) async fn count_answered_in_pass(
    connection: &mut Connection,
    run: RunId,
    purpose: &str,
    pass: i64,
) -> Result<i64> {
    let query = sqlx::query_scalar(ANSWERED_IN_PASS).bind(run.to_string()).bind(purpose).bind(pass);
    Ok(query.fetch_one(connection).await?)
}

pub(super) async fn list_costs(connection: &mut Connection, calls: &[String]) -> Result<Vec<CallCost>> {
    Ok(sqlx::query_as(COSTS).bind(id_list(calls)?).fetch_all(connection).await?)
}
