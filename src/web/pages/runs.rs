//! Runs: starts, watches and stops them, and lists past ones.

use std::collections::HashMap;

use aha_core::ids::DigestId;
use aha_core::run::RunAttempt;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use chrono::NaiveDate;
use serde_json::json;

use super::super::run_events::run_events;
use super::super::{Editor, Failure, JsonQuery, PathOf, Reader, WebState};
use super::digests::OfTopic;
use super::topic_links::{DEFAULT, TopicLinks, encoded, query_of};
use super::{Shell, for_page, html, minute};
use crate::services::ServiceError;
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest};
use crate::services::runs::{self, PastRun, RunChoice, RunEnd, RunStatus};
use crate::web::form::SentForm;

/// Number of runs on the page.
const SHOWN: i64 = 40;
/// Number of digests among which those of these runs are searched.
const SEARCHED: usize = 100;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/runs", get(page).post(start))
        .route("/runs/{topic}/events", get(events))
        .route("/runs/{topic}/stop", post(stop))
}

#[derive(Template)]
#[template(path = "web/runs.html")]
struct RunsPage {
    shell: Shell,
    topics: TopicLinks,
    /// The topic's current or last run in this process.
    now: Option<RunStatus>,
    past: Vec<Past>,
    /// The days and the window as typed, if no run could be started with them.
    first: String,
    last: String,
    window: String,
    problem: Option<String>,
}

impl RunsPage {
    async fn read(state: &WebState, shell: Shell, topic: Option<&str>) -> Result<Self, Failure> {
        let topics = TopicLinks::read(state.app(), topic).await?;
        let known = topics.names.contains(&topics.current);
        let past = if known { runs::history(state.app(), Some(&topics.current), SHOWN).await? } else { Vec::new() };
        let digests = runs::stored_digests(state.app(), &past).await?;
        let newest = if known { newest_digests(state, &topics.current).await? } else { Vec::new() };
        let failures = digests::total_failures(state.app(), &newest).await?;
        let counts: HashMap<DigestId, (usize, usize)> = newest.iter().map(counts).collect();
        let now = status_of(state, &topics.current);
        let is_running = now.as_ref().is_some_and(|run| run.end.is_none());
        let shown = |past: PastRun| {
            let digest = past.digest_id;
            let shown = past_run(past, &topics.current, is_running, digests.contains(&digest));
            let failure = shown.failure.or_else(|| failures.get(&digest).cloned());
            Past { failure, counts: counts.get(&digest).copied(), ..shown }
        };
        let past = past.into_iter().map(shown).collect();
        let (first, last, window) = (String::new(), String::new(), String::new());
        Ok(Self { shell, topics, now, past, first, last, window, problem: None })
    }
}

async fn newest_digests(state: &WebState, topic: &str) -> Result<Vec<ArchivedDigest>, ServiceError> {
    let filter = ArchiveFilter { topic: Some(topic.to_owned()), first: None, last: None, limit: SEARCHED };
    digests::archive(state.app(), &filter).await
}

/// Returns the number of items and of stories of a digest, by its id.
fn counts(digest: &ArchivedDigest) -> (DigestId, (usize, usize)) {
    (digest.entry.head.id, (digest.entry.head.items, digest.entry.stories))
}

/// A run that has ended or was broken off.
pub(super) struct Past {
    pub(super) id: String,
    pub(super) window: String,
    pub(super) stage: String,
    /// The id of its digest, unless that was removed.
    pub(super) digest: Option<String>,
    /// The numbers of items and of stories of its digest, if that is one of the newest.
    counts: Option<(usize, usize)>,
    pub(super) attempts: usize,
    pub(super) last: Option<RunAttempt>,
    pub(super) failure: Option<String>,
    /// The window that the retry form sends; `None` if there is nothing to retry.
    pub(super) retry: Option<String>,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    html(&RunsPage::read(&state, shell, of.topic.as_deref()).await?)
}

pub(super) fn status_of(state: &WebState, topic: &str) -> Option<RunStatus> {
    state.runs().list().into_iter().find(|run| run.topic == topic)
}

/// Returns what is shown of a run. `has_digest` tells whether its digest is stored.
pub(super) fn past_run(past: PastRun, topic: &str, is_running: bool, has_digest: bool) -> Past {
    let retry = (past.is_broken_off() && !is_running).then(|| past.choice_to_repeat(topic).window.unwrap_or_default());
    let PastRun { run, digest_id, mut attempts } = past;
    let count = attempts.len();
    let last = attempts.pop();
    Past {
        id: run.id.to_string(),
        window: format!("{} – {}", minute(run.window.start), minute(run.window.end)),
        stage: run.stage.unwrap_or_default(),
        digest: (run.done && has_digest).then(|| digest_id.to_string()),
        counts: None,
        attempts: count,
        failure: last.as_ref().and_then(RunAttempt::failure),
        last,
        retry,
    }
}

/// Starts a run; a window that cannot be used, or a topic that is being run, is named beside the form.
async fn start(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let topic = if form.text("topic").is_empty() { DEFAULT } else { form.text("topic") };
    let [first, last, typed] = ["first", "last", "window"].map(|field| form.text(field));
    let started = match window_of(first, last, typed) {
        Ok(window) => state.runs().start(&RunChoice { topic: topic.to_owned(), window, rejudge: false }).await,
        Err(error) => Err(error),
    };
    let Err(error) = started else {
        return Ok(to_runs(&state, topic));
    };
    let status = match error {
        ServiceError::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        ServiceError::Busy { .. } => StatusCode::CONFLICT,
        other => return Err(other.into()),
    };
    let page = RunsPage::read(&state, shell, Some(topic)).await?;
    let [first, last, window] = [first, last, typed].map(str::to_owned);
    let page = RunsPage { first, last, window, problem: Some(for_page(&error.to_string())), ..page };
    Ok((status, html(&page)?).into_response())
}

/// Returns the window of the days chosen, both included, or as typed; `None` for what came since the last run.
fn window_of(first: &str, last: &str, typed: &str) -> Result<Option<String>, ServiceError> {
    let day = |text: &str| {
        let wrong = || ServiceError::invalid("first", format!("{text:?} is no day; write it as 2026-11-19"));
        text.parse::<NaiveDate>().map_err(|_| wrong())
    };
    Ok(match (first, last, typed) {
        ("", "", "") => None,
        ("", "", typed) => Some(typed.to_owned()),
        (_, _, typed) if !typed.is_empty() => {
            let message = "days are chosen and a window is written; leave one of them empty";
            return Err(ServiceError::invalid("window", message));
        }
        ("", only, _) | (only, "", _) => Some(day(only)?.to_string()),
        (first, last, _) => {
            let (first, last) = (day(first)?, day(last)?);
            if last < first {
                return Err(ServiceError::reversed_days(first, last));
            }
            // A window ends where the day after its last one begins.
            Some(format!("{first}..{}", last.succ_opt().unwrap_or(last)))
        }
    })
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

/// Streams the topic's run: `run` for each change, `end` when it has ended.
async fn events(
    _: Reader,
    State(state): State<WebState>,
    PathOf(topic): PathOf<String>,
) -> Result<impl IntoResponse, Failure> {
    let data = |run: &RunStatus| json!({ "stage": stage_line(run), "summary": summaries(run).join("\n") }).to_string();
    Ok(run_events(state.runs().watch(&topic)?, data))
}

/// Formats `triage, 12 of 40`.
pub(super) fn stage_line(run: &RunStatus) -> String {
    match run.stages.last() {
        None => "starting".to_owned(),
        Some(stage) if stage.total > 0 => {
            format!("{}, {} of {}", stage.stage, stage.done.min(stage.total), stage.total)
        }
        Some(stage) => stage.stage.to_owned(),
    }
}

/// Returns the summaries of the completed stages.
pub(super) fn summaries(run: &RunStatus) -> Vec<String> {
    let done = run.stages.iter().filter_map(|stage| Some((stage.stage, stage.summary.as_deref()?)));
    done.filter(|(_, summary)| !summary.is_empty()).map(|(stage, summary)| format!("{stage}: {summary}")).collect()
}

/// Describes how a run ended.
fn end_in_words(end: &RunEnd) -> String {
    match end {
        RunEnd::Completed { .. } => "done".to_owned(),
        RunEnd::UpToDate { .. } => "there was nothing new to read".to_owned(),
        RunEnd::Cancelled => "stopped; starting it again continues it".to_owned(),
        RunEnd::Failed { message, .. } => for_page(&format!("failed: {message}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_of_the_days_chosen_or_as_it_is_written() {
        let window = |first, last, typed| window_of(first, last, typed).map_err(|error| error.to_string());
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(window("", "", ""), Ok(None));
        assert_eq!(window("", "", "2026-11-16..2026-11-19"), some("2026-11-16..2026-11-19"));
        assert_eq!(window("2026-11-16", "2026-11-18", ""), some("2026-11-16..2026-11-19"));
        for (first, last) in [("2026-11-16", ""), ("", "2026-11-16")] {
            assert_eq!(window(first, last, ""), some("2026-11-16"));
        }
        assert!(window("2026-11-18", "2026-11-16", "").unwrap_err().contains("exchange them"));
        assert!(window("2026-11-18", "soon", "").unwrap_err().contains("\"soon\" is no day"));
        assert!(window("2026-11-18", "", "2026-11-16").unwrap_err().contains("leave one of them empty"));
    }
}
