//! `aha-radar source`: manages the sources of items.

use aha_core::source::Source;
use anyhow::Result;

use super::arguments::{SourceChoice, SourceCommand};
use super::exit::Exit;
use super::listing::Listing;
use super::{miniflux, output, source_add, source_report};
use crate::app::App;
use crate::config::Config;
use crate::services::sources::{self, ListedSource, SourceChange};
use crate::services::topics;

pub(super) async fn run(config: Config, command: SourceCommand) -> Result<Exit> {
    // Testing a feed needs no database and creates none; testing a search records what it costs.
    if let SourceCommand::Test { locations, json } = command {
        return source_report::run(&config, &locations, json).await;
    }
    if let SourceCommand::ImportMiniflux(arguments) = command {
        return Box::pin(miniflux::run(config, &arguments)).await;
    }
    let app = super::app(config, super::absent(!matches!(command, SourceCommand::Add(_)))).await?;
    match command {
        SourceCommand::Add(arguments) => return Box::pin(source_add::run(&app, arguments)).await,
        SourceCommand::List { topic, json } => list(&app, topic.as_deref(), json).await?,
        SourceCommand::Enable(choice) => {
            let change = SourceChange { enabled: Some(true), ..SourceChange::default() };
            let name = set(&app, &choice, change).await?;
            output::print(&format!("{name} is read again from the next run on"))?;
        }
        SourceCommand::Set { choice, weight, full_text } => {
            let name = set(&app, &choice, SourceChange { enabled: None, weight, full_text }).await?;
            output::print(&format!("{name}: the change applies from the next run on"))?;
        }
        SourceCommand::Disable(choice) => {
            let change = SourceChange { enabled: Some(false), ..SourceChange::default() };
            let name = set(&app, &choice, change).await?;
            output::print(&format!("{name} is no longer read; its items are kept"))?;
        }
        SourceCommand::Remove(choice) => {
            let source = sources::find(&app, &choice.source, choice.topic.as_deref()).await?.source;
            sources::remove(&app, &source).await?;
            output::print(&format!("{} is removed; digests that name it are kept", named(&source)))?;
        }
        SourceCommand::Test { .. } | SourceCommand::ImportMiniflux(_) => {}
    }
    Ok(Exit::Ok)
}

/// Changes the chosen source and returns its name and address.
async fn set(app: &App, choice: &SourceChoice, change: SourceChange) -> Result<String> {
    change.check()?;
    let source = sources::find(app, &choice.source, choice.topic.as_deref()).await?.source;
    sources::change(app, &source, change).await?;
    Ok(named(&source))
}

/// Formats `Wireline News: https://wireline.example/feed`, or the address of a source without a title.
fn named(source: &Source) -> String {
    let title = source.title.as_deref().map(str::trim).filter(|title| !title.is_empty() && *title != source.url);
    let named = title.map_or_else(|| source.url.clone(), |title| format!("{title}: {}", source.url));
    output::one_safe_text(&named).replace('\n', " ")
}

async fn list(app: &App, topic: Option<&str>, json: bool) -> Result<()> {
    let listed = sources::list(app, topic).await?;
    if json {
        return output::print_json(&listed.iter().map(|listed| &listed.source).collect::<Vec<_>>());
    }
    if listed.is_empty() {
        output::note(
            "no source yet; add one with `aha-radar source add URL`, or many with `aha-radar opml import FILE`",
        );
        return Ok(());
    }
    // One address may be a source of several topics.
    let is_several = topics::list(app).await?.len() > 1;
    let columns = ["id", "name", "health", "last read", "url", "what is wrong"];
    let columns: Vec<&str> = columns.into_iter().chain(is_several.then_some("topic")).collect();
    let mut table = Listing::new(&columns, &["url", "what is wrong"]);
    for ListedSource { topic, source } in listed {
        let health = if source.enabled { source.health.as_str() } else { "disabled" };
        let read = source.last_ok_at.map_or_else(|| "never".to_owned(), output::to_the_second);
        let wrong = source.last_error.clone().unwrap_or_default();
        let (id, name) = (output::short_id(source.id), sources::listed_name(&source));
        let cells = [id, name, health.to_owned(), read, source.url.clone(), wrong];
        let topic = is_several.then_some(topic);
        table.add_row(cells.into_iter().chain(topic));
    }
    output::print(&table.to_string())
}
