//! `aha-radar source add`: adds sources by address, path or short name; from a page, the feed that it links to.

use std::fmt::Write as _;

use aha_content::numbers::count;
use aha_core::source::{NewSource, SourceKind};
use anyhow::Result;

use super::arguments::AddArguments;
use super::exit::UsageError;
use super::output;
use crate::app::App;
use crate::pipeline::documents::Refreshed;
use crate::services::documents;
use crate::services::sources::add::{AddNote, SourcesToAdd, add};
use crate::sources::{SourceLocation, location_from_argument};

pub(super) async fn run(app: &App, arguments: AddArguments) -> Result<()> {
    let AddArguments { locations, topic, kind, title, weight, as_is, full_text } = arguments;
    if kind.as_deref() == Some(SourceKind::Documents.as_str()) {
        return add_documents(app, &locations, &topic, title.as_deref()).await;
    }
    let new = SourcesToAdd { locations, topic, title, weight, as_is, full_text, allow_paths: true };
    let mut note = |note: AddNote| output::note(&note.to_string());
    let added = add(app, &new, &mut note).await?;
    let mut text = output::sources_added(added.counts);
    if let Some(weight) = weight {
        let _ = write!(text, "; their weight is now {weight}");
    }
    output::print(&text)
}

/// Adds the user's own folders or files, which are read at once.
async fn add_documents(app: &App, locations: &[String], topic: &str, title: Option<&str>) -> Result<()> {
    let mut new = Vec::new();
    for location in locations {
        let SourceLocation { url, .. } = location_from_argument(location, &app.config().sources.sites)
            .map_err(|error| UsageError(error.to_string()))?;
        if !url.starts_with("file:") {
            let why = "is no local folder or file; documents are read from this machine";
            return Err(UsageError(format!("{location} {why}")).into());
        }
        let title = title.map(str::to_owned);
        new.push(NewSource { kind: SourceKind::Documents, url, title, ..NewSource::default() });
    }
    let mut lines = Vec::new();
    for (source, refreshed) in documents::add(app, topic, &new).await? {
        let Refreshed { read, unchanged, removed, failed } = refreshed?;
        let documents = count(read + unchanged, "document", "documents");
        lines.push(format!("{documents} in {} ({read} read, {removed} removed)", output::one_safe_text(&source.url)));
        for (path, reason) in failed {
            output::note(&format!("{path} is left out: {reason}"));
        }
    }
    output::print(&lines.join("\n"))
}
