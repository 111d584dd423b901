//! Adds entity tags to responses, and returns 304 if the client has the current version.

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use aha_net::hash::hex32;

/// Larger responses are sent without a tag.
const MAX_BYTES: usize = 8 * 1024 * 1024;

pub(in super::super) async fn tag(request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    let is_large = response.body().size_hint().lower() > MAX_BYTES as u64;
    if !is_read || is_large || response.status() != StatusCode::OK || is_stream(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_BYTES).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let tag = format!("\"{}\"", hex32(&bytes));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, value);
    }
    if known.is_some_and(|known| matches_tag(&known, &tag)) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// A stream must not be buffered.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
    kind.starts_with(b"text/event-stream") || kind.starts_with(b"application/x-ndjson")
}

fn matches_tag(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    known.trim() == "*" || known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn a_large_response_is_sent_whole_and_without_a_tag() {
        let of_bytes = async |bytes: usize| {
            let page = axum::routing::get(async move || vec![b'x'; bytes]);
            let app = axum::Router::new().route("/", page).layer(axum::middleware::from_fn(tag));
            let response = app.oneshot(Request::new(Body::empty())).await.unwrap();
            let (status, has_tag) = (response.status(), response.headers().contains_key(header::ETAG));
            (status, has_tag, to_bytes(response.into_body(), usize::MAX).await.unwrap().len())
        };
        assert_eq!(of_bytes(MAX_BYTES).await, (StatusCode::OK, true, MAX_BYTES));
        assert_eq!(of_bytes(MAX_BYTES + 1).await, (StatusCode::OK, false, MAX_BYTES + 1));
    }

    #[test]
    fn one_of_several_tags_matches_weak_or_not() {
        let matches = |known: &'static str| matches_tag(&HeaderValue::from_static(known), "\"b\"");
        assert!(matches("\"a\", W/\"b\"") && matches("*") && matches("\"b\""));
        assert!(!matches("\"a\"") && !matches("b"));
    }
}
