//! The health of an installation: whether the database answers, how the last runs went, which providers' circuits are
//! open. Served at `/health`, and read from there by [`super::daemon_client`].

use aha_core::digest::{Digest, DigestStatus};
use aha_core::run::{Run, RunAttempt};
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_store::DigestFilter;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Result;
use crate::app::App;
use crate::digest::gaps_line;
use crate::pipeline::due::{Overdue, overdue};

/// How it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthReport {
    pub status: HealthStatus,
    pub version: String,
    pub last_run: Option<LastRun>,
    /// Topics without a successful run for longer than `AHA_ALERT_HOURS`.
    #[serde(default)]
    #[schema(required = true)]
    pub overdue: Vec<Overdue>,
    /// Providers of models that failed repeatedly.
    #[serde(rename = "left_alone", default)]
    #[schema(required = true)]
    pub open_circuits: Vec<OpenCircuitReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// A topic's newest digest is partial, its last attempt at a run failed, or a provider's circuit is open.
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

/// A provider whose circuit is open, as its server failed repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenCircuitReport {
    pub provider: String,
    /// Scheme, host and port; only for this machine and users who are signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Seconds until a call tests the server again.
    pub seconds: u32,
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
        self.open_circuits.iter_mut().for_each(|one| one.server = None);
        self
    }
}

/// Builds the report. A database that does not answer is logged, and makes the status an error.
pub async fn report(app: &App) -> HealthReport {
    let open_circuits: Vec<OpenCircuitReport> = app
        .gateway()
        .open_circuits()
        .into_iter()
        .map(|one| OpenCircuitReport {
            provider: one.provider,
            server: Some(one.server),
            seconds: u32::try_from(one.wait.as_secs()).unwrap_or(u32::MAX),
        })
        .collect();
    let (status, last_run, overdue) = match of_topics(app).await {
        Ok((_, last_run, overdue)) if !overdue.is_empty() => (HealthStatus::Error, last_run, overdue),
        Ok((HealthStatus::Ok, last_run, overdue)) if !open_circuits.is_empty() => {
            (HealthStatus::Degraded, last_run, overdue)
        }
        Ok(found) => found,
        Err(error) => {
            tracing::error!(%error, "health: the database does not answer");
            (HealthStatus::Error, None, Vec::new())
        }
    };
    HealthReport { status, version: env!("CARGO_PKG_VERSION").to_owned(), last_run, overdue, open_circuits }
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

/// Returns the topic's run whose last attempt began last, with that attempt.
async fn last_begun(app: &App, topic: &Topic, now: Timestamp) -> Result<Option<(Recency, Run, RunAttempt)>> {
    let runs = app.store().runs(Some(topic.id), RUNS_SEARCHED).await?;
    let last_attempts = runs.into_iter().filter_map(|(run, mut attempts)| {
        let attempt = attempts.pop()?;
        Some(((attempt.started_at <= now, attempt.started_at, run.window.end), run, attempt))
    });
    Ok(last_attempts.max_by_key(|(recency, ..)| *recency))
}

async fn of_topics(app: &App) -> Result<(HealthStatus, Option<LastRun>, Vec<Overdue>)> {
    let now = app.clock().now();
    let mut last: Option<(Recency, LastRun)> = None;
    let mut late = Vec::new();
    let mut is_degraded = false;
    for topic in app.store().topics().await? {
        let partial = partial_digest(app, &topic).await?;
        is_degraded |= partial.is_some();
        late.extend(overdue(app.store(), app.config(), &topic, now).await?);
        let Some((recency, run, attempt)) = last_begun(app, &topic, now).await? else { continue };
        is_degraded |= attempt.failure().is_some();
        if last.as_ref().is_none_or(|(known, _)| *known < recency) {
            let missing = partial.as_ref().filter(|digest| digest.head.run_id == run.id).and_then(gaps_line);
            let failure = attempt.failure();
            let last_run = LastRun {
                topic: topic.name.clone(),
                window_end: run.window.end,
                outcome: attempt.outcome,
                finished_at: attempt.finished_at,
                error: failure,
                missing,
            };
            last = Some((recency, last_run));
        }
    }
    let status = if is_degraded { HealthStatus::Degraded } else { HealthStatus::Ok };
    Ok((status, last.map(|(_, last_run)| last_run), late))
}
