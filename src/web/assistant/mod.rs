//! The assistant and the planner over HTTP: messages and their stream, operations, the four collections, the calendar.
//!
//! The HTML page is [`page`]. Paths, fields and events follow the planner's contract, so they are not under `/api/v1`.
//! Bodies are at most 256 KB.

mod calendar;
mod collections;
mod message;
mod operations;
mod page;
mod stream;
mod week;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Failure, WebState};

const MAX_BODY_BYTES: usize = 256 * 1024;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(message::message))
        .routes(routes!(stream::message_stream))
        .routes(routes!(operations::dry_run))
        .routes(routes!(operations::apply))
        .routes(routes!(operations::undo))
        .routes(routes!(collections::list, collections::create))
        .routes(routes!(collections::one, collections::change, collections::remove))
        .routes(routes!(collections::occurrence))
        .routes(routes!(calendar::agenda))
        .routes(routes!(calendar::calendar))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(axum::Extension(stream::Streams::default()))
}

/// The routes of the HTML page.
pub(super) fn pages() -> axum::Router<WebState> {
    page::routes()
}

/// Says what a query's day is, of which [`aha_planner::validate::parse_date`] reads no other.
const DAY_FORM: &str = "a day is one of the calendar, from 1900 to 9000, written as YYYY-MM-DD";

fn bad_request(code: &'static str, message: impl Into<String>) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, code, message)
}
