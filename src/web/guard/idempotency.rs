//! `Idempotency-Key`: a POST under `/api/v1` that is repeated with its key gets the same response and is not executed
//! again. The same JSON with its fields in another order is the same request. Of the planner's paths only
//! `/api/llm/apply` takes a key, which it stores together with the changes.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use aha_net::hash::hex32;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use serde_json::Value;

use super::super::extract::{body, unmarked};
use super::super::{ASK_STREAM, FEED_TOKEN, Failure, WebState};
use super::identity::Identity;
use crate::services::idempotency::{self, IdempotentRequest, RequestState, StoredResponse};

const HEADER: &str = "idempotency-key";
const MAX_KEY_CHARS: usize = 200;
/// Maximum size of a response that is stored.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// Stored instead of a larger one: the request must still not be executed again.
const TOO_LARGE: &str = r#"{"ok":true,"note":"done before; the response was too large to be stored"}"#;

/// Pauses before the answer of a request is stored again after the store failed.
const STORE_PAUSES: [Duration; 4] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// Returns whether a request may have a key. Responses that contain a secret must not be stored, and a stream must not
/// be held back until it is complete; a question that is asked again is answered from `answers` at no cost.
pub(in super::super) fn takes_key(path: &str, method: &str) -> bool {
    let is_stored = ![FEED_TOKEN, ASK_STREAM].contains(&path);
    method.eq_ignore_ascii_case("post") && path.starts_with("/api/v1/") && is_stored
}

pub(in super::super) async fn replay_answered(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let is_meant = takes_key(request.uri().path(), request.method().as_str());
    let key = request.headers().get(HEADER).cloned().filter(|_| is_meant);
    let (Some(key), Some(identity)) = (key, request.extensions().get::<Identity>().cloned()) else {
        return next.run(request).await;
    };
    match with_key(&state, &key, &identity, request, next).await {
        Ok(response) => response,
        Err(failure) => failure.into_response(),
    }
}

async fn with_key(
    state: &WebState,
    key: &HeaderValue,
    identity: &Identity,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let key = key.to_str().ok().filter(|key| !key.is_empty() && key.len() <= MAX_KEY_CHARS);
    let key = key.ok_or_else(|| Failure::invalid(HEADER, "a key has 1 to 200 visible characters"))?;
    let (parts, sent) = request.into_parts();
    let bytes = body(Request::from_parts(parts.clone(), sent), state).await?;
    let identity_of_request = [parts.uri.to_string().as_bytes(), b"\n", &comparable(&bytes)[..]].concat();
    let of = IdempotentRequest {
        user: identity.name.clone(),
        key: key.to_owned(),
        request_hash: hex32(&identity_of_request),
    };
    match idempotency::claim(state.app(), &of).await? {
        RequestState::Answered(answer) => Ok(replayed(answer)),
        RequestState::InProgress => {
            Err(Failure::conflict("a request with this key is under way; ask again when it is done"))
        }
        RequestState::UsedByAnotherRequest => {
            Err(Failure::invalid(HEADER, "this key was used for another request; make a new one"))
        }
        RequestState::Claimed => {
            let handled =
                AssertUnwindSafe(next.run(Request::from_parts(parts, Body::from(bytes)))).catch_unwind().await;
            match handled {
                Ok(response) => store_response(state, &of, response).await,
                Err(panic) => {
                    release(state, &of).await;
                    resume_unwind(panic)
                }
            }
        }
    }
}

/// Returns a JSON body with sorted fields, without white space between its parts and without a byte order mark, so that
/// equal ones have the same bytes. Any other body is returned as it is.
fn comparable(body: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<Value>(unmarked(body)) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string().into_bytes()
        }
        Err(_) => body.to_vec(),
    }
}

/// Stores the response of a success; a failure may be retried.
async fn store_response(state: &WebState, of: &IdempotentRequest, response: Response) -> Result<Response, Failure> {
    if !response.status().is_success() {
        release(state, of).await;
        return Ok(response);
    }
    let (parts, sent) = response.into_parts();
    // The response is our own and already in memory, so reading it needs no limit.
    let bytes = to_bytes(sent, usize::MAX).await.map_err(|error| Failure::internal(&error))?;
    let stored = if bytes.len() <= MAX_ANSWER_BYTES { String::from_utf8_lossy(&bytes) } else { TOO_LARGE.into() };
    let location = parts.headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let answer = StoredResponse { status: parts.status.as_u16(), body: stored.into_owned(), location };
    store_with_retries(state, of, &answer).await;
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

/// Stores the answer of a request that was executed. If that fails, the client still gets its answer, since an error
/// would make it send the request again.
async fn store_with_retries(state: &WebState, of: &IdempotentRequest, answer: &StoredResponse) {
    for pause in STORE_PAUSES {
        match idempotency::store_response(state.app(), of, answer).await {
            Ok(()) => return,
            Err(error) => {
                let again_in_ms = pause.as_millis();
                tracing::warn!(%error, again_in_ms, "the answer for an idempotency key was not stored; trying again");
            }
        }
        tokio::time::sleep(pause).await;
    }
    if let Err(error) = idempotency::store_response(state.app(), of, answer).await {
        let effect = "the request was executed; sent again with its key, it gets 409 for half an hour";
        tracing::error!(%error, effect, "the answer for an idempotency key could not be stored");
    }
}

/// Lets a request without effect be sent again. If that fails, its own answer says more than the store's error.
async fn release(state: &WebState, of: &IdempotentRequest) {
    if let Err(error) = idempotency::release(state.app(), of).await {
        let effect = "the request had no effect; sent again with its key, it gets 409 for half an hour";
        tracing::error!(%error, effect, "an idempotency key could not be released");
    }
}

fn replayed(answer: StoredResponse) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let is_replayed = header::HeaderName::from_static("idempotency-replayed");
    let headers = [(header::CONTENT_TYPE, "application/json"), (is_replayed, "true")];
    let location = answer.location.map(|location| [(header::LOCATION, location)]);
    (status, headers, location, answer.body).into_response()
}

#[cfg(test)]
mod tests {
    use super::comparable;

    #[test]
    fn order_of_fields_and_white_space_make_no_other_request_and_order_of_a_list_does() {
        let body = comparable(br#"{"a":1,"b":{"c":[1,2],"d":"x"}}"#);
        assert_eq!(comparable(b"{ \"b\": {\"d\":\"x\", \"c\":[1, 2]},\n\"a\":1 }"), body);
        assert_ne!(comparable(br#"{"a":1,"b":{"c":[2,1],"d":"x"}}"#), body);
        assert_ne!(comparable(br#"{"a":1,"b":{"c":[1,2],"d":"x "}}"#), body);
        assert_eq!(comparable("\u{feff}{\"a\":1,\"b\":{\"c\":[1,2],\"d\":\"x\"}}".as_bytes()), body);
        assert_eq!(comparable(b"<opml> </opml>"), b"<opml> </opml>");
    }
}
