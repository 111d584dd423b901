//! `GET /health`: how the daemon and its last run are, and why that failed. It names no secret.

use aha_core::digest::DigestStatus;
use aha_core::time::Timestamp;
use aha_store::StoreError;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use crate::app::App;
use crate::digest::gaps_line;
use crate::pipeline::due::{Overdue, overdue};

#[derive(Debug, Serialize)]
pub(super) struct Health {
    /// `ok`; `degraded`: a source or the last attempt failed; `overdue`: a topic had no successful run for longer than
    /// `AHA_ALERT_HOURS`; `error`: the database does not answer.
    status: &'static str,
    version: &'static str,
    last_run: Option<LastRun>,
    overdue: Vec<Overdue>,
    /// Providers of models that failed again and again.
    left_alone: Vec<LeftAlone>,
}

#[derive(Debug, Serialize)]
struct LeftAlone {
    provider: String,
    /// Scheme, host and port.
    server: String,
    /// Until one call asks whether it is back.
    seconds: u64,
}

#[derive(Debug, Serialize)]
struct LastRun {
    topic: String,
    window_end: Timestamp,
    outcome: String,
    finished_at: Option<Timestamp>,
    /// Why it failed, with the causes.
    error: Option<String>,
    /// What its digest lacks.
    missing: Option<String>,
}

pub(super) async fn health(State(app): State<App>) -> (StatusCode, Json<Health>) {
    let version = env!("CARGO_PKG_VERSION");
    let left_alone: Vec<LeftAlone> = app
        .gateway()
        .left_alone()
        .into_iter()
        .map(|one| LeftAlone { provider: one.provider, server: one.server, seconds: one.wait.as_secs() })
        .collect();
    match look(&app).await {
        Ok((_, last_run, overdue)) if !overdue.is_empty() => {
            let health = Health { status: "overdue", version, last_run, overdue, left_alone };
            (StatusCode::SERVICE_UNAVAILABLE, Json(health))
        }
        Ok((status, last_run, overdue)) => {
            let status = if left_alone.is_empty() { status } else { "degraded" };
            (StatusCode::OK, Json(Health { status, version, last_run, overdue, left_alone }))
        }
        Err(error) => {
            tracing::error!(%error, "health: the database does not answer");
            let health = Health { status: "error", version, last_run: None, overdue: Vec::new(), left_alone };
            (StatusCode::SERVICE_UNAVAILABLE, Json(health))
        }
    }
}

async fn look(app: &App) -> Result<(&'static str, Option<LastRun>, Vec<Overdue>), StoreError> {
    let mut last: Option<LastRun> = None;
    let mut late = Vec::new();
    let mut degraded = false;
    for topic in app.store().topics().await? {
        let partial = app.store().latest_digest(topic.id).await?.filter(|d| d.digest.status == DigestStatus::Partial);
        degraded |= partial.is_some();
        late.extend(overdue(app.store(), app.config(), &topic, app.clock().now()).await?);
        for (run, attempts) in app.store().runs(Some(topic.id), 1).await? {
            let Some(attempt) = attempts.last() else { continue };
            degraded |= attempt.failure().is_some();
            if last.as_ref().is_none_or(|known| known.window_end < run.window.end) {
                last = Some(LastRun {
                    topic: topic.name.clone(),
                    window_end: run.window.end,
                    outcome: attempt.outcome.clone(),
                    finished_at: attempt.finished_at,
                    error: attempt.failure(),
                    missing: partial.as_ref().filter(|digest| digest.digest.run_id == run.id).and_then(gaps_line),
                });
            }
        }
    }
    Ok((if degraded { "degraded" } else { "ok" }, last, late))
}
