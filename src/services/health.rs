//! The health of an installation: whether the database answers, how the last runs went, which providers' circuits are
//! open. Served at `/health`, and read from there by [`super::daemon_client`].

use std::fmt;
use std::time::Duration;

use aha_core::digest::{Digest, DigestStatus};
use aha_core::run::{Run, RunAttempt, unwritten_files};
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_store::{DigestFilter, StoreError, WriteFailure};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use super::{Result, ServiceError};
use crate::app::App;
use crate::digest::gaps_line;
use crate::pipeline::due::{Overdue, overdue};
use crate::pipeline::runner::check_cursor;

/// How it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthReport {
    pub status: HealthStatus,
    pub version: String,
    pub last_run: Option<LastRun>,
    /// Why the status is not `ok`; only for this machine and users who are signed in.
    #[serde(default)]
    #[schema(required = true)]
    pub problems: Vec<HealthProblem>,
    /// Topics without a successful run for longer than `AHA_ALERT_HOURS`.
    #[serde(default)]
    #[schema(required = true)]
    pub overdue: Vec<Overdue>,
    /// Models, and servers with all their models, that failed repeatedly.
    #[serde(rename = "left_alone", default)]
    #[schema(required = true)]
    pub open_circuits: Vec<OpenCircuitReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// A topic's newest digest is partial, files of a digest are missing, its last attempt at a run failed, its rows
    /// cannot be read, the last write to the database failed, or a provider's circuit is open.
    Degraded,
    /// The database does not answer, or a topic had no successful run for longer than `AHA_ALERT_HOURS`.
    Error,
}

impl HealthStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Error => "error",
        }
    }
}

/// A reason why the status is not `ok`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthProblem {
    /// `None` if it concerns all topics.
    pub topic: Option<String>,
    pub reason: String,
}

impl fmt::Display for HealthProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.topic {
            Some(topic) => write!(f, "topic {topic:?}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// A model, or a server with all its models, whose circuit is open after repeated failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenCircuitReport {
    pub provider: String,
    /// The model, `None` if it is the server with all its models; only for this machine and users who are signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Scheme, host and port; only for this machine and users who are signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Seconds until a call tests the server again.
    pub seconds: u32,
}

impl OpenCircuitReport {
    /// Describes what failed.
    #[must_use]
    pub fn failed(&self) -> String {
        let model = self.model.as_ref().map_or_else(String::new, |model| format!(" when asked for {model}"));
        format!("its server failed repeatedly{model}")
    }
}

/// The run whose last attempt began last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastRun {
    pub topic: String,
    #[schema(value_type = String)]
    pub window_end: Timestamp,
    pub outcome: String,
    #[schema(value_type = Option<String>)]
    pub finished_at: Option<Timestamp>,
    /// Why it failed, with the causes; only for this machine and users who are signed in.
    pub error: Option<String>,
    /// What its digest lacks; only for this machine and users who are signed in.
    pub missing: Option<String>,
}

impl HealthReport {
    /// Leaves out what only this machine and users who are signed in may know.
    #[must_use]
    pub fn without_causes(mut self) -> Self {
        if let Some(run) = &mut self.last_run {
            (run.error, run.missing) = (None, None);
        }
        self.problems.clear();
        self.open_circuits.iter_mut().for_each(|one| (one.model, one.server) = (None, None));
        self
    }
}

/// How long the database may take. The image's health check gives up after 5 s.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Builds the report. A database that does not answer is logged, and makes the status an error.
pub async fn report(app: &App) -> HealthReport {
    let open_circuits: Vec<OpenCircuitReport> = app
        .gateway()
        .open_circuits()
        .into_iter()
        .map(|one| OpenCircuitReport {
            provider: one.provider,
            model: one.model,
            server: Some(one.server),
            seconds: u32::try_from(one.wait.as_secs()).unwrap_or(u32::MAX),
        })
        .collect();
    let found = match timeout(MAX_WAIT, of_topics(app)).await {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(_) => Err(format!("it took more than {} s", MAX_WAIT.as_secs())),
    };
    let is_readable = found.is_ok();
    let Topics { mut problems, last_run, overdue } = found.unwrap_or_else(|error| {
        tracing::error!(%error, "health: the database does not answer");
        let reason = format!("the database does not answer: {error}");
        Topics { problems: vec![HealthProblem { topic: None, reason }], ..Topics::default() }
    });
    problems.extend(app.store().last_write_failure().map(|failure| last_write(&failure)));
    problems.extend(open_circuits.iter().map(paused));
    let status = match (is_readable && overdue.is_empty(), problems.is_empty()) {
        (false, _) => HealthStatus::Error,
        (true, false) => HealthStatus::Degraded,
        (true, true) => HealthStatus::Ok,
    };
    HealthReport { status, version: env!("CARGO_PKG_VERSION").to_owned(), last_run, problems, overdue, open_circuits }
}

fn last_write(failure: &WriteFailure) -> HealthProblem {
    let WriteFailure { reason, age } = failure;
    HealthProblem { topic: None, reason: format!("the last write failed {} s ago: {reason}", age.as_secs()) }
}

fn paused(circuit: &OpenCircuitReport) -> HealthProblem {
    let OpenCircuitReport { provider, seconds, .. } = circuit;
    let what = circuit.failed();
    let reason = format!("{provider} is paused for {seconds} s more, as {what}");
    HealthProblem { topic: None, reason }
}

/// Returns the topic's newest digest if it is partial. A complete digest is not read.
async fn partial_digest(app: &App, topic: &Topic) -> Result<Option<Digest>> {
    let newest = DigestFilter { topic: Some(topic.id), ends_after: None, ends_until: None, limit: 1 };
    let newest = app.store().digest_entries(&newest).await?.pop();
    if newest.is_none_or(|entry| entry.head.status != DigestStatus::Partial) {
        return Ok(None);
    }
    Ok(app.store().latest_digest(topic.id).await?)
}

/// Number of a topic's newest windows among which its last run is found: the window of an earlier run may end later.
const RUNS_SEARCHED: i64 = 50;

/// Orders attempts by the time at which they began, then by the end of their window. One that began later than now,
/// while the clock was ahead, comes before all others.
type Recency = (bool, Timestamp, Timestamp);

/// Returns the run whose last attempt began last, with that attempt.
fn last_begun(runs: Vec<(Run, Vec<RunAttempt>)>, now: Timestamp) -> Option<(Recency, Run, RunAttempt)> {
    let last_attempts = runs.into_iter().filter_map(|(run, mut attempts)| {
        let attempt = attempts.pop()?;
        Some(((attempt.started_at <= now, attempt.started_at, run.window.end), run, attempt))
    });
    last_attempts.max_by_key(|(recency, ..)| *recency)
}

/// What the topics' rows say.
#[derive(Debug, Default)]
struct Topics {
    problems: Vec<HealthProblem>,
    last_run: Option<LastRun>,
    overdue: Vec<Overdue>,
}

async fn of_topics(app: &App) -> Result<Topics> {
    let now = app.clock().now();
    let mut last: Option<(Recency, LastRun)> = None;
    let (mut problems, mut late) = (Vec::new(), Vec::new());
    for topic in app.store().topics().await? {
        let found = match of_topic(app, &topic, now).await {
            Err(ServiceError::Store(error @ StoreError::Corrupt { .. })) => {
                tracing::error!(topic = %topic.name, %error, "health: the topic's rows cannot be read");
                let next = "repair that row, or restore a backup";
                OneTopic { reasons: vec![format!("its rows cannot be read: {error}; {next}")], ..OneTopic::default() }
            }
            found => found?,
        };
        let problem = |reason| HealthProblem { topic: Some(topic.name.clone()), reason };
        problems.extend(found.reasons.into_iter().map(problem));
        late.extend(found.overdue);
        let is_later = |run: &(Recency, LastRun)| last.as_ref().is_none_or(|(known, _)| *known < run.0);
        if let Some(run) = found.last_run.filter(is_later) {
            last = Some(run);
        }
    }
    Ok(Topics { problems, last_run: last.map(|(_, last_run)| last_run), overdue: late })
}

/// What one topic's rows say.
#[derive(Debug, Default)]
struct OneTopic {
    /// Why it is not well.
    reasons: Vec<String>,
    overdue: Option<Overdue>,
    last_run: Option<(Recency, LastRun)>,
}

async fn of_topic(app: &App, topic: &Topic, now: Timestamp) -> Result<OneTopic> {
    let mut reasons: Vec<String> = check_cursor(topic, now).err().map(|error| error.to_string()).into_iter().collect();
    let partial = partial_digest(app, topic).await?;
    let gaps = partial.as_ref().and_then(gaps_line);
    reasons.extend(gaps.as_ref().map(|gaps| format!("its newest digest lacks something: {gaps}")));
    let runs = app.store().runs(Some(topic.id), RUNS_SEARCHED).await?;
    reasons.extend(
        runs.iter().find_map(|(run, attempts)| Some(format!("{}: {}", run.window, unwritten_files(attempts)?))),
    );
    let overdue = overdue(app.store(), app.config(), topic, now).await?;
    reasons.extend(overdue.as_ref().map(overdue_reason));
    let Some((recency, run, attempt)) = last_begun(runs, now) else {
        return Ok(OneTopic { reasons, overdue, last_run: None });
    };
    let failure = attempt.failure();
    reasons.extend(failure.as_ref().map(|why| format!("its last run failed: {why}")));
    let is_of_run = partial.as_ref().is_some_and(|digest| digest.head.run_id == run.id);
    let last_run = LastRun {
        topic: topic.name.clone(),
        window_end: run.window.end,
        outcome: attempt.outcome.as_str().to_owned(),
        finished_at: attempt.finished_at,
        error: failure,
        missing: gaps.filter(|_| is_of_run),
    };
    Ok(OneTopic { reasons, overdue, last_run: Some((recency, last_run)) })
}

fn overdue_reason(topic: &Overdue) -> String {
    match topic.last_success {
        Some(at) => format!("no run succeeded within AHA_ALERT_HOURS (last at {at})"),
        None => "no run succeeded within AHA_ALERT_HOURS".to_owned(),
    }
}
