//! Limits on a request's size and time, and on an address's requests.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::super::{Failure, WebState};

/// Of a body: an OPML file with thousands of sources fits.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// A paid answer may take minutes; what streams is not counted, as its answer begins at once.
const MAX_TIME: Duration = Duration::from_mins(10);

/// Requests that an address may send in a second, and at once.
const A_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
const AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(199);

/// Addresses after which those that are idle are forgotten.
const MOST_ADDRESSES: usize = 10_000;

/// Requests by address.
pub(in super::super) struct Rates(DefaultKeyedRateLimiter<IpAddr>);

impl std::fmt::Debug for Rates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rates").field(&self.0.len()).finish()
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self(RateLimiter::keyed(Quota::per_second(A_SECOND).allow_burst(AT_ONCE)))
    }
}

pub(in super::super) fn body() -> DefaultBodyLimit {
    DefaultBodyLimit::max(MAX_BODY_BYTES)
}

pub(in super::super) async fn time(request: Request, next: Next) -> Response {
    tokio::time::timeout(MAX_TIME, next.run(request)).await.unwrap_or_else(|_| {
        let message = "this took longer than a request may; see whether it was done before trying again";
        Failure::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message).into_response()
    })
}

/// Who is on this machine is not slowed down.
pub(in super::super) async fn rate(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let address = super::address(&state, &request);
    let rates = &state.rates().0;
    if !address.is_loopback() && rates.check_key(&address).is_err() {
        return Failure::too_many("this address asks too often; wait a second", 1).into_response();
    }
    if rates.len() > MOST_ADDRESSES {
        rates.retain_recent();
    }
    next.run(request).await
}
