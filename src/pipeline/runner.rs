//! Runs a topic: finishes an unfinished run, then reads the next window. Called by `services::runs`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_core::digest::Digest;
use aha_core::ids::{DigestId, RunId};
use aha_core::run::{Run, RunMode, RunSettings, digest_attempt};
use aha_core::schedule::MAX_CATCH_UP;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::Topic;
use aha_core::window::Window;
use aha_store::{AttemptEnd, Lease, NewRun, OrphanedCalls};
use tracing::Instrument as _;

use super::assign::LATENESS_HOURS;
use super::due::{is_due, schedule_of, zone_of};
use super::lease::{acquire, release};
use super::progress::Progress;
use super::stages::{self, millis_since};
use super::{RunContext, RunError, StopSignal};
use crate::app::App;
use crate::digest::write_missing_files;
use aha_llm::tasks;

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct RunRequest {
    pub topic: String,
    /// A window run of this window; `None` for a cursor run.
    pub window: Option<Window>,
    /// Started by a schedule: after downtime it covers at most [`MAX_CATCH_UP`] past intervals.
    pub scheduled: bool,
    /// Judge again what is already answered, with the current prompts.
    pub rejudge: bool,
    pub progress: Arc<dyn Progress>,
    pub stop: StopSignal,
}

/// Result of a call: usually one digest; two if an unfinished run came first; none if there was nothing to do.
#[derive(Debug, Default)]
pub struct RunOutcome {
    pub outputs: Vec<RunOutput>,
    /// Set if a cursor run found its window empty: the topic has been read up to this minute.
    pub up_to_date: Option<Timestamp>,
}

/// A digest and the files to which it was written.
#[derive(Debug)]
pub struct RunOutput {
    pub digest: Digest,
    pub files: Vec<PathBuf>,
}

/// Runs a topic once.
///
/// # Errors
/// [`RunError`] if there is no digest; completed work is stored, and the next call continues.
pub async fn run(app: &App, request: &RunRequest) -> Result<RunOutcome, RunError> {
    let topic = topic(app, &request.topic).await?;
    if app.store().sources(topic.id).await?.is_empty() {
        return Err(RunError::NoSources { topic: topic.name });
    }
    let (lease, heartbeat) = acquire(app, &topic, &request.stop).await?;
    let working = async {
        match request.window {
            Some(window) => Box::pin(window_run(app, request, &topic, &lease, window)).await,
            None => Box::pin(cursor_run(app, request, &lease)).await,
        }
    };
    // Given up like a killed process: the next attempt continues.
    let outcome = tokio::select! {
        outcome = working => outcome,
        error = heartbeat.database_silent() => Err(error.into()),
        error = overdue(&request.stop) => Err(error),
    };
    drop(heartbeat);
    release(app, &lease).await;
    outcome
}

/// How long a run may go on after it was asked to stop: the 15 s that calls in progress are given, and what is stored
/// then.
const MAX_STOPPING: Duration = Duration::from_secs(20);

/// Waits until a run should have stopped, and returns why.
async fn overdue(stop: &StopSignal) -> RunError {
    let error = stop.ended().await;
    tokio::time::sleep(MAX_STOPPING).await;
    tracing::warn!(waited_s = MAX_STOPPING.as_secs(), "the run did not stop in time and is given up");
    error
}

/// Reads the current topic.
async fn topic(app: &App, name: &str) -> Result<Topic, RunError> {
    app.store().topic(name).await?.ok_or_else(|| RunError::NoTopic { name: name.to_owned() })
}

async fn window_run(
    app: &App,
    request: &RunRequest,
    topic: &Topic,
    lease: &Lease,
    window: Window,
) -> Result<RunOutcome, RunError> {
    let new = new_run(app, topic, RunMode::Window, window)?;
    Ok(RunOutcome { outputs: vec![Box::pin(attempt(app, request, topic, lease, &new)).await?], up_to_date: None })
}

/// Finishes the topic's unfinished run, then reads from its cursor to now.
async fn cursor_run(app: &App, request: &RunRequest, lease: &Lease) -> Result<RunOutcome, RunError> {
    let mut outcome = RunOutcome::default();
    let topic = topic(app, &request.topic).await?;
    let restored = restore_files(app, &topic).await;
    if let Err(error) = &restored {
        tracing::warn!(topic = %topic.name, error = error.with_causes(), "files of an earlier digest are missing");
    }
    if let Some(unfinished) = app.store().unfinished_cursor_run(topic.id).await? {
        tracing::info!(run = %unfinished.id, window = %unfinished.window, "continuing an unfinished run");
        outcome.outputs.push(Box::pin(attempt(app, request, &topic, lease, &continued_run(&unfinished, app))).await?);
    }
    let topic = self::topic(app, &request.topic).await?;
    // Another process may have made this run while we waited for the lease, or the unfinished run was the one that was
    // due.
    if request.scheduled && !is_due(app, &topic, app.clock().now())? {
        restored?;
        return Ok(outcome);
    }
    let window = next_window(app, &topic, request.scheduled)?;
    if window.is_empty() {
        restored?;
        outcome.up_to_date = topic.cursor_end;
        return Ok(outcome);
    }
    let new = new_run(app, &topic, RunMode::Cursor, window)?;
    outcome.outputs.push(Box::pin(attempt(app, request, &topic, lease, &new)).await?);
    Ok(outcome)
}

/// Maximum number of runs, the newest windows first, whose digests are searched for missing files.
const RUNS_SEARCHED: i64 = 50;

/// Writes missing files of the latest digest, as the process that stored it may have died before, and of those whose
/// files could not be written then. If they still cannot, sources are read nevertheless.
async fn restore_files(app: &App, topic: &Topic) -> Result<(), RunError> {
    let store = app.store();
    let latest = store.latest_digest(topic.id).await?.map(|digest| digest.head.run_id);
    let mut restored = Ok(());
    for (run, attempts) in store.runs(Some(topic.id), RUNS_SEARCHED).await? {
        let due = digest_attempt(&attempts).filter(|attempt| attempt.error.is_some() || latest == Some(run.id));
        let Some(attempt) = due else { continue };
        let written = match store.digest(DigestId::of(&[&run.id.to_string()])).await? {
            Some(digest) => write_missing(app, digest).await,
            // Retention has removed it.
            None => Ok(()),
        };
        let why = written.as_ref().err().map(RunError::with_causes);
        if why != attempt.error {
            store.record_unwritten_files(run.id, attempt.attempt, why.as_deref()).await?;
        }
        restored = restored.and(written);
    }
    restored
}

async fn write_missing(app: &App, digest: Digest) -> Result<(), RunError> {
    let (app, written) = (app.clone(), digest.clone());
    let write = move || write_missing_files(&app.config().output_dir, &written, app.config().web.site());
    let files = tokio::task::spawn_blocking(write).await?;
    files.map_err(|error| RunError::Output { error, digest: Box::new(digest) })
}

/// Checks that a topic's cursor is not ahead of the clock.
///
/// # Errors
/// [`RunError::CursorAhead`] if it is, by more than a day.
pub fn check_cursor(topic: &Topic, now: Timestamp) -> Result<(), RunError> {
    match topic.cursor_end {
        Some(cursor) if cursor - now > DAY_MS => Err(RunError::CursorAhead { topic: topic.name.clone(), cursor, now }),
        _ => Ok(()),
    }
}

/// Returns the window from the cursor (the first time: one interval back) to the start of this minute. A scheduled run
/// covers at most [`MAX_CATCH_UP`] past intervals; what it omits is logged.
///
/// # Errors
/// When the topic's schedule or zone cannot be read, or its cursor is more than a day ahead of the clock.
pub fn next_window(app: &App, topic: &Topic, scheduled: bool) -> Result<Window, RunError> {
    let (schedule, zone) = (schedule_of(app, topic)?, zone_of(app, topic)?);
    let end = app.clock().now().floor_to_minute();
    let interval = i64::try_from(schedule.interval_before(end, zone).as_millis()).unwrap_or(i64::MAX);
    let first = Timestamp::from_millis(end.as_millis().saturating_sub(interval));
    check_cursor(topic, end)?;
    let cursor = topic.cursor_end.unwrap_or(first);
    let earliest = schedule.start_of_past(MAX_CATCH_UP, end, zone);
    let start = if scheduled { cursor.max(earliest) } else { cursor };
    // What is somewhat older than the window is claimed as late.
    let read_from = start.hours_before(LATENESS_HOURS);
    if read_from > cursor {
        tracing::warn!(topic = %topic.name, from = %cursor, to = %read_from, "down too long: what was published in between is not read; `run --window` can");
    }
    Ok(Window { start: start.min(end), end })
}

fn new_run(app: &App, topic: &Topic, mode: RunMode, window: Window) -> Result<NewRun, RunError> {
    let (start, end) = (window.start.to_string(), window.end.to_string());
    Ok(NewRun {
        id: RunId::of(&[&topic.id.to_string(), &start, &end, mode.as_str()]),
        topic: topic.id,
        mode,
        window,
        settings: RunSettings {
            sizes: topic.sizes,
            interests: topic.interests.clone(),
            rules: topic.rules.clone(),
            tier: topic.budget_tier.unwrap_or(app.config().budget_tier),
            depth: topic.depth,
            decay_hours: topic.decay_hours,
            timezone: zone_of(app, topic)?.name().to_owned(),
            ranking: app.config().ranking,
            prompts: current_prompts(app),
            rejudge: false,
        },
        now: app.clock().now(),
    })
}

/// Returns the ids of the prompts that a run keeps, by task.
fn current_prompts(app: &App) -> BTreeMap<String, String> {
    let pinned = tasks::ALL.iter().filter(|task| task.spec().is_pinned);
    pinned.map(|task| (task.as_str().to_owned(), app.gateway().prompts().id(*task).to_owned())).collect()
}

/// Returns an unfinished run with the settings with which it began.
fn continued_run(run: &Run, app: &App) -> NewRun {
    NewRun {
        id: run.id,
        topic: run.topic_id,
        mode: run.mode,
        window: run.window,
        settings: run.settings.clone(),
        now: app.clock().now(),
    }
}

/// Makes one attempt: runs all stages in order. A failure is stored in the attempt's row.
async fn attempt(
    app: &App,
    request: &RunRequest,
    topic: &Topic,
    lease: &Lease,
    new: &NewRun,
) -> Result<RunOutput, RunError> {
    let mut new = new.clone();
    if request.rejudge {
        new.settings = RunSettings { prompts: current_prompts(app), rejudge: true, ..new.settings };
    }
    let run = app.store().open_run(lease, &new).await?;
    let attempt = app.store().begin_attempt(lease, run.id, app.clock().now()).await?;
    settle_orphaned_calls(app, lease).await?;
    let mut context = RunContext {
        app: app.clone(),
        topic: topic.clone(),
        snapshot: run.snapshot_at.unwrap_or_default(),
        feature_cache: super::cluster::FeatureCache::default(),
        rejudge: run.settings.rejudge,
        run,
        attempt,
        lease: lease.clone(),
        is_replay: false,
        scheduled: request.scheduled,
        call_state: Arc::default(),
        progress: Arc::clone(&request.progress),
        stop: request.stop.clone(),
        pages_left: Arc::new(super::full_text::MAX_PAGES_PER_ATTEMPT.into()),
    };
    let span = tracing::info_span!("run", id = %context.run.id, topic = %topic.name);
    let outcome = all_stages(&mut context).instrument(span).await;
    if let Err(error) = &outcome {
        let (run, why) = (context.run.id, error.with_causes());
        let recorded = if matches!(error, RunError::Output { .. }) {
            // The attempt has ended with its digest.
            app.store().record_unwritten_files(run, attempt, Some(&why)).await
        } else {
            let end = AttemptEnd { outcome: error.attempt_outcome(), error: Some(why), at: app.clock().now() };
            app.store().end_attempt(run, attempt, &end).await
        };
        if let Err(second) = recorded {
            tracing::warn!(error = %second, "the failed attempt could not be marked on its row");
        }
    }
    outcome
}

/// Processes that reserved calls under an earlier lease have ended, so the outcome of these calls will never be known.
async fn settle_orphaned_calls(app: &App, lease: &Lease) -> Result<(), RunError> {
    let store = app.store();
    let superseded = store.settle_orphaned_calls(OrphanedCalls::Superseded(lease.topic, lease.token)).await?;
    let expired = store.settle_orphaned_calls(OrphanedCalls::Expired(app.clock().wall())).await?;
    if superseded + expired > 0 {
        tracing::warn!(calls = superseded + expired, "calls of a process that ended; `aha-radar calls` shows them");
    }
    Ok(())
}

/// Runs all stages in order.
async fn all_stages(context: &mut RunContext) -> Result<RunOutput, RunError> {
    let window = context.run.window;
    let mode = context.run.mode.as_str();
    let started = Instant::now();
    tracing::debug!(%window, mode, attempt = context.attempt, "run started");
    let (digest, files) = stages::run(context).await?;
    let (status, items) = (digest.head.status.as_str(), digest.head.items);
    let (attempt, stories, elapsed_ms) = (context.attempt, digest.stories.len(), millis_since(started));
    tracing::info!(%window, mode, attempt, status, items, stories, elapsed_ms, "run finished");
    Ok(RunOutput { digest, files })
}
