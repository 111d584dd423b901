//! RSS, Atom and JSON Feed of a topic's digests, of its top stories, and of saved stories.
//!
//! Input: values from services. Output: one `digest::rss::Feed`, in the format of the address's extension. Ids are
//! those of digests and stories, so that a feed reader shows a story once even if it was in several digests.

mod atom;
mod entries;
mod json;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::pages::encoded;
use super::{Failure, PathOf, Reader, WebState};
use crate::digest::rss;
use crate::services::digests;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/feeds/{topic}/{name}", get(feed))
}

async fn feed(
    Reader(who): Reader,
    State(state): State<WebState>,
    PathOf((topic, name)): PathOf<(String, String)>,
) -> Result<Response, Failure> {
    let unknown = || Failure::not_found("feeds are digests, stories and saved, each as .rss, .atom or .json");
    let (what, form) = name.split_once('.').ok_or_else(unknown)?;
    let kind = match form {
        "rss" => "application/rss+xml; charset=utf-8",
        "atom" => "application/atom+xml; charset=utf-8",
        "json" => "application/feed+json; charset=utf-8",
        _ => return Err(unknown()),
    };
    let path = format!("{topic}/{name}");
    let fingerprint = fingerprint(&state, &topic, what).await?;
    if let Some(known) = fingerprint.as_ref().and_then(|fingerprint| state.feeds().get(&path, fingerprint)) {
        return Ok(([(header::CONTENT_TYPE, kind)], known.to_string()).into_response());
    }
    let feed = entries::read(&state, who.user(), &topic, &name, what).await?.ok_or_else(unknown)?;
    let text = match form {
        "rss" => rss::write(&feed),
        "atom" => atom::render(&feed, &format!("tag:aha-radar,2026:{}/{what}", encoded(&topic))),
        _ => Ok(json::render(&feed)),
    };
    let text = text.map_err(|error| Failure::internal(&error))?;
    if let Some(fingerprint) = fingerprint {
        state.feeds().put(path, fingerprint, text.as_str().into());
    }
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// A rendered feed is used for so long, until there is a new digest: it is rendered from ten digests, and feed readers
/// ask often.
const RENDERED_MILLIS: i64 = 60_000;

/// Returns what a rendered feed is made of; `None` for one that differs by user.
async fn fingerprint(state: &WebState, topic: &str, what: &str) -> Result<Option<String>, Failure> {
    if !matches!(what, "digests" | "stories") {
        return Ok(None);
    }
    let digest = digests::latest_id_by_name(state.app(), topic).await?;
    Ok(Some(format!("{digest:?} {}", state.app().clock().wall().as_millis() / RENDERED_MILLIS)))
}
