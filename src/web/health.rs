//! `GET /health`: how the server and the last run are. Why a run failed is said to this machine and to who is signed in.

use aha_core::digest::DigestStatus;
use aha_core::time::Timestamp;
use aha_store::StoreError;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::WebState;
use super::guard::address;
use super::guard::identity::Identity;
use crate::app::App;
use crate::digest::gaps_line;
use crate::pipeline::due::{Overdue, overdue};

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    status: Status,
    version: &'static str,
    last_run: Option<LastRun>,
    overdue: Vec<LateTopic>,
    /// Providers of models that failed again and again.
    left_alone: Vec<LeftAlone>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    /// A source or the last attempt failed.
    Degraded,
    /// The database does not answer, or a topic had no successful run for longer than `AHA_ALERT_HOURS`.
    Error,
}

#[derive(Debug, Serialize, ToSchema)]
struct LateTopic {
    topic: String,
    #[schema(value_type = Option<String>)]
    last_success: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LeftAlone {
    provider: String,
    /// Scheme, host and port.
    server: String,
    /// Until one call asks whether it is back.
    seconds: u64,
}

#[derive(Debug, Serialize, ToSchema)]
struct LastRun {
    topic: String,
    #[schema(value_type = String)]
    window_end: Timestamp,
    outcome: String,
    #[schema(value_type = Option<String>)]
    finished_at: Option<Timestamp>,
    /// Why it failed, with the causes.
    error: Option<String>,
    /// What its digest lacks.
    missing: Option<String>,
}

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(health))
}

/// How the server is.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = Health), (status = 503, description = "It cannot do its work", body = Health))
)]
async fn health(State(state): State<WebState>, request: Request) -> (StatusCode, Json<Health>) {
    let may_know_why = request.extensions().get::<Identity>().is_some() || address(&state, &request).is_loopback();
    let mut health = of_app(state.app()).await;
    if !may_know_why && let Some(run) = &mut health.last_run {
        (run.error, run.missing) = (None, None);
    }
    let code = if health.status == Status::Error { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (code, Json(health))
}

async fn of_app(app: &App) -> Health {
    let left_alone: Vec<LeftAlone> = app
        .gateway()
        .open_circuits()
        .into_iter()
        .map(|one| LeftAlone { provider: one.provider, server: one.server, seconds: one.wait.as_secs() })
        .collect();
    let (status, last_run, overdue) = match look(app).await {
        Ok((_, last_run, overdue)) if !overdue.is_empty() => (Status::Error, last_run, overdue),
        Ok((Status::Ok, last_run, overdue)) if !left_alone.is_empty() => (Status::Degraded, last_run, overdue),
        Ok(found) => found,
        Err(error) => {
            tracing::error!(%error, "health: the database does not answer");
            (Status::Error, None, Vec::new())
        }
    };
    let overdue = overdue.into_iter().map(|late| LateTopic { topic: late.topic, last_success: late.last_success });
    Health { status, version: env!("CARGO_PKG_VERSION"), last_run, overdue: overdue.collect(), left_alone }
}

async fn look(app: &App) -> Result<(Status, Option<LastRun>, Vec<Overdue>), StoreError> {
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
    Ok((if degraded { Status::Degraded } else { Status::Ok }, last, late))
}
