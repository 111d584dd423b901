//! One run: its attempts, its failures, and its cost.

use aha_core::ids::RunId;
use aha_core::money::MicroCredits;
use aha_core::run::{AttemptOutcome, RunAttempt};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;

use super::super::{Failure, PathOf, Reader, WebState};
use super::runs::{Past, past_run, stage_line, status_of, summaries};
use super::topic_links::{encoded, query_of};
use super::{Shell, html, minute};
use crate::digest::view::{Failing, Page};
use crate::services::calls::{self, CallQuery, CallRecord, CallState, purpose_in_words};
use crate::services::runs::{self, PastRun, RunStatus};
use crate::services::{ServiceError, digests};

/// Maximum number of calls that are added up.
const CALLS: i64 = 10_000;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/runs/{topic}/{run}", get(page))
}

#[derive(Template)]
#[template(path = "web/run.html")]
struct RunPage {
    shell: Shell,
    topic: String,
    past: Past,
    mode: &'static str,
    tier: &'static str,
    /// Set while it is running in this process.
    now: Option<RunStatus>,
    attempts: Vec<Attempt>,
    /// Sources that could not be read.
    failing: Vec<Failing>,
    /// What is missing from its digest.
    gaps: Option<String>,
    calls: CallSums,
}

/// The model calls of the run.
#[derive(Default)]
struct CallSums {
    calls: usize,
    /// The charge: the cost of each call or, while that is unknown, the amount reserved.
    microcredits: i64,
    groups: Vec<CallGroup>,
}

/// The calls with one purpose and model.
struct CallGroup {
    purpose: String,
    model: String,
    calls: usize,
    unsettled: usize,
    microcredits: i64,
    /// Why calls failed, each reason once.
    errors: Vec<String>,
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

/// Shows a run. It is read from the database, so that it is the same after a restart.
async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf((topic, id)): PathOf<(String, String)>,
) -> Result<Html<String>, Failure> {
    let id: RunId = id.parse().map_err(|_| Failure::not_found("there is no such run"))?;
    let past = runs::find(state.app(), &topic, id).await?;
    let attempts: Vec<Attempt> = past.attempts.iter().map(attempt).collect();
    let is_at_work = past.attempts.last().is_some_and(|last| last.outcome == AttemptOutcome::Running);
    let now = status_of(&state, &topic).filter(|run| run.end.is_none() && is_at_work);
    let lacks = lacks(&state, &past).await?;
    let calls = CallSums::of(calls_of(&state, &past).await?);
    let (mode, tier) = (past.run.mode.as_str(), past.run.settings.tier.as_str());
    let past = past_run(past, &topic, now.is_some(), lacks.is_some());
    let (failing, gaps) = lacks.unwrap_or_default();
    html(&RunPage { shell, topic, past, mode, tier, now, attempts, failing, gaps, calls })
}

/// The sources that could not be read, and what is missing from the digest.
type Lacks = (Vec<Failing>, Option<String>);

/// Returns what the run's digest lacks; `None` if it has no digest yet, or retention has removed it.
async fn lacks(state: &WebState, past: &PastRun) -> Result<Option<Lacks>, ServiceError> {
    if !past.run.done {
        return Ok(None);
    }
    let digest = digests::find_by_id(state.app(), past.digest_id).await?;
    Ok(digest.map(|digest| {
        let page = Page::of(&digest);
        let failure = page.all_sources_failed().then_some(page.header);
        (page.failing, failure.or(page.gaps))
    }))
}

async fn calls_of(state: &WebState, past: &PastRun) -> Result<Vec<CallRecord>, ServiceError> {
    let query = CallQuery { run: Some(past.run.id.to_string()), limit: CALLS, ..CallQuery::default() };
    let calls = calls::list(state.app(), query).await?;
    Ok(calls.into_iter().filter(|call| call.provider != aha_core::model::LOCAL_PROVIDER).collect())
}

/// Maximum number of failure reasons in a group.
const REASONS: usize = 3;

impl CallSums {
    fn of(calls: Vec<CallRecord>) -> Self {
        let mut sums = Self::default();
        for call in calls {
            let charged = call.cost_microcredits.or(call.reserved_microcredits).unwrap_or_default();
            let model = format!("{}/{}", call.provider, call.model);
            let known = sums.groups.iter().position(|group| group.purpose == call.purpose && group.model == model);
            let place = known.unwrap_or_else(|| {
                sums.groups.push(CallGroup::new(call.purpose, model));
                sums.groups.len() - 1
            });
            let group = &mut sums.groups[place];
            group.calls += 1;
            group.unsettled += usize::from(call.state == CallState::Unsettled);
            group.microcredits += charged;
            let is_new = |error: &String| !group.errors.contains(error) && group.errors.len() < REASONS;
            if let Some(error) = call.error.filter(is_new) {
                group.errors.push(error);
            }
            sums.calls += 1;
            sums.microcredits += charged;
        }
        sums
    }
}

impl CallGroup {
    const fn new(purpose: String, model: String) -> Self {
        Self { purpose, model, calls: 0, unsettled: 0, microcredits: 0, errors: Vec::new() }
    }
}

fn credits(microcredits: i64) -> String {
    MicroCredits(microcredits).to_string()
}

fn attempt(attempt: &RunAttempt) -> Attempt {
    let took = attempt.finished_at.map(|end| seconds(end.as_millis() - attempt.started_at.as_millis()));
    Attempt {
        number: attempt.attempt,
        started: minute(attempt.started_at),
        took,
        outcome: attempt.outcome.as_str().to_owned(),
        stage: attempt.stage.clone().unwrap_or_default(),
        error: attempt.error.clone(),
        // The rest distinguishes processes with the same id.
        by: attempt.owner.split(" start:").next().unwrap_or_default().to_owned(),
    }
}

/// Formats `3.2 s`, `2 min 5 s`.
#[expect(clippy::cast_precision_loss, reason = "a span of a run")]
fn seconds(millis: i64) -> String {
    match millis.max(0) {
        short if short < 60_000 => format!("{:.1} s", short as f64 / 1000.0),
        long => format!("{} min {} s", long / 60_000, long % 60_000 / 1000),
    }
}
