//! Deep dive: summarises a pasted text for a story. The cost is estimated first, and the summary is kept or dropped.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Editor, Failure, JsonBody, PathOf, Reader, WebState};
use super::stories::found_story;
use crate::services::deep_dive::{self, DecidedSummary, DeepDive, DeepDiveEstimate, KeptSummary, PastedText};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(estimate))
        .routes(routes!(summarise))
        .routes(routes!(decide))
        .routes(routes!(kept))
}

/// A text to summarise.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Text {
    /// At most 60,000 characters. It is stored nowhere.
    #[schema(min_length = 1, max_length = 60000)]
    text: String,
}

/// Estimates the cost of summarising a text. No model is called.
#[utoipa::path(post, path = "/api/v1/stories/{id}/deep-dive/estimate", tag = "stories", request_body = Text,
    params(("id" = String, Path, description = "The id of a digest's line, or its first digits")),
    responses((status = 200, description = "Whether the summary is `stored`, and the `estimate`", body = Object)))]
async fn estimate(
    _: Editor,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(Text { text }): JsonBody<Text>,
) -> Result<Json<DeepDiveEstimate>, Failure> {
    let found = found_story(&state, &id).await?;
    let text = deep_dive::accept(text.into_bytes())?;
    Ok(Json(PastedText::about(state.app(), &found, &text).await?.estimate()))
}

/// Summarises a text for a story. Repeating the request with the same text costs nothing.
#[utoipa::path(post, path = "/api/v1/stories/{id}/deep-dive", tag = "stories", request_body = Text,
    params(("id" = String, Path, description = "The id of a digest's line, or its first digits")),
    responses((status = 200, description = "The `summary`, and its cost in `microcredits`", body = Object),
        (status = 402, description = "The budget is used up", body = super::ErrorBody),
        (status = 502, description = "All models that were called failed", body = super::ErrorBody)))]
async fn summarise(
    _: Editor,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(Text { text }): JsonBody<Text>,
) -> Result<Json<DeepDive>, Failure> {
    let found = found_story(&state, &id).await?;
    let text = deep_dive::accept(text.into_bytes())?;
    let pasted = PastedText::about(state.app(), &found, &text).await?;
    Ok(Json(Box::pin(deep_dive::summarise(state.app(), &found, &pasted)).await?))
}

/// What to do with a summary of a story.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The summary's `call_id`; without it the newest one made for the story.
    call_id: Option<String>,
    /// True to show it with the story from now on, false to drop it.
    keep: bool,
}

/// Keeps a summary of a story, or drops it.
#[utoipa::path(put, path = "/api/v1/stories/{id}/deep-dive", tag = "stories", request_body = Decision,
    params(("id" = String, Path, description = "The id of a digest's line, or its first digits")),
    responses((status = 200, description = "The `decision`: `promoted` or `dropped`", body = Object)))]
async fn decide(
    _: Editor,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(Decision { call_id, keep }): JsonBody<Decision>,
) -> Result<Json<DecidedSummary>, Failure> {
    let found = found_story(&state, &id).await?;
    Ok(Json(deep_dive::decide(state.app(), &found.story, keep, call_id.as_deref()).await?))
}

#[derive(Debug, Serialize)]
struct Kept {
    summaries: Vec<KeptSummary>,
}

/// The summaries of pasted texts that were kept, the last decision first.
#[utoipa::path(get, path = "/api/v1/deep-dives", tag = "stories",
    responses((status = 200, description = "`summaries`, each with its `item_id`", body = Object)))]
async fn kept(_: Reader, State(state): State<WebState>) -> Result<Json<Kept>, Failure> {
    Ok(Json(Kept { summaries: deep_dive::kept(state.app()).await? }))
}
