//! Holds a topic's lease during a run, or while the topic is removed.

use std::sync::Arc;
use std::time::Duration;

use aha_core::failpoint;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_store::{HEARTBEAT_SECONDS, Lease, LeaseAttempt, SharedStore, StoreError, latest_lease_end};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::lease_owner::LeaseOwner;
use super::{RunError, StopSignal};
use crate::app::{App, RunningTopic};

/// How long a second process waits for the first before it reports the owner of the lease.
const WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(200);
/// A database that does not answer a renewal for so long is given up. A statement, and a write that waits for others,
/// end within 60 s, and the lease has ended by then.
const MAX_SILENCE: Duration = Duration::from_secs(75);
/// How long a release may take.
const MAX_RELEASE: Duration = Duration::from_secs(3);

/// Acquires the topic's lease, waiting a little for another process to finish. A lease of a dead process on this
/// machine is taken over at once, and so is one whose end was set by a wrong clock; one of another machine only when it
/// has expired.
///
/// # Errors
/// [`RunError::Held`] if it is not released in time.
pub async fn acquire(app: &App, topic: &Topic, stop: &StopSignal) -> Result<(Lease, Heartbeat), RunError> {
    // From now on, so that no other task of this process takes the lease for abandoned.
    let running = app.running().begin(topic.id);
    let own = LeaseOwner::current();
    let clock = app.clock();
    // The machine's time may be set meanwhile, so it does not measure the wait.
    let begun = Instant::now();
    let mut replaced: Option<String> = None;
    loop {
        let attempt = app.store().acquire_lease(topic.id, &own.to_string(), clock.wall(), replaced.as_deref()).await?;
        let timed_out = begun.elapsed() >= WAIT;
        match attempt {
            LeaseAttempt::Acquired(lease) => {
                let heartbeat = Heartbeat::start(app, &lease, stop, running);
                return Ok((lease, heartbeat));
            }
            // Takes over once without waiting, then waits as for any other owner, because an unfinished transaction of
            // that process may lock the row for a while.
            LeaseAttempt::Held { owner, expires_at }
                if replaced.is_none()
                    && running.is_only_one()
                    && (is_abandoned(&own, &owner) || was_set_by_a_wrong_clock(expires_at, clock.wall())) =>
            {
                log_takeover(topic, &owner, expires_at, clock.wall());
                replaced = Some(owner);
                continue;
            }
            LeaseAttempt::Held { owner, expires_at } if timed_out => {
                return Err(RunError::Held { topic: topic.name.clone(), owner: LeaseOwner::short(&owner), expires_at });
            }
            LeaseAttempt::Busy if timed_out => {
                return Err(RunError::Store(StoreError::Locked { waited_seconds: WAIT.as_secs() }));
            }
            LeaseAttempt::Held { .. } | LeaseAttempt::Busy => {}
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Releases the lease; tries once more if the connection was lost.
pub async fn release(app: &App, lease: &Lease) {
    let releasing = async {
        match app.store().release_lease(lease).await {
            Err(StoreError::ConnectionLost { .. }) => app.store().release_lease(lease).await,
            released => released,
        }
    };
    let silent = StoreError::Silent { waited_seconds: MAX_RELEASE.as_secs() };
    if let Err(error) = tokio::time::timeout(MAX_RELEASE, releasing).await.unwrap_or(Err(silent)) {
        tracing::warn!(%error, "the lease could not be released; it will expire");
    }
}

/// Whether a lease is abandoned: its process is dead, or it is this process, which does not run the topic, so it failed
/// to release the lease.
fn is_abandoned(own: &LeaseOwner, owner: &str) -> bool {
    own.is_dead(owner) || own.to_string() == owner
}

/// Whether a lease ends later than an owner sets it: it would block the topic until then.
fn was_set_by_a_wrong_clock(expires_at: Timestamp, wall: Timestamp) -> bool {
    expires_at > latest_lease_end(wall)
}

fn log_takeover(topic: &Topic, owner: &str, expires_at: Timestamp, wall: Timestamp) {
    if was_set_by_a_wrong_clock(expires_at, wall) {
        tracing::warn!(
            topic = %topic.name,
            %owner,
            %expires_at,
            "the topic's lease ends so far ahead that the clock of its owner or of this machine must have been wrong: \
             it counts as expired and is taken over. Check both clocks"
        );
    } else {
        tracing::info!(%owner, "the owner of the lease is gone; taking over");
    }
}

/// Renews a lease until it is dropped or lost. If the lease is lost, the attempt is stopped.
#[derive(Debug)]
pub struct Heartbeat {
    task: JoinHandle<()>,
    /// Cancelled once the database does not answer.
    silent: CancellationToken,
    _running: RunningTopic,
}

impl Heartbeat {
    fn start(app: &App, lease: &Lease, stop: &StopSignal, running: RunningTopic) -> Self {
        let (store, clock) = (Arc::clone(app.store()), app.clock());
        let (lease, stop) = (lease.clone(), stop.clone());
        let every = failpoint::pause("AHA_HEARTBEAT_MS", Duration::from_secs(HEARTBEAT_SECONDS));
        let max_silence = failpoint::pause("AHA_DATABASE_SILENCE_MS", MAX_SILENCE);
        let silent = CancellationToken::new();
        let falls_silent = silent.clone();
        let task = tokio::spawn(async move {
            let mut beat = tokio::time::interval(every);
            beat.tick().await;
            loop {
                beat.tick().await;
                match tokio::time::timeout(max_silence, renew(&store, &lease, clock.wall())).await {
                    Ok(false) => {}
                    Ok(true) => return stop.lease_lost(),
                    Err(_) => return falls_silent.cancel(),
                }
            }
        });
        Self { task, silent, _running: running }
    }

    /// Waits until the database does not answer any more. What waits for it would wait without a limit.
    pub async fn database_silent(&self) -> StoreError {
        self.silent.cancelled().await;
        StoreError::Silent { waited_seconds: MAX_SILENCE.as_secs() }
    }
}

/// Renews the lease. Returns true if it is lost. If the store fails temporarily, the next beat tries again.
async fn renew(store: &SharedStore, lease: &Lease, wall: Timestamp) -> bool {
    match store.renew_lease(lease, wall).await {
        Ok(()) => false,
        Err(StoreError::LeaseLost { .. }) => {
            tracing::warn!(token = lease.token, "the lease was taken over by another process");
            true
        }
        Err(error) => {
            tracing::warn!(%error, "the lease could not be renewed; trying again at the next beat");
            false
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.task.abort();
    }
}
