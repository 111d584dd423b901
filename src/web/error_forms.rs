//! The layer that renders each error in the form that the request expects: JSON, a page, or a redirect to the sign-in
//! page. A form that was sent after the session ended, or from a page of an earlier one, is shown, so that nothing
//! typed is lost.
//!
//! Input: responses of handlers and guards. Output: the same, with each [`Failure`] rendered. Called by
//! [`super::router`], as the outermost layer.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use super::api::with_requests;
use super::failure::FEEDS;
use super::guard::identity::Unsaved;
use super::pages::{error_page, unsaved_page};
use super::{ErrorForm, Failure, WebState};

/// Maximum length of an extractor's own message.
const MAX_MESSAGE_BYTES: usize = 2_000;

/// Renders errors in the form that the request expects.
pub(super) async fn render(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let mut form = ErrorForm::of(request.method(), request.uri().path());
    if form == ErrorForm::Page && wants_json(request.headers()) {
        form = ErrorForm::Envelope;
    }
    let has_sign_in = form == ErrorForm::Page && !request.uri().path().starts_with(FEEDS);
    let wanted = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let method = request.method().clone();
    let mut response = next.run(request).await;
    let allowed = response.headers_mut().remove(header::ALLOW);
    let unsaved = response.extensions_mut().remove::<Unsaved>();
    let mut response = match failure_of(response).await {
        Ok(failure) if failure.status() == StatusCode::UNAUTHORIZED && has_sign_in => match unsaved {
            Some(unsaved) => unsaved_page(&state, &failure, unsaved),
            None => sign_in(&state, &method, &wanted),
        },
        Ok(failure) => in_form(&state, &failure, form),
        Err(response) => response,
    };
    if let Some(allowed) = allowed.filter(|_| response.status() == StatusCode::METHOD_NOT_ALLOWED) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Returns whether a script sent the request. Browsers prefer a page.
fn wants_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.trim_start().starts_with("application/json")
}

/// Returns the failure of a response; `Err` with the unchanged response if it is none.
async fn failure_of(mut response: Response) -> Result<Failure, Response> {
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        return Ok(failure);
    }
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_plain = kind.is_none_or(|kind| kind.starts_with("text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_plain {
        return Err(response);
    }
    let message = to_bytes(response.into_body(), MAX_MESSAGE_BYTES).await.unwrap_or_default();
    Ok(Failure::of_framework(status, String::from_utf8_lossy(&message).into_owned()))
}

fn in_form(state: &WebState, failure: &Failure, form: ErrorForm) -> Response {
    let mut response = match form {
        ErrorForm::Page if failure.fields().is_empty() => error_page(state, failure),
        ErrorForm::Page => unsaved_page(state, failure, Unsaved(failure.fields().to_vec())),
        ErrorForm::Envelope | ErrorForm::Flat => {
            let body = Body::from(api_body(failure, form).to_string());
            (failure.status(), [(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
    };
    let headers = response.headers_mut();
    if let Some(seconds) = failure.retry_after_s() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if failure.status() == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Returns the body of a failure in JSON, whose message names requests in the place of commands.
fn api_body(failure: &Failure, form: ErrorForm) -> Value {
    let mut body = failure.body(form);
    let error = if form == ErrorForm::Flat { &mut body } else { &mut body["error"] };
    error["message"] = Value::String(with_requests(failure.message()));
    body
}

/// Redirects to the sign-in page, which leads back to the requested page after a GET.
fn sign_in(state: &WebState, method: &Method, wanted: &str) -> Response {
    let next: String = if *method == Method::GET {
        url::form_urlencoded::byte_serialize(wanted.as_bytes()).collect()
    } else {
        String::new()
    };
    Redirect::to(&format!("{}/sign-in?next={next}", state.prefix())).into_response()
}
