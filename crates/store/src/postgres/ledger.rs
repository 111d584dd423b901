//! The ledger on Postgres: see [`crate::shared::ledger`].

use std::collections::{BTreeMap, BTreeSet};

use aha_core::ids::{CallId, ItemId};
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use async_trait::async_trait;
use sqlx::PgConnection;

use super::PostgresStore;
use super::answers::write_answer;
use super::items::upsert_embedding;
use crate::shared::ledger::ledger_of;
use crate::{
    Adjustment, CallCost, CallFilter, CallRecord, Counter, Exhausted, Gone, Lease, LeasedSettlement, LedgerStore,
    NewCall, Reservation, Result, Review, Settlement, SpendBy, SpendRow, StoreError,
};

ledger_of!(PgConnection);

#[async_trait]
impl LedgerStore for PostgresStore {
    async fn reserve_together(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation> {
        let mut write = match lease {
            Some(lease) => self.write_fenced("reserve_call", lease).await?,
            None => self.write("reserve_call").await?,
        };
        let reservation = reserve(write.connection(), lease.map(|lease| lease.token), calls).await?;
        if reservation == Reservation::Reserved {
            write.commit().await?;
        } else {
            write.roll_back().await?;
        }
        Ok(reservation)
    }

    async fn settle_calls(&self, settlements: &[LeasedSettlement]) -> Result<()> {
        let mut write = self.write("settle_call").await?;
        // The topics' rows before the counters, as reservations lock them.
        let mut held = BTreeMap::new();
        for lease in settlements.iter().filter_map(|leased| leased.lease.as_ref()).collect::<BTreeSet<_>>() {
            held.insert(lease, write.holds(lease).await?);
        }
        if settlements.iter().any(|leased| leased.settlement.vectors.is_some()) {
            write.lock_contents().await?;
        }
        close(write.connection(), settlements).await?;
        for LeasedSettlement { lease, settlement } in settlements {
            let is_held = lease.as_ref().is_none_or(|lease| held.get(lease) == Some(&true));
            for answer in &settlement.answers {
                write_answer(write.connection(), settlement, answer, is_held).await?;
            }
            if let Some(vectors) = &settlement.vectors {
                for embedding in &vectors.embeddings {
                    upsert_embedding(write.connection(), &vectors.space, embedding, is_held).await?;
                }
            }
        }
        write.commit().await
    }

    async fn sweep_calls(&self, whose: Gone) -> Result<u64> {
        let calls = gone(&mut *self.reader().await?, whose).await?;
        let mut swept = 0;
        for id in calls {
            let mut write = self.write("sweep_calls").await?;
            swept += u64::from(end_unknown(write.connection(), &id).await?);
            write.commit().await?;
        }
        Ok(swept)
    }

    async fn adjust_call(&self, adjustment: &Adjustment) -> Result<()> {
        let mut write = self.write("adjust_call").await?;
        adjust(write.connection(), adjustment).await?;
        write.commit().await
    }

    async fn counters(&self, names: &[String]) -> Result<Vec<Counter>> {
        let mut connection = self.reader().await?;
        let mut counters = Vec::with_capacity(names.len());
        for name in names {
            counters.push(counter(&mut connection, name).await?);
        }
        Ok(counters)
    }

    async fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>> {
        list_calls(&mut *self.reader().await?, filter).await
    }

    async fn spend(&self, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>> {
        list_spend(&mut *self.reader().await?, by, since).await
    }

    async fn costs_of_calls(&self, calls: &[String]) -> Result<Vec<CallCost>> {
        Ok(sqlx::query_as(
            "SELECT id, coalesce(cost_microcredits, reserved_microcredits, 0) AS microcredits, stories FROM provider_calls
             WHERE id = ANY($1) ORDER BY id",
        )
        .bind(super::id_list(calls)?)
        .fetch_all(&mut *self.reader().await?)
        .await?)
    }

    async fn commit_review(&self, review: &Review) -> Result<()> {
        let mut write = self.write("commit_review").await?;
        put_review(write.connection(), review).await?;
        write.commit().await
    }

    async fn review(&self, item: ItemId) -> Result<Option<Review>> {
        get_review(&mut *self.reader().await?, item).await
    }
}

/// Rows that are about to be written; they stay locked until the end.
async fn open_calls(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<OpenCall>> {
    Ok(sqlx::query_as(
        "SELECT id, state, reserved_microcredits, cost_microcredits, counters_json, latency_ms, finished_at
         FROM provider_calls WHERE id = ANY($1) ORDER BY id FOR UPDATE",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?)
}
