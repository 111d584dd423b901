//! The pages' assets: one style sheet, one script, one icon; none from another server.

use std::sync::LazyLock;

use aha_net::hash::hex32;
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use super::WebState;

/// The digest's style, and that of the other pages.
const STYLE: &str = concat!(include_str!("../../templates/digest.css"), include_str!("../../static/radar.css"));
const SCRIPT: &str = include_str!("../../static/radar.js");
const ICON: &str = include_str!("../../static/icon.svg");

/// Links contain the version of the assets, so that browsers may cache them forever.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// Changes whenever one of the assets does.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| hex32([STYLE, SCRIPT, ICON].concat().as_bytes()));

pub(super) fn routes() -> Router<WebState> {
    let asset = |kind: &'static str, text: &'static str| {
        get(async move || {
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, CACHE_FOREVER)], text).into_response()
        })
    };
    Router::new()
        .route("/static/radar.css", asset("text/css; charset=utf-8", STYLE))
        .route("/static/radar.js", asset("text/javascript; charset=utf-8", SCRIPT))
        .route("/static/icon.svg", asset("image/svg+xml", ICON))
}
