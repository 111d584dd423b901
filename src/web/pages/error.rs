//! The error page.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::super::guard::identity::Unsaved;
use super::super::{Failure, WebState};
use super::{Shell, for_page};

#[derive(Template)]
#[template(path = "web/error.html")]
struct ErrorPage<'a> {
    shell: Shell,
    status: u16,
    name: &'static str,
    message: &'a str,
}

#[derive(Template)]
#[template(path = "web/unsaved.html")]
struct UnsavedPage {
    shell: Shell,
    /// Whether the session has ended; else the page with the form is of an earlier one.
    is_signed_out: bool,
    fields: Vec<(String, String)>,
}

/// Renders the page for a form that was sent after the session ended, or from a page of an earlier one: what was typed,
/// and how to send it again.
pub(in super::super) fn unsaved_page(state: &WebState, failure: &Failure, Unsaved(fields): Unsaved) -> Response {
    let status = failure.status();
    let is_signed_out = status == StatusCode::UNAUTHORIZED;
    match (UnsavedPage { shell: Shell::bare(state), is_signed_out, fields }).render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the page of an unsaved form cannot be made");
            status.into_response()
        }
    }
}

/// Renders a failure as a page; as plain text if the page cannot be rendered.
pub(in super::super) fn error_page(state: &WebState, failure: &Failure) -> Response {
    let status = failure.status();
    let name = status.canonical_reason().unwrap_or("Refused");
    let message = for_page(failure.message());
    let page = ErrorPage { shell: Shell::bare(state), status: status.as_u16(), name, message: &message };
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the error page cannot be made");
            (status, failure.message().to_owned()).into_response()
        }
    }
}
