//! `GET /health`: the state of the server and of the last run. Problems, the reason for a failed run, and the models and
//! the addresses of their servers are given only to this machine and to users who are signed in.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use tokio::sync::Mutex;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::WebState;
use super::guard::address;
use super::guard::identity::Identity;
use crate::services::health::{HealthReport, HealthStatus, report};

/// How long a report is used again: anyone may ask for one, and it reads runs of every topic.
const MAX_AGE: Duration = Duration::from_secs(2);

/// The last report, and when it was made.
#[derive(Debug, Default)]
pub(super) struct LastReport(Mutex<Option<(Instant, HealthReport)>>);

impl LastReport {
    /// Returns the last report if it is recent, otherwise that of `make`. Requests that arrive meanwhile wait for it.
    async fn get(&self, now: impl Fn() -> Instant, make: impl Future<Output = HealthReport>) -> HealthReport {
        let mut last = self.0.lock().await;
        if let Some((_, report)) = last.as_ref().filter(|(made_at, _)| now().duration_since(*made_at) < MAX_AGE) {
            return report.clone();
        }
        let report = make.await;
        *last = Some((now(), report.clone()));
        report
    }
}

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(health))
}

/// How the server is.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = HealthReport), (status = 503, description = "It cannot work", body = HealthReport))
)]
async fn health(State(state): State<WebState>, request: Request) -> (StatusCode, Json<HealthReport>) {
    let may_know_why = request.extensions().get::<Identity>().is_some() || address(&state, &request).is_loopback();
    let health = state.last_report().get(Instant::now, report(state.app())).await;
    let health = if may_know_why { health } else { health.without_causes() };
    let code = if health.status == HealthStatus::Error { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (code, Json(health))
}

#[cfg(test)]
mod tests {
    use aha_core::time::Timestamp;

    use super::*;
    use crate::services::health::{HealthProblem, LastRun, OpenCircuitReport};

    fn degraded() -> HealthReport {
        let run = LastRun {
            topic: "default".to_owned(),
            window_end: Timestamp::from_millis(0),
            outcome: "failed".to_owned(),
            finished_at: None,
            error: Some("connection to http://10.0.0.7:8080 refused".to_owned()),
            missing: Some("summaries: http://10.0.0.7:8080 is away".to_owned()),
        };
        let circuit = OpenCircuitReport {
            provider: "openai".to_owned(),
            model: Some("my-own-model".to_owned()),
            server: Some("http://10.0.0.7:8080".to_owned()),
            seconds: 60,
        };
        HealthReport {
            status: HealthStatus::Degraded,
            version: "1".to_owned(),
            last_run: Some(run),
            problems: vec![HealthProblem {
                topic: Some("default".to_owned()),
                reason: "its last run failed: connection to http://10.0.0.7:8080 refused".to_owned(),
            }],
            overdue: Vec::new(),
            open_circuits: vec![circuit],
        }
    }

    #[test]
    fn others_learn_neither_addresses_nor_models_nor_causes() {
        let shown = serde_json::to_string(&degraded().without_causes()).unwrap();
        assert!(shown.contains("\"outcome\":\"failed\"") && shown.contains("\"seconds\":60"), "{shown}");
        assert!(!shown.contains("10.0.0.7") && !shown.contains("my-own-model"), "{shown}");
    }

    #[tokio::test]
    async fn a_report_is_made_anew_only_after_two_seconds() {
        let (last, begun) = (LastReport::default(), Instant::now());
        let at = |millis: u64, version: &'static str| {
            let make = async move { HealthReport { version: version.to_owned(), ..degraded() } };
            last.get(move || begun + Duration::from_millis(millis), make)
        };
        assert_eq!(at(0, "first").await.version, "first");
        assert_eq!(at(1_999, "second").await.version, "first");
        assert_eq!(at(2_000, "third").await.version, "third");
        assert_eq!(at(3_999, "fourth").await.version, "third");
    }
}
