//! Writes the calls of an attempt into the ledger. Calls that arrive while a transaction is under way are written
//! together by the next one, so that many concurrent calls cost little more than one.

#[cfg(test)]
mod tests;
pub(super) mod waiting;

use std::sync::Arc;
use std::time::Duration;

use aha_core::queue::{Queue, Service};
use aha_store::{Lease, LeasedSettlement, NewCall, OrphanedCalls, Reservation, Settlement, SharedStore, StoreError};
use tokio::sync::oneshot;

use super::budget::exhausted_limit;
use super::call_scope::CallScope;
use super::call_state::CallState;
use super::spending_limit::{ExhaustedLimit, Limit};
pub(super) use waiting::CallTimeout;
pub use waiting::NotSent;
use waiting::{LedgerWriter, ReserveResult, Reserving, Settling};

/// Maximum calls written in one transaction. More would save little (a transaction costs about as much as two of its
/// calls), and calls that are reserved together return together.
const MAX_BATCH: usize = 4;
/// The first interval between tries of a reservation that has to wait for other calls. It doubles up to
/// [`MAX_INTERVAL`], because each try is a write transaction. A settlement of the same attempt ends it at once; only
/// those of other attempts and processes are found by trying.
const MIN_INTERVAL: Duration = Duration::from_millis(50);
const MAX_INTERVAL: Duration = Duration::from_secs(1);

/// Reserves a call, waiting for calls under way if only they block it. Returns why the call must not be sent, if so.
pub(super) async fn reserve(
    store: &SharedStore,
    scope: &CallScope,
    deadline: CallTimeout,
    call: &NewCall,
) -> ReserveResult {
    let call_state = &scope.call_state;
    if call.limits.is_empty() {
        if call_state.is_closed() {
            return Ok(Err(NotSent::Interrupted));
        }
        return store.reserve_call(scope.lease.as_ref(), call).await.map(|_| Ok(()));
    }
    let (reply_tx, reply) = oneshot::channel();
    let reserving = Reserving { lease: scope.lease.clone(), call: call.clone(), deadline, reply_tx };
    if call_state.ledger_writer.reservations.push(reserving) {
        tokio::spawn(reserve_all(Arc::clone(store), Arc::clone(call_state)));
    }
    reply.await.unwrap_or_else(|_| Err(writer_ended()))
}

/// Queues a call's settlement and waits until it is written.
pub(super) async fn queue_settlement(
    store: &SharedStore,
    call_state: &Arc<CallState>,
    leased: LeasedSettlement,
) -> Result<(), StoreError> {
    let (reply_tx, reply) = oneshot::channel();
    if call_state.ledger_writer.settlements.push(Settling { leased, reply_tx }) {
        tokio::spawn(settle_all(Arc::clone(store), Arc::clone(call_state)));
    }
    reply.await.unwrap_or_else(|_| Err(writer_ended()))
}

fn writer_ended() -> StoreError {
    StoreError::Conflict { reason: "the task that writes into the ledger ended".to_owned() }
}

/// Reserves for all waiting calls in order, until the queue is empty. It runs as a separate task, so that a dropped
/// caller does not affect the others.
async fn reserve_all(store: SharedStore, call_state: Arc<CallState>) {
    let queue = &call_state.ledger_writer.reservations;
    let _service = Service(queue);
    let (mut max_calls, mut interval) = (MAX_BATCH, MIN_INTERVAL);
    while let Some((lease, calls)) = next_to_reserve(&call_state, max_calls) {
        match store.reserve_calls(lease.as_ref(), &calls).await {
            Ok(reservations) => {
                max_calls = MAX_BATCH;
                for reservation in reservations {
                    match reservation {
                        Reservation::Reserved => {
                            interval = MIN_INTERVAL;
                            reply_reserved(&store, queue).await;
                        }
                        Reservation::Exhausted(full) => reply_exhausted(&call_state, exhausted_limit(&full)),
                        Reservation::Wait => {
                            wait(&store, &call_state.ledger_writer, interval).await;
                            interval = MAX_INTERVAL.min(interval * 2);
                        }
                    }
                }
            }
            Err(error) if calls.len() == 1 => reply_to_first(queue, Err(error)),
            // Retried one at a time, so that each gets its own error.
            Err(_) => max_calls = 1,
        }
    }
}

/// Returns the first waiting calls that share a lease. Removes calls that were dropped or may no longer be sent.
fn next_to_reserve(call_state: &CallState, max_calls: usize) -> Option<(Option<Lease>, Vec<NewCall>)> {
    let mut state = call_state.ledger_writer.reservations.state();
    let waiting = std::mem::take(&mut state.waiting);
    for reserving in waiting {
        match not_sent(call_state, &reserving) {
            _ if reserving.reply_tx.is_closed() => {}
            Some(why) => reserving.reply(Ok(Err(why))),
            None => state.waiting.push_back(reserving),
        }
    }
    let Some(lease) = state.waiting.front().map(|first| first.lease.clone()) else {
        state.is_served = false;
        return None;
    };
    let batch = state.waiting.iter().take(max_calls).take_while(|reserving| reserving.lease == lease);
    // A call's time limit starts now, so that waiting does not shorten it.
    let calls = batch.map(|one| NewCall { expires_at: one.deadline.deadline_from_now(), ..one.call.clone() }).collect();
    Some((lease, calls))
}

fn not_sent(call_state: &CallState, reserving: &Reserving) -> Option<NotSent> {
    if call_state.is_closed() {
        return Some(NotSent::Interrupted);
    }
    let call = &reserving.call;
    let exhausted = call_state.exhausted_for(call.purpose, model_of(call))?;
    // What costs nothing needs no credits.
    let is_free = call.reserved_microcredits == Some(0);
    (exhausted.limit == Limit::Calls || !is_free).then_some(NotSent::NoBudget(exhausted))
}

/// Returns the name by which the state of a run knows a call's model.
fn model_of(call: &NewCall) -> String {
    format!("{}/{}", call.provider, call.model)
}

/// Replies to the first call that it is reserved. If its caller was dropped meanwhile, nothing is sent, and the
/// reservation is settled at no cost.
async fn reply_reserved(store: &SharedStore, queue: &Queue<Reserving>) {
    let Some(Reserving { lease, call, deadline, reply_tx }) = queue.take(1).pop() else { return };
    if reply_tx.send(Ok(Ok(()))).is_ok() {
        return;
    }
    let settlement = Settlement::not_sent(call.id, deadline.clock.now());
    if let Err(error) = store.settle_call(lease.as_ref(), &settlement).await {
        tracing::warn!(%error, call = %call.id, "the reservation of a call that was not sent is left to run out");
    }
}

/// Reports to the first call that its budget is exhausted. Where a run's call cannot be made smaller (it is about one
/// story, or no call is left), later calls of its model are not tried: the stories with the highest scores are served
/// first, or none.
fn reply_exhausted(call_state: &CallState, exhausted: ExhaustedLimit) {
    let Some(first) = call_state.ledger_writer.reservations.take(1).pop() else { return };
    match exhausted.limit {
        _ if first.call.run.is_none() => {}
        Limit::Calls => call_state.exhaust_purpose(first.call.purpose, &exhausted),
        Limit::Credits if first.call.stories == 1 => {
            call_state.exhaust_model(first.call.purpose, model_of(&first.call), &exhausted);
        }
        Limit::Credits => {}
    }
    first.reply(Ok(Err(NotSent::NoBudget(exhausted))));
}

fn reply_to_first(queue: &Queue<Reserving>, result: ReserveResult) {
    if let Some(first) = queue.take(1).pop() {
        first.reply(result);
    }
}

/// Waits until calls under way may have been settled or expired, at most for an interval.
async fn wait(store: &SharedStore, writer: &LedgerWriter, interval: Duration) {
    let queue = &writer.reservations;
    let clock = queue.state().waiting.front().map(|first| first.deadline.clock);
    if let Some(clock) = clock
        && let Err(error) = store.settle_orphaned_calls(OrphanedCalls::Expired(clock.wall())).await
    {
        return reply_to_first(queue, Err(error));
    }
    // Whichever ends first, the reservation is tried again.
    let _ = tokio::time::timeout(interval, writer.changed.notified()).await;
}

/// Settles all waiting calls, until the queue is empty.
async fn settle_all(store: SharedStore, call_state: Arc<CallState>) {
    let queue = &call_state.ledger_writer.settlements;
    let _service = Service(queue);
    loop {
        let (leased, replies): (Vec<_>, Vec<_>) =
            queue.take_or_finish(MAX_BATCH).into_iter().map(|one| (one.leased, one.reply_tx)).unzip();
        if leased.is_empty() {
            return;
        }
        match store.settle_calls(&leased).await {
            Err(_) if leased.len() > 1 => {
                // Settled one at a time, so that each gets its own result.
                for (one, reply_tx) in leased.iter().zip(replies) {
                    let _ = reply_tx.send(store.settle_calls(std::slice::from_ref(one)).await);
                }
            }
            outcome => {
                let mut error = outcome.err();
                for reply_tx in replies {
                    let _ = reply_tx.send(error.take().map_or(Ok(()), Err));
                }
            }
        }
        call_state.ledger_writer.changed.notify_one();
    }
}
