//! A past run once more, ranked by other settings from the answers that are stored.
//!
//! Comes in: a run, and an [`App`] on a copy of the database that asks nobody. Goes out: the digest as it would be. What [`super::STAGES`] says is not
//! replayed is left out: that is done, and its rows are what is replayed. Called by `aha-radar replay`.

use std::sync::Arc;

use aha_core::digest::Digest;
use aha_core::run::{Run, RunSettings};
use aha_core::topic::Topic;
use aha_store::NewRun;

use super::lease::{Heartbeat, acquire};
use super::progress::Silent;
use super::{RunContext, RunError, StopSignal, cluster, stages};
use crate::app::App;

/// The digest of a run by other settings than it had.
///
/// # Errors
/// When the store fails or the process is asked to stop.
pub async fn replay(
    app: &App,
    topic: &Topic,
    run: &Run,
    settings: RunSettings,
    stop: &StopSignal,
) -> Result<Digest, RunError> {
    let lease = acquire(app, topic).await?;
    let _heartbeat = Heartbeat::start(app, &lease, stop);
    let new = NewRun {
        id: run.id,
        topic: topic.id,
        mode: run.mode,
        window: run.window,
        settings,
        repin_prompts: false,
        now: app.clock().now(),
    };
    let opened = app.store().open_run(&lease, &new).await?;
    let attempt = app.store().begin_attempt(&lease, run.id, app.clock().now()).await?;
    let mut context = RunContext {
        app: app.clone(),
        topic: topic.clone(),
        // The pass that is replayed is the one whose sources and snapshot count.
        run: Run { pass_attempt: run.pass_attempt, ..opened },
        attempt,
        lease,
        snapshot: run.snapshot_at.unwrap_or_default(),
        vectors: cluster::Vectors::default(),
        rejudge: false,
        replays: true,
        scheduled: false,
        call_state: Arc::default(),
        progress: Arc::new(Silent),
        stop: stop.clone(),
        pages_left: Arc::default(),
    };
    Ok(stages::run(&mut context).await?.0)
}
