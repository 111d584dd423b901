//! `budget_counters`: the counters that calls are charged to, raised when calls are reserved and moved when they are
//! settled.

use std::collections::HashMap;
use std::slice;

use super::{Connection, Values, id_list};
use crate::shared::PerDatabase;
use crate::shared::charges::{CounterIncrease, Moves, OpenCall};
use crate::{Counter, Exhausted, NewCall, Reservation, Result};

/// Raises a counter by an amount for a number of calls; inserts it if it does not exist. The inserted values must have
/// been compared with the caps before. What costs nothing fits, even if more than the cap is spent already.
pub(super) const RAISE: &str = "
    INSERT INTO budget_counters (counter, settled_microcredits, reserved_microcredits, calls)
    VALUES ($1, 0, $2, $5)
    ON CONFLICT (counter) DO UPDATE
    SET reserved_microcredits = budget_counters.reserved_microcredits + excluded.reserved_microcredits,
        calls = budget_counters.calls + excluded.calls
    WHERE (CAST($3 AS BIGINT) IS NULL
           OR excluded.reserved_microcredits = 0
           OR budget_counters.settled_microcredits + budget_counters.reserved_microcredits
              + excluded.reserved_microcredits <= CAST($3 AS BIGINT))
      AND (CAST($4 AS BIGINT) IS NULL OR budget_counters.calls + excluded.calls <= CAST($4 AS BIGINT))";

const COUNTERS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT counter, settled_microcredits, reserved_microcredits, calls FROM budget_counters
        WHERE counter IN (SELECT value FROM json_each($1))",
    postgres: "
        SELECT counter, settled_microcredits, reserved_microcredits, calls FROM budget_counters
        WHERE counter = ANY($1)",
});

const MOVE: &str = "
    UPDATE budget_counters
    SET reserved_microcredits = reserved_microcredits - $2, settled_microcredits = settled_microcredits + $3
    WHERE counter = $1";

struct CounterRow {
    counter: String,
    settled_microcredits: i64,
    reserved_microcredits: i64,
    calls: i64,
}

from_row!(CounterRow { counter, settled_microcredits, reserved_microcredits, calls });

impl From<CounterRow> for Counter {
    fn from(row: CounterRow) -> Self {
        Self {
            counter: row.counter,
            settled_microcredits: row.settled_microcredits,
            reserved_microcredits: row.reserved_microcredits,
            calls: row.calls,
        }
    }
}

/// Raises the counters of calls that are about to be made. On any result other than `Reserved`, the caller must roll
/// back.
pub(super) async fn raise_all(connection: &mut Connection, calls: &[NewCall]) -> Result<Reservation> {
    for increase in CounterIncrease::of(calls) {
        if increase.exceeds_cap() || !raise(connection, &increase).await? {
            return refused(connection, &increase).await;
        }
    }
    Ok(Reservation::Reserved)
}

/// Raises a counter. Returns false if it would exceed a cap.
async fn raise(connection: &mut Connection, increase: &CounterIncrease) -> Result<bool> {
    let raised = bind_increase(Values::default(), increase).query(RAISE)?.execute(connection).await?;
    Ok(raised.rows_affected() > 0)
}

/// Binds the parameters of [`RAISE`].
pub(super) fn bind_increase(values: Values, increase: &CounterIncrease) -> Values {
    values
        .bind(increase.limit.counter.as_str())
        .bind(increase.microcredits)
        .bind(increase.limit.cap_microcredits)
        .bind(increase.limit.max_calls)
        .bind(increase.calls)
}

async fn refused(connection: &mut Connection, increase: &CounterIncrease) -> Result<Reservation> {
    let limit = &increase.limit;
    let counter = counters(connection, slice::from_ref(&limit.counter)).await?.pop().unwrap_or_default();
    let calls_left = limit.max_calls.is_none_or(|max| counter.calls + increase.calls <= max);
    let fits = increase.microcredits == 0
        || limit.cap_microcredits.is_none_or(|cap| counter.settled_microcredits + increase.microcredits <= cap);
    if calls_left && fits {
        return Ok(Reservation::Wait);
    }
    let cap_microcredits = limit.cap_microcredits.filter(|_| calls_left);
    let left = cap_microcredits.map_or(0, |cap| cap.saturating_sub(counter.settled_microcredits).max(0));
    Ok(Reservation::Exhausted(Exhausted {
        counter: limit.counter.clone(),
        cap_microcredits,
        left_microcredits: left,
        needed_microcredits: increase.microcredits,
    }))
}

/// Returns the counters of these names, in their order.
pub(super) async fn counters(connection: &mut Connection, names: &[String]) -> Result<Vec<Counter>> {
    let rows: Vec<CounterRow> = sqlx::query_as(COUNTERS).bind(id_list(names)?).fetch_all(connection).await?;
    let found: HashMap<String, Counter> =
        rows.into_iter().map(|row| (row.counter.clone(), Counter::from(row))).collect();
    let without_charges = |name: &String| Counter { counter: name.clone(), ..Counter::default() };
    Ok(names.iter().map(|name| found.get(name).cloned().unwrap_or_else(|| without_charges(name))).collect())
}

/// Moves amounts from reserved to settled.
pub(super) async fn charge(connection: &mut Connection, moves: Moves) -> Result<()> {
    for (counter, (release, settle)) in moves.into_rows() {
        sqlx::query(MOVE).bind(counter).bind(release).bind(settle).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Subtracts `release` from the reserved amount of a call's counters and adds `settle` to the settled amount.
pub(super) async fn charge_one(connection: &mut Connection, open: &OpenCall, release: i64, settle: i64) -> Result<()> {
    let mut moves = Moves::default();
    moves.add(&open.counters_json, release, settle)?;
    charge(connection, moves).await
}
