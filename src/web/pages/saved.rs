//! Saved stories: a page, and an export.

use aha_core::feedback::FeedbackKind;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::digests::OfTopic;
use super::topic_links::{TopicLinks, encoded, query_of};
use super::{Shell, day, html};
use crate::digest::sanitise::Link;
use crate::services::feedback;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/saved", get(page)).route("/saved/export.jsonl", get(export))
}

#[derive(Template)]
#[template(path = "web/saved.html")]
struct SavedPage {
    shell: Shell,
    topics: TopicLinks,
    stories: Vec<Saved>,
}

/// A saved story. It links to its page if a digest still shows it, else to the original.
struct Saved {
    title: String,
    source: String,
    day: String,
    machine_day: String,
    page: Option<String>,
    link: Link,
}

async fn page(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    let topics = TopicLinks::read(state.app(), of.topic.as_deref()).await?;
    if !topics.names.contains(&topics.current) {
        return html(&SavedPage { shell, topics, stories: Vec::new() });
    }
    let found = feedback::saved(state.app(), who.user(), &topics.current).await?;
    let stories = found.events.iter().map(|event| Saved {
        title: event.title.clone(),
        source: event.source.clone(),
        day: day(event.given_at),
        machine_day: event.given_at.to_string(),
        page: found.digest_items.get(&event.item_id).map(ToString::to_string),
        link: Link::of(found.urls.get(&event.item_id).map(String::as_str)),
    });
    let stories = stories.collect();
    html(&SavedPage { shell, topics, stories })
}

/// Exports saved stories, one JSON object per line, as `aha-radar feedback import` reads them.
async fn export(
    Reader(who): Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Response, Failure> {
    let topics = TopicLinks::read(state.app(), of.topic.as_deref()).await?;
    let events = feedback::export(state.app(), who.user(), &topics.current).await?;
    let mut body = String::new();
    for event in events.iter().filter(|event| event.kind == FeedbackKind::Save) {
        body.push_str(&serde_json::to_string(event).map_err(|error| Failure::internal(&error))?);
        body.push('\n');
    }
    let name = "attachment; filename=\"saved.jsonl\"";
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson"), (header::CONTENT_DISPOSITION, name)], body).into_response())
}
