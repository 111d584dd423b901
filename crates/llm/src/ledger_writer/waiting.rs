//! The calls that wait for the ledger to be written, and the reply to each.

use std::time::Duration;

use aha_core::clock::Clock;
use aha_core::queue::Queue;
use aha_core::time::Timestamp;
use aha_store::{Lease, LeasedSettlement, NewCall, StoreError};
use tokio::sync::{Notify, oneshot};

use crate::spending_limit::ExhaustedLimit;

/// How long a reservation outlives its call's timeout, so that a live caller has settled it by then.
const SETTLING: Duration = Duration::from_secs(30);
/// Why a call was not sent, and so cost nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The run ends.
    Interrupted,
    NoBudget(ExhaustedLimit),
    /// Its server has failed repeatedly. `wait` is the remaining pause, zero while a call tests the server.
    CircuitOpen {
        why: String,
        wait: Duration,
    },
    /// The request cannot be built.
    Unusable(String),
}

/// The deadline of calls.
#[derive(Debug, Clone, Copy)]
pub struct CallTimeout {
    pub clock: Clock,
    /// Timeout of one call.
    pub timeout: Duration,
}

impl CallTimeout {
    /// Returns when a call reserved now must have ended.
    pub fn deadline_from_now(self) -> Timestamp {
        let lifetime = i64::try_from((self.timeout + SETTLING).as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.clock.wall().as_millis().saturating_add(lifetime))
    }
}

/// Whether the call may be sent, and why not.
pub(super) type ReserveResult = Result<Result<(), NotSent>, StoreError>;

#[derive(Debug, Default)]
pub struct LedgerWriter {
    /// In order of arrival, which is that of the stories' scores.
    pub(super) reservations: Queue<Reserving>,
    pub(super) settlements: Queue<Settling>,
    /// Notified when a call was settled or no further call may be sent, so that a waiting reservation is tried again.
    pub(crate) changed: Notify,
}

#[derive(Debug)]
pub(super) struct Reserving {
    pub(super) lease: Option<Lease>,
    pub(super) call: NewCall,
    pub(super) deadline: CallTimeout,
    pub(super) reply_tx: oneshot::Sender<ReserveResult>,
}

#[derive(Debug)]
pub(super) struct Settling {
    pub(super) leased: LeasedSettlement,
    pub(super) reply_tx: oneshot::Sender<Result<(), StoreError>>,
}

impl Reserving {
    pub(super) fn reply(self, result: ReserveResult) {
        // The receiver may have been dropped.
        let _ = self.reply_tx.send(result);
    }
}
