//! The token of a user's feed reader.

use aha_core::time::Timestamp;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Failure, Reader, WebState};
use crate::services::feed_tokens;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(since, make, take_back))
}

#[derive(Debug, Serialize)]
struct Since {
    /// Null if there is no token.
    since: Option<Timestamp>,
}

/// Whether you have a token for feeds.
#[utoipa::path(get, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 200, description = "`since` when there is one", body = Object)))]
async fn since(Reader(who): Reader, State(state): State<WebState>) -> Result<Json<Since>, Failure> {
    Ok(Json(Since { since: feed_tokens::created_at(state.app(), &who.name).await? }))
}

#[derive(Debug, Serialize)]
struct Made {
    token: String,
    /// The address of a feed with the token. A feed reader gets it with the topic's name, one of `digests`, `stories`
    /// and `saved`, and the extension .rss, .atom or .json.
    address: String,
}

/// Makes a token for feeds, in the place of the one before. It is shown this once.
#[utoipa::path(post, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 201, description = "The `token`, and the `address` of a feed with it", body = Object)))]
async fn make(Reader(who): Reader, State(state): State<WebState>) -> Result<(StatusCode, Json<Made>), Failure> {
    let token = feed_tokens::create(state.app(), &who.name).await?;
    let address = state.address(&format!("/feeds/TOPIC/stories.rss?token={token}"));
    Ok((StatusCode::CREATED, Json(Made { token, address })))
}

/// Takes your token for feeds back: who has it reads no more.
#[utoipa::path(delete, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 204, description = "There is none any more")))]
async fn take_back(Reader(who): Reader, State(state): State<WebState>) -> Result<StatusCode, Failure> {
    feed_tokens::revoke(state.app(), &who.name).await?;
    Ok(StatusCode::NO_CONTENT)
}
