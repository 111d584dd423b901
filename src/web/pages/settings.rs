//! The settings, with keys masked, and what is wrong with them: the first part of `aha-radar doctor`.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;

use super::super::{Admin, Failure, WebState};
use super::{Shell, html};
use crate::services::diagnostics::{self, Finding, Level};

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/settings", get(page))
}

#[derive(Template)]
#[template(path = "web/settings.html")]
struct SettingsPage {
    shell: Shell,
    findings: Vec<Finding>,
    wrong: usize,
}

async fn page(_: Admin, State(state): State<WebState>, shell: Shell) -> Result<Html<String>, Failure> {
    let findings = diagnostics::masked_settings(state.app().config());
    let wrong = findings.iter().filter(|finding| finding.level == Level::Wrong).count();
    html(&SettingsPage { shell, findings, wrong })
}
