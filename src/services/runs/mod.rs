//! Runs: starts one in the background, watches and cancels it, and lists past runs.

mod history;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aha_core::digest::DigestStatus;
use aha_core::ids::DigestId;
use aha_core::time::Timestamp;
use aha_core::window::{Window, WindowError};
use chrono_tz::Tz;
use futures::FutureExt as _;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinSet;
use utoipa::ToSchema;

use super::{ErrorKind, Result, ServiceError, topics};
use crate::app::App;
use crate::pipeline::lease_owner::LeaseOwner;
use crate::pipeline::progress::Progress;
use crate::pipeline::runner::{self, RunOutcome, RunRequest};
use crate::pipeline::{RunError, Stage, StopSignal, due};

pub(super) use history::one_by_id;
pub use history::{PastRun, by_id, by_prefix, choice_to_repeat, find, history, stored_digests};

/// A run to start.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunChoice {
    pub topic: String,
    /// `START..END`, each a date (its local midnight) or an RFC 3339 time; if omitted, from where the last run ended
    /// to now. A window that is not over ends with the current minute.
    #[serde(default)]
    pub window: Option<String>,
    /// Judge stories again that were judged before.
    #[serde(default)]
    pub rejudge: bool,
}

/// Builds the runner's request for a chosen run.
///
/// # Errors
/// When there is no such topic, its zone or the window cannot be read, or the window has not begun.
pub async fn to_run_request(
    app: &App,
    choice: &RunChoice,
    progress: Arc<dyn Progress>,
    stop: StopSignal,
) -> Result<RunRequest> {
    let topic = topics::find(app, &choice.topic).await?;
    let (zone, now) = (due::zone_of(app, &topic)?, app.clock().now());
    Ok(RunRequest {
        topic: topic.name,
        window: choice.window.as_deref().map(|text| past_window(text, zone, now)).transpose()?,
        scheduled: false,
        rejudge: choice.rejudge,
        progress,
        stop,
    })
}

/// Parses a window. One that is not over ends with the current minute: its digest would stay the latest until that end.
fn past_window(text: &str, zone: Tz, now: Timestamp) -> Result<Window> {
    let window = Window::parse(text, zone)?;
    if window.start > now {
        let message = format!("the window begins at {}, which is to come; choose one that has begun", window.start);
        return Err(ServiceError::invalid("window", message));
    }
    Ok(Window { end: window.end.min(now.floor_to_minute()).max(window.start), ..window })
}

/// Makes a run and waits for its end.
///
/// # Errors
/// When there is no digest. Completed work is kept, and the same request continues it.
pub async fn run(app: &App, request: &RunRequest) -> Result<RunOutcome> {
    Ok(Box::pin(runner::run(app, request)).await?)
}

impl From<WindowError> for ServiceError {
    fn from(error: WindowError) -> Self {
        Self::invalid("window", error.to_string())
    }
}

/// The status of a topic's current run in this process, or of its last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    pub topic: String,
    pub started_at: Timestamp,
    /// The stages so far, the current one last.
    pub stages: Vec<StageStatus>,
    /// `None` while it is running.
    pub end: Option<RunEnd>,
    pub ended_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStatus {
    pub stage: &'static str,
    pub started_at: Timestamp,
    /// Steps done, and their total; 0 if the total is unknown.
    pub done: usize,
    pub total: usize,
    /// Describes the result; `None` while the stage is running.
    pub summary: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum RunEnd {
    /// Usually one digest; two if an unfinished run was completed first.
    #[serde(rename = "made")]
    Completed {
        digests: Vec<DigestRef>,
    },
    /// There was nothing to read.
    UpToDate {
        until: Option<Timestamp>,
    },
    /// Cancelled; the same request continues it.
    Cancelled,
    Failed {
        kind: ErrorKind,
        message: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DigestRef {
    pub id: DigestId,
    pub status: DigestStatus,
}

impl From<&std::result::Result<RunOutcome, RunError>> for RunEnd {
    fn from(outcome: &std::result::Result<RunOutcome, RunError>) -> Self {
        match outcome {
            Ok(outcome) if outcome.outputs.is_empty() => Self::UpToDate { until: outcome.up_to_date },
            Ok(outcome) => {
                let heads = outcome.outputs.iter().map(|output| &output.digest.head);
                Self::Completed { digests: heads.map(|head| DigestRef { id: head.id, status: head.status }).collect() }
            }
            Err(RunError::Interrupted) => Self::Cancelled,
            Err(error) => Self::Failed { kind: super::error::kind_of_run(error), message: error.with_causes() },
        }
    }
}

/// The runs of this process, at most one per topic. Clones share them.
#[derive(Debug, Clone)]
pub struct Runs {
    app: App,
    by_topic: Arc<Mutex<BTreeMap<String, Watched>>>,
    tasks: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
struct Watched {
    status: Arc<watch::Sender<RunStatus>>,
    stop: StopSignal,
}

impl Runs {
    #[must_use]
    pub fn new(app: App) -> Self {
        Self { app, by_topic: Arc::default(), tasks: Arc::default() }
    }

    /// Starts a run in the background and returns its status, which is updated.
    ///
    /// # Errors
    /// When the request is invalid, the process is stopping, or a process runs the topic already.
    pub async fn start(&self, choice: &RunChoice) -> Result<watch::Receiver<RunStatus>> {
        let stop = StopSignal::of(&self.app);
        let status = self.begun(&choice.topic);
        let reporter = Reporter { status: Arc::clone(&status), app: self.app.clone() };
        let request = to_run_request(&self.app, choice, Arc::new(reporter), stop.clone()).await?;
        self.check_free(&choice.topic).await?;
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // It would not be waited for: `ended` may have taken the tasks already.
        if self.app.is_stopping() {
            return Err(RunError::Interrupted.into());
        }
        self.register(&choice.topic, &status, stop)?;
        let (app, receiver) = (self.app.clone(), status.subscribe());
        let running = Running { app: app.clone(), status };
        // Removes the tasks that have ended.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let outcome = runner::run(&app, &request).boxed().await;
            // A scheduled run's error is logged by the scheduler.
            if let Err(error) = outcome.as_ref()
                && !matches!(error, RunError::Interrupted)
            {
                let error = error.with_causes();
                tracing::error!(topic = %request.topic, %error, "run failed; start it again to continue it");
            }
            running.end(RunEnd::from(&outcome));
        });
        Ok(receiver)
    }

    /// Makes a scheduled run in the caller's task. It can be watched and cancelled like any other.
    ///
    /// # Errors
    /// The runner's errors; [`RunError::Held`] if this process runs the topic already.
    pub async fn run_scheduled(&self, topic: &str) -> std::result::Result<RunOutcome, RunError> {
        let stop = StopSignal::of(&self.app);
        let status = self.begun(topic);
        if self.register(topic, &status, stop.clone()).is_err() {
            let (topic, owner) = (topic.to_owned(), "this process".to_owned());
            return Err(RunError::Held { topic, owner, expires_at: self.app.clock().wall() });
        }
        let request = RunRequest {
            topic: topic.to_owned(),
            window: None,
            scheduled: true,
            rejudge: false,
            progress: Arc::new(Reporter { status: Arc::clone(&status), app: self.app.clone() }),
            stop,
        };
        let running = Running { app: self.app.clone(), status };
        let outcome = runner::run(&self.app, &request).boxed().await;
        running.end(RunEnd::from(&outcome));
        outcome
    }

    /// Returns the status of the current and the last runs of this process, by topic.
    #[must_use]
    pub fn list(&self) -> Vec<RunStatus> {
        self.lock().values().map(|watched| watched.status.borrow().clone()).collect()
    }

    /// Returns whether this process runs the topic now.
    #[must_use]
    pub fn is_running(&self, topic: &str) -> bool {
        self.lock().get(topic).is_some_and(Watched::is_running)
    }

    /// Returns the status of the topic's run, which is updated; also after it has ended.
    ///
    /// # Errors
    /// When this process has never run the topic.
    pub fn watch(&self, topic: &str) -> Result<watch::Receiver<RunStatus>> {
        let none = || format!("topic {topic:?} has not been run by this process; start a run first");
        let found = self.lock().get(topic).map(|watched| watched.status.subscribe());
        found.ok_or_else(|| ServiceError::not_found("run", none()))
    }

    /// Requests the topic's run to end at its next safe point.
    ///
    /// # Errors
    /// When this process does not run the topic.
    pub fn cancel(&self, topic: &str) -> Result<()> {
        let runs = self.lock();
        let Some(watched) = runs.get(topic).filter(|watched| watched.is_running()) else {
            let message = format!("topic {topic:?} is not being run by this process; `aha-radar runs` lists runs");
            return Err(ServiceError::not_found("run", message));
        };
        watched.stop.interrupt();
        Ok(())
    }

    /// Waits for the runs that were started in the background. Once the process is asked to stop, all runs end at their
    /// next safe point.
    pub async fn ended(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }

    /// Returns an error if another live process holds the topic.
    async fn check_free(&self, topic: &str) -> Result<()> {
        let topic = topics::find(&self.app, topic).await?;
        let (owner, _) = self.app.store().lease_owner(topic.id, self.app.clock().wall()).await?;
        let me = LeaseOwner::current();
        match owner.filter(|owner| *owner != me.to_string() && !me.is_dead(owner)) {
            None => Ok(()),
            Some(owner) => {
                let owner = LeaseOwner::short(&owner);
                let message =
                    format!("topic {:?} is being run by {owner}; try again when that run has ended", topic.name);
                Err(ServiceError::Busy { message })
            }
        }
    }

    fn begun(&self, topic: &str) -> Arc<watch::Sender<RunStatus>> {
        let status = RunStatus {
            topic: topic.to_owned(),
            started_at: self.app.clock().wall(),
            stages: Vec::new(),
            end: None,
            ended_at: None,
        };
        Arc::new(watch::Sender::new(status))
    }

    fn register(&self, topic: &str, status: &Arc<watch::Sender<RunStatus>>, stop: StopSignal) -> Result<()> {
        let mut by_topic = self.lock();
        if by_topic.get(topic).is_some_and(Watched::is_running) {
            let message = format!("topic {topic:?} is being run by this process; watch that run, or cancel it first");
            return Err(ServiceError::Busy { message });
        }
        by_topic.insert(topic.to_owned(), Watched { status: Arc::clone(status), stop });
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Watched>> {
        self.by_topic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    fn is_running(&self) -> bool {
        self.status.borrow().end.is_none()
    }
}

/// A run in progress. If it is dropped without an end, as after a panic, it counts as broken off.
#[derive(Debug)]
struct Running {
    app: App,
    status: Arc<watch::Sender<RunStatus>>,
}

impl Running {
    fn end(&self, end: RunEnd) {
        self.status.send_modify(|status| {
            status.end = Some(end);
            status.ended_at = Some(self.app.clock().wall());
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.status.borrow().end.is_none() {
            let message = "the run ended unexpectedly; see the log".to_owned();
            self.end(RunEnd::Failed { kind: ErrorKind::Internal, message });
        }
    }
}

/// Writes a run's progress to its status.
#[derive(Debug)]
struct Reporter {
    status: Arc<watch::Sender<RunStatus>>,
    app: App,
}

impl Progress for Reporter {
    fn begin(&self, stage: Stage, total: usize) {
        let started_at = self.app.clock().wall();
        self.status.send_modify(|status| {
            status.stages.push(StageStatus { stage: stage.as_str(), started_at, done: 0, total, summary: None });
        });
    }

    fn step(&self) {
        self.status.send_modify(|status| {
            if let Some(stage) = status.stages.last_mut() {
                stage.done += 1;
            }
        });
    }

    fn end(&self, stage: Stage, summary: &str) {
        self.status.send_modify(|status| {
            if let Some(found) = status.stages.iter_mut().rev().find(|found| found.stage == stage.as_str()) {
                found.summary = Some(summary.to_owned());
            }
        });
    }
}
