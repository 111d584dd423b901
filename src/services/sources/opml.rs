//! Imports sources from a feed reader's list, and exports them.

use std::path::Path;

use aha_core::source::{NewSource, Source};
use aha_store::SourcesAdded;

use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::sources::opml::{self, OpmlSources};

/// Reads the sources of a file. Paths in it are relative to it.
///
/// # Errors
/// When it cannot be read.
pub fn read_file(app: &App, file: &Path) -> Result<OpmlSources> {
    Ok(opml::read_file(file, &app.config().sources.sites)?)
}

/// Reads the sources of a list that was uploaded. No path in it is followed.
///
/// # Errors
/// When it cannot be read.
pub fn read(app: &App, bytes: &[u8], name: &str) -> Result<OpmlSources> {
    let mut listed = opml::read(bytes, name, None, &app.config().sources.sites)?;
    let before = listed.sources.len();
    listed.sources.retain(|source| !source.url.starts_with("file:"));
    listed.unusable_count += before - listed.sources.len();
    Ok(listed)
}

/// Adds the sources of a list called `name` to a topic, which is created if it does not exist.
///
/// # Errors
/// When none of its outlines can be used.
pub async fn import(app: &App, name: &str, listed: &OpmlSources, topic: &str) -> Result<SourcesAdded> {
    if listed.unusable_count > 0 && listed.sources.is_empty() {
        let why = match listed.unusable_count {
            1 => "its only outline cannot be used".to_owned(),
            several => format!("none of its {several} outlines can be used"),
        };
        return Err(ServiceError::invalid("file", format!("{name}: {why}; correct their xmlUrl")));
    }
    let now = app.clock().now();
    let topic = topics::ensure(app, topic).await?;
    Ok(app.store().add_sources(topic.id, &listed.sources, now).await?)
}

/// Returns a topic's sources as OPML.
///
/// # Errors
/// When there is no such topic.
pub async fn export(app: &App, topic: &str) -> Result<String> {
    let topic = topics::find(app, topic).await?;
    let sources = app.store().sources(topic.id).await?.into_iter();
    let sources: Vec<NewSource> = sources.map(Source::into_new_source).collect();
    Ok(opml::write(&topic.name, &sources))
}
