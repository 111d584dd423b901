//! The pages: each calls services and renders a template of `templates/web/`.
//!
//! Everything works with links and forms; the script only saves reloads.

mod ask;
mod deep_dive;
mod digests;
mod error;
mod feed_reader;
mod feedback;
mod item;
mod messages;
mod models;
mod noted;
mod run;
mod runs;
mod saved;
mod score_terms;
mod search;
mod settings;
mod shell;
mod shown_summary;
mod sign_in;
mod sources;
mod spend;
mod story;
mod story_feedback;
mod topic_links;
mod topics;
mod welcome;

use aha_core::time::Timestamp;
use askama::Template;
use axum::Router;
use axum::http::{HeaderMap, header};
use axum::response::Html;

pub(super) use error::{error_page, unsaved_page};
pub(super) use messages::for_page;
pub(super) use noted::{in_words as feedback_in_words, kind as feedback_kind};
pub(super) use shell::Shell;
pub(super) use story::found as found_story;
pub(super) use topic_links::encoded;

use super::{Failure, WebState};
use crate::services::{ErrorKind, ServiceError};

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .merge(sign_in::routes())
        .merge(digests::routes())
        .merge(story::routes())
        .merge(item::routes())
        .merge(deep_dive::routes())
        .merge(feedback::routes())
        .merge(saved::routes())
        .merge(feed_reader::routes())
        .merge(search::routes())
        .merge(ask::routes())
        .merge(sources::routes())
        .merge(topics::routes())
        .merge(runs::routes())
        .merge(run::routes())
        .merge(spend::routes())
        .merge(models::routes())
        .merge(settings::routes())
}

/// Returns whether the script sent the request, which needs no page.
fn wants_json(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"application/json"))
}

/// Renders a template.
fn html(template: &impl Template) -> Result<Html<String>, Failure> {
    template.render().map(Html).map_err(|error| Failure::internal(&error))
}

/// Formats `17 Nov 2026`, in UTC.
fn day(at: Timestamp) -> String {
    at.to_utc().format("%-d %b %Y").to_string()
}

/// Formats `17 Nov 2026 07:00`, in UTC.
fn minute(at: Timestamp) -> String {
    at.to_utc().format("%-d %b %Y %H:%M").to_string()
}

/// Returns a share between 0 and 1 in percent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
pub(super) fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

/// Returns the message of an error that the user of a form can correct; other errors get an error page.
fn problem_of(error: ServiceError) -> Result<String, Failure> {
    match error.kind() {
        ErrorKind::InvalidInput | ErrorKind::Conflict | ErrorKind::NotFound => Ok(for_page(&error.to_string())),
        _ => Err(error.into()),
    }
}

/// Time spans for a search or a question: value and label.
const SPANS: [(&str, &str); 5] =
    [("", "any time"), ("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("365d", "a year")];

/// An option of a select list.
#[derive(Debug, Clone)]
struct Choice {
    value: String,
    name: String,
    is_chosen: bool,
}

/// Returns the options of a select list; a chosen value that is none of them is added, so that it is not lost.
fn choices(known: &[(&str, &str)], chosen: &str) -> Vec<Choice> {
    let line = |(value, name): &(&str, &str)| Choice {
        value: (*value).to_owned(),
        name: (*name).to_owned(),
        is_chosen: *value == chosen,
    };
    let mut lines: Vec<Choice> = known.iter().map(line).collect();
    if lines.iter().all(|line| !line.is_chosen) {
        lines.push(Choice { value: chosen.to_owned(), name: chosen.to_owned(), is_chosen: true });
    }
    lines
}
