//! One source: its settings, its last fetches, and removing it.

use aha_core::source::Source;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::super::messages::Said;
use super::super::topic_links::encoded;
use super::super::{Shell, html, minute, problem_of};
use crate::services::ServiceError;
use crate::services::sources::{self, ListedSource, PastFetch, SourceChange, SourceHistory};
use crate::web::form::SentForm;
use crate::web::{Editor, Failure, JsonQuery, PathOf, Reader, WebState};

/// Describes what a fetch brought; `status` is as it is stored.
fn outcome_in_words(status: &str) -> &str {
    match status {
        "not_modified" => "not changed",
        "ok" => "read",
        other => other,
    }
}

#[derive(Template)]
#[template(path = "web/source.html")]
struct SourcePage {
    shell: Shell,
    topic: String,
    name: String,
    source: Source,
    fetches: Vec<PastFetch>,
    /// The values of the fields: as typed if they could not be used, else as stored.
    enabled: bool,
    full_text: bool,
    weight: String,
    /// The effect of a form that was just sent; empty without one.
    said: &'static str,
    /// Why the settings cannot be saved.
    problem: Option<String>,
    /// Whether what was typed to remove it is not its name.
    is_misnamed: bool,
}

async fn find(state: &WebState, id: &str) -> Result<ListedSource, Failure> {
    let none = || Failure::not_found("there is no source of that id; it may have been removed");
    Ok(sources::by_id(state.app(), id.parse().map_err(|_| none())?).await?)
}

pub(super) async fn one(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    JsonQuery(said): JsonQuery<Said>,
) -> Result<Html<String>, Failure> {
    let listed = find(&state, &id).await?;
    html(&SourcePage { said: said.in_words(), ..source_page(&state, shell, listed).await? })
}

async fn source_page(state: &WebState, shell: Shell, listed: ListedSource) -> Result<SourcePage, Failure> {
    let SourceHistory { listed, fetches } = sources::history(state.app(), listed).await?;
    let ListedSource { topic, source } = listed;
    Ok(SourcePage {
        shell,
        topic,
        name: source.display_name(),
        enabled: source.enabled,
        full_text: source.full_text,
        weight: source.weight.to_string(),
        source,
        fetches,
        said: "",
        problem: None,
        is_misnamed: false,
    })
}

pub(super) async fn change(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let listed = find(&state, &id).await?;
    let changed = match change_of(&form) {
        Ok(change) => sources::change(state.app(), &listed.source, change).await,
        Err(error) => Err(error),
    };
    let Err(error) = changed else {
        return Ok(Redirect::to(&format!("{}/sources/{id}?said=saved", state.prefix())).into_response());
    };
    let page = SourcePage {
        problem: Some(problem_of(error)?),
        enabled: form.is_set("enabled"),
        full_text: form.is_set("full_text"),
        weight: form.text("weight").to_owned(),
        ..source_page(&state, shell, listed).await?
    };
    Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response())
}

fn change_of(form: &SentForm) -> Result<SourceChange, ServiceError> {
    let weight = form.text("weight");
    let wrong =
        || ServiceError::invalid("weight", format!("the weight {weight:?} is no number; give one from 0.1 to 3"));
    let weight = if weight.is_empty() { None } else { Some(weight.parse().map_err(|_| wrong())?) };
    Ok(SourceChange { enabled: Some(form.is_set("enabled")), weight, full_text: Some(form.is_set("full_text")) })
}

/// Requires the name as confirmation, as its settings and the record of its fetches are removed as well.
pub(super) async fn remove(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let listed = find(&state, &id).await?;
    if !is_named(&listed.source, form.text("confirm")) {
        let page = SourcePage { is_misnamed: true, ..source_page(&state, shell, listed).await? };
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response());
    }
    sources::remove(state.app(), &listed.source).await?;
    Ok(super::to_list(&state, &listed.topic, "removed"))
}

/// Returns whether a text is the name of a source, as a page shows it, or its address.
fn is_named(source: &Source, text: &str) -> bool {
    // A page shows several spaces as one.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    text == source.url || words(text) == words(&source.display_name())
}
