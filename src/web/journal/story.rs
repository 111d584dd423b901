//! "Save to my notes" on a story: makes a plan of one statement, which continues like that of a day.

use axum::extract::State;
use axum::response::Redirect;
use axum::routing::post;
use axum::{Extension, Router};

use super::blocking;
use crate::journal::drafts::Drafts;
use crate::services::stories::FoundStory;
use crate::web::form::SentForm;
use crate::web::pages::found_story;
use crate::web::{Editor, Failure, PathOf, WebState};

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/stories/{id}/notes", post(save_story))
}

async fn save_story(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    PathOf(id): PathOf<String>,
    _form: SentForm,
) -> Result<Redirect, Failure> {
    let found = found_story(&state, &id).await?;
    let draft = blocking(|| drafts.keep(state.app(), &format!("story:{}", found.story.cluster_id), &text(&found)))?;
    Ok(Redirect::to(&format!("{}/journal/{draft}", state.prefix())))
}

/// Returns the statement: the story in one line, and its address.
fn text(found: &FoundStory) -> String {
    let story = &found.story;
    let summary = story.kept_summary.as_ref().or(story.summary.as_ref());
    let said = summary.map_or(story.title.as_str(), |summary| summary.one_liner.as_str());
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match story.url.as_deref().filter(|url| url.starts_with("http") && !url.contains([')', ' '])) {
        Some(url) => format!(
            "{said} ([{}]({url}))",
            story.sources.first().map_or("source", |source| source.name.as_str()).replace(['[', ']'], "")
        ),
        None => said,
    }
}
