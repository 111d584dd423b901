//! Today's digest, earlier ones, and the archive.

use std::collections::HashMap;

use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use aha_core::time::DAY_MS;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use chrono::NaiveDate;
use serde::Deserialize;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::noted::Noted;
use super::story_feedback::StoryFeedback;
use super::topic_links::{TopicLinks, encoded, query_of};
use super::{Shell, html, problem_of, welcome};
use crate::digest::html::flow;
use crate::digest::is_quiet;
use crate::digest::sanitise::short_text;
use crate::digest::view::Page;
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest, DigestNeighbours};
use crate::services::feedback::FeedbackUser;
use crate::services::{ErrorKind, ServiceError};

/// Maximum length of a digest's title in the archive, in characters.
const MAX_TITLE_CHARS: usize = 200;
/// Digests on one page of the archive.
const ARCHIVED: usize = 60;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/", get(today)).route("/digests/{id}", get(one)).route("/archive", get(archive))
}

#[derive(Template)]
#[template(path = "web/digest.html")]
struct DigestPage {
    shell: Shell,
    topics: TopicLinks,
    page: Page,
    flow: Vec<Strip>,
    quiet: bool,
    said: StoryFeedback,
    noted: Noted,
    neighbours: DigestNeighbours,
    /// Of a newest digest whose window ended longer ago than a day, the number of days since.
    days_old: Option<i64>,
}

/// A part of the strip that shows what became of the items.
#[derive(Debug)]
struct Strip {
    key: &'static str,
    count: usize,
    words: &'static str,
    /// Start from the left, in percent.
    at: f64,
    width: f64,
}

/// `?topic=NAME&noted=…`
#[derive(Debug, Default, Deserialize)]
pub(super) struct OfTopic {
    pub(super) topic: Option<String>,
    /// The effect of feedback that was just given.
    pub(super) noted: Option<String>,
}

async fn today(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    let topics = TopicLinks::read(state.app(), of.topic.as_deref()).await?;
    let noted = Noted::read(of.noted.as_deref());
    match digests::latest_by_name(state.app(), &topics.current).await {
        Ok(digest) => digest_page(&state, who.user(), shell, topics, &digest, noted).await,
        Err(error) if is_first_time(&error, of.topic.as_deref(), &topics) => welcome::page(&state, shell, topics).await,
        Err(error) => Err(error.into()),
    }
}

/// Returns whether there is no digest yet; a requested topic that does not exist is another error.
fn is_first_time(error: &ServiceError, wanted: Option<&str>, topics: &TopicLinks) -> bool {
    error.kind() == ErrorKind::NotFound && (wanted.is_none() || topics.names.contains(&topics.current))
}

async fn one(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    let id: DigestId = id.parse().map_err(|_| Failure::not_found("there is no such digest"))?;
    let digest = digests::by_id(state.app(), id).await?;
    let topics = TopicLinks::read(state.app(), Some(&digest.head.topic)).await?;
    let noted = Noted::read(of.noted.as_deref());
    digest_page(&state, who.user(), shell, topics, &digest, noted).await
}

async fn digest_page(
    state: &WebState,
    user: FeedbackUser,
    shell: Shell,
    topics: TopicLinks,
    digest: &Digest,
    noted: Noted,
) -> Result<Html<String>, Failure> {
    let said = StoryFeedback::of(state.app(), user, digest).await?;
    let (page, quiet) = (Page::of(digest), is_quiet(digest));
    let days = (state.app().clock().now() - digest.head.window_end) / DAY_MS;
    let neighbours = digests::neighbours(state.app(), digest.head.id).await?;
    let days_old = Some(days).filter(|days| neighbours.later.is_none() && *days > 1);
    html(&DigestPage { shell, topics, page, flow: strips(digest), quiet, said, noted, neighbours, days_old })
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn strips(digest: &Digest) -> Vec<Strip> {
    let parts = flow(digest);
    let total = parts.iter().map(|(_, count, _)| count).sum::<usize>().max(1) as f64;
    let mut at = 0.0;
    let strip = |(key, count, words): (&'static str, usize, &'static str)| {
        let width = 100.0 * count as f64 / total;
        let strip = Strip { key, count, words, at, width: (width - 0.4).max(0.6) };
        at += width;
        strip
    };
    parts.into_iter().map(strip).collect()
}

#[derive(Template)]
#[template(path = "web/archive.html")]
struct ArchivePage {
    shell: Shell,
    topics: TopicLinks,
    all_topics: bool,
    /// The days as typed.
    first: String,
    last: String,
    /// Why the days cannot be used.
    problem: Option<String>,
    months: Vec<Month>,
    /// The first lines of digests for which no source could be read.
    failures: HashMap<DigestId, String>,
    is_cut: bool,
}

/// A month's digests, the newest first.
struct Month {
    name: String,
    digests: Vec<ArchivedDigest>,
}

/// Which part of the archive.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ArchiveQuery {
    topic: String,
    first: String,
    last: String,
}

async fn archive(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(query): JsonQuery<ArchiveQuery>,
) -> Result<Response, Failure> {
    let ArchiveQuery { topic, first, last } = query;
    let topic = Some(topic).filter(|topic| !topic.is_empty());
    let topics = TopicLinks::read(state.app(), topic.as_deref()).await?;
    let all_topics = topic.is_none();
    let (mut found, problem) = match day(&first).and_then(|from| Ok((from, day(&last)?))) {
        Ok((from, to)) => {
            let filter = ArchiveFilter { topic, first: from, last: to, limit: ARCHIVED + 1 };
            match digests::archive(state.app(), &filter).await {
                Ok(found) => (found, None),
                Err(error) => (Vec::new(), Some(problem_of(error)?)),
            }
        }
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let is_cut = found.len() > ARCHIVED;
    found.truncate(ARCHIVED);
    let failures = digests::total_failures(state.app(), &found).await?;
    let months = months(found);
    let page = ArchivePage { shell, topics, all_topics, first, last, problem, months, failures, is_cut };
    Ok((status, html(&page)?).into_response())
}

/// Parses a date; an empty field counts as absent.
fn day(text: &str) -> Result<Option<NaiveDate>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("{text:?} is no day; write it as 2026-11-19."))
}

fn months(digests: Vec<ArchivedDigest>) -> Vec<Month> {
    let mut months: Vec<Month> = Vec::new();
    for mut digest in digests {
        digest.entry.first_title = digest.entry.first_title.map(|title| short_text(&title, MAX_TITLE_CHARS));
        let name = digest.day.format("%B %Y").to_string();
        match months.last_mut().filter(|month| month.name == name) {
            Some(month) => month.digests.push(digest),
            None => months.push(Month { name, digests: vec![digest] }),
        }
    }
    months
}
