//! The frequent cases of the ledger as batches: reserving calls that all fit, and settling calls that are all under
//! way. Other cases go to `tables/ledger.rs`, which goes statement by statement and can report the reason.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::{Batch, run};
use crate::shared::charges::CounterIncrease;
use crate::sqlite::SqliteStore;
use crate::sqlite::answers::{WRITE_ANSWER, bind_answer};
use crate::sqlite::calls::{CLOSE_CALL, INSERT_CALL, bind_call, bind_settlement};
use crate::sqlite::counters::{RAISE, bind_increase};
use crate::sqlite::ledger::{reserve, settle};
use crate::{Lease, LeasedSettlement, NewCall, Reservation, ReservationStore, Result, Settlement};

/// The lease still belongs to its owner.
const HOLDS: &str = "EXISTS (SELECT 1 FROM topics WHERE id = $1 AND lease_token = $2 AND lease_holder = $3)";

/// A call is under way.
const IS_OPEN: &str = "EXISTS (SELECT 1 FROM provider_calls WHERE id = $1 AND state = 'reserved')";

/// Moves the reserved amount of one call on all its counters.
const MOVE_ALL: &str = "
    UPDATE budget_counters
    SET reserved_microcredits = budget_counters.reserved_microcredits - coalesce(call.reserved_microcredits, 0),
        settled_microcredits = settled_microcredits + coalesce($2, call.reserved_microcredits, 0)
    FROM provider_calls AS call
    WHERE call.id = $1 AND budget_counters.counter IN (SELECT value FROM json_each(call.counters_json))";

#[async_trait]
impl ReservationStore for SqliteStore {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn reserve_together(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation> {
        if reserve_in_batch(self, lease, calls).await? {
            return Ok(Reservation::Reserved);
        }
        reserve(self, lease, calls).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn settle_calls(&self, settlements: &[LeasedSettlement]) -> Result<()> {
        if settle_in_batch(self, settlements).await? {
            return Ok(());
        }
        settle(self, settlements).await
    }
}

/// Returns whether all the calls were reserved.
async fn reserve_in_batch(store: &SqliteStore, lease: Option<&Lease>, calls: &[NewCall]) -> Result<bool> {
    let increases = CounterIncrease::of(calls);
    if increases.is_empty() || increases.iter().any(CounterIncrease::exceeds_cap) {
        return Ok(false);
    }
    let mut batch = with_lease(Batch::new(), lease);
    for increase in &increases {
        batch = batch.statement(RAISE).bind_with(|values| bind_increase(values, increase)).assert_changed();
    }
    let token = lease.map(|lease| lease.token);
    for call in calls {
        batch = batch.statement(INSERT_CALL).try_bind_with(|values| bind_call(values, call, token))?;
    }
    run(store, "reserve_call", batch).await
}

/// Returns whether all the calls were settled; always false if one of them has vectors.
async fn settle_in_batch(store: &SqliteStore, settlements: &[LeasedSettlement]) -> Result<bool> {
    if settlements.iter().any(|leased| leased.settlement.vectors.is_some()) {
        return Ok(false);
    }
    let leases: BTreeSet<&Lease> = settlements.iter().filter_map(|leased| leased.lease.as_ref()).collect();
    let mut batch = leases.into_iter().fold(Batch::new(), |batch, lease| with_lease(batch, Some(lease)));
    for LeasedSettlement { settlement, .. } in settlements {
        batch = close(batch, settlement);
        for answer in &settlement.answers {
            batch =
                batch.statement(WRITE_ANSWER).try_bind_with(|values| bind_answer(values, settlement, answer, true))?;
        }
    }
    run(store, "settle_call", batch).await
}

fn with_lease(batch: Batch, lease: Option<&Lease>) -> Batch {
    match lease {
        Some(lease) => batch.assert(HOLDS).bind(lease.topic.to_string()).bind(lease.token).bind(lease.owner.as_str()),
        None => batch,
    }
}

fn close(batch: Batch, settlement: &Settlement) -> Batch {
    let id = settlement.call.to_string();
    let batch = batch.assert(IS_OPEN).bind(id.as_str());
    let batch = batch.statement(MOVE_ALL).bind(id.as_str()).bind(settlement.cost_microcredits);
    batch.statement(CLOSE_CALL).bind_with(|values| bind_settlement(values, settlement))
}
