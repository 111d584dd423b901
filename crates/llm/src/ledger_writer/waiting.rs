//! The calls that wait for the ledger to be written, and what each of them is answered.

use std::time::Duration;

use aha_core::clock::Clock;
use aha_core::queue::Queue;
use aha_core::time::Timestamp;
use aha_store::{Lease, LeasedSettlement, NewCall, StoreError};
use tokio::sync::oneshot;

use crate::spending_limit::UsedUp;

/// A reservation outlives its call's time-out by this: whoever is still there has settled it by then.
const SETTLING: Duration = Duration::from_secs(30);
/// Why a call was not sent, and cost nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The run ends.
    Interrupted,
    NoBudget(UsedUp),
    /// Its server has failed again and again.
    CircuitOpen(String),
    /// The request cannot be made.
    Unusable(String),
}

/// When calls must have ended.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    pub clock: Clock,
    /// Of a call.
    pub timeout: Duration,
}

impl Deadline {
    /// When a call reserved now must have ended.
    pub fn of_a_call(self) -> Timestamp {
        let lifetime = i64::try_from((self.timeout + SETTLING).as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.clock.wall().as_millis().saturating_add(lifetime))
    }
}

pub(super) type Admission = Result<Option<NotSent>, StoreError>;

#[derive(Debug, Default)]
pub struct LedgerWriter {
    /// In the order in which they came, which is that of the stories' scores.
    pub(super) reservations: Queue<Reserving>,
    pub(super) settlements: Queue<Settling>,
}

#[derive(Debug)]
pub(super) struct Reserving {
    pub(super) lease: Option<Lease>,
    pub(super) call: NewCall,
    pub(super) deadline: Deadline,
    pub(super) reply_tx: oneshot::Sender<Admission>,
}

#[derive(Debug)]
pub(super) struct Settling {
    pub(super) leased: LeasedSettlement,
    pub(super) reply_tx: oneshot::Sender<Result<(), StoreError>>,
}

impl Reserving {
    pub(super) fn reply(self, admission: Admission) {
        // A caller who went away does not listen.
        let _ = self.reply_tx.send(admission);
    }
}
