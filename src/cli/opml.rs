//! `aha-radar opml`: sources from a feed reader, and back to it.

use std::path::Path;

use aha_content::numbers::count;
use aha_core::source::{NewSource, Source};
use anyhow::Result;

use super::arguments::OpmlCommand;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::pipeline::RunError;
use crate::sources::opml;

pub(super) async fn run(app: &App, command: OpmlCommand) -> Result<Exit> {
    match command {
        OpmlCommand::Import { file, topic } => {
            let (said, exit) = import(app, &file, &topic).await?;
            output::print(&said)?;
            return Ok(exit);
        }
        OpmlCommand::Export { topic } => {
            let found = app.store().topic(&topic).await?.ok_or(RunError::NoTopic { name: topic })?;
            let sources = app.store().sources(found.id).await?.into_iter();
            let sources: Vec<NewSource> = sources.map(Source::listed).collect();
            output::print(&opml::write(&found.name, &sources))?;
        }
    }
    Ok(Exit::Ok)
}

/// Adds the sources of a file to a topic, which is made when there is none, and says so in a line. The outlines that cannot be
/// used are named on standard error and make it partial; where no other is left, the file cannot be used.
pub(super) async fn import(app: &App, file: &Path, topic: &str) -> Result<(String, Exit)> {
    let listed = opml::read_file(file, &app.config().sources.sites)?;
    for reason in &listed.unusable {
        output::note(&format!("{}: {reason}", file.display()));
    }
    let left_out = listed.unusable_count;
    if left_out > 0 && listed.sources.is_empty() {
        let why = match left_out {
            1 => "its only outline cannot be used".to_owned(),
            n => format!("none of its {n} outlines can be used"),
        };
        return Err(UsageError(format!("{}: {why}", file.display())).into());
    }
    let now = app.clock().now();
    let topic = app.store().ensure_topic(topic, now).await?;
    let counts = app.store().add_sources(topic.id, &listed.sources, now).await?;
    let said = format!("{}: {}", file.display(), output::sources_added(counts));
    Ok(match left_out {
        0 => (said, Exit::Ok),
        n => (format!("{said}, {} left out", count(n, "outline", "outlines")), Exit::Partial),
    })
}
