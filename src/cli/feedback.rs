//! `aha-radar feedback`: what the owner thinks of stories, and what it comes to.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use aha_analysis::stories::preferences::{Learnt, is_same, terms_of, unlearnt_name};
use aha_core::digest::DigestStory;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{DigestItemId, ItemId, SourceId, TopicId};
use aha_core::item::Item;
use aha_core::time::Timestamp;
use aha_store::SavedProfile;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::json;

use super::arguments::{FeedbackArguments, FeedbackCommand};
use super::exit::{Exit, UsageError};
use super::{item, lines, output};
use crate::app::App;
use crate::pipeline::RunError;
use crate::pipeline::preferences::{EVENTS, profile};

/// Items that an import looks up at a time.
const ITEMS_AT_A_TIME: usize = 200;

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
        profile_json: serde_json::to_string(&profile.learnt())?,
        summary: profile.summary(),
        events: events.len(),
        computed_at: now,
    };
    Ok(app.store().save_profile(topic, &saved).await?)
}

async fn list(app: &App, topic: &str, json: bool) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    let events = app.store().feedback(topic, EVENTS).await?;
    let profile = profile(app.store(), topic, app.clock().now(), &app.config().ranking).await?;
    let learnt = profile.learnt();
    if json {
        let unlearnt = app.store().unlearnt(topic).await?;
        let value = json!({ "events": events, "summary": profile.summary(), "learnt": learnt, "unlearnt": unlearnt });
        return output::print_json(&value);
    }
    if events.is_empty() {
        output::note("nothing said yet; say what you think with `aha-radar feedback 1 like`");
        return Ok(());
    }
    let items: Vec<ItemId> = events.iter().map(|event| event.item_id).collect();
    let lines: HashMap<ItemId, DigestItemId> =
        app.store().newest_digest_items(topic, &items).await?.into_iter().collect();
    let mut table = output::table(&["when", "what", "id", "source", "title"]);
    for event in &events {
        let id = lines.get(&event.item_id).map_or_else(|| "–".to_owned(), |id| item::short(*id));
        let (when, kind) = (event.given_at.to_string(), event.kind.as_str().to_owned());
        let cells = [when, kind, id, event.source.clone(), event.title.clone()];
        table.add_row(cells.map(|cell| output::one_safe_text(&cell)));
    }
    output::print(&table.to_string())?;
    output::print(&output::one_safe_text(&learnt_in_words(&learnt)))
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
    let topic = topic_id(app, topic).await?;
    let key = unlearnt_name(name);
    if undo {
        let key = stored_name(app, topic, &key).await?;
        let was_unlearnt = app.store().relearn(topic, &key).await?;
        save_profile(app, topic).await?;
        let said = if was_unlearnt { "learnt again" } else { "was not unlearnt, so there is nothing to take back" };
        return output::print(&output::one_safe_text(&format!("{name}: {said}")));
    }
    let now = app.clock().now();
    if !profile(app.store(), topic, now, &app.config().ranking).await?.knows(name) {
        let why =
            "nothing was learnt of a word, source or author of that name; `aha-radar feedback list` shows what was";
        return Err(UsageError(format!("{name:?}: {why}")).into());
    }
    app.store().unlearn(topic, &key, now).await?;
    save_profile(app, topic).await?;
    output::print(&output::one_safe_text(&format!("{name}: unlearnt; `--undo` learns it again")))
}

/// The name under which it was unlearnt: another form of a word is the same word.
async fn stored_name(app: &App, topic: TopicId, key: &str) -> Result<String> {
    let unlearnt = app.store().unlearnt(topic).await?;
    let found = unlearnt.iter().find(|name| *name == key).or_else(|| unlearnt.iter().find(|name| is_same(name, key)));
    Ok(found.map_or(key, String::as_str).to_owned())
}

async fn list_unlearnt(app: &App, topic: &str) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    let unlearnt = app.store().unlearnt(topic).await?;
    if unlearnt.is_empty() {
        output::note("nothing was unlearnt");
        return Ok(());
    }
    output::print(&output::one_safe_text(&unlearnt.join("\n")))
}

async fn export(app: &App, topic: &str) -> Result<()> {
    let topic = topic_id(app, topic).await?;
    for event in app.store().feedback(topic, i64::MAX).await? {
        output::print(&serde_json::to_string(&event)?)?;
    }
    Ok(())
}

/// A line of an import: what it does not hold is looked up.
#[derive(Deserialize)]
struct Line {
    item_id: ItemId,
    kind: FeedbackKind,
    given_at: Timestamp,
    title: Option<String>,
    source: Option<String>,
    author: Option<String>,
    terms: Option<Vec<String>>,
}

async fn import(app: &App, topic: &str, file: &Path) -> Result<Exit> {
    let topic = topic_id(app, topic).await?;
    let mut input = lines::open(file)?;
    let mut read: Vec<Line> = Vec::new();
    while let Some(line) = lines::next(&mut *input)? {
        if !line.trim().is_empty() {
            let number = read.len() + 1;
            let object = serde_json::from_str(&line);
            read.push(object.with_context(|| format!("object {number} of {} is no feedback", file.display()))?);
        }
    }
    let items = stored_items(app, topic, &read).await?;
    let (mut events, mut left_out): (Vec<FeedbackEvent>, usize) = (Vec::new(), 0);
    for (place, line) in read.into_iter().enumerate() {
        let item_id = line.item_id;
        if let Some(event) = completed(line, items.get(&item_id)) {
            events.push(event);
        } else {
            left_out += 1;
            let why = "is not here, and the object holds no title and terms of it; it is left out";
            output::note(&format!("object {} of {}: item {item_id} {why}", place + 1, file.display()));
        }
    }
    let new = add(app, topic, &events).await?;
    let left_out_in_words = if left_out == 0 { String::new() } else { format!(", {left_out} left out") };
    let known = events.len() - new;
    output::print(&format!("{new} added, {known} known already or said otherwise here{left_out_in_words}"))?;
    Ok(if left_out == 0 { Exit::Ok } else { Exit::Partial })
}

/// The items of those lines that do not say all of theirs, each with its source's name.
async fn stored_items(app: &App, topic: TopicId, lines: &[Line]) -> Result<HashMap<ItemId, (Item, String)>> {
    let wanted: Vec<ItemId> =
        lines.iter().filter(|line| line.title.is_none() || line.terms.is_none()).map(|line| line.item_id).collect();
    let sources = app.store().sources(topic).await?;
    let names: HashMap<SourceId, String> = sources.iter().map(|source| (source.id, source.display_name())).collect();
    let mut found = HashMap::new();
    for part in wanted.chunks(ITEMS_AT_A_TIME) {
        for (item, _) in app.store().load_items(topic, part).await? {
            let name = names.get(&item.source_id).cloned().unwrap_or_default();
            found.insert(item.id, (item, name));
        }
    }
    Ok(found)
}

/// `None` where neither the line nor the database holds what it was said of.
fn completed(line: Line, stored: Option<&(Item, String)>) -> Option<FeedbackEvent> {
    let Line { item_id, kind, given_at, .. } = line;
    if let (Some(title), Some(terms)) = (&line.title, &line.terms) {
        let (title, terms, source) = (title.clone(), terms.clone(), line.source.unwrap_or_default());
        return Some(FeedbackEvent { item_id, kind, title, source, author: line.author, terms, given_at });
    }
    let (item, name) = stored?;
    let title = line.title.unwrap_or_else(|| item.display_title());
    let terms = line.terms.unwrap_or_else(|| terms_of(&title, &item.body_text));
    let source = line.source.unwrap_or_else(|| name.clone());
    Some(FeedbackEvent {
        item_id,
        kind,
        title,
        source,
        author: line.author.or_else(|| item.author.clone()),
        terms,
        given_at,
    })
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
