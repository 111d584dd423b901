//! Feedback: what the user thinks of stories, what is learnt from it, and moving it between databases.

mod import;

use std::collections::HashMap;

use aha_analysis::stories::preferences::{Learnt, is_same, terms_of, unlearnt_name};
use aha_core::digest::DigestStory;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{DigestItemId, ItemId, TopicId};
use aha_store::{SavedProfile, StoreError};
use serde::Serialize;

pub use self::import::{FeedbackImport, FeedbackLine, LeftOut, import, merge};
use super::stories::FoundStory;
use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::pipeline::preferences::{EVENTS, profile};

/// What giving feedback on a story, or taking it back, has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedbackChange {
    pub topic: String,
    /// The item that the story is remembered by.
    pub item_id: ItemId,
    pub title: String,
    pub kind: FeedbackKind,
    /// False where it was given before, or was not there to be taken back.
    pub changed: bool,
}

/// Notes what the user thinks of a story; its opposite is taken back.
///
/// # Errors
/// When the story has no item or the store fails.
pub async fn give(app: &App, found: &FoundStory, kind: FeedbackKind) -> Result<FeedbackChange> {
    let topic = topics::find(app, &found.digest.topic).await?.id;
    let event = event_on(app, topic, &found.story, kind).await?;
    let changed = app.store().give_feedback(topic, &event).await?;
    save_profile(app, topic).await?;
    Ok(change(found, &event, changed))
}

/// Takes back what the user said of a story.
///
/// # Errors
/// When the story has no item or the store fails.
pub async fn undo(app: &App, found: &FoundStory, kind: FeedbackKind) -> Result<FeedbackChange> {
    let topic = topics::find(app, &found.digest.topic).await?.id;
    let event = event_on(app, topic, &found.story, kind).await?;
    let changed = app.store().take_feedback_back(topic, event.item_id, kind).await?;
    save_profile(app, topic).await?;
    Ok(change(found, &event, changed))
}

fn change(found: &FoundStory, event: &FeedbackEvent, changed: bool) -> FeedbackChange {
    FeedbackChange {
        topic: found.digest.topic.clone(),
        item_id: event.item_id,
        title: found.story.title.clone(),
        kind: event.kind,
        changed,
    }
}

/// What a story is remembered by: the words of the text that stands for it.
async fn event_on(app: &App, topic: TopicId, story: &DigestStory, kind: FeedbackKind) -> Result<FeedbackEvent> {
    let none = || ServiceError::invalid("item", "the story has no item");
    let member = story.sources.first().ok_or_else(none)?;
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
        profile_json: serde_json::to_string(&profile.learnt()).map_err(StoreError::from)?,
        summary: profile.summary(),
        events: events.len(),
        computed_at: now,
    };
    Ok(app.store().save_profile(topic, &saved).await?)
}

/// What was said of a topic's items, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedbackOverview {
    /// The newest, oldest first.
    pub events: Vec<FeedbackEvent>,
    /// What was learnt, as a judge is told of it.
    pub summary: String,
    pub learnt: Learnt,
    /// Words, sources and authors that are not to be learnt.
    pub unlearnt: Vec<String>,
    /// The newest line of a digest that each item stood in.
    #[serde(skip)]
    pub digest_items: HashMap<ItemId, DigestItemId>,
}

/// # Errors
/// When there is no such topic or the store fails.
pub async fn list(app: &App, topic: &str) -> Result<FeedbackOverview> {
    let topic = topics::find(app, topic).await?.id;
    let events = app.store().feedback(topic, EVENTS).await?;
    let profile = profile(app.store(), topic, app.clock().now(), &app.config().ranking).await?;
    let items: Vec<ItemId> = events.iter().map(|event| event.item_id).collect();
    Ok(FeedbackOverview {
        summary: profile.summary(),
        learnt: profile.learnt(),
        unlearnt: app.store().unlearnt(topic).await?,
        digest_items: app.store().newest_digest_items(topic, &items).await?.into_iter().collect(),
        events,
    })
}

/// Everything that was said of a topic's items, oldest first.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn export(app: &App, topic: &str) -> Result<Vec<FeedbackEvent>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().feedback(topic, i64::MAX).await?)
}

/// Unlearns a word, a source or an author; all forms of a word are one.
///
/// # Errors
/// When nothing was learnt under that name.
pub async fn forget(app: &App, topic: &str, name: &str) -> Result<()> {
    let topic = topics::find(app, topic).await?.id;
    let now = app.clock().now();
    if !profile(app.store(), topic, now, &app.config().ranking).await?.knows(name) {
        let why =
            "nothing was learnt of a word, source or author of that name; `aha-radar feedback list` shows what was";
        return Err(ServiceError::not_found("learnt name", format!("{name:?}: {why}")));
    }
    app.store().unlearn(topic, &unlearnt_name(name), now).await?;
    save_profile(app, topic).await
}

/// Learns a name again that was unlearnt. Whether it had been.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn learn_again(app: &App, topic: &str, name: &str) -> Result<bool> {
    let topic = topics::find(app, topic).await?.id;
    let key = stored_name(app, topic, &unlearnt_name(name)).await?;
    let was_unlearnt = app.store().relearn(topic, &key).await?;
    save_profile(app, topic).await?;
    Ok(was_unlearnt)
}

/// The name under which it was unlearnt: another form of a word is the same word.
async fn stored_name(app: &App, topic: TopicId, key: &str) -> Result<String> {
    let unlearnt = app.store().unlearnt(topic).await?;
    let found = unlearnt.iter().find(|name| *name == key).or_else(|| unlearnt.iter().find(|name| is_same(name, key)));
    Ok(found.map_or(key, String::as_str).to_owned())
}

/// What was unlearnt, by name.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn unlearnt(app: &App, topic: &str) -> Result<Vec<String>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().unlearnt(topic).await?)
}
