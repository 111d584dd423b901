//! The web: pages, API and feeds over HTTP.
//!
//! Input: requests. Output: the values of services, rendered as pages, JSON or feeds. Called by `serve` and by the
//! daemon. Handlers contain no domain logic.
//!
//! Each file of the API has a function `routes()` that returns an `OpenApiRouter<WebState>`; [`router`] merges them, so
//! that routes and document (`/api/openapi.json`) have the same source. A handler takes [`Reader`], [`Editor`] or
//! [`Admin`] first, bodies by [`JsonBody`], and returns `Result<_, Failure>`; [`failure::ErrorForm`] chooses the form
//! of errors by method and path.

mod api;
mod ask;
mod ask_stream;
mod assets;
mod assistant;
mod connections;
mod error_forms;
mod extract;
mod failure;
mod feeds;
mod form;
mod guard;
pub mod health;
mod journal;
mod multipart;
mod openapi;
mod pages;
mod run_events;
mod server;
mod state;
mod unread;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use utoipa_axum::router::OpenApiRouter;

pub use extract::{JsonBody, JsonQuery, PathOf};
pub use failure::{ErrorForm, Failure};
pub use guard::identity::{Admin, Editor, Identity, Reader, SignedInBy};
pub use server::{ServeError, Server};
pub use state::WebState;

/// Path to create and revoke a user's token for feeds.
const FEED_TOKEN: &str = "/api/v1/feed-token";
/// Path at which an answer is streamed.
const ASK_STREAM: &str = "/api/v1/ask/stream";

/// The routes that the OpenAPI document describes.
fn documented() -> OpenApiRouter<WebState> {
    let routes = OpenApiRouter::with_openapi(openapi::head())
        .merge(health::routes())
        .merge(ask::routes())
        .merge(ask_stream::routes())
        .merge(api::routes())
        .merge(assistant::routes());
    api::check_addresses(routes)
}

/// Returns all routes behind all guards. The guards named last run first.
pub fn router(state: &WebState) -> Router {
    let (routes, document) = documented().split_for_parts();
    let document = openapi::Document::of(&document);
    routes
        .merge(pages::routes())
        .merge(ask_stream::page_routes())
        .merge(assistant::pages())
        .merge(journal::routes())
        .merge(assets::routes())
        .merge(feeds::routes())
        .route("/api/openapi.json", get(async move || document.clone()))
        .fallback(async || Failure::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(api::wrong_method)
        .layer(from_fn(guard::etag::tag))
        .layer(from_fn_with_state(state.clone(), guard::idempotency::replay_answered))
        .layer(from_fn_with_state(state.clone(), guard::limits::time))
        .layer(guard::limits::body())
        .layer(from_fn_with_state(state.clone(), guard::identity::identify))
        .layer(from_fn_with_state(state.clone(), guard::limits::rate))
        .layer(from_fn_with_state(state.clone(), guard::hosts::check))
        .layer(from_fn_with_state(state.clone(), error_forms::render))
        .layer(from_fn_with_state(state.clone(), guard::headers::add))
        .with_state(state.clone())
}
