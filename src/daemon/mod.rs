//! The daemon runs each topic when it is due, reports its health, and ends on a signal.
//!
//! A tick every minute asks the database which topics are due (`topics.next_run_at`). So a missed tick, a sleeping
//! machine or a restart only delays a run, and cron expressions keep their local hour across clock changes. A clock
//! that is set back puts the tick off, so a minute without one has the same effect. A run that fails because of the
//! database is retried after a pause (`backoff`), not at the topic's next scheduled time.

mod backoff;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_store::{OpenMode, RetryAdvice, SharedStore, StoreError};
use backoff::Backoff;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::Config;
use crate::pipeline::{RunError, due};
use crate::retention;
use crate::services::runs::Runs;
use crate::services::search;
use crate::shutdown::finish_calls;
use crate::web::{ServeError, Server};

#[derive(Debug, Error)]
pub enum DaemonError {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the minute tick cannot be started: {0}")]
    Tick(#[from] JobSchedulerError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// At the start of every minute, in UTC.
const EVERY_MINUTE: &str = "0 * * * * *";

/// How long a tick is waited for, by the monotonic clock: the time of the next tick is an absolute one.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Opens the database and waits while its failures are transient. `None` if `stop` completes meanwhile.
pub async fn open(
    config: &Config,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Option<SharedStore>, StoreError> {
    let mut backoff = Backoff::default();
    loop {
        let error = tokio::select! {
            opened = aha_store::open(config.database_url.as_str(), OpenMode::CreateIfMissing) => match opened {
                Ok(store) => return Ok(Some(store)),
                Err(error) => error,
            },
            () = &mut stop => return Ok(None),
        };
        let may_pass = error.retry_advice() == RetryAdvice::Soon || matches!(error, StoreError::DiskFull);
        if !may_pass {
            return Err(error);
        }
        let pause = backoff.failed(error.retry_advice(), Instant::now());
        tracing::error!(%error, again_in_s = pause.as_secs(), "the database cannot be opened; trying again");
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = &mut stop => return Ok(None),
        }
    }
}

/// Runs the daemon until `stop` completes.
///
/// # Errors
/// When it cannot listen or schedule its ticks. A failing run is logged, shown by `/health` and retried.
pub async fn run(app: App, mut stop: Pin<&mut impl Future<Output = ()>>) -> Result<(), DaemonError> {
    let address = app.config().listen;
    let runs = Runs::new(app.clone());
    let server = Server::bind(app.clone(), runs.clone()).await?;
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "daemon started");
    let closing = CancellationToken::new();
    let serving = tokio::spawn(server.run(closing.clone()));
    let indexing = tokio::spawn(index_missing(app.clone()));
    let tick = Arc::new(Notify::new());
    let mut scheduler = JobScheduler::new().await?;
    scheduler.add(minute_tick(&tick)?).await?;
    scheduler.start().await?;
    let mut retention = retention::Daily::default();
    let mut topics = Topics::of(app.clone(), runs.clone());
    loop {
        retention.tick(&app);
        tokio::select! {
            () = topics.start_due() => {}
            () = &mut stop => break,
        }
        tokio::select! {
            () = next_minute(&tick, LONGEST_WAIT) => {}
            () = topics.something_to_do() => {}
            () = &mut stop => break,
        }
    }
    // A transaction that is not committed leaves nothing behind, and the next start goes on.
    indexing.abort();
    let end_runs = async {
        topics.ended().await;
        runs.ended().await;
    };
    finish_calls(&app, end_runs).await;
    scheduler.shutdown().await?;
    closing.cancel();
    serving.await.unwrap_or_else(|error| tracing::error!(%error, "the web server broke off"));
    tracing::info!("daemon stopped");
    Ok(())
}

/// Indexes what a migration or another program's writes left out of the index of searches.
async fn index_missing(app: App) {
    match search::index_missing(&app).await {
        Ok(0) => {}
        Ok(entries) => tracing::info!(entries, "what was missing in the search index is indexed"),
        Err(error) => tracing::warn!(%error, "the search index is incomplete; run `aha-radar reindex`"),
    }
}

fn minute_tick(tick: &Arc<Notify>) -> Result<Job, JobSchedulerError> {
    let tick = Arc::clone(tick);
    Job::new_async(EVERY_MINUTE, move |_, _| {
        let tick = Arc::clone(&tick);
        Box::pin(async move { tick.notify_one() })
    })
}

/// Waits for the minute tick, `longest` at most.
async fn next_minute(tick: &Notify, longest: Duration) {
    tokio::select! {
        () = tick.notified() => {}
        () = tokio::time::sleep(longest) => {}
    }
}

/// The runs in progress, and the topics that wait after a failure.
struct Topics {
    app: App,
    runs: Runs,
    tasks: JoinSet<Result<(), RetryAdvice>>,
    running: HashMap<Id, String>,
    /// Topics whose last run failed, or whose rows could not be read or written, by name.
    failing: HashMap<String, Backoff>,
    /// Backoff for the query of due topics.
    reading: Backoff,
}

impl Topics {
    fn of(app: App, runs: Runs) -> Self {
        Self {
            app,
            runs,
            tasks: JoinSet::new(),
            running: HashMap::new(),
            failing: HashMap::new(),
            reading: Backoff::default(),
        }
    }

    /// Starts the topics that are due, except those that are running in this process or waiting after a failure.
    async fn start_due(&mut self) {
        if !self.reading.may_try(Instant::now()) {
            return;
        }
        match self.try_start_due().await {
            Ok(()) => self.reading = Backoff::default(),
            Err(error) => {
                let pause = self.reading.failed(error.retry_advice(), Instant::now());
                tracing::error!(%error, again_in_s = pause.as_secs(), "the topics that are due could not be read; trying again");
            }
        }
    }

    async fn try_start_due(&mut self) -> Result<(), StoreError> {
        let now = self.app.clock().now();
        for topic in self.app.store().topics().await? {
            // An error concerns only this topic: the others are scheduled nevertheless.
            match self.start_if_due(&topic, now).await {
                Ok(()) => {}
                Err(RunError::Store(StoreError::NotFound { .. })) => {
                    tracing::info!(topic = %topic.name, "the topic was removed meanwhile");
                }
                Err(error) => self.note_unscheduled(&topic.name, &error),
            }
        }
        Ok(())
    }

    async fn start_if_due(&mut self, topic: &Topic, now: Timestamp) -> Result<(), RunError> {
        let waits = self.failing.get(&topic.name).is_some_and(|backoff| !backoff.may_try(Instant::now()));
        let running = self.running.values().any(|name| *name == topic.name) || self.runs.is_running(&topic.name);
        if waits || running || self.app.store().sources(topic.id).await?.iter().all(|s| !s.enabled) {
            return Ok(());
        }
        if due::is_due(&self.app, topic, now)? {
            let task = self.tasks.spawn(run_topic(self.app.clone(), self.runs.clone(), topic.clone()));
            self.running.insert(task.id(), topic.name.clone());
        } else {
            due::reschedule(&self.app, topic, now).await?;
            // If its last run failed here, another process has made it.
            self.failing.remove(&topic.name);
        }
        Ok(())
    }

    fn note_unscheduled(&mut self, topic: &str, error: &RunError) {
        let Some(advice) = error.retry_advice() else {
            tracing::error!(topic, %error, "the topic cannot be scheduled");
            return;
        };
        let pause = self.failing.entry(topic.to_owned()).or_default().failed(advice, Instant::now());
        tracing::error!(topic, %error, again_in_s = pause.as_secs(), "the topic cannot be scheduled; trying again");
    }

    /// Waits until a run has ended or a pause is over.
    async fn something_to_do(&mut self) {
        let pauses = self.failing.values().chain([&self.reading]).filter_map(Backoff::until);
        let next = pauses.filter(|until| *until > Instant::now()).min();
        let pause = async {
            match next {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => self.note(ended),
            () = pause => {}
        }
    }

    fn note(&mut self, ended: Result<(Id, Result<(), RetryAdvice>), JoinError>) {
        let (id, outcome) = match ended {
            Ok((id, outcome)) => (id, outcome),
            Err(error) => {
                tracing::error!(%error, "a run broke off");
                (error.id(), Err(RetryAdvice::NextAttempt))
            }
        };
        let Some(topic) = self.running.remove(&id) else { return };
        match outcome {
            Ok(()) => drop(self.failing.remove(&topic)),
            Err(decision) => {
                let pause = self.failing.entry(topic.clone()).or_default().failed(decision, Instant::now());
                tracing::info!(topic, again_in_s = pause.as_secs(), "the topic is tried again");
            }
        }
    }

    /// Waits for the runs, which the process's stop has asked to end.
    async fn ended(mut self) {
        tracing::info!(runs = self.tasks.len(), "asked to stop; runs end at their next safe point");
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Runs a topic and schedules its next run. The error is the decision of a failure that is to be retried before the
/// next scheduled time.
async fn run_topic(app: App, runs: Runs, topic: Topic) -> Result<(), RetryAdvice> {
    match Box::pin(runs.run_scheduled(&topic.name)).await {
        // The runner has logged each run.
        Ok(_) => {}
        Err(RunError::Interrupted) if app.is_stopping() => {
            // Not scheduled anew: the unfinished run is due again as soon as a daemon starts.
            tracing::info!(topic = %topic.name, "run interrupted; the next start continues it");
            return Ok(());
        }
        Err(RunError::Interrupted) => {
            // It is still due and would restart immediately.
            tracing::info!(topic = %topic.name, "run stopped by hand; it continues when next due, or when it is started");
        }
        Err(error) => match error.retry_advice() {
            // Another process is running the topic. If that process dies, this one completes its run.
            Some(decision) if matches!(error, RunError::Held { .. }) => {
                tracing::info!(topic = %topic.name, %error, "the topic is being run elsewhere");
                return Err(decision);
            }
            Some(decision) => {
                tracing::error!(topic = %topic.name, %error, "run failed; it continues after a pause");
                return Err(decision);
            }
            None if matches!(error, RunError::Output { .. }) => {
                tracing::error!(topic = %topic.name, %error, "run finished without the files of its digest");
            }
            None => tracing::error!(topic = %topic.name, %error, "run failed; it continues when next due"),
        },
    }
    due::schedule_next(&app, &topic, app.clock().now()).await.map_err(|error| {
        tracing::error!(topic = %topic.name, %error, "the next run could not be planned");
        error.retry_advice()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aha_core::source::NewSource;
    use aha_store::TopicReset;
    use tokio::time::timeout;

    use super::*;

    const NOW: &str = "2026-11-19T07:00:00Z";

    /// A daemon's topics on a new database: one, which has a source and was read up to now.
    async fn topics(folder: &Path) -> Topics {
        let url = format!("sqlite://{}", folder.join("aha-radar.db").display());
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
        let now = Timestamp::parse_rfc3339(NOW).unwrap();
        let topic = store.ensure_topic("default", now).await.unwrap();
        let reset = TopicReset { read_until: Some(now), ..TopicReset::default() };
        assert!(store.save_topic(&topic, &topic, reset).await.unwrap());
        let source = NewSource { url: "https://a.example/feed".to_owned(), ..NewSource::default() };
        store.add_sources(topic.id, &[source], now).await.unwrap();
        let config = Config::from_pairs([("AHA_NOW".to_owned(), NOW.to_owned())].into_iter()).unwrap();
        let app = App::new(config, store).unwrap();
        Topics::of(app.clone(), Runs::new(app))
    }

    #[tokio::test]
    async fn a_run_made_elsewhere_ends_the_back_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut topics = topics(folder.path()).await;
        let mut backoff = Backoff::default();
        backoff.failed(RetryAdvice::Soon, Instant::now().checked_sub(Duration::from_mins(1)).unwrap());
        topics.failing.insert("default".to_owned(), backoff);
        topics.try_start_due().await.unwrap();
        assert!(topics.failing.is_empty(), "the next failure would wait as long as after two");
        assert!(topics.tasks.is_empty(), "it is not due");
    }

    #[tokio::test]
    async fn the_daemon_wakes_up_without_a_tick_and_at_a_tick() {
        let (tick, limit) = (Notify::new(), Duration::from_secs(30));
        assert!(timeout(limit, next_minute(&tick, Duration::from_millis(1))).await.is_ok());
        tick.notify_one();
        assert!(timeout(limit, next_minute(&tick, Duration::from_hours(1))).await.is_ok());
    }
}
