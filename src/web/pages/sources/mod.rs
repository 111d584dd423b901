//! Sources: lists them with their state, failing ones first, and exports the list.

mod adding;
mod source;

use std::collections::HashMap;
use std::sync::Arc;

use aha_content::numbers::count;
use aha_core::source::{Source, SourceHealth};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::digests::OfTopic;
use super::topic_links::{TopicLinks, query_of};
use super::{Shell, html, minute};
use crate::services::sources::{self, FetchSummary, ListedSource, SourceShare, opml};

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/sources", get(list).post(adding::add_chosen))
        .route("/sources/discover", post(adding::discover))
        .route("/sources/import", post(adding::import))
        .route("/sources/export.opml", get(export))
        .route("/sources/{id}", get(source::one).post(source::change))
        .route("/sources/{id}/remove", post(source::remove))
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

/// Formats `2 sources added, 1 known already`.
fn added_in_words(added: usize, known: usize) -> String {
    let added = format!("{} added", count(added, "source", "sources"));
    if known == 0 { added } else { format!("{added}, {known} known already") }
}

/// Redirects to the list. `said`: a code, with its counts.
fn to_list(state: &WebState, topic: &str, said: &str) -> Response {
    Redirect::to(&format!("{}/sources{}&said={said}", state.prefix(), query_of(topic))).into_response()
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
