//! `aha-radar opml`: sources from a feed reader, and back to it.

use std::path::Path;

use anyhow::Result;

use crate::app::App;
use crate::domain::source::NewSource;
use crate::pipeline::RunError;
use crate::sources::opml;

use super::arguments::OpmlCommand;
use super::exit::Exit;
use super::output;

pub(super) async fn run(app: &App, command: OpmlCommand) -> Result<Exit> {
    match command {
        OpmlCommand::Import { file, topic } => output::print(&import(app, &file, &topic).await?)?,
        OpmlCommand::Export { topic } => {
            let found = app.store().topic(&topic).await?.ok_or(RunError::NoTopic { name: topic })?;
            let sources = app.store().sources(found.id).await?.into_iter();
            let sources: Vec<NewSource> =
                sources.map(|s| NewSource { kind: s.kind, url: s.url, title: s.title }).collect();
            output::print(&opml::write(&found.name, &sources))?;
        }
    }
    Ok(Exit::Ok)
}

/// Adds the sources of a file to a topic, which is made when there is none, and says so in a line.
pub(super) async fn import(app: &App, file: &Path, topic: &str) -> Result<String> {
    let sources = opml::read_file(file)?;
    let now = app.clock().now();
    let topic = app.store().ensure_topic(topic, now).await?;
    let counts = app.store().add_sources(topic.id, &sources, now).await?;
    Ok(format!("{}: {}", file.display(), output::sources_added(counts)))
}
