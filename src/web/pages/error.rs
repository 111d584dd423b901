//! What a person sees of an error.

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

/// The page of a failure; its text alone where even that cannot be made.
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
