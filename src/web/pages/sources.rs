//! Sources: lists them with their state, failing ones first; adds them by address; imports and exports OPML.

use std::collections::HashMap;
use std::sync::Arc;

use aha_content::numbers::count;
use aha_core::source::{Source, SourceHealth};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::super::{Editor, Failure, JsonQuery, PathOf, Reader, WebState};
use super::digests::OfTopic;
use super::messages::Said;
use super::topic_links::{TopicLinks, encoded, query_of};
use super::{Shell, for_page, html, minute, problem_of};
use crate::digest::sanitise::short_text;
use crate::services::sources::add::{Discovered, DiscoveredFeed, SourcesToAdd};
use crate::services::sources::{
    self, FetchSummary, ListedSource, PastFetch, SourceChange, SourceHistory, SourceShare, add, opml,
};
use crate::services::{ErrorKind, ServiceError};
use crate::web::form::SentForm;
use crate::web::multipart::SentFile;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/sources", get(list).post(add_chosen))
        .route("/sources/discover", post(discover))
        .route("/sources/import", post(import))
        .route("/sources/export.opml", get(export))
        .route("/sources/{id}", get(one).post(change))
        .route("/sources/{id}/remove", post(remove))
}

/// Number of sources whose last fetches are drawn; others are listed without.
const DRAWN: usize = 200;

#[derive(Template)]
#[template(path = "web/sources.html")]
struct SourcesPage {
    shell: Shell,
    topics: TopicLinks,
    sources: Vec<Row>,
    /// Number of all sources of the topic, listed or not.
    all: usize,
    failing: usize,
    off: usize,
    wanted: ListQuery,
    /// The effect of a form that was just sent; empty without one.
    done: String,
}

/// A source in the list.
struct Row {
    source: Source,
    name: String,
    fetches: Vec<Mark>,
    every: Option<String>,
    /// When it was last fetched; empty if never.
    last_fetch: String,
    /// Its items of the last two weeks, and how many of them reached a digest.
    share: Option<SourceShare>,
}

/// A fetch as a small bar, whose height shows the number of new items.
struct Mark {
    class: &'static str,
    at: usize,
    height: usize,
}

/// `?topic=NAME&q=WORD&show=failing`, and after a form `said=added&added=2&known=1`
#[derive(Debug, Default, serde::Deserialize)]
struct ListQuery {
    topic: Option<String>,
    /// Part of the name or the address of those that are listed.
    #[serde(default)]
    q: String,
    /// `failing` or `off`; all without it.
    #[serde(default)]
    show: String,
    /// `added` or `removed` after a form.
    #[serde(default)]
    said: String,
    /// Number of sources that were added, and of those that were known already.
    #[serde(default)]
    added: usize,
    #[serde(default)]
    known: usize,
}

impl ListQuery {
    fn fits(&self, row: &Row) -> bool {
        let is_shown = match self.show.as_str() {
            "failing" => order(&row.source) == 0,
            "off" => !row.source.enabled,
            _ => true,
        };
        let word = self.q.trim().to_lowercase();
        is_shown && [&row.name, &row.source.url].iter().any(|text| text.to_lowercase().contains(&word))
    }

    /// Describes the effect of a form; empty without one. No text of an address is shown.
    fn done_in_words(&self) -> String {
        match self.said.as_str() {
            "added" => added_in_words(self.added, self.known),
            "removed" => "The source is removed; its stories stay in old digests.".to_owned(),
            _ => String::new(),
        }
    }
}

async fn list(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(query): JsonQuery<ListQuery>,
) -> Result<Html<String>, Failure> {
    let done = query.done_in_words();
    list_page(&state, shell, query, done).await
}

async fn list_page(state: &WebState, shell: Shell, query: ListQuery, done: String) -> Result<Html<String>, Failure> {
    let topics = TopicLinks::read(state.app(), query.topic.as_deref()).await?;
    let (listed, marks, shares) = if topics.names.contains(&topics.current) {
        let listed = sources::list(state.app(), Some(&topics.current)).await?;
        let marks = sources::fetch_summaries(state.app(), &topics.current).await?;
        (listed, marks, sources::shares(state.app(), &topics.current).await?)
    } else {
        (Vec::new(), HashMap::new(), Arc::default())
    };
    let fetches = |source: &Source| marks.get(&source.id).map_or(&[][..], Vec::as_slice);
    let drawn = |(place, listed): (usize, ListedSource)| {
        let fetches = if place < DRAWN { fetches(&listed.source) } else { &[] };
        row(fetches, shares.get(&listed.source.id), listed.source)
    };
    let mut rows: Vec<Row> = listed.into_iter().enumerate().map(drawn).collect();
    rows.sort_by_cached_key(|row| (order(&row.source), row.name.to_lowercase()));
    let all = rows.len();
    let failing = rows.iter().filter(|row| order(&row.source) == 0).count();
    let off = rows.iter().filter(|row| !row.source.enabled).count();
    rows.retain(|row| query.fits(row));
    html(&SourcesPage { shell, topics, sources: rows, all, failing, off, wanted: query, done })
}

/// Returns the sort key: failing sources first, disabled ones last.
fn order(source: &Source) -> u8 {
    match source.health {
        _ if !source.enabled && source.health != SourceHealth::Gone => 2,
        SourceHealth::Failing | SourceHealth::Gone => 0,
        SourceHealth::New | SourceHealth::Ok => 1,
    }
}

fn row(fetches: &[FetchSummary], share: Option<&SourceShare>, source: Source) -> Row {
    let every = source.check_interval.map(|every| every_in_words(every.as_secs() / 60));
    let last_fetch = source.last_fetched_at.map(minute).unwrap_or_default();
    Row { name: source.display_name(), fetches: marks(fetches), every, last_fetch, share: share.copied(), source }
}

/// Returns whether any row has bars.
fn has_chart(rows: &[Row]) -> bool {
    rows.iter().any(|row| !row.fetches.is_empty())
}

/// Returns the bars, the oldest first.
fn marks(fetches: &[FetchSummary]) -> Vec<Mark> {
    let mark = |(at, fetch): (usize, &FetchSummary)| {
        let (class, height) = match (fetch.status.error_kind(), fetch.items_new) {
            (Some(_), _) => ("bad", 8),
            (None, 0) => ("quietly", 3),
            (None, new) => ("fine", usize::try_from(new).unwrap_or(8).clamp(4, 8)),
        };
        Mark { class, at: at * 3, height }
    };
    fetches.iter().rev().enumerate().map(mark).collect()
}

fn every_in_words(minutes: u64) -> String {
    match minutes {
        0..=90 => format!("every {minutes} min"),
        91..=2880 => format!("every {} h", (minutes + 30) / 60),
        _ => format!("every {} days", (minutes + 720) / 1440),
    }
}

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

async fn one(
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

#[derive(Template)]
#[template(path = "web/discovered.html")]
struct DiscoveredPage {
    shell: Shell,
    topic: String,
    address: String,
    found: Vec<DiscoveredFeed>,
    problem: Option<String>,
    /// Whether it may be a source although nothing could be read there now.
    can_be_added: bool,
}

/// Shows the feeds of a page to choose from; nothing is added yet. An address that is a source itself is added, and so
/// is the only feed of a page that gives it no title.
async fn discover(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let (address, topic) = (form.text("address").to_owned(), form.text("topic").to_owned());
    let mut can_be_added = false;
    let discovered =
        if is_path(&address) { Err(local_path(&address)) } else { add::discover(state.app(), &address).await };
    let (found, problem) = match discovered {
        Ok(Discovered::Itself { .. }) => return add_all(&state, &topic, vec![address]).await,
        Ok(Discovered::Page(found)) if found.len() == 1 && found[0].title.is_none() => {
            return add_all(&state, &topic, found.into_iter().map(|feed| feed.url).collect()).await;
        }
        Ok(Discovered::Page(found)) => (found, None),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            let expected = "give the address of a site or a feed, such as example.org or \
                            https://example.org/feed.xml, or a name such as hn:top or reddit:rust";
            (Vec::new(), Some(for_page(&format!("{error}; {expected}"))))
        }
        Err(error) => {
            can_be_added = true;
            (Vec::new(), Some(for_page(&error.to_string())))
        }
    };
    let status = if problem.is_some() && !can_be_added { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = html(&DiscoveredPage { shell, topic, address, found, problem, can_be_added })?;
    Ok((status, page).into_response())
}

async fn add_chosen(_: Editor, State(state): State<WebState>, form: SentForm) -> Result<Response, Failure> {
    let chosen: Vec<String> = form.all("location").filter(|text| !text.is_empty()).map(str::to_owned).collect();
    if chosen.is_empty() {
        return Err(Failure::invalid("location", "choose one at least"));
    }
    add_all(&state, form.text("topic"), chosen).await
}

async fn add_all(state: &WebState, topic: &str, locations: Vec<String>) -> Result<Response, Failure> {
    if let Some(path) = locations.iter().find(|location| is_path(location)) {
        return Err(local_path(path).into());
    }
    let topic = if topic.is_empty() { super::topic_links::DEFAULT } else { topic };
    let new = SourcesToAdd { locations, topic: topic.to_owned(), as_is: true, ..SourcesToAdd::default() };
    let added = add::add(state.app(), &new, &mut |_| {}).await?;
    let said = format!("added&added={}&known={}", added.counts.added, added.counts.known);
    Ok(to_list(state, topic, &said))
}

/// Formats `2 sources added, 1 known already`.
fn added_in_words(added: usize, known: usize) -> String {
    let added = format!("{} added", count(added, "source", "sources"));
    if known == 0 { added } else { format!("{added}, {known} known already") }
}

/// Returns whether the location looks like a file's path: the response must not reveal whether the file exists.
fn is_path(location: &str) -> bool {
    location.starts_with(['.', '/', '~']) || location.starts_with("file:")
}

fn local_path(path: &str) -> ServiceError {
    let message = format!("{path:?} is no web address; local files can only be added on the command line");
    ServiceError::invalid("location", message)
}

/// Redirects to the list. `said`: a code, with its counts.
fn to_list(state: &WebState, topic: &str, said: &str) -> Response {
    Redirect::to(&format!("{}/sources{}&said={said}", state.prefix(), query_of(topic))).into_response()
}

/// Adds the sources of a list. Outlines that could not be used are named above the sources.
async fn import(_: Editor, State(state): State<WebState>, shell: Shell, file: SentFile) -> Result<Response, Failure> {
    let listed = opml::read(state.app(), &file.bytes, &file.name)?;
    let topic = file.form.text("topic");
    let topic = if topic.is_empty() { super::topic_links::DEFAULT } else { topic };
    let counts = opml::import(state.app(), &file.name, &listed, topic).await?;
    if listed.unusable_count == 0 {
        return Ok(to_list(&state, topic, &format!("added&added={}&known={}", counts.added, counts.known)));
    }
    let mut done = added_in_words(counts.added, counts.known);
    done.push_str(&unusable_in_words(listed.unusable_count, &listed.unusable));
    let query = ListQuery { topic: Some(topic.to_owned()), ..ListQuery::default() };
    Ok(list_page(&state, shell, query, done).await?.into_response())
}

/// Maximum number of unusable outlines that the message after an import names, and the length of each reason in
/// characters.
const MAX_REASONS: usize = 3;
const MAX_REASON_CHARS: usize = 120;

/// Describes the outlines that could not be used; empty if all could.
fn unusable_in_words(count: usize, reasons: &[String]) -> String {
    let named: Vec<String> =
        reasons.iter().take(MAX_REASONS).map(|reason| short_text(reason, MAX_REASON_CHARS)).collect();
    match (count, named.join("; ")) {
        (0, _) => String::new(),
        (_, named) if named.is_empty() => format!("; {count} could not be used"),
        (_, named) if count > MAX_REASONS => format!("; {count} could not be used, among them: {named}"),
        (_, named) => format!("; {count} could not be used: {named}"),
    }
}

async fn export(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Response, Failure> {
    let topics = TopicLinks::read(state.app(), of.topic.as_deref()).await?;
    let text = opml::export(state.app(), &topics.current).await?;
    let name = "attachment; filename=\"sources.opml\"";
    Ok(([(header::CONTENT_TYPE, "text/x-opml; charset=utf-8"), (header::CONTENT_DISPOSITION, name)], text)
        .into_response())
}

async fn change(
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
async fn remove(
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
    Ok(to_list(&state, &listed.topic, "removed"))
}

/// Returns whether a text is the name of a source, as a page shows it, or its address.
fn is_named(source: &Source, text: &str) -> bool {
    // A page shows several spaces as one.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    text == source.url || words(text) == words(&source.display_name())
}
