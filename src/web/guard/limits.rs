//! Limits on the size and duration of a request, and on the requests of an address.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use tracing::Instrument as _;

use super::super::{Failure, WebState};

/// Maximum size of a body: an OPML file with thousands of sources fits.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// A paid answer may take minutes. The time of a stream is not limited, as its response begins at once.
const MAX_TIME: Duration = Duration::from_mins(10);

pub(in super::super) fn body() -> DefaultBodyLimit {
    DefaultBodyLimit::max(MAX_BODY_BYTES)
}

/// Limits the time of a response. A request that may change or cost something is processed to its end even if its
/// client disconnects or the time is over: a paid answer is then stored, and so is the response for its idempotency
/// key. None is begun while the process stops, as it would be cut off.
pub(in super::super) async fn time(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let limited = if request.method().is_safe() {
        tokio::time::timeout(MAX_TIME, next.run(request)).await
    } else {
        let detached = state.app().spawn_unless_stopping(next.run(request).in_current_span());
        let Some(detached) = detached else { return Failure::stopping().into_response() };
        let response = detached.map(|ended| ended.unwrap_or_else(|error| Failure::internal(&error).into_response()));
        tokio::time::timeout(MAX_TIME, response).await
    };
    limited.unwrap_or_else(|_| {
        let message = "this took longer than a request may; see whether it was done before trying again";
        Failure::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message).into_response()
    })
}

/// Requests from this machine are not limited.
pub(in super::super) async fn rate(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let address = super::address(&state, &request);
    if !address.is_loopback() && !state.rates().admits(address) {
        return Failure::too_many("this address asks too often; wait a second", 1).into_response();
    }
    next.run(request).await
}
