//! The pages: each reads by services and fills a template of `templates/web/`.
//!
//! Everything works by links and forms; the script only saves a reload.

mod digests;
mod error;
mod feedback;
mod form;
mod multipart;
mod runs;
mod said;
mod saved;
mod score_terms;
mod settings;
mod shell;
mod sign_in;
mod sources;
mod spend;
mod story;
mod topic_links;
mod topics;
mod welcome;

use aha_content::numbers::count;
use askama::Template;
use axum::Router;
use axum::response::Html;

pub(super) use error::error_page;
pub(super) use feedback::{in_words as feedback_in_words, kind as feedback_kind};
pub(super) use form::SentForm;
pub(super) use shell::Shell;
pub(super) use story::found as found_story;
pub(super) use topic_links::encoded;

use super::{Failure, WebState};

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .merge(sign_in::routes())
        .merge(digests::routes())
        .merge(story::routes())
        .merge(feedback::routes())
        .merge(saved::routes())
        .merge(sources::routes())
        .merge(topics::routes())
        .merge(runs::routes())
        .merge(spend::routes())
        .merge(settings::routes())
}

/// A filled template.
fn html(template: &impl Template) -> Result<Html<String>, Failure> {
    template.render().map(Html).map_err(|error| Failure::internal(&error))
}

/// `2 sources added, 1 known already`.
fn counted(added: usize, known: usize, one: &str, many: &str) -> String {
    let added = format!("{} added", count(added, one, many));
    if known == 0 { added } else { format!("{added}, {known} known already") }
}
