//! Holding a topic while its run goes on.

use std::sync::Arc;
use std::time::Duration;

use aha_core::failpoint;
use aha_core::ids::TopicId;
use aha_core::topic::Topic;
use aha_store::{HEARTBEAT_SECONDS, Lease, LeaseAttempt, SharedStore, StoreError};
use tokio::task::JoinHandle;

use super::lease_owner::LeaseOwner;
use super::{RunError, StopSignal};
use crate::app::{App, RunningTopics};

/// A second process waits this long for the first, then says who holds the topic.
const WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(200);

/// Takes the topic's lease, waiting a little for another process to finish. An owner on this machine that is dead is
/// succeeded at once; one elsewhere only when its lease has run out.
///
/// # Errors
/// [`RunError::Held`] when it stays taken.
pub async fn acquire(app: &App, topic: &Topic) -> Result<Lease, RunError> {
    let me = LeaseOwner::current();
    let clock = app.clock();
    let until = clock.wall() + WAIT;
    let mut dead: Option<String> = None;
    loop {
        let attempt = app.store().acquire_lease(topic.id, &me.to_string(), clock.wall(), dead.as_deref()).await?;
        let late = clock.wall() >= until;
        match attempt {
            LeaseAttempt::Acquired(lease) => return Ok(lease),
            // Tried once at once, then as any other: what it left undone may keep its row a while.
            LeaseAttempt::Held { owner, .. }
                if dead.is_none() && !app.running().contains(topic.id) && is_left_behind(&me, &owner) =>
            {
                tracing::info!(%owner, "the owner of the lease is gone; taking over");
                dead = Some(owner);
                continue;
            }
            LeaseAttempt::Held { owner, expires_at } if late => {
                return Err(RunError::Held { topic: topic.name.clone(), owner: LeaseOwner::short(&owner), expires_at });
            }
            LeaseAttempt::Busy if late => {
                return Err(RunError::Store(StoreError::Locked { waited_seconds: WAIT.as_secs() }));
            }
            LeaseAttempt::Held { .. } | LeaseAttempt::Busy => {}
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Whether nobody works under a lease any more: its process is dead, or is this one, which does not run the topic and has a lease left only
/// where it could not give it back.
fn is_left_behind(me: &LeaseOwner, owner: &str) -> bool {
    me.is_dead(owner) || me.to_string() == owner
}

/// Renews a lease until it is dropped or lost; a lost one stops the attempt.
#[derive(Debug)]
pub struct Heartbeat {
    task: JoinHandle<()>,
    topic: TopicId,
    running: RunningTopics,
}

impl Heartbeat {
    #[must_use]
    pub fn start(app: &App, lease: &Lease, stop: &StopSignal) -> Self {
        let (store, clock) = (Arc::clone(app.store()), app.clock());
        let (lease, stop) = (lease.clone(), stop.clone());
        let every = failpoint::pause("AHA_HEARTBEAT_MS", Duration::from_secs(HEARTBEAT_SECONDS));
        let (topic, running) = (lease.topic, app.running().clone());
        running.begin(topic);
        let task = tokio::spawn(async move {
            let mut beat = tokio::time::interval(every);
            beat.tick().await;
            loop {
                beat.tick().await;
                if renew(&store, &lease, clock.wall()).await {
                    stop.lease_lost();
                    return;
                }
            }
        });
        Self { task, topic, running }
    }
}

/// Whether the lease is lost. A store that fails for now is asked again at the next beat.
async fn renew(store: &SharedStore, lease: &Lease, wall: aha_core::time::Timestamp) -> bool {
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
        self.running.end(self.topic);
    }
}
