//! The journal as pages with forms: choose days, select and edit statements, choose pages, review the diff, write it,
//! undo it.
//!
//! It works only on the graph that the command line named: no path comes from a browser. Plans are held by
//! `crate::journal::drafts`.

mod steps;
mod story;

use aha_notes::{NotesError, Outcome, Preview};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use chrono::NaiveDate;
use serde::Deserialize;

use super::form::SentForm;
use super::pages::{Shell, for_page};
use super::{Editor, Failure, PathOf, WebState};
use crate::journal::JournalError;
use crate::journal::drafts::{self, Draft, Drafts};

/// Number of days offered.
const DAYS_OFFERED: usize = 31;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/journal", get(days).post(extract))
        .route("/journal/undo", post(undo))
        .route("/journal/{id}", get(statements).post(select_statements))
        .route("/journal/{id}/pages", get(target_pages).post(select_pages))
        .route("/journal/{id}/diff", get(diff).post(apply))
        .merge(story::routes())
        .layer(Extension(Drafts::default()))
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::NoGraph => {
                Self::not_found("no graph is named; start the server with --graph DIR, or set AHA_JOURNAL_GRAPH")
            }
            error if error.is_usage() => Self::new(StatusCode::CONFLICT, "graph", error.to_string()),
            error => Self::internal(&error),
        }
    }
}

/// Reads and writes files on this thread, which serves nothing else meanwhile.
fn blocking<T>(work: impl FnOnce() -> Result<T, JournalError>) -> Result<T, Failure> {
    tokio::task::block_in_place(work).map_err(Failure::from)
}

fn rendered(page: &impl Template) -> Result<Html<String>, Failure> {
    page.render().map(Html).map_err(|error| Failure::internal(&error))
}

fn gone() -> Failure {
    Failure::not_found("this plan is no longer stored; choose the days again")
}

#[derive(Template)]
#[template(path = "web/journal_days.html")]
struct DaysPage {
    shell: Shell,
    kind: &'static str,
    days: Vec<(NaiveDate, usize)>,
    today: NaiveDate,
    said: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    chosen: String,
}

async fn days(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    Query(shown): Query<Shown>,
) -> Result<Html<String>, Failure> {
    let said = if shown.chosen == "none" { vec!["No day was chosen.".to_owned()] } else { Vec::new() };
    days_page(&state, shell, said)
}

fn days_page(state: &WebState, shell: Shell, said: Vec<String>) -> Result<Html<String>, Failure> {
    let (overview, days, today) = blocking(|| {
        let journal = drafts::open(state.app())?;
        Ok((journal.overview()?, journal.latest_days(DAYS_OFFERED)?, journal.today))
    })?;
    rendered(&DaysPage { shell, kind: overview.kind, days, today, said })
}

async fn extract(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    form: SentForm,
) -> Result<Redirect, Failure> {
    let days: Vec<NaiveDate> = form.all("day").filter_map(|day| day.parse().ok()).take(DAYS_OFFERED).collect();
    if days.is_empty() {
        return Ok(Redirect::to(&format!("{}/journal?chosen=none", state.prefix())));
    }
    let id = blocking(|| drafts.extract(state.app(), &days))?;
    Ok(Redirect::to(&format!("{}/journal/{id}", state.prefix())))
}

async fn undo(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    _form: SentForm,
) -> Result<Html<String>, Failure> {
    let undone = blocking(|| drafts::open(state.app())?.undo())?;
    let mut said: Vec<String> = undone.iter().map(drafts::undone_in_words).collect();
    if said.is_empty() {
        said.push("There is nothing to undo.".to_owned());
    }
    days_page(&state, shell, said)
}

#[derive(Template)]
#[template(path = "web/journal_working.html")]
struct WorkingPage {
    shell: Shell,
    id: String,
    status: String,
    failed: bool,
}

#[derive(Template)]
#[template(path = "web/journal_statements.html")]
struct StatementsPage {
    shell: Shell,
    id: String,
    blocks: Vec<steps::Statement>,
    failures: Vec<String>,
    made_by: String,
}

async fn statements(
    _: Editor,
    Extension(drafts): Extension<Drafts>,
    shell: Shell,
    PathOf(id): PathOf<String>,
) -> Result<Html<String>, Failure> {
    let (status, failed) = match drafts.find(&id).ok_or_else(gone)? {
        Draft::Ready(plan) => {
            let by_rules = plan.made_by == aha_journal::local::MADE_BY;
            let made_by = if by_rules { "built-in rules".to_owned() } else { plan.made_by.clone() };
            let failures = plan.failures.iter().map(|failure| for_page(failure)).collect();
            let blocks = steps::statements(&plan);
            return rendered(&StatementsPage { shell, id, blocks, failures, made_by });
        }
        Draft::Working(status) => (status, false),
        Draft::Failed(why) => (for_page(&why), true),
    };
    rendered(&WorkingPage { shell, id, status, failed })
}

async fn select_statements(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Redirect, Failure> {
    if !drafts.change(&id, |plan| steps::select_statements(plan, &form)) {
        return Err(gone());
    }
    Ok(Redirect::to(&format!("{}/journal/{id}/pages", state.prefix())))
}

#[derive(Template)]
#[template(path = "web/journal_places.html")]
struct PlacesPage {
    shell: Shell,
    id: String,
    blocks: Vec<steps::Places>,
}

async fn target_pages(
    _: Editor,
    Extension(drafts): Extension<Drafts>,
    shell: Shell,
    PathOf(id): PathOf<String>,
) -> Result<Response, Failure> {
    match drafts.find(&id) {
        Some(Draft::Ready(plan)) => {
            let blocks = steps::target_pages(&plan);
            Ok(rendered(&PlacesPage { shell, id, blocks })?.into_response())
        }
        // The draft's own page says whether it is still being made, or why it failed.
        Some(_) => Ok(Redirect::to(&format!("{}/journal/{id}", shell.base)).into_response()),
        None => Err(gone()),
    }
}

async fn select_pages(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Redirect, Failure> {
    if !drafts.change(&id, |plan| steps::select_pages(plan, &form)) {
        return Err(gone());
    }
    Ok(Redirect::to(&format!("{}/journal/{id}/diff", state.prefix())))
}

#[derive(Template)]
#[template(path = "web/journal_diff.html")]
struct DiffPage {
    shell: Shell,
    id: String,
    files: Vec<(String, String)>,
    problems: Vec<String>,
    /// What was written; empty before that.
    outcomes: Vec<String>,
}

/// Shows what would be written, as lines of a diff.
async fn diff(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    shell: Shell,
    PathOf(id): PathOf<String>,
) -> Result<Html<String>, Failure> {
    let Some(Draft::Ready(plan)) = drafts.find(&id) else { return Err(gone()) };
    let (previews, not_made) = blocking(|| drafts::open(state.app())?.preview(&plan))?;
    let changes = plan.changes();
    let page = |index: usize| changes.get(index).map_or("", |change| change.page.as_str());
    let problems = not_made.iter().map(|(index, error)| format!("{}: {error}", page(*index))).collect();
    let files = previews.iter().map(|preview: &Preview| (preview.file.clone(), preview.diff())).collect();
    rendered(&DiffPage { shell, id, files, problems, outcomes: Vec::new() })
}

async fn apply(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let Some(Draft::Ready(plan)) = drafts.find(&id) else { return Err(gone()) };
    let applied = blocking(|| drafts::open(state.app())?.apply(&plan, form.is_set("today")))?;
    let changes = plan.changes();
    let outcome = |(change, outcome): (&aha_notes::Change, &Outcome)| match outcome {
        Outcome::Written { .. } => format!("Written to {}.", change.page),
        Outcome::AlreadyThere { .. } => format!("{} has it already.", change.page),
        Outcome::Failed(error @ NotesError::NotLinked { .. }) => format!("Not complete: {error}"),
        Outcome::Failed(error) => format!("Not written to {}: {error}", change.page),
    };
    let mut outcomes: Vec<String> = changes.iter().zip(&applied.outcomes).map(outcome).collect();
    let late = applied.written_late.iter().map(|(file, kept)| {
        format!("Another program wrote to {file} while it was replaced; what it wrote is in {}.", kept.display())
    });
    outcomes.extend(late);
    if outcomes.is_empty() {
        outcomes.push("Nothing was chosen, so nothing is written.".to_owned());
    }
    Ok(rendered(&DiffPage { shell, id, files: Vec::new(), problems: Vec::new(), outcomes })?.into_response())
}
