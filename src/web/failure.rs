//! Errors as HTTP responses: one type, and three forms chosen by method and path.
//!
//! Input: typed errors of services and of the store, and what guards and extractors reject. Output:
//! `{"ok":false,"error":{…}}`, the flat `{"error","message"}` of the question API, or a page. Built by every handler
//! and guard; [`super::error_forms`] renders them.

use std::borrow::Cow;

use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::services::accounts::{AccountError, PasswordError};
use crate::services::database::{RetryAdvice, StoreError};
use crate::services::{ErrorKind, ServiceError};

/// Seconds after which a client should retry if a resource is temporarily unavailable.
const AWAY_SECONDS: u64 = 5;
/// Seconds after which a client should retry if too many do the same: about what an estimate or a replay takes.
const TOO_MANY_SECONDS: u64 = 10;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    status: StatusCode,
    code: Cow<'static, str>,
    message: String,
    field: Option<String>,
    retry_after_s: Option<u64>,
    /// What was typed into a form that is refused for its token, so that it is not lost; else empty.
    fields: Vec<(String, String)>,
}

/// The form of an error response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// `{"ok":false,"error":{"code","message"}}`
    Envelope,
    /// `{"error","message"}`, by the contract of the question API.
    Flat,
    /// An HTML page.
    Page,
}

/// Paths of feeds, whose readers must not be redirected to the sign-in page.
pub(super) const FEEDS: &str = "/feeds/";

/// Paths to which questions are posted; a GET of the first returns a page.
const FLAT: [&str; 2] = ["/ask", "/v1/ask"];

impl ErrorForm {
    #[must_use]
    pub fn of(method: &Method, path: &str) -> Self {
        let is_page = path == FLAT[0] && *method == Method::GET;
        if FLAT.contains(&path) && !is_page {
            Self::Flat
        } else if path.starts_with("/api/") || path == "/health" {
            Self::Envelope
        } else {
            Self::Page
        }
    }
}

impl Failure {
    /// Builds a failure from a status, a code for programs and a message for people: what failed, why, and the next
    /// step.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.into(),
            message: shortened(message.into()),
            field: None,
            retry_after_s: None,
            fields: Vec::new(),
        }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// Another holder has what the request needs, as a run holds its topic.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// A value is invalid.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        let failure = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_value", message);
        Self { field: Some(field.into()), ..failure }
    }

    /// A paid action is refused as the budget is used up.
    pub fn budget(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYMENT_REQUIRED, "budget_exhausted", message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message).after(AWAY_SECONDS)
    }

    /// The process was asked to stop, so nothing is begun that would be cut off.
    pub(super) fn stopping() -> Self {
        Self::unavailable("the server is stopping and begins nothing new; send this again once it runs again")
    }

    /// An internal error: logged here in full, described to the client in general terms.
    pub fn internal(error: &dyn std::error::Error) -> Self {
        tracing::error!(error = %chain(error), "a request failed");
        let message = "the server could not do this; its log says why";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    pub(super) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this address does not take that method")
    }

    pub(super) fn unauthorised(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorised", message)
    }

    pub(super) fn too_many(message: impl Into<String>, retry_after_s: u64) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message).after(retry_after_s)
    }

    /// Sets the seconds until a retry.
    #[must_use]
    pub fn after(self, seconds: u64) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Keeps what was typed into the form that is refused.
    pub(super) fn with_fields(self, fields: Vec<(String, String)>) -> Self {
        Self { fields, ..self }
    }

    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

    pub(super) const fn retry_after_s(&self) -> Option<u64> {
        self.retry_after_s
    }

    /// Builds a failure from a rejection by one of the framework's extractors.
    pub(super) fn of_framework(status: StatusCode, message: String) -> Self {
        let code = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
            StatusCode::UNPROCESSABLE_ENTITY => "invalid_value",
            StatusCode::NOT_FOUND => "not_found",
            StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
            status if status.is_server_error() => "internal",
            _ => "bad_request",
        };
        let said = if message.is_empty() { status.canonical_reason().unwrap_or("refused").to_owned() } else { message };
        Self::new(status, code, said)
    }

    pub(super) fn body(&self, form: ErrorForm) -> Value {
        if form == ErrorForm::Flat {
            return json!({ "error": self.flat_code(), "message": self.message });
        }
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(field) = &self.field {
            error["field"] = json!(field);
        }
        json!({ "ok": false, "error": error })
    }

    /// Returns the error code of the question API's contract.
    fn flat_code(&self) -> &str {
        let is_of_contract = |c: char| c.is_ascii_uppercase() || c == '_';
        match self.status {
            _ if self.code.chars().all(is_of_contract) => &self.code,
            StatusCode::GATEWAY_TIMEOUT | StatusCode::REQUEST_TIMEOUT => "TIMEOUT",
            status if status.is_client_error() => "INVALID_REQUEST",
            _ => "INTERNAL_ERROR",
        }
    }
}

/// Maximum length of a message, in characters: one repeats what was sent.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// Returns a message without the middle of one that is too long: it names what failed at its beginning, and the next
/// step at its end.
pub(super) fn shortened(message: String) -> String {
    const KEPT: usize = MAX_MESSAGE_CHARS / 2;
    let chars = message.chars().count();
    if chars <= MAX_MESSAGE_CHARS {
        return message;
    }
    let (start, end): (String, String) =
        (message.chars().take(KEPT).collect(), message.chars().skip(chars - KEPT).collect());
    format!("{start} … {end}")
}

/// Maps errors of the store to failures.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        if let StoreError::NotFound { .. } = error {
            return Self::not_found(error.to_string());
        }
        match error.retry_advice() {
            RetryAdvice::Soon | RetryAdvice::NextAttempt if matches!(error, StoreError::DiskFull) => {
                tracing::error!(%error, "a request met a full disk");
                Self::unavailable("the disk of the database is full; nothing can be saved until space is freed on it")
            }
            RetryAdvice::Soon | RetryAdvice::NextAttempt => {
                tracing::error!(%error, "a request met a database that does not answer");
                Self::unavailable("the database does not answer at the moment; try again in a few seconds")
            }
            RetryAdvice::NeedsPerson => Self::internal(&error),
        }
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        let message = error.to_string();
        match error {
            AccountError::Name(_) => Self::invalid("name", message),
            AccountError::Taken(_) | AccountError::LastAdmin(_) => Self::conflict(message),
            AccountError::Unknown(_) => Self::not_found(message),
            AccountError::Password(PasswordError::Length) => Self::invalid("password", message),
            AccountError::Password(error @ PasswordError::Hash(_)) => Self::internal(&error),
            AccountError::Store(error) => error.into(),
        }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let message = error.to_string();
        match (error.kind(), error) {
            (_, ServiceError::Store(error)) => error.into(),
            (ErrorKind::NotFound, _) => Self::not_found(message),
            (ErrorKind::InvalidInput, error) => Self::invalid(error.field().unwrap_or("value"), message),
            (ErrorKind::Conflict | ErrorKind::Busy, _) => Self::conflict(message),
            (ErrorKind::TooMany, _) => Self::too_many(message, TOO_MANY_SECONDS),
            (ErrorKind::BudgetExhausted, _) => Self::budget(message),
            // Nothing else interrupts what a request waits for.
            (ErrorKind::Interrupted, _) => Self::stopping(),
            (ErrorKind::Gateway | ErrorKind::Fetch, _) => {
                Self::new(StatusCode::BAD_GATEWAY, "upstream_failed", message)
            }
            (ErrorKind::Store | ErrorKind::Files | ErrorKind::Internal, error) => Self::internal(&error),
        }
    }
}

/// Returns the bare status; `super::error_forms` renders the rest.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(": ");
        text.push_str(&source.to_string());
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_repeats_a_long_value_keeps_its_beginning_and_its_end() {
        let message = Failure::invalid("name", format!("\"{}\" is no name; use another", "ü".repeat(5_000))).message;
        assert_eq!(message.chars().count(), MAX_MESSAGE_CHARS + " … ".chars().count());
        assert!(message.starts_with("\"ü") && message.ends_with("is no name; use another"));
        assert_eq!(shortened("ü".repeat(MAX_MESSAGE_CHARS)), "ü".repeat(MAX_MESSAGE_CHARS));
    }

    #[test]
    fn method_and_path_choose_the_form_and_the_flat_form_keeps_to_its_codes() {
        assert_eq!(ErrorForm::of(&Method::POST, "/v1/ask"), ErrorForm::Flat);
        assert_eq!(ErrorForm::of(&Method::GET, "/ask"), ErrorForm::Page);
        assert_eq!(ErrorForm::of(&Method::GET, "/api/v1/digests"), ErrorForm::Envelope);
        assert_eq!(ErrorForm::of(&Method::GET, "/topics/default"), ErrorForm::Page);
        let said = |failure: Failure| failure.body(ErrorForm::Flat)["error"].clone();
        assert_eq!(said(Failure::invalid("question", "too short")), "INVALID_REQUEST");
        assert_eq!(said(Failure::new(StatusCode::BAD_REQUEST, "CITATION_REQUIRED", "no source")), "CITATION_REQUIRED");
        assert_eq!(said(Failure::unavailable("away")), "INTERNAL_ERROR");
        assert_eq!(Failure::invalid("url", "no").body(ErrorForm::Envelope)["error"]["field"], "url");
    }
}
