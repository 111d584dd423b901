//! The pages: each reads by services and fills a template of `templates/web/`.
//!
//! Everything works by links and forms; the script only saves a reload.

mod error;
mod form;
mod shell;
mod sign_in;

use askama::Template;
use axum::Router;
use axum::response::Html;

pub(super) use error::error_page;
pub(super) use form::SentForm;
pub(super) use shell::Shell;

use super::{Failure, WebState};

pub(super) fn routes() -> Router<WebState> {
    Router::new().merge(sign_in::routes())
}

/// A filled template.
fn html(template: &impl Template) -> Result<Html<String>, Failure> {
    template.render().map(Html).map_err(|error| Failure::internal(&error))
}
