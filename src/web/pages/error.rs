//! The error page.

use askama::Template;
use axum::response::{Html, IntoResponse, Response};

use super::super::{Failure, WebState};
use super::Shell;

#[derive(Template)]
#[template(path = "web/error.html")]
struct ErrorPage<'a> {
    shell: Shell,
    status: u16,
    name: &'static str,
    message: &'a str,
}

/// Renders a failure as a page; as plain text if the page cannot be rendered.
pub(in super::super) fn error_page(state: &WebState, failure: &Failure) -> Response {
    let status = failure.status();
    let name = status.canonical_reason().unwrap_or("Refused");
    let page = ErrorPage { shell: Shell::bare(state), status: status.as_u16(), name, message: failure.message() };
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the error page cannot be made");
            (status, failure.message().to_owned()).into_response()
        }
    }
}
