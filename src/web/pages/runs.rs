//! Runs: starting, watching and stopping them; what became of earlier ones, and each by itself.

use std::convert::Infallible;

use aha_core::ids::RunId;
use aha_core::money::MicroCredits;
use aha_core::run::RunAttempt;
use aha_core::time::Timestamp;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures::stream::{self, Stream};
use serde_json::json;
use tokio::sync::watch;

use super::super::{Editor, Failure, JsonQuery, PathOf, Reader, WebState};
use super::digests::OfTopic;
use super::story::cost;
use super::topic_links::{DEFAULT, TopicLinks, encoded, query_of};
use super::{SentForm, Shell, html};
use crate::digest::view::{Failing, Page};
use crate::services::calls::{self, CallQuery, LedgerCall};
use crate::services::runs::{self, PastRun, RunChoice, RunEnd, RunStatus};
use crate::services::{ServiceError, digests};

/// Runs on the page.
const SHOWN: i64 = 40;
/// Calls whose cost is added up.
const CALLS: i64 = 10_000;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/runs", get(page).post(start))
        .route("/runs/{topic}/events", get(events))
        .route("/runs/{topic}/stop", post(stop))
        .route("/runs/{topic}/{run}", get(one))
}

#[derive(Template)]
#[template(path = "web/runs.html")]
struct RunsPage {
    shell: Shell,
    topics: TopicLinks,
    /// The topic's run of this process, under way or the last.
    now: Option<RunStatus>,
    past: Vec<Past>,
}

/// A run that is over, or was broken off.
struct Past {
    id: String,
    window: String,
    stage: String,
    digest: Option<String>,
    attempts: usize,
    last: Option<RunAttempt>,
    failure: Option<String>,
    /// What the form that makes it once more sends as its window; `None` where there is nothing to retry.
    retry: Option<String>,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    let topics = TopicLinks::read(state.app(), of.topic.as_deref()).await?;
    let known = topics.names.contains(&topics.current);
    let past = if known { runs::history(state.app(), Some(&topics.current), SHOWN).await? } else { Vec::new() };
    let now = status_of(&state, &topics.current);
    let is_running = now.as_ref().is_some_and(|run| run.end.is_none());
    let past = past.into_iter().map(|past| past_run(past, &topics.current, is_running)).collect();
    html(&RunsPage { shell, topics, now, past })
}

fn status_of(state: &WebState, topic: &str) -> Option<RunStatus> {
    state.runs().list().into_iter().find(|run| run.topic == topic)
}

fn past_run(past: PastRun, topic: &str, is_running: bool) -> Past {
    let retry = (past.is_broken_off() && !is_running).then(|| past.again(topic).window.unwrap_or_default());
    let PastRun { run, digest_id, mut attempts } = past;
    let count = attempts.len();
    let last = attempts.pop();
    Past {
        id: run.id.to_string(),
        window: format!("{} – {}", minute(run.window.start), minute(run.window.end)),
        stage: run.stage.unwrap_or_default(),
        digest: run.done.then(|| digest_id.to_string()),
        attempts: count,
        failure: last.as_ref().and_then(RunAttempt::failure),
        last,
        retry,
    }
}

/// `17 Nov 2026 07:00`, in UTC.
fn minute(at: Timestamp) -> String {
    at.to_utc().format("%-d %b %Y %H:%M").to_string()
}

#[derive(Template)]
#[template(path = "web/run.html")]
struct RunPage {
    shell: Shell,
    topic: String,
    past: Past,
    mode: &'static str,
    tier: &'static str,
    /// Under way in this process.
    now: Option<RunStatus>,
    attempts: Vec<Attempt>,
    /// Sources that could not be read.
    failing: Vec<Failing>,
    /// What its digest lacks.
    gaps: Option<String>,
    calls: Vec<LedgerCall>,
    credits: String,
}

struct Attempt {
    number: i64,
    started: String,
    took: Option<String>,
    outcome: String,
    stage: String,
    error: Option<String>,
    by: String,
}

/// A run by itself. It is read from the database, so that it is the same after a restart.
async fn one(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf((topic, id)): PathOf<(String, String)>,
) -> Result<Html<String>, Failure> {
    let id: RunId = id.parse().map_err(|_| Failure::not_found("there is no such run"))?;
    let past = runs::find(state.app(), &topic, id).await?;
    let attempts: Vec<Attempt> = past.attempts.iter().map(attempt).collect();
    let is_at_work = past.attempts.last().is_some_and(|last| last.outcome == "running");
    let now = status_of(&state, &topic).filter(|run| run.end.is_none() && is_at_work);
    let (failing, gaps) = lacks(&state, &past).await?;
    let calls = calls_of(&state, &past).await?;
    let total: i64 = calls.iter().filter_map(|call| call.cost_microcredits).sum();
    let (mode, tier) = (past.run.mode.as_str(), past.run.settings.tier.as_str());
    let past = past_run(past, &topic, now.is_some());
    let credits = MicroCredits(total).to_string();
    html(&RunPage { shell, topic, past, mode, tier, now, attempts, failing, gaps, calls, credits })
}

async fn lacks(state: &WebState, past: &PastRun) -> Result<(Vec<Failing>, Option<String>), ServiceError> {
    if !past.run.done {
        return Ok((Vec::new(), None));
    }
    let digest = digests::by_id(state.app(), past.digest_id).await?;
    let page = Page::of(&digest);
    Ok((page.failing, page.gaps))
}

async fn calls_of(state: &WebState, past: &PastRun) -> Result<Vec<LedgerCall>, ServiceError> {
    let query = CallQuery { run: Some(past.run.id.to_string()), limit: CALLS, ..CallQuery::default() };
    let calls = calls::list(state.app(), query).await?;
    Ok(calls.into_iter().filter(|call| call.provider != aha_core::model::LOCAL_PROVIDER).collect())
}

fn attempt(attempt: &RunAttempt) -> Attempt {
    let took = attempt.finished_at.map(|end| seconds(end.as_millis() - attempt.started_at.as_millis()));
    Attempt {
        number: attempt.attempt,
        started: minute(attempt.started_at),
        took,
        outcome: attempt.outcome.clone(),
        stage: attempt.stage.clone().unwrap_or_default(),
        error: attempt.error.clone(),
        // What follows tells processes of one number apart.
        by: attempt.holder.split(" start:").next().unwrap_or_default().to_owned(),
    }
}

/// `3.2 s`, `2 min 5 s`
#[expect(clippy::cast_precision_loss, reason = "a span of a run")]
fn seconds(millis: i64) -> String {
    match millis.max(0) {
        short if short < 60_000 => format!("{:.1} s", short as f64 / 1000.0),
        long => format!("{} min {} s", long / 60_000, long % 60_000 / 1000),
    }
}

async fn start(_: Editor, State(state): State<WebState>, form: SentForm) -> Result<Response, Failure> {
    let topic = if form.text("topic").is_empty() { DEFAULT } else { form.text("topic") };
    let window = Some(form.text("window").to_owned()).filter(|window| !window.is_empty());
    state.runs().start(&RunChoice { topic: topic.to_owned(), window, rejudge: false }).await?;
    Ok(to_runs(&state, topic))
}

fn to_runs(state: &WebState, topic: &str) -> Response {
    Redirect::to(&format!("{}/runs{}", state.prefix(), query_of(topic))).into_response()
}

async fn stop(
    _: Editor,
    State(state): State<WebState>,
    PathOf(topic): PathOf<String>,
    _: SentForm,
) -> Result<Response, Failure> {
    state.runs().cancel(&topic)?;
    Ok(to_runs(&state, &topic))
}

/// The topic's run as it goes on: `run` for each change, `end` when it is over.
async fn events(
    _: Reader,
    State(state): State<WebState>,
    PathOf(topic): PathOf<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let status = state.runs().watch(&topic)?;
    Ok(Sse::new(changes(status)).keep_alive(KeepAlive::default()))
}

fn changes(status: watch::Receiver<RunStatus>) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(Some((status, true)), async |state| {
        let (mut status, is_first) = state?;
        if !is_first && status.changed().await.is_err() {
            return None;
        }
        let run = status.borrow_and_update().clone();
        let data = json!({ "stage": stage_line(&run), "summary": summaries(&run).join("\n") }).to_string();
        let is_over = run.end.is_some();
        let event = Event::default().event(if is_over { "end" } else { "run" }).data(data);
        Some((Ok(event), (!is_over).then_some((status, false))))
    })
}

/// `triage, 12 of 40`.
fn stage_line(run: &RunStatus) -> String {
    match run.stages.last() {
        None => "starting".to_owned(),
        Some(stage) if stage.total > 0 => {
            format!("{}, {} of {}", stage.stage, stage.done.min(stage.total), stage.total)
        }
        Some(stage) => stage.stage.to_owned(),
    }
}

/// What the stages that are done have done.
fn summaries(run: &RunStatus) -> Vec<String> {
    let done = run.stages.iter().filter_map(|stage| Some((stage.stage, stage.summary.as_deref()?)));
    done.filter(|(_, summary)| !summary.is_empty()).map(|(stage, summary)| format!("{stage}: {summary}")).collect()
}

/// How a run ended, in words.
fn end_in_words(end: &RunEnd) -> String {
    match end {
        RunEnd::Made { .. } => "done".to_owned(),
        RunEnd::UpToDate { .. } => "there was nothing new to read".to_owned(),
        RunEnd::Cancelled => "stopped; starting it again continues it".to_owned(),
        RunEnd::Failed { message, .. } => format!("failed: {message}"),
    }
}
