//! Today's digest, earlier ones, and the archive.

use std::collections::HashMap;

use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use chrono::NaiveDate;
use serde::Deserialize;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::noted::Noted;
use super::story_feedback::StoryFeedback;
use super::topic_links::{TopicLinks, encoded, query_of};
use super::{Shell, html, welcome};
use crate::digest::html::flow;
use crate::digest::is_quiet;
use crate::digest::view::Page;
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest};
use crate::services::feedback::FeedbackUser;
use crate::services::{ErrorKind, ServiceError};

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
    /// Whether it is the topic's newest one.
    is_latest: bool,
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
        Ok(digest) => digest_page(&state, who.user(), shell, topics, &digest, true, noted).await,
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
    let is_latest = digests::is_latest(state.app(), &digest).await?;
    let noted = Noted::read(of.noted.as_deref());
    digest_page(&state, who.user(), shell, topics, &digest, is_latest, noted).await
}

async fn digest_page(
    state: &WebState,
    user: FeedbackUser,
    shell: Shell,
    topics: TopicLinks,
    digest: &Digest,
    is_latest: bool,
    noted: Noted,
) -> Result<Html<String>, Failure> {
    let said = StoryFeedback::of(state.app(), user, digest).await?;
    let (page, quiet) = (Page::of(digest), is_quiet(digest));
    html(&DigestPage { shell, topics, page, flow: strips(digest), quiet, said, noted, is_latest })
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
    first: String,
    last: String,
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
struct ArchiveQuery {
    topic: Option<String>,
    first: Option<String>,
    last: Option<String>,
}

async fn archive(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(query): JsonQuery<ArchiveQuery>,
) -> Result<Html<String>, Failure> {
    let topic = query.topic.filter(|topic| !topic.is_empty());
    let topics = TopicLinks::read(state.app(), topic.as_deref()).await?;
    let (first, last) = (day("first", query.first.as_deref())?, day("last", query.last.as_deref())?);
    let filter = ArchiveFilter { topic: topic.clone(), first, last, limit: ARCHIVED + 1 };
    let mut found = digests::archive(state.app(), &filter).await?;
    let is_cut = found.len() > ARCHIVED;
    found.truncate(ARCHIVED);
    let failures = digests::total_failures(state.app(), &found).await?;
    let text = |day: Option<NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
    html(&ArchivePage {
        shell,
        topics,
        all_topics: topic.is_none(),
        first: text(first),
        last: text(last),
        months: months(found),
        failures,
        is_cut,
    })
}

/// Parses a date; an empty field counts as absent.
fn day(field: &'static str, text: Option<&str>) -> Result<Option<NaiveDate>, Failure> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let day =
        text.parse().map_err(|_| Failure::invalid(field, format!("{text:?} is no day; write it as 2026-11-19")))?;
    Ok(Some(day))
}

fn months(digests: Vec<ArchivedDigest>) -> Vec<Month> {
    let mut months: Vec<Month> = Vec::new();
    for digest in digests {
        let name = digest.day.format("%B %Y").to_string();
        match months.last_mut().filter(|month| month.name == name) {
            Some(month) => month.digests.push(digest),
            None => months.push(Month { name, digests: vec![digest] }),
        }
    }
    months
}
