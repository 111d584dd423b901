//! `aha-radar opml`: imports sources from a feed reader's list, and exports them.

use std::path::Path;

use aha_content::numbers::count;
use anyhow::Result;

use super::arguments::OpmlCommand;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::services::sources::opml;

pub(super) async fn run(app: &App, command: OpmlCommand) -> Result<Exit> {
    match command {
        OpmlCommand::Import { file, topic } => {
            let (said, exit) = import(app, &file, &topic).await?;
            output::print(&said)?;
            return Ok(exit);
        }
        OpmlCommand::Export { topic } => output::print(&opml::export(app, &topic).await?)?,
    }
    Ok(Exit::Ok)
}

/// Adds the sources of a file to a topic, which is created if it does not exist, and returns a summary line. Outlines
/// that cannot be used are reported on standard error and make the result partial; if none can be used, the file is an
/// error.
pub(super) async fn import(app: &App, file: &Path, topic: &str) -> Result<(String, Exit)> {
    let listed = opml::read_file(app, file)?;
    for reason in &listed.unusable {
        output::note(&format!("{}: {reason}", file.display()));
    }
    let left_out = listed.unusable_count;
    let counts = opml::import(app, &file.display().to_string(), &listed, topic).await?;
    let said = format!("{}: {}", file.display(), output::sources_added(counts));
    Ok(match left_out {
        0 => (said, Exit::Ok),
        n => (format!("{said}, {} left out", count(n, "outline", "outlines")), Exit::Partial),
    })
}
