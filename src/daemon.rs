//! The daemon: runs each topic when it is due, tells its health, ends when asked.
//!
//! A minute tick asks the database what is due (`topics.next_run_at`): so a missed tick, a sleeping machine or a restart
//! costs nothing but time, and cron expressions keep their local hour over clock changes.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};

use crate::app::App;
use crate::domain::schedule::Schedule;
use crate::domain::time::Timestamp;
use crate::domain::topic::Topic;
use crate::pipeline::RunError;
use crate::pipeline::StopSignal;
use crate::pipeline::progress::Silent;
use crate::pipeline::runner::{self, Made, RunRequest};
use crate::store::StoreError;
use crate::web;

#[derive(Debug, Error)]
pub enum DaemonError {
    #[error("the daemon cannot listen on {address}: {reason}; set AHA_LISTEN to a free address and port")]
    Listen { address: std::net::SocketAddr, reason: std::io::Error },
    #[error("the minute tick cannot be started: {0}")]
    Tick(#[from] JobSchedulerError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// At the start of every minute, in UTC.
const EVERY_MINUTE: &str = "0 * * * * *";

/// Runs until SIGINT or SIGTERM.
///
/// # Errors
/// When it cannot listen or tick; a failing run is logged, shown by `/health` and tried again when next due.
pub async fn run(app: App) -> Result<(), DaemonError> {
    let address = app.config().listen;
    let listener =
        tokio::net::TcpListener::bind(address).await.map_err(|reason| DaemonError::Listen { address, reason })?;
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "daemon started");
    let server = tokio::spawn(web::serve(listener, app.clone()));
    let tick = Arc::new(Notify::new());
    let mut scheduler = JobScheduler::new().await?;
    scheduler.add(minute_tick(&tick)?).await?;
    scheduler.start().await?;
    let stop = StopSignal::default();
    let mut running: HashMap<String, JoinHandle<()>> = HashMap::new();
    let ended = signalled();
    tokio::pin!(ended);
    loop {
        running.retain(|_, task| !task.is_finished());
        if let Err(error) = start_due(&app, &stop, &mut running).await {
            tracing::error!(%error, "the topics that are due could not be read; trying again in a minute");
        }
        tokio::select! {
            () = tick.notified() => {}
            () = &mut ended => break,
        }
    }
    tracing::info!(runs = running.len(), "asked to stop; runs end at their next safe point");
    stop.interrupt();
    for task in running.into_values() {
        let _ = task.await;
    }
    scheduler.shutdown().await?;
    server.abort();
    tracing::info!("daemon stopped");
    Ok(())
}

fn minute_tick(tick: &Arc<Notify>) -> Result<Job, JobSchedulerError> {
    let tick = Arc::clone(tick);
    Job::new_async(EVERY_MINUTE, move |_, _| {
        let tick = Arc::clone(&tick);
        Box::pin(async move { tick.notify_one() })
    })
}

/// Starts the topics that are due and not running in this process.
async fn start_due(
    app: &App,
    stop: &StopSignal,
    running: &mut HashMap<String, JoinHandle<()>>,
) -> Result<(), StoreError> {
    let now = app.clock().now();
    for topic in app.store().topics().await? {
        if running.contains_key(&topic.name) || app.store().sources(topic.id).await?.iter().all(|s| !s.enabled) {
            continue;
        }
        match due(app, &topic, now) {
            Ok(true) => {
                let task = tokio::spawn(run_topic(app.clone(), topic.clone(), stop.for_next_attempt()));
                running.insert(topic.name, task);
            }
            Ok(false) if topic.next_run_at.is_none() => plan_next(app, &topic, now).await,
            Ok(false) => {}
            Err(error) => tracing::error!(topic = %topic.name, %error, "the topic cannot be scheduled"),
        }
    }
    Ok(())
}

/// Whether a topic is due. One that was never run is due at once: a first digest should not wait for tomorrow.
fn due(app: &App, topic: &Topic, now: Timestamp) -> Result<bool, RunError> {
    runner::schedule_of(app, topic)?;
    Ok(match (topic.next_run_at, topic.cursor_end) {
        (Some(at), _) => at <= now,
        (None, None) => true,
        (None, Some(_)) => false,
    })
}

async fn plan_next(app: &App, topic: &Topic, after: Timestamp) {
    let next = match (runner::schedule_of(app, topic), runner::zone_of(app, topic)) {
        (Ok(schedule), Ok(zone)) => Schedule::next_after(&schedule, after, zone),
        _ => None,
    };
    match app.store().set_next_run(topic.id, next).await {
        Ok(()) => {
            let next = next.map_or_else(|| "never".to_owned(), |at| at.to_string());
            tracing::info!(topic = %topic.name, %next, "next run planned");
        }
        Err(error) => tracing::error!(topic = %topic.name, %error, "the next run could not be planned"),
    }
}

async fn run_topic(app: App, topic: Topic, stop: StopSignal) {
    let request = RunRequest {
        topic: topic.name.clone(),
        window: None,
        scheduled: true,
        rejudge: false,
        progress: Arc::new(Silent),
        stop,
    };
    match Box::pin(runner::run(&app, &request)).await {
        Ok(outcome) => {
            for Made { digest, .. } in &outcome.made {
                let (status, items) = (digest.digest.status.as_str(), digest.digest.items);
                tracing::info!(topic = %topic.name, status, items, stories = digest.stories.len(), "digest made");
            }
        }
        Err(RunError::Interrupted) => {
            // Not planned anew: the unfinished run is due again as soon as a daemon starts.
            tracing::info!(topic = %topic.name, "run interrupted; the next start continues it");
            return;
        }
        Err(error) => tracing::error!(topic = %topic.name, %error, "run failed; it continues when next due"),
    }
    plan_next(&app, &topic, app.clock().now()).await;
}

/// Returns at the first SIGINT or SIGTERM.
pub async fn signalled() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut terminate) => drop(terminate.recv().await),
                Err(_) => std::future::pending::<()>().await,
            }
        };
        tokio::select! {
            () = interrupt => {}
            () = terminate => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
