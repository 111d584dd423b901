//! `GET /health`: the state of the server and of the last run. The reason for a failed run and the addresses of model
//! servers are given only to this machine and to users who are signed in.

use aha_core::time::Timestamp;
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
use crate::services::health::{self as service, HealthReport, HealthStatus};

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    status: Status,
    version: &'static str,
    last_run: Option<LastRun>,
    overdue: Vec<LateTopic>,
    /// Providers of models that failed repeatedly.
    #[serde(rename = "left_alone")]
    open_circuits: Vec<OpenCircuitBody>,
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
struct OpenCircuitBody {
    provider: String,
    /// Scheme, host and port; only for this machine and users who are signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Until one call tests whether it is available again.
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

impl Health {
    /// Leaves out what only this machine and users who are signed in may know.
    fn without_causes(mut self) -> Self {
        if let Some(run) = &mut self.last_run {
            (run.error, run.missing) = (None, None);
        }
        self.open_circuits.iter_mut().for_each(|one| one.server = None);
        self
    }
}

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(health))
}

/// How the server is.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = Health), (status = 503, description = "It cannot work", body = Health))
)]
async fn health(State(state): State<WebState>, request: Request) -> (StatusCode, Json<Health>) {
    let may_know_why = request.extensions().get::<Identity>().is_some() || address(&state, &request).is_loopback();
    let health = of_app(state.app()).await;
    let health = if may_know_why { health } else { health.without_causes() };
    let code = if health.status == Status::Error { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (code, Json(health))
}

async fn of_app(app: &App) -> Health {
    let HealthReport { status, last_run, overdue, open_circuits } = service::report(app).await;
    let status = match status {
        HealthStatus::Ok => Status::Ok,
        HealthStatus::Degraded => Status::Degraded,
        HealthStatus::Error => Status::Error,
    };
    let overdue = overdue.into_iter().map(|late| LateTopic { topic: late.topic, last_success: late.last_success });
    let open_circuits = open_circuits.into_iter();
    let open_circuits = open_circuits.map(|one| OpenCircuitBody {
        provider: one.provider,
        server: Some(one.server),
        seconds: one.seconds,
    });
    let last_run = last_run.map(|run| LastRun {
        topic: run.topic,
        window_end: run.window_end,
        outcome: run.outcome,
        finished_at: run.finished_at,
        error: run.error,
        missing: run.missing,
    });
    Health {
        status,
        version: env!("CARGO_PKG_VERSION"),
        last_run,
        overdue: overdue.collect(),
        open_circuits: open_circuits.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_learn_neither_addresses_nor_causes() {
        let run = LastRun {
            topic: "default".to_owned(),
            window_end: Timestamp::from_millis(0),
            outcome: "failed".to_owned(),
            finished_at: None,
            error: Some("connection to http://10.0.0.7:8080 refused".to_owned()),
            missing: Some("summaries: http://10.0.0.7:8080 is away".to_owned()),
        };
        let server = Some("http://10.0.0.7:8080".to_owned());
        let health = Health {
            status: Status::Degraded,
            version: "1",
            last_run: Some(run),
            overdue: Vec::new(),
            open_circuits: vec![OpenCircuitBody { provider: "openai".to_owned(), server, seconds: 60 }],
        };
        let shown = serde_json::to_string(&health.without_causes()).unwrap();
        assert!(shown.contains("\"outcome\":\"failed\"") && shown.contains("\"seconds\":60"), "{shown}");
        assert!(!shown.contains("10.0.0.7"), "{shown}");
    }
}
