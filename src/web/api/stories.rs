//! Stories, and the reader's feedback on them.

use std::collections::BTreeMap;

use aha_core::ids::ItemId;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::pages::{feedback_in_words, feedback_kind};
use super::super::{Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};
use super::{OfTopic, check_id};
use crate::services::feedback::{self, FeedbackChange, FeedbackOverview};
use crate::services::stories::{self, ExplainedStory, FoundStory};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(one)).routes(routes!(give)).routes(routes!(take_back)).routes(routes!(overview))
}

/// Finds the story of a path: by the id of a digest's line, or the beginning of it.
pub(super) async fn found_story(state: &WebState, id: &str) -> Result<FoundStory, Failure> {
    check_id("story", id)?;
    // An id of this length is no rank, so the topic does not matter.
    Ok(stories::find(state.app(), id, "default").await?)
}

#[derive(Debug, Serialize)]
struct WithMarkup {
    #[serde(flatten)]
    story: ExplainedStory,
    /// Sanitised markup of those members that have more than their text.
    markup: BTreeMap<ItemId, String>,
}

/// A story of a digest, with everything that explains it.
#[utoipa::path(get, path = "/api/v1/stories/{id}", tag = "stories", params(("id" = String, Path, description = "The id of a digest's line, or its first digits")),
    responses((status = 200, description = "The story, its score's terms, digests and calls", body = Object)))]
async fn one(
    Reader(who): Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
) -> Result<Json<WithMarkup>, Failure> {
    let found = found_story(&state, &id).await?;
    let markup = stories::markup(state.app(), &found.story).await?;
    Ok(Json(WithMarkup { story: stories::explain(state.app(), who.user(), found).await?, markup }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Feedback {
    /// like, dislike, save, skip or read.
    kind: String,
}

#[derive(Debug, Serialize)]
struct Changed {
    change: FeedbackChange,
    /// Describes the effect.
    message: String,
}

/// Records your feedback on a story; the opposite feedback is removed.
#[utoipa::path(post, path = "/api/v1/stories/{id}/feedback", tag = "stories", request_body = Feedback,
    params(("id" = String, Path, description = "The id of a digest's line, or its first digits")),
    responses((status = 200, description = "What changed", body = Object)))]
async fn give(
    Reader(who): Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(said): JsonBody<Feedback>,
) -> Result<Json<Changed>, Failure> {
    let kind = feedback_kind(&said.kind)?;
    let found = found_story(&state, &id).await?;
    let change = feedback::give(state.app(), who.user(), &found, kind).await?;
    Ok(Json(Changed { message: feedback_in_words(&change, false), change }))
}

/// Removes your feedback on a story.
#[utoipa::path(delete, path = "/api/v1/stories/{id}/feedback/{kind}", tag = "stories",
    params(("id" = String, Path, description = "The id of a digest's line, or its first digits"), ("kind" = String, Path, description = "like, dislike, save, skip or read")),
    responses((status = 200, description = "What changed", body = Object)))]
async fn take_back(
    Reader(who): Reader,
    State(state): State<WebState>,
    PathOf((id, kind)): PathOf<(String, String)>,
) -> Result<Json<Changed>, Failure> {
    let kind = feedback_kind(&kind)?;
    let found = found_story(&state, &id).await?;
    let change = feedback::undo(state.app(), who.user(), &found, kind).await?;
    Ok(Json(Changed { message: feedback_in_words(&change, true), change }))
}

/// Your feedback on a topic's stories, and what was learnt from all feedback.
#[utoipa::path(get, path = "/api/v1/feedback", tag = "stories", params(OfTopic),
    responses((status = 200, description = "The feedback, and what was learnt from it", body = Object)))]
async fn overview(
    Reader(who): Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Json<FeedbackOverview>, Failure> {
    Ok(Json(feedback::list(state.app(), who.user(), of.name()).await?))
}
