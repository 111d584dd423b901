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

/// Whether you have a feed token.
#[utoipa::path(get, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 200, description = "`since`: when it was created", body = Object)))]
async fn since(Reader(who): Reader, State(state): State<WebState>) -> Result<Json<Since>, Failure> {
    Ok(Json(Since { since: feed_tokens::created_at(state.app(), &who.name).await? }))
}

#[derive(Debug, Serialize)]
struct Made {
    token: String,
    /// The address of a feed with the token. Replace `TOPIC` by the topic's name; for other feeds, also `stories` by
    /// `digests` or `saved`, and the extension by .atom or .json.
    address: String,
}

/// Creates a feed token, which replaces the previous one. It is shown only once.
#[utoipa::path(post, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 201, description = "The `token`, and the `address` of a feed with it", body = Object)))]
async fn make(Reader(who): Reader, State(state): State<WebState>) -> Result<(StatusCode, Json<Made>), Failure> {
    let token = feed_tokens::create(state.app(), &who.name).await?;
    let address = state.address(&format!("/feeds/TOPIC/stories.rss?token={token}"));
    Ok((StatusCode::CREATED, Json(Made { token, address })))
}

/// Revokes your feed token, so that feeds can no longer be read with it.
#[utoipa::path(delete, path = "/api/v1/feed-token", tag = "feeds",
    responses((status = 204, description = "The token is revoked")))]
async fn take_back(Reader(who): Reader, State(state): State<WebState>) -> Result<StatusCode, Failure> {
    feed_tokens::revoke(state.app(), &who.name).await?;
    Ok(StatusCode::NO_CONTENT)
}
