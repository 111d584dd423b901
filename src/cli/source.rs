//! `aha-radar source`: where items come from.

use aha_core::source::Source;
use aha_core::topic::Topic;
use aha_store::OpenMode;
use anyhow::Result;

use super::arguments::{SourceChoice, SourceCommand};
use super::exit::{Exit, UsageError};
use super::{miniflux, output, source_add, source_report};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::RunError;
use crate::sources::is_location_of;

pub(super) async fn run(config: Config, command: SourceCommand) -> Result<Exit> {
    // Testing a feed needs no database and leaves none behind; of a search there is what it has cost.
    if let SourceCommand::Test { locations, json } = command {
        return source_report::run(&config, &locations, json).await;
    }
    if let SourceCommand::ImportMiniflux(arguments) = command {
        return Box::pin(miniflux::run(config, &arguments)).await;
    }
    let app = super::app(config, OpenMode::CreateIfMissing).await?;
    match command {
        SourceCommand::Add(arguments) => Box::pin(source_add::run(&app, arguments)).await?,
        SourceCommand::List { topic, json } => list(&app, topic.as_deref(), json).await?,
        SourceCommand::Enable(choice) => {
            let source = find(&app, &choice).await?;
            app.store().set_source_enabled(source.id, true).await?;
            output::print(&format!("{} is read again from the next run on", source.url))?;
        }
        SourceCommand::Set { choice, weight, full_text } => {
            source_add::check_weight(weight)?;
            let source = find(&app, &choice).await?;
            source_add::set(&app, &source, weight, full_text).await?;
            output::print(&format!("{} is read so from the next run on", source.url))?;
        }
        SourceCommand::Disable(choice) => {
            let source = find(&app, &choice).await?;
            app.store().set_source_enabled(source.id, false).await?;
            output::print(&format!("{} is not read any more; what it brought stays", source.url))?;
        }
        SourceCommand::Remove(choice) => {
            let source = find(&app, &choice).await?;
            app.store().remove_source(source.id).await?;
            output::print(&format!("{} is forgotten; digests that name it stay", source.url))?;
        }
        SourceCommand::Test { .. } | SourceCommand::ImportMiniflux(_) => {}
    }
    Ok(Exit::Ok)
}

async fn list(app: &App, topic: Option<&str>, json: bool) -> Result<()> {
    let sources = all(app, topic).await?;
    let topics = app.store().topics().await?;
    if json {
        return output::print_json(&sources);
    }
    if sources.is_empty() {
        output::note("no source yet; add one with `aha-radar source add URL`");
        return Ok(());
    }
    // One source may be in several topics.
    let is_several = topics.len() > 1;
    let columns = ["id", "name", "health", "last read", "url", "what is wrong"];
    let columns: Vec<&str> = columns.into_iter().chain(is_several.then_some("topic")).collect();
    let mut table = output::table(&columns);
    for source in sources {
        let health = if source.enabled { source.health.as_str() } else { "disabled" };
        let read = source.last_ok_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let wrong = source.last_error.clone().unwrap_or_default();
        let id = source.id.to_string().chars().take(8).collect();
        let cells = [id, source.display_name(), health.to_owned(), read, source.url.clone(), wrong];
        let topic = is_several.then(|| name_of(&topics, &source));
        table.add_row(cells.into_iter().chain(topic).map(|cell| output::one_safe_text(&cell)));
    }
    output::print(&table.to_string())
}

/// The name of a source's topic.
fn name_of(topics: &[Topic], source: &Source) -> String {
    topics.iter().find(|topic| topic.id == source.topic_id).map(|topic| topic.name.clone()).unwrap_or_default()
}

async fn all(app: &App, topic: Option<&str>) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    if let Some(name) = topic {
        let found = app.store().topic(name).await?.ok_or_else(|| RunError::NoTopic { name: name.to_owned() })?;
        return Ok(app.store().sources(found.id).await?);
    }
    for topic in app.store().topics().await? {
        sources.extend(app.store().sources(topic.id).await?);
    }
    Ok(sources)
}

async fn find(app: &App, choice: &SourceChoice) -> Result<Source> {
    let wanted = &choice.source;
    let fits = |source: &Source| {
        let is_named = source.url == *wanted || is_location_of(wanted, &source.url, &app.config().sources.sites);
        is_named || source.display_name() == *wanted || source.id.to_string().starts_with(wanted.as_str())
    };
    let mut found: Vec<Source> = all(app, choice.topic.as_deref()).await?.into_iter().filter(fits).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(UsageError(format!("no source is {wanted:?}; `aha-radar source list` shows them")).into()),
        many => {
            let next_step = if found.iter().all(|source| source.url == found[0].url) {
                let topics = app.store().topics().await?;
                let names: Vec<String> = found.iter().map(|source| format!("{:?}", name_of(&topics, source))).collect();
                format!("say which one with --topic, one of {}", names.join(", "))
            } else {
                "name one by its URL, or give --topic".to_owned()
            };
            Err(UsageError(format!("{many} sources fit {wanted:?}; {next_step}")).into())
        }
    }
}
