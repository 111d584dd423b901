//! The ledger's operations, over `provider_calls`, `budget_counters` and `budget_adjustments`: see `calls.rs` and
//! `counters.rs`. [`reserve`] and [`settle`] go statement by statement; each database's `batches` calls them.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::ids::RunId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use super::answers::write_answer;
use super::calls::{
    adjust, are_reserved, close_calls, count_answered_in_pass, end_unknown, has_paid, insert_call, list_calls,
    list_calls_by_id, list_calls_of_answer, list_costs, list_spend, orphaned_calls,
};
use super::counters::{counters, raise_all};
use super::items::upsert_embeddings;
use crate::{
    Adjustment, AnswerKey, CallCost, CallFilter, CallRecord, Counter, Lease, LeasedSettlement, LedgerStore, NewCall,
    OrphanedCalls, Reservation, Result, SpendBy, SpendRow, StoreError,
};

#[async_trait]
impl LedgerStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn settle_orphaned_calls(&self, which: OrphanedCalls) -> Result<u64> {
        let calls = orphaned_calls(&mut *self.reader().await?, which).await?;
        let mut settled = 0;
        for id in calls {
            let mut write = self.write("settle_orphaned_calls").await?;
            settled += u64::from(end_unknown(write.connection(), &id).await?);
            write.commit().await?;
        }
        Ok(settled)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn adjust_call(&self, adjustment: &Adjustment) -> Result<()> {
        let mut write = self.write("adjust_call").await?;
        adjust(write.connection(), adjustment).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn counters(&self, names: &[String]) -> Result<Vec<Counter>> {
        counters(&mut *self.reader().await?, names).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>> {
        list_calls(&mut *self.reader().await?, filter).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn calls_by_id(&self, prefix: &str, limit: i64) -> Result<Vec<CallRecord>> {
        list_calls_by_id(&mut *self.reader().await?, prefix, limit).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn calls_of_answer(&self, answer: &AnswerKey) -> Result<Vec<CallRecord>> {
        list_calls_of_answer(&mut *self.reader().await?, answer).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn spend(&self, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>> {
        list_spend(&mut *self.reader().await?, by, since).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn has_paid(&self, since: Timestamp) -> Result<bool> {
        has_paid(&mut *self.reader().await?, since).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn answered_in_pass(&self, run: RunId, purpose: &str, pass: i64) -> Result<i64> {
        count_answered_in_pass(&mut *self.reader().await?, run, purpose, pass).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn costs_of_calls(&self, calls: &[String]) -> Result<Vec<CallCost>> {
        list_costs(&mut *self.reader().await?, calls).await
    }
}

/// Reserves all the calls in one transaction, or none.
pub(super) async fn reserve(database: &Database, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation> {
    match reserve_once(database, lease, calls).await {
        // Only the confirmation of the commit may be lost: calls reserved but reported as failed would be charged
        // although nobody sends them.
        Err(StoreError::ConnectionLost { .. }) if are_reserved(&mut *database.reader().await?, calls).await? => {
            Ok(Reservation::Reserved)
        }
        Err(StoreError::ConnectionLost { .. }) => reserve_once(database, lease, calls).await,
        outcome => outcome,
    }
}

async fn reserve_once(database: &Database, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation> {
    let mut write = match lease {
        Some(lease) => database.write_fenced("reserve_call", lease).await?,
        None => database.write("reserve_call").await?,
    };
    let reservation = raise_all(write.connection(), calls).await?;
    if reservation != Reservation::Reserved {
        write.roll_back().await?;
        return Ok(reservation);
    }
    for call in calls {
        insert_call(write.connection(), lease.map(|lease| lease.token), call).await?;
    }
    write.commit().await?;
    Ok(reservation)
}

/// Settles calls in one transaction.
pub(super) async fn settle(database: &Database, settlements: &[LeasedSettlement]) -> Result<()> {
    let mut write = database.write("settle_call").await?;
    // Locks the topics' rows before the counters, in the same order as reservations.
    let mut held = BTreeMap::new();
    for lease in settlements.iter().filter_map(|leased| leased.lease.as_ref()).collect::<BTreeSet<_>>() {
        held.insert(lease, write.lock_and_check_lease(lease).await?);
    }
    if settlements.iter().any(|leased| leased.settlement.vectors.is_some()) {
        write.lock_shared_items().await?;
    }
    close_calls(write.connection(), settlements).await?;
    for LeasedSettlement { lease, settlement } in settlements {
        let is_held = lease.as_ref().is_none_or(|lease| held.get(lease) == Some(&true));
        for answer in &settlement.answers {
            write_answer(write.connection(), settlement, answer, is_held).await?;
        }
        if let Some(vectors) = &settlement.vectors {
            upsert_embeddings(write.connection(), &vectors.space, &vectors.embeddings, is_held).await?;
        }
    }
    write.commit().await
}
