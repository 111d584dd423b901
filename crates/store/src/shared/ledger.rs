//! `provider_calls`, the ledger, with `budget_counters`, `budget_adjustments` and `content_item_deep_reviews`. Its statements and
//! what is done with them are the same on both databases: [`ledger_of`] writes the functions for each one's connection.

use sqlx::FromRow;

/// Raises a counter by an amount for so many calls, made when it is not there. The caps were compared with these alone before.
pub(crate) const RAISE: &str = "
    INSERT INTO budget_counters (counter, settled_microcredits, reserved_microcredits, calls)
    VALUES ($1, 0, $2, $5)
    ON CONFLICT (counter) DO UPDATE
    SET reserved_microcredits = budget_counters.reserved_microcredits + excluded.reserved_microcredits,
        calls = budget_counters.calls + excluded.calls
    WHERE (CAST($3 AS BIGINT) IS NULL
           OR budget_counters.settled_microcredits + budget_counters.reserved_microcredits
              + excluded.reserved_microcredits <= CAST($3 AS BIGINT))
      AND (CAST($4 AS BIGINT) IS NULL OR budget_counters.calls + excluded.calls <= CAST($4 AS BIGINT))";

pub(crate) const COUNTER: &str = "
    SELECT counter, settled_microcredits, reserved_microcredits, calls FROM budget_counters WHERE counter = $1";

pub(crate) const MOVE: &str = "
    UPDATE budget_counters
    SET reserved_microcredits = reserved_microcredits - $2, settled_microcredits = settled_microcredits + $3
    WHERE counter = $1";

pub(crate) const INSERT_CALL: &str = "
    INSERT INTO provider_calls (id, run_id, topic_id, purpose, provider, model, prompt_id, attempt, stories, state,
        reserved_microcredits, counters_json, lease_token, started_at, expires_at, degraded_from)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'reserved', $10, $11, $12, $13, $14, $15)";

pub(crate) const CLOSE_CALL: &str = "
    UPDATE provider_calls
    SET state = $2, error_kind = $3, error = $4, input_tokens = $5, cached_input_tokens = $6, output_tokens = $7,
        reasoning_tokens = $8, cost_microcredits = $9, latency_ms = $10, request_id = $11, finished_at = $12
    WHERE id = $1";

pub(crate) const EXPIRED: &str = "
    SELECT id FROM provider_calls WHERE state = 'reserved' AND coalesce(expires_at, 0) < $1 ORDER BY id";

pub(crate) const SUCCEEDED: &str = "
    SELECT c.id FROM provider_calls c JOIN runs r ON r.id = c.run_id
    WHERE c.state = 'reserved' AND r.topic_id = $1 AND coalesce(c.lease_token, 0) < $2 ORDER BY c.id";

pub(crate) const END_UNKNOWN: &str = "
    UPDATE provider_calls
    SET state = CASE WHEN reserved_microcredits = 0 THEN 'error' ELSE 'unsettled' END,
        error_kind = 'interrupted',
        cost_microcredits = CASE WHEN reserved_microcredits = 0 THEN 0 END,
        error = 'the process that made the call ended before the answer was stored'
    WHERE id = $1";

pub(crate) const ADJUST_CALL: &str = "
    UPDATE provider_calls
    SET cost_microcredits = $2, state = CASE WHEN state = 'unsettled' THEN 'error' ELSE state END
    WHERE id = $1";

pub(crate) const INSERT_ADJUSTMENT: &str = "
    INSERT INTO budget_adjustments (id, provider_call_id, from_microcredits, to_microcredits, reason, adjusted_at)
    VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) const COUNT_ADJUSTMENTS: &str = "SELECT count(*) FROM budget_adjustments WHERE provider_call_id = $1";

pub const CALLS: &str = "
    SELECT c.id, c.run_id, t.name AS topic, c.purpose, c.provider, c.model, c.prompt_id, c.attempt, c.stories, c.state,
           c.error_kind, c.error, c.input_tokens, c.cached_input_tokens, c.output_tokens, c.reasoning_tokens,
           c.reserved_microcredits, c.cost_microcredits, c.latency_ms, c.request_id, c.started_at, c.finished_at
    FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE (CAST($1 AS TEXT) IS NULL OR c.state = CAST($1 AS TEXT))
      AND (CAST($2 AS TEXT) IS NULL OR c.purpose = CAST($2 AS TEXT))
      AND (CAST($3 AS TEXT) IS NULL OR c.run_id = CAST($3 AS TEXT))
      AND (CAST($5 AS TEXT) IS NULL OR substr(c.id, 1, length(CAST($5 AS TEXT))) = CAST($5 AS TEXT))
    ORDER BY c.started_at DESC, c.id LIMIT $4";

pub(crate) const SPEND: &str = "
    SELECT CASE CAST($1 AS TEXT)
               WHEN 'day' THEN CAST(c.started_at / 86400000 AS TEXT)
               WHEN 'purpose' THEN c.purpose
               WHEN 'model' THEN c.provider || '/' || c.model
               ELSE coalesce(t.name, '(none)')
           END AS key,
           count(*) AS calls,
           CAST(sum(CASE WHEN c.state = 'error' THEN 1 ELSE 0 END) AS BIGINT) AS errors,
           CAST(sum(CASE WHEN c.state = 'unsettled' THEN 1 ELSE 0 END) AS BIGINT) AS unsettled,
           CAST(sum(CASE WHEN coalesce(c.cost_microcredits, c.reserved_microcredits) IS NULL THEN 1 ELSE 0 END) AS BIGINT)
               AS unpriced,
           CAST(sum(c.stories) AS BIGINT) AS stories,
           CAST(coalesce(sum(c.input_tokens), 0) AS BIGINT) AS input_tokens,
           CAST(coalesce(sum(c.output_tokens), 0) AS BIGINT) AS output_tokens,
           CAST(coalesce(sum(coalesce(c.cost_microcredits, c.reserved_microcredits)), 0) AS BIGINT) AS microcredits,
           CAST(coalesce(sum(CASE WHEN c.cost_microcredits IS NULL THEN c.reserved_microcredits ELSE 0 END), 0) AS BIGINT)
               AS reserved_microcredits
    FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
    WHERE c.started_at >= $2 GROUP BY 1 ORDER BY 1";

pub(crate) const UPSERT_REVIEW: &str = "
    INSERT INTO content_item_deep_reviews (content_item_id, decision, summary_json, provider_call_id, decided_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (content_item_id) DO UPDATE
    SET decision = excluded.decision, summary_json = excluded.summary_json,
        provider_call_id = excluded.provider_call_id, decided_at = excluded.decided_at";

pub(crate) const REVIEW: &str = "
    SELECT summary_json, provider_call_id, decided_at FROM content_item_deep_reviews WHERE content_item_id = $1";

#[derive(FromRow)]
pub(crate) struct CounterRow {
    pub counter: String,
    pub settled_microcredits: i64,
    pub reserved_microcredits: i64,
    pub calls: i64,
}

impl From<CounterRow> for crate::Counter {
    fn from(row: CounterRow) -> Self {
        Self {
            counter: row.counter,
            settled_microcredits: row.settled_microcredits,
            reserved_microcredits: row.reserved_microcredits,
            calls: row.calls,
        }
    }
}

/// Binds what [`RAISE`] wants.
macro_rules! bind_rise {
    ($statement:expr, $rise:expr) => {
        $statement
            .bind($rise.limit.counter.as_str())
            .bind($rise.microcredits)
            .bind($rise.limit.cap_microcredits)
            .bind($rise.limit.max_calls)
            .bind($rise.calls)
    };
}
pub(crate) use bind_rise;

/// Binds what [`INSERT_CALL`] wants.
macro_rules! bind_call {
    ($statement:expr, $call:expr, $lease_token:expr) => {
        $statement
            .bind($call.id.to_string())
            .bind($call.run.map(|run| run.to_string()))
            .bind($call.topic.map(|topic| topic.to_string()))
            .bind($call.purpose)
            .bind(column::text(&$call.provider))
            .bind(column::text(&$call.model))
            .bind($call.prompt_id.as_str())
            .bind($call.attempt)
            .bind($call.stories)
            .bind($call.reserved_microcredits)
            .bind(column::to_json(&$call.counters())?)
            .bind($lease_token)
            .bind($call.started_at.as_millis())
            .bind($call.expires_at.as_millis())
            .bind($call.degraded_from.map(BudgetTier::as_str))
    };
}
pub(crate) use bind_call;

/// Binds what [`CLOSE_CALL`] wants.
macro_rules! bind_settlement {
    ($statement:expr, $settlement:expr) => {{
        let (kind, words) = $settlement.kind_and_words();
        $statement
            .bind($settlement.call.to_string())
            .bind($settlement.outcome.as_str())
            .bind(column::optional_text(kind))
            .bind(column::optional_text(words))
            .bind($settlement.input_tokens)
            .bind($settlement.cached_input_tokens)
            .bind($settlement.output_tokens)
            .bind($settlement.reasoning_tokens)
            .bind($settlement.cost_microcredits)
            .bind($settlement.latency_ms)
            .bind(column::optional_text($settlement.request_id.as_deref()))
            .bind($settlement.finished_at.as_millis())
    }};
}
pub(crate) use bind_settlement;

/// The ledger's functions for one kind of connection.
macro_rules! ledger_of {
    ($connection:ty) => {
        use crate::shared::charges::{Moves, OpenCall, Rise};
        use crate::shared::ledger::{bind_call, bind_rise, bind_settlement};
        use crate::shared::{column, found, ledger as sql};

        /// Raises the calls' counters and writes their rows; anything but `Reserved` must be rolled back.
        async fn reserve(
            connection: &mut $connection,
            lease_token: Option<i64>,
            calls: &[NewCall],
        ) -> Result<Reservation> {
            for rise in Rise::of(calls) {
                if rise.is_too_much() || !raise(connection, &rise).await? {
                    return refused(connection, &rise).await;
                }
            }
            for call in calls {
                insert_call(connection, lease_token, call).await?;
            }
            Ok(Reservation::Reserved)
        }

        async fn insert_call(connection: &mut $connection, lease_token: Option<i64>, call: &NewCall) -> Result<()> {
            bind_call!(sqlx::query(sql::INSERT_CALL), call, lease_token).execute(connection).await?;
            Ok(())
        }

        async fn raise(connection: &mut $connection, rise: &Rise) -> Result<bool> {
            let raised = bind_rise!(sqlx::query(sql::RAISE), rise).execute(connection).await?;
            Ok(raised.rows_affected() > 0)
        }

        async fn refused(connection: &mut $connection, rise: &Rise) -> Result<Reservation> {
            let limit = &rise.limit;
            let counter = counter(connection, &limit.counter).await?;
            let calls_left = limit.max_calls.is_none_or(|most| counter.calls + rise.calls <= most);
            let fits = limit.cap_microcredits.is_none_or(|cap| counter.settled_microcredits + rise.microcredits <= cap);
            if calls_left && fits {
                return Ok(Reservation::Wait);
            }
            let cap_microcredits = limit.cap_microcredits.filter(|_| calls_left);
            Ok(Reservation::Exhausted(Exhausted { counter: limit.counter.clone(), cap_microcredits }))
        }

        async fn counter(connection: &mut $connection, name: &str) -> Result<Counter> {
            let row: Option<sql::CounterRow> =
                sqlx::query_as(sql::COUNTER).bind(name).fetch_optional(connection).await?;
            Ok(row.map_or_else(|| Counter { counter: name.to_owned(), ..Counter::default() }, Counter::from))
        }

        async fn open_call(connection: &mut $connection, id: &str) -> Result<OpenCall> {
            let row = open_calls(connection, &[id.to_owned()]).await?.pop();
            row.ok_or_else(|| StoreError::NotFound { what: "ledger row", id: id.to_owned() })
        }

        async fn charge(connection: &mut $connection, moves: Moves) -> Result<()> {
            for (counter, (release, settle)) in moves.into_rows() {
                sqlx::query(sql::MOVE).bind(counter).bind(release).bind(settle).execute(&mut *connection).await?;
            }
            Ok(())
        }

        /// Takes an amount from what is reserved on a call's counters and adds another to what is settled.
        async fn charge_one(connection: &mut $connection, open: &OpenCall, release: i64, settle: i64) -> Result<()> {
            let mut moves = Moves::default();
            moves.add(&open.counters_json, release, settle)?;
            charge(connection, moves).await
        }

        async fn close(connection: &mut $connection, settlements: &[LeasedSettlement]) -> Result<()> {
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

        async fn close_row(connection: &mut $connection, settlement: &Settlement) -> Result<()> {
            let closed = bind_settlement!(sqlx::query(sql::CLOSE_CALL), settlement).execute(connection).await?;
            found(closed.rows_affected(), "ledger row", settlement.call)
        }

        async fn end_unknown(connection: &mut $connection, id: &str) -> Result<bool> {
            let open = open_call(connection, id).await?;
            if open.state != "reserved" {
                return Ok(false);
            }
            let reserved = open.reserved_microcredits.unwrap_or(0);
            charge_one(connection, &open, reserved, reserved).await?;
            sqlx::query(sql::END_UNKNOWN).bind(id).execute(connection).await?;
            Ok(true)
        }

        async fn adjust(connection: &mut $connection, adjustment: &Adjustment) -> Result<()> {
            let id = adjustment.call.to_string();
            let open = open_call(connection, &id).await?;
            if open.state == "reserved" {
                return Err(StoreError::StillOpen { id });
            }
            let from = open.cost_microcredits.or(open.reserved_microcredits);
            let change = adjustment.to_microcredits - from.unwrap_or(0);
            charge_one(connection, &open, 0, change).await?;
            sqlx::query(sql::ADJUST_CALL).bind(&id).bind(adjustment.to_microcredits).execute(&mut *connection).await?;
            let earlier: i64 = sqlx::query_scalar(sql::COUNT_ADJUSTMENTS).bind(&id).fetch_one(&mut *connection).await?;
            sqlx::query(sql::INSERT_ADJUSTMENT)
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

        async fn gone(connection: &mut $connection, gone: Gone) -> Result<Vec<String>> {
            Ok(match gone {
                Gone::Expired(wall) => {
                    sqlx::query_scalar(sql::EXPIRED).bind(wall.as_millis()).fetch_all(connection).await?
                }
                Gone::Succeeded(topic, token) => {
                    let query = sqlx::query_scalar(sql::SUCCEEDED).bind(topic.to_string()).bind(token);
                    query.fetch_all(connection).await?
                }
            })
        }

        async fn list_calls(connection: &mut $connection, filter: &CallFilter) -> Result<Vec<CallRecord>> {
            Ok(sqlx::query_as(sql::CALLS)
                .bind(filter.state.as_deref())
                .bind(filter.purpose.as_deref())
                .bind(filter.run.map(|run| run.to_string()))
                .bind(filter.limit)
                .bind(filter.id.as_deref())
                .fetch_all(connection)
                .await?)
        }

        async fn list_spend(connection: &mut $connection, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>> {
            Ok(sqlx::query_as(sql::SPEND).bind(by.as_str()).bind(since.as_millis()).fetch_all(connection).await?)
        }

        async fn put_review(connection: &mut $connection, review: &Review) -> Result<()> {
            let decision = if review.summary_json.is_some() { "promoted" } else { "dropped" };
            sqlx::query(sql::UPSERT_REVIEW)
                .bind(review.item.to_string())
                .bind(decision)
                .bind(review.summary_json.as_deref().map(column::json_text))
                .bind(review.call.as_deref())
                .bind(review.at.as_millis())
                .execute(connection)
                .await?;
            Ok(())
        }

        async fn get_review(connection: &mut $connection, item: ItemId) -> Result<Option<Review>> {
            let row: Option<(Option<String>, Option<String>, i64)> =
                sqlx::query_as(sql::REVIEW).bind(item.to_string()).fetch_optional(connection).await?;
            Ok(row.map(|(summary_json, call, at)| Review { item, summary_json, call, at: Timestamp::from_millis(at) }))
        }
    };
}
pub(crate) use ledger_of;
