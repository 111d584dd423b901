//! Feedback on a story: from a form, from the script's keys, and from a page that asks for confirmation after a link in
//! a feed.

use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::noted::{in_address, in_words, kind};
use super::story::found;
use super::{Shell, html, wants_json};
use crate::services::feedback;
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/stories/{id}/feedback", post(send)).route("/stories/{id}/say", get(ask))
}

/// Adds or removes feedback and redirects to the form's page; a request for JSON gets a description of the effect.
async fn send(
    Reader(who): Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    headers: HeaderMap,
    form: SentForm,
) -> Result<Response, Failure> {
    let story = found(&state, &id).await?;
    let is_undo = !form.text("undo").is_empty();
    let kind = kind(if is_undo { form.text("undo") } else { form.text("kind") })?;
    let change = if is_undo {
        feedback::undo(state.app(), who.user(), &story, kind).await?
    } else {
        feedback::give(state.app(), who.user(), &story, kind).await?
    };
    if wants_json(&headers) {
        return Ok(Json(json!({ "change": change, "message": in_words(&change, is_undo) })).into_response());
    }
    let next = in_address(&form.next_or(&format!("/stories/{id}")), &id, &change, is_undo);
    Ok(Redirect::to(&format!("{}{next}", state.prefix())).into_response())
}

#[derive(Template)]
#[template(path = "web/say.html")]
struct ConfirmPage {
    shell: Shell,
    id: String,
    title: String,
    kind: &'static str,
}

/// `?kind=like`
#[derive(Debug, Deserialize)]
struct KindQuery {
    kind: String,
}

/// Shows the form; a link alone changes nothing.
async fn ask(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    JsonQuery(asked): JsonQuery<KindQuery>,
) -> Result<Html<String>, Failure> {
    let story = found(&state, &id).await?;
    html(&ConfirmPage { shell, id, title: story.story.title, kind: kind(&asked.kind)?.as_str() })
}
