//! Repeats a past run with other ranking settings, from the stored answers.
//!
//! Input: a run, and an [`App`] on a copy of the database that calls no provider. Output: the digest that would result.
//! Stages that [`super::STAGES`] marks as not replayed are skipped; their rows exist and are used. Called by `aha-radar
//! replay`.

use std::sync::Arc;

use aha_core::digest::Digest;
use aha_core::run::{Run, RunSettings};
use aha_core::topic::Topic;
use aha_store::NewRun;

use super::lease::acquire;
use super::progress::Silent;
use super::{RunContext, RunError, StopSignal, cluster, stages};
use crate::app::App;

/// Returns the digest of a run with other settings.
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
    let (lease, _heartbeat) = acquire(app, topic, stop).await?;
    let new =
        NewRun { id: run.id, topic: topic.id, mode: run.mode, window: run.window, settings, now: app.clock().now() };
    let opened = app.store().open_run(&lease, &new).await?;
    let attempt = app.store().begin_attempt(&lease, run.id, app.clock().now()).await?;
    let mut context = RunContext {
        app: app.clone(),
        topic: topic.clone(),
        // Uses the sources and the snapshot of the replayed pass.
        run: Run { pass_attempt: run.pass_attempt, ..opened },
        attempt,
        lease,
        snapshot: run.snapshot_at.unwrap_or_default(),
        feature_cache: cluster::FeatureCache::default(),
        rejudge: false,
        is_replay: true,
        scheduled: false,
        call_state: Arc::default(),
        progress: Arc::new(Silent),
        stop: stop.clone(),
        pages_left: Arc::default(),
    };
    Ok(stages::run(&mut context).await?.0)
}
