//! `aha-radar feedback`: what the owner thinks of stories, and what it comes to.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::app::App;
use crate::domain::digest::DigestStory;
use crate::domain::feedback::{FeedbackEvent, FeedbackKind};
use crate::domain::ids::TopicId;
use crate::pipeline::RunError;
use crate::pipeline::preferences::{EVENTS, profile};
use crate::store::SavedProfile;
use crate::stories::preferences::terms_of;

use super::arguments::{FeedbackArguments, FeedbackCommand};
use super::exit::{Exit, UsageError};
use super::{item, lines, output};

pub(super) async fn run(app: &App, arguments: FeedbackArguments) -> Result<Exit> {
    match arguments.command {
        Some(FeedbackCommand::List { topic, json }) => list(app, &topic, json).await?,
        Some(FeedbackCommand::Export { topic }) => export(app, &topic).await?,
        Some(FeedbackCommand::Import { file, topic }) => import(app, &topic, &file).await?,
        None => {
            let (Some(name), Some(kind)) = (&arguments.item, arguments.kind) else {
                return Err(UsageError("it wants an item and like, dislike, save or skip".to_owned()).into());
            };
            say(app, &arguments, name, kind).await?;
        }
    }
    Ok(Exit::Ok)
}

async fn say(app: &App, arguments: &FeedbackArguments, name: &str, kind: FeedbackKind) -> Result<()> {
    let (topic, story) = item::find(app, name, &arguments.topic).await?;
    let topic = topic_id(app, &topic).await?;
    let event = event(app, topic, &story, kind).await?;
    let said = if arguments.undo {
        let taken = app.store().take_feedback_back(topic, event.item_id, kind).await?;
        if taken { "taken back" } else { "was not said, so there is nothing to take back" }
    } else {
        let is_new = app.store().give_feedback(topic, &event).await?;
        if is_new { "noted" } else { "was said before, and counts once" }
    };
    save_profile(app, topic).await?;
    output::print(&output::one_safe_text(&format!("{}: {said} for {}", kind.as_str(), story.title)))
}

async fn topic_id(app: &App, name: &str) -> Result<TopicId> {
    let topic = app.store().topic(name).await?;
    Ok(topic.ok_or_else(|| RunError::NoTopic { name: name.to_owned() })?.id)
}

/// What a story is remembered by: the words of the text that stands for it.
async fn event(app: &App, topic: TopicId, story: &DigestStory, kind: FeedbackKind) -> Result<FeedbackEvent> {
    let member = story.sources.first().ok_or_else(|| UsageError("the story has no item".to_owned()))?;
    let stored = app.store().load_items(topic, &[member.item_id]).await?;
    let body = stored.first().map(|(item, _)| item.body_text.as_str()).filter(|body| !body.is_empty());
    Ok(FeedbackEvent {
        item_id: member.item_id,
        kind,
        title: story.title.clone(),
        source: member.name.clone(),
        author: story.author.clone(),
        terms: terms_of(&story.title, body.unwrap_or(&story.excerpt)),
        given_at: app.clock().now(),
    })
}

async fn save_profile(app: &App, topic: TopicId) -> Result<()> {
    let events = app.store().feedback(topic, EVENTS).await?;
    let now = app.clock().now();
    let profile = profile(app.store(), topic, now, &app.config().ranking).await?;
    let saved = SavedProfile {
        profile_json: serde_json::to_string(&profile)?,
        summary: profile.summary(),
        events: events.len(),
        computed_at: now,
    };
    Ok(app.store().save_profile(topic, &saved).await?)
}

async fn list(app: &App, topic: &str, json: bool) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    let events = app.store().feedback(topic, EVENTS).await?;
    let summary = profile(app.store(), topic, app.clock().now(), &app.config().ranking).await?.summary();
    if json {
        return output::print_json(&json!({ "events": events, "summary": summary }));
    }
    let mut table = output::table(&["when", "what", "source", "title"]);
    for event in &events {
        let cells =
            [event.given_at.to_string(), event.kind.as_str().to_owned(), event.source.clone(), event.title.clone()];
        table.add_row(cells.map(|cell| output::one_safe_text(&cell)));
    }
    if events.is_empty() {
        output::note("nothing said yet; say what you think with `aha-radar feedback 1 like`");
        return Ok(());
    }
    output::print(&table.to_string())?;
    output::print(&output::one_safe_text(&summary))
}

async fn export(app: &App, topic: &str) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    for event in app.store().feedback(topic, i64::MAX).await? {
        output::print(&serde_json::to_string(&event)?)?;
    }
    Ok(())
}

async fn import(app: &App, topic: &str, file: &Path) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    let mut input = lines::open(file)?;
    let mut events: Vec<FeedbackEvent> = Vec::new();
    while let Some(line) = lines::next(&mut *input)? {
        if !line.trim().is_empty() {
            let number = events.len() + 1;
            let read = serde_json::from_str(&line);
            events.push(read.with_context(|| format!("object {number} of {} is no feedback", file.display()))?);
        }
    }
    let new = add(app, topic, &events).await?;
    output::print(&format!("{new} added, {} known already or said otherwise here", events.len() - new))
}

/// Adds what was said elsewhere. How much of it is new.
pub(super) async fn add(app: &App, topic: TopicId, events: &[FeedbackEvent]) -> Result<usize> {
    let said: BTreeSet<_> =
        app.store().feedback(topic, i64::MAX).await?.into_iter().map(|event| (event.item_id, event.kind)).collect();
    let mut new = 0;
    for event in events {
        // What is said here stays said, whichever is the later: another reader changes its times for reasons of its own.
        let is_opposed = event.kind.opposite().is_some_and(|kind| said.contains(&(event.item_id, kind)));
        new += usize::from(!is_opposed && app.store().give_feedback(topic, event).await?);
    }
    save_profile(app, topic).await?;
    Ok(new)
}
