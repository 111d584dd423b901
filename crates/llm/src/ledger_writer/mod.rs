//! Writes the calls of an attempt into the ledger. What comes while a transaction is under way is written by the
//! next one, together, so that many calls at once cost little more than one.

#[cfg(test)]
mod tests;
pub(super) mod waiting;

use std::sync::Arc;
use std::time::Duration;

use aha_core::queue::{Queue, Service};
use aha_store::{Gone, Lease, LeasedSettlement, NewCall, Reservation, Settlement, SharedStore, StoreError};
use tokio::sync::oneshot;

use super::budget::used_up;
use super::call_scope::CallScope;
use super::run_call_state::RunCallState;
use super::spending_limit::{Limit, UsedUp};
pub(super) use waiting::Deadline;
pub use waiting::NotSent;
use waiting::{Admission, Reserving, Settling};

/// Written in one transaction, at most: more would save little (a transaction costs about as much as two of its calls), and
/// calls that are let go together come back together.
const MOST_AT_ONCE: usize = 4;
/// How often a reservation that has to wait for others is tried.
const WAIT: Duration = Duration::from_millis(50);

/// Reserves, waiting for calls under way where they are all that stands in the way. `None` when the call may be sent.
pub(super) async fn admit(store: &SharedStore, scope: &CallScope, deadline: Deadline, call: &NewCall) -> Admission {
    let call_state = &scope.call_state;
    if call.limits.is_empty() {
        if call_state.is_closed() {
            return Ok(Some(NotSent::Interrupted));
        }
        return store.reserve_call(scope.lease.as_ref(), call).await.map(|_| None);
    }
    let (reply_tx, reply) = oneshot::channel();
    let reserving = Reserving { lease: scope.lease.clone(), call: call.clone(), deadline, reply_tx };
    if call_state.ledger_writer.reservations.push(reserving) {
        tokio::spawn(reserve_all(Arc::clone(store), Arc::clone(call_state)));
    }
    reply.await.unwrap_or_else(|_| Err(writer_ended()))
}

/// Closes a call's row.
pub(super) async fn settle(
    store: &SharedStore,
    call_state: &Arc<RunCallState>,
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

/// Reserves for all that wait, in their order, until none does. It is a task of its own, so that a caller who goes away takes
/// nothing from the others.
async fn reserve_all(store: SharedStore, call_state: Arc<RunCallState>) {
    let queue = &call_state.ledger_writer.reservations;
    let _service = Service(queue);
    let mut most = MOST_AT_ONCE;
    while let Some((lease, calls)) = next_to_reserve(&call_state, most) {
        match store.reserve_calls(lease.as_ref(), &calls).await {
            Ok(reservations) => {
                most = MOST_AT_ONCE;
                for reservation in reservations {
                    match reservation {
                        Reservation::Reserved => reply_reserved(&store, queue).await,
                        Reservation::Exhausted(full) => reply_exhausted(&call_state, used_up(&full)),
                        Reservation::Wait => wait(&store, queue).await,
                    }
                }
            }
            Err(error) if calls.len() == 1 => reply_to_first(queue, Err(error)),
            // Each gets an error of its own.
            Err(_) => most = 1,
        }
    }
}

/// The first that wait under one lease, without those who went away or who may not send any more.
fn next_to_reserve(call_state: &RunCallState, most: usize) -> Option<(Option<Lease>, Vec<NewCall>)> {
    let mut state = call_state.ledger_writer.reservations.state();
    let waiting = std::mem::take(&mut state.waiting);
    for reserving in waiting {
        match not_sent(call_state, &reserving) {
            _ if reserving.reply_tx.is_closed() => {}
            Some(why) => reserving.reply(Ok(Some(why))),
            None => state.waiting.push_back(reserving),
        }
    }
    let Some(lease) = state.waiting.front().map(|first| first.lease.clone()) else {
        state.is_served = false;
        return None;
    };
    let together = state.waiting.iter().take(most).take_while(|reserving| reserving.lease == lease);
    // A call that had to wait is not given less time for it.
    let calls = together.map(|one| NewCall { expires_at: one.deadline.of_a_call(), ..one.call.clone() }).collect();
    Some((lease, calls))
}

fn not_sent(call_state: &RunCallState, reserving: &Reserving) -> Option<NotSent> {
    if call_state.is_closed() {
        return Some(NotSent::Interrupted);
    }
    call_state.exhausted(reserving.call.purpose).map(NotSent::NoBudget)
}

/// Lets the first be sent. If it went away meanwhile, nothing will be sent, and nothing is to be charged for it.
async fn reply_reserved(store: &SharedStore, queue: &Queue<Reserving>) {
    let Some(Reserving { lease, call, deadline, reply_tx }) = queue.take(1).pop() else { return };
    if reply_tx.send(Ok(None)).is_ok() {
        return;
    }
    let settlement = Settlement::of_nothing_sent(call.id, deadline.clock.now());
    if let Err(error) = store.settle_call(lease.as_ref(), &settlement).await {
        tracing::warn!(%error, call = %call.id, "the reservation of a call that was not sent is left to run out");
    }
}

/// Tells the first that no budget is left for it. Where a run's call cannot be made smaller (it is about one story, or no call is left),
/// none that comes after it is tried: the stories that score highest are served first, or none.
fn reply_exhausted(call_state: &RunCallState, used_up: UsedUp) {
    let Some(first) = call_state.ledger_writer.reservations.take(1).pop() else { return };
    if first.call.run.is_some() && (first.call.stories == 1 || used_up.limit == Limit::Calls) {
        call_state.exhaust(first.call.purpose, &used_up, false);
    }
    first.reply(Ok(Some(NotSent::NoBudget(used_up))));
}

fn reply_to_first(queue: &Queue<Reserving>, admission: Admission) {
    if let Some(first) = queue.take(1).pop() {
        first.reply(admission);
    }
}

/// Until calls under way may have been settled, or given up for lost.
async fn wait(store: &SharedStore, queue: &Queue<Reserving>) {
    let clock = queue.state().waiting.front().map(|first| first.deadline.clock);
    if let Some(clock) = clock
        && let Err(error) = store.sweep_calls(Gone::Expired(clock.wall())).await
    {
        return reply_to_first(queue, Err(error));
    }
    tokio::time::sleep(WAIT).await;
}

/// Settles for all that wait, until none does.
async fn settle_all(store: SharedStore, call_state: Arc<RunCallState>) {
    let queue = &call_state.ledger_writer.settlements;
    let _service = Service(queue);
    loop {
        let (leased, replies): (Vec<_>, Vec<_>) =
            queue.take_or_end(MOST_AT_ONCE).into_iter().map(|one| (one.leased, one.reply_tx)).unzip();
        if leased.is_empty() {
            return;
        }
        match store.settle_calls(&leased).await {
            Err(_) if leased.len() > 1 => {
                // Each gets an error of its own, or none.
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
    }
}
