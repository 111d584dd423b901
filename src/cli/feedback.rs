//! `aha-radar feedback`: records feedback on stories, and shows what was learnt from it.

use std::path::Path;

use aha_analysis::preferences::Learnt;
use aha_core::feedback::FeedbackKind;
use anyhow::{Context as _, Result};

use super::arguments::{FeedbackArguments, FeedbackCommand};
use super::exit::{Exit, UsageError};
use super::{item, lines, output};
use crate::app::App;
use crate::digest::sanitise::escape_hidden;
use crate::services::feedback::{self, FeedbackImport, FeedbackLine, FeedbackUser};
use crate::services::{stories, topics};

pub(super) async fn run(app: &App, arguments: FeedbackArguments) -> Result<Exit> {
    match arguments.command {
        Some(FeedbackCommand::List { topic, json }) => list(app, &topic, json).await?,
        Some(FeedbackCommand::Export { topic }) => export(app, &topic).await?,
        Some(FeedbackCommand::Import { file, topic }) => return import(app, &topic, &file).await,
        Some(FeedbackCommand::Forget { list: true, topic, .. }) => list_unlearnt(app, &topic).await?,
        Some(FeedbackCommand::Forget { name, undo, topic, .. }) => {
            forget(app, &topic, &name.unwrap_or_default(), undo).await?;
        }
        None => {
            let (Some(name), Some(kind)) = (&arguments.item, arguments.kind) else {
                return Err(UsageError("it expects an item and like, dislike, save or skip".to_owned()).into());
            };
            give(app, &arguments, name, kind).await?;
        }
    }
    Ok(Exit::Ok)
}

async fn give(app: &App, arguments: &FeedbackArguments, name: &str, kind: FeedbackKind) -> Result<()> {
    let topic = arguments.topic.as_deref();
    let mut withdrawn_after = String::new();
    let (change, outcome) = if arguments.undo {
        let change = feedback::undo_by_name(app, FeedbackUser::owner(), name, topic, kind).await?;
        let outcome = if change.changed { "removed" } else { "was not given, so there is nothing to undo" };
        (change, outcome)
    } else {
        let found = stories::find_in(app, name, topic).await?;
        let change = feedback::give(app, FeedbackUser::owner(), &found, kind).await?;
        let outcome = if change.changed { "noted" } else { "was given before, and counts once" };
        let withdrawn = change.withdrawn.map(|kind| format!("; {} is withdrawn", kind.as_str()));
        withdrawn_after = withdrawn.unwrap_or_default();
        (change, outcome)
    };
    let text = format!("{}: {outcome} for {}{withdrawn_after}", kind.as_str(), change.title);
    output::print(&output::one_safe_text(&text))
}

async fn list(app: &App, topic: &str, json: bool) -> Result<()> {
    let overview = feedback::list(app, FeedbackUser::owner(), topic).await?;
    if json {
        return output::print_json(&overview);
    }
    if overview.events.is_empty() {
        output::note("no feedback yet; give some with `aha-radar feedback 1 like`");
        return Ok(());
    }
    let mut table = output::table(&["when", "what", "id", "source", "title"]);
    for event in &overview.events {
        let in_digest = overview.digest_items.get(&event.item_id).copied();
        // An item that no digest has any more is named by its own id: `--undo` takes it.
        let id = in_digest.map_or_else(|| item::short(event.item_id), item::short);
        let (when, kind) = (event.given_at.to_string(), event.kind.as_str().to_owned());
        let cells = [when, kind, id, event.source.clone(), event.title.clone()];
        table.add_row(cells.map(|cell| output::one_safe_text(&cell)));
    }
    output::print(&table.to_string())?;
    output::print(&output::one_safe_text(&learnt_in_words(&overview.learnt)))
}

fn learnt_in_words(learnt: &Learnt) -> String {
    let parts = [
        ("more of", &learnt.more_of),
        ("less of", &learnt.less_of),
        ("sources liked", &learnt.sources_liked),
        ("sources disliked", &learnt.sources_disliked),
        ("authors liked", &learnt.authors_liked),
        ("authors disliked", &learnt.authors_disliked),
    ];
    let lines = parts.iter().filter(|(_, names)| !names.is_empty()).map(|(part, names)| {
        let names: Vec<String> = names.iter().map(|(name, strength)| format!("{name} {strength}")).collect();
        format!("  {part}: {}", names.join(", "))
    });
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return "\nNothing was learnt from it.".to_owned();
    }
    let heading =
        "\nLearnt from it, the strongest of a kind as 100 (unlearn one with `aha-radar feedback forget NAME`):\n";
    format!("{heading}{}", lines.join("\n"))
}

async fn forget(app: &App, topic: &str, name: &str, undo: bool) -> Result<()> {
    let outcome = if !undo {
        feedback::unlearn(app, topic, name).await?;
        "unlearnt; `--undo` learns it again"
    } else if feedback::relearn(app, topic, name).await? {
        "learnt again"
    } else {
        "was not unlearnt, so there is nothing to undo"
    };
    output::print(&output::one_safe_text(&format!("{name}: {outcome}")))
}

async fn list_unlearnt(app: &App, topic: &str) -> Result<()> {
    let unlearnt = feedback::unlearnt(app, topic).await?;
    if unlearnt.is_empty() {
        output::note("nothing was unlearnt");
        return Ok(());
    }
    output::print(&output::one_safe_text(&unlearnt.join("\n")))
}

async fn export(app: &App, topic: &str) -> Result<()> {
    for event in feedback::export(app, FeedbackUser::owner(), topic).await? {
        output::print(&escape_hidden(&serde_json::to_string(&event)?))?;
    }
    Ok(())
}

async fn import(app: &App, topic: &str, file: &Path) -> Result<Exit> {
    topics::find(app, topic).await?;
    let outcome = feedback::import(app, FeedbackUser::owner(), topic, read(file)?).await?;
    for left_out in &outcome.left_out {
        let why = "is not here, and the object holds no title and terms of it; it is left out";
        let (line, item) = (left_out.line, left_out.item_id);
        output::note(&format!("object {line} of {}: item {item} {why}", file.display()));
    }
    let left_out = outcome.left_out.len();
    let left_out_in_words = if left_out == 0 { String::new() } else { format!(", {left_out} left out") };
    let FeedbackImport { added, known, .. } = outcome;
    output::print(&format!("{added} added, {known} already known or contradicted here{left_out_in_words}"))?;
    Ok(if left_out == 0 { Exit::Ok } else { Exit::Partial })
}

fn read(file: &Path) -> Result<Vec<FeedbackLine>> {
    let mut input = lines::open(file)?;
    let mut read: Vec<FeedbackLine> = Vec::new();
    while let Some(line) = lines::next(&mut *input)? {
        if !line.trim().is_empty() {
            let number = read.len() + 1;
            let object = serde_json::from_str(&line);
            read.push(object.with_context(|| format!("object {number} of {} is no feedback", file.display()))?);
        }
    }
    Ok(read)
}
