//! Saved stories.

use aha_core::feedback::FeedbackEvent;
use aha_core::ids::DigestItemId;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::cmp::Reverse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::OfTopic;
use super::page::PageQuery;
use crate::services::feedback;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(list))
}

#[derive(Debug, Serialize)]
struct Saved {
    saved: Vec<SavedStory>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct SavedStory {
    #[serde(flatten)]
    event: FeedbackEvent,
    /// The newest digest line of the story; null if no digest shows it any more.
    story_id: Option<DigestItemId>,
    /// The address of the original, if no digest shows the story any more.
    url: Option<String>,
}

/// The stories of a topic that you saved, the most recently saved first.
#[utoipa::path(get, path = "/api/v1/saved", tag = "stories", params(OfTopic, PageQuery),
    responses((status = 200, description = "`saved`, each with its `story_id` if a digest shows it, and `next`", body = Object)))]
async fn list(
    Reader(who): Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<Saved>, Failure> {
    let found = feedback::saved(state.app(), who.user(), of.name()).await?;
    let (saved, next) =
        page.of(found.events, |event| (Reverse(event.given_at.as_millis()), event.item_id.to_string()))?;
    let saved = saved.into_iter().map(|event| SavedStory {
        story_id: found.digest_items.get(&event.item_id).copied(),
        url: found.urls.get(&event.item_id).cloned(),
        event,
    });
    Ok(Json(Saved { saved: saved.collect(), next }))
}
