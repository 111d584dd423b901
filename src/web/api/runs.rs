//! Runs: starts, watches and stops them, and lists past ones.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::cmp::Reverse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::pages::encoded;
use super::super::run_events::run_events;
use super::super::{Editor, Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};
use super::page::PageQuery;
use super::{OfTopic, check_id};
use crate::services::estimate::{self, RunEstimate};
use crate::services::runs::{self, PastRun, RunChoice, RunStatus};
use crate::services::topics;

/// Maximum number of runs that cursors can reach, the newest windows first.
const LISTED: i64 = 10_000;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(list, start))
        .routes(routes!(one))
        .routes(routes!(retry))
        .routes(routes!(estimated))
        .routes(routes!(status, stop))
        .routes(routes!(events))
}

#[derive(Debug, Serialize)]
struct PastRuns {
    runs: Vec<PastRun>,
    next: Option<String>,
}

/// Runs with their attempts, of one topic or of all topics, the newest window first.
#[utoipa::path(get, path = "/api/v1/runs", tag = "runs", params(OfTopic, PageQuery),
    responses((status = 200, description = "`runs`, each with its `digest_id` and `attempts`, and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<PastRuns>, Failure> {
    let limit = match page.cursor() {
        Some(_) => LISTED,
        None => i64::try_from(page.limit()? + 1).unwrap_or(LISTED),
    };
    let past = runs::history(state.app(), of.topic.as_deref(), limit).await?;
    let (runs, next) = page.of(past, |PastRun { run, .. }| {
        let (start, end) = (run.window.start.as_millis(), run.window.end.as_millis());
        ((Reverse(end), Reverse(start)), run.id.to_string())
    })?;
    Ok(Json(PastRuns { runs, next }))
}

/// Starts a run in the background. It holds the topic until it ends.
#[utoipa::path(post, path = "/api/v1/runs", tag = "runs", request_body = RunChoice,
    responses((status = 202, description = "The run's status; poll `Location` for updates", body = Object),
        (status = 409, description = "A run holds the topic", body = super::ErrorBody)))]
async fn start(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(choice): JsonBody<RunChoice>,
) -> Result<Response, Failure> {
    started(&state, &choice).await
}

async fn started(state: &WebState, choice: &RunChoice) -> Result<Response, Failure> {
    let status = state.runs().start(choice).await?.borrow().clone();
    let location = format!("{}{}", state.prefix(), path_of(&choice.topic));
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(status)).into_response())
}

fn path_of(topic: &str) -> String {
    format!("/api/v1/topics/{}/run", encoded(topic))
}

async fn past(state: &WebState, id: &str) -> Result<PastRun, Failure> {
    check_id("run", id)?;
    Ok(runs::by_prefix(state.app(), id).await?)
}

/// One run with its attempts.
#[utoipa::path(get, path = "/api/v1/runs/{id}", tag = "runs", params(("id" = String, Path, description = "The id of a run or of its digest, or its first digits")),
    responses((status = 200, description = "The run, its `digest_id` and `attempts`", body = Object)))]
async fn one(_: Reader, State(state): State<WebState>, PathOf(id): PathOf<String>) -> Result<Json<PastRun>, Failure> {
    Ok(Json(past(&state, &id).await?))
}

/// Continues an unfinished run, or repeats a finished one: a window run over its window, a cursor run from where the
/// last one ended.
#[utoipa::path(post, path = "/api/v1/runs/{id}/retry", tag = "runs", params(("id" = String, Path, description = "The id of a run or of its digest, or its first digits")),
    responses((status = 202, description = "The run's status; poll `Location` for updates", body = Object),
        (status = 409, description = "A run holds the topic", body = super::ErrorBody)))]
async fn retry(_: Editor, State(state): State<WebState>, PathOf(id): PathOf<String>) -> Result<Response, Failure> {
    let choice = runs::choice_to_repeat(state.app(), &past(&state, &id).await?).await?;
    started(&state, &choice).await
}

/// Estimates the model calls of a run, their cost, and whether the budget covers them. Sources are fetched; nothing is
/// stored.
#[utoipa::path(post, path = "/api/v1/runs/estimate", tag = "runs", request_body = RunChoice,
    responses((status = 200, description = "`windows`, `estimates`, `total`, and what is `left` under the caps", body = Object)))]
async fn estimated(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(choice): JsonBody<RunChoice>,
) -> Result<Json<RunEstimate>, Failure> {
    topics::find(state.app(), &choice.topic).await?;
    Ok(Json(estimate::estimate(state.app(), choice).await?))
}

/// The status of the topic's current run on this server, or of its last one.
#[utoipa::path(get, path = "/api/v1/topics/{name}/run", tag = "runs", params(("name" = String, Path)),
    responses((status = 200, description = "`stages` with their counts, and the `end` once the run has ended", body = Object)))]
async fn status(
    _: Reader,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
) -> Result<Json<RunStatus>, Failure> {
    topics::find(state.app(), &name).await?;
    Ok(Json(state.runs().watch(&name)?.borrow().clone()))
}

/// Asks the topic's run to end at its next safe point. Starting it again continues it.
#[utoipa::path(delete, path = "/api/v1/topics/{name}/run", tag = "runs", params(("name" = String, Path)),
    responses((status = 202, description = "The run's status", body = Object)))]
async fn stop(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
) -> Result<(StatusCode, Json<RunStatus>), Failure> {
    state.runs().cancel(&name)?;
    Ok((StatusCode::ACCEPTED, Json(state.runs().watch(&name)?.borrow().clone())))
}

/// Streams the status of the topic's run: the event `run` for each change, `end` when it has ended. Without a run the
/// response has no content, so that browsers do not reconnect.
#[utoipa::path(get, path = "/api/v1/topics/{name}/run/events", tag = "runs", params(("name" = String, Path)),
    responses((status = 200, description = "Events whose data is the run's status", content_type = "text/event-stream", body = String),
        (status = 204, description = "This process has not run the topic")))]
async fn events(_: Reader, State(state): State<WebState>, PathOf(name): PathOf<String>) -> Result<Response, Failure> {
    topics::find(state.app(), &name).await?;
    let Ok(status) = state.runs().watch(&name) else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    Ok(run_events(status, |run| serde_json::to_string(run).unwrap_or_default()).into_response())
}
