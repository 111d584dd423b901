//! `aha-radar digest`: shows a stored digest in any format, or lists digests.

use aha_core::topic::DEFAULT_TOPIC;
use anyhow::Result;

use super::arguments::DigestArguments;
use super::exit::{Exit, UsageError};
use super::listing::Listing;
use super::output;
use crate::app::App;
use crate::digest::terminal::{Footer, Terminal};
use crate::digest::{Format, file_stem_of, render_named, terminal};
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest, LATEST};

/// Stands for a list in place of an id.
const LIST: &str = "list";

pub(super) async fn run(app: &App, arguments: DigestArguments) -> Result<Exit> {
    let DigestArguments { which, topic, format, json, links, limit } = arguments;
    let format = match format.as_deref() {
        Some(name) => Some(name.parse::<Format>().map_err(|error| UsageError(error.to_string()))?),
        None => json.then_some(Format::Json),
    };
    if which == LIST {
        return list(app, topic, limit, format).await;
    }
    let digest = digests::find(app, &which, topic.as_deref().unwrap_or(DEFAULT_TOPIC)).await?;
    let footer = Footer { html: None, is_latest: which == LATEST };
    if let Some(format) = format {
        let stem = file_stem_of(&app.config().output_dir, &digest);
        output::print(&render_named(&digest, format, app.config().web.site(), &stem)?)?;
    } else {
        let terminal = Terminal { addresses: links, ..output::terminal() };
        output::print(&terminal::render(&digest, terminal, footer))?;
    }
    Ok(Exit::Ok)
}

async fn list(app: &App, topic: Option<String>, limit: u32, format: Option<Format>) -> Result<Exit> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let digests = digests::archive(app, &ArchiveFilter { topic, first: None, last: None, limit }).await?;
    match format {
        Some(Format::Json) => output::print_json(&digests)?,
        Some(_) => {
            let why = "`digest list` prints a table, or JSON with --json; --format is for one digest";
            return Err(UsageError(why.to_owned()).into());
        }
        None if digests.is_empty() => output::note("no digest yet; make one with `aha-radar run`"),
        None => output::print(&table(&digests))?,
    }
    Ok(Exit::Ok)
}

fn table(digests: &[ArchivedDigest]) -> String {
    let headings = ["id", "day", "topic", "status", "stories", "items", "first story"];
    let mut table = Listing::new(&headings, &["first story"]);
    for ArchivedDigest { day, entry } in digests {
        let head = &entry.head;
        table.add_row([
            output::short_id(head.id),
            day.to_string(),
            head.topic.clone(),
            head.status.as_str().to_owned(),
            entry.stories.to_string(),
            head.items.to_string(),
            entry.first_title.clone().unwrap_or_default(),
        ]);
    }
    table.to_string()
}
