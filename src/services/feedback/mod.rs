//! Feedback: records what the user thinks of stories, shows what is learnt from it, and moves it between databases.

mod effect;
mod import;
mod learnt;

use std::collections::HashMap;

use aha_analysis::preferences::{Profile, terms_of};
use aha_core::digest::DigestStory;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{DigestItemId, ItemId, TopicId, UserId};
use aha_core::topic::DEFAULT_TOPIC;
use aha_store::{FeedbackWrite, SavedProfile, StoreError, feedback_id};
use serde::Serialize;

pub use self::import::{FeedbackImport, FeedbackLine, LeftOut, import, merge};
pub use self::learnt::{FeedbackOverview, list, relearn, unlearn, unlearnt};
pub use super::accounts::FeedbackUser;
use super::id_prefix::id_prefix;
use super::stories::{self, FoundStory};
use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::pipeline::preferences::{EVENTS, TopicFeedback, profiles};

/// How often feedback is written anew because another process has changed that of the topic in between.
const MAX_ATTEMPTS: usize = 20;

/// The effect of adding or removing feedback on a story.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeedbackChange {
    pub topic: String,
    /// The item of the story with which the feedback is or was stored.
    pub item_id: ItemId,
    pub title: String,
    pub kind: FeedbackKind,
    /// False if the feedback to add existed already, on any item of the story, and none was withdrawn for it, or if the
    /// one to remove did not exist.
    pub changed: bool,
    /// The opposite kind, if it was given before and is removed now.
    pub withdrawn: Option<FeedbackKind>,
    /// Points of 100 by which a story with the same words, source and author scores higher from the next digest on;
    /// negative if lower. `None` if nothing was changed.
    pub effect_points: Option<f64>,
}

/// Records feedback on a story, unless it exists on one of the story's items, and removes its opposite from all of
/// them. A story that continues in a later digest has another representative there, and keeps the feedback that was
/// given before.
///
/// # Errors
/// When the story has no item or the store fails.
pub async fn give(app: &App, user: FeedbackUser, found: &FoundStory, kind: FeedbackKind) -> Result<FeedbackChange> {
    let topic = topics::find(app, &found.digest.topic).await?.id;
    let mut event = event_on(app, topic, &found.story, kind).await?;
    let given = on_members(app, user, topic, &found.story).await?;
    let known = given.iter().find(|(_, of)| *of == kind).map(|(item, _)| *item);
    event.item_id = known.unwrap_or(event.item_id);
    let withdrawn = kind.opposite().filter(|opposite| given.iter().any(|(_, of)| of == opposite));
    // That of the event's own item is removed with the event.
    let opposed = given.into_iter().filter(|(item, of)| kind.opposite() == Some(*of) && *item != event.item_id);
    let mut writes: Vec<FeedbackWrite> = opposed.map(|(item, kind)| FeedbackWrite::Withdraw { item, kind }).collect();
    if known.is_none() {
        writes.push(FeedbackWrite::Give(vec![event.clone()]));
    }
    let written = write_measured(app, user, topic, &writes).await?;
    Ok(FeedbackChange { withdrawn, ..change(app, found, &event, &written) })
}

/// Removes the user's feedback on a story from all of its items.
///
/// # Errors
/// When the story has no item or the store fails.
pub async fn undo(app: &App, user: FeedbackUser, found: &FoundStory, kind: FeedbackKind) -> Result<FeedbackChange> {
    let topic = topics::find(app, &found.digest.topic).await?.id;
    let mut event = event_on(app, topic, &found.story, kind).await?;
    let given = on_members(app, user, topic, &found.story).await?;
    let items: Vec<ItemId> = given.into_iter().filter(|(_, of)| *of == kind).map(|(item, _)| item).collect();
    event.item_id = items.first().copied().unwrap_or(event.item_id);
    let writes: Vec<FeedbackWrite> = items.into_iter().map(|item| FeedbackWrite::Withdraw { item, kind }).collect();
    let written = write_measured(app, user, topic, &writes).await?;
    Ok(change(app, found, &event, &written))
}

/// Removes the user's feedback on a story that is named as in [`stories::find_in`] or, if no digest has it any more, by
/// the id of the item with the feedback or the beginning of it.
///
/// # Errors
/// When nothing matches, or more than one.
pub async fn undo_by_name(
    app: &App,
    user: FeedbackUser,
    name: &str,
    topic: Option<&str>,
    kind: FeedbackKind,
) -> Result<FeedbackChange> {
    let no_story = match stories::find_in(app, name, topic).await {
        Ok(found) => return undo(app, user, &found, kind).await,
        Err(error @ ServiceError::NotFound { .. }) => error,
        Err(error) => return Err(error),
    };
    let Some(prefix) = id_prefix(name) else { return Err(no_story) };
    let known = topics::find(app, topic.unwrap_or(DEFAULT_TOPIC)).await?;
    let mut given = app.store().feedback(user.id(), known.id, i64::MAX).await?;
    given.retain(|event| event.kind == kind && event.item_id.to_string().starts_with(&prefix));
    let event = match &given[..] {
        [] => return Err(no_story),
        [event, others @ ..] if others.iter().all(|other| other.item_id == event.item_id) => event,
        _ => {
            let next = "give more of it, as `aha-radar feedback list` shows it";
            let message = format!("{prefix} is the beginning of several ids; {next}");
            return Err(ServiceError::invalid("item", message));
        }
    };
    let withdrawal = FeedbackWrite::Withdraw { item: event.item_id, kind };
    let changes = write(app, user, known.id, withdrawal).await?;
    Ok(FeedbackChange {
        topic: known.name,
        item_id: event.item_id,
        title: event.title.clone(),
        kind,
        changed: changes > 0,
        withdrawn: None,
        effect_points: None,
    })
}

/// Returns the user's feedback on the items of a story.
async fn on_members(
    app: &App,
    user: FeedbackUser,
    topic: TopicId,
    story: &DigestStory,
) -> Result<Vec<(ItemId, FeedbackKind)>> {
    let items: Vec<ItemId> = story.sources.iter().map(|source| source.item_id).collect();
    Ok(app.store().feedback_on(user.id(), topic, &items).await?)
}

fn change(app: &App, found: &FoundStory, event: &FeedbackEvent, written: &Written) -> FeedbackChange {
    let changed = written.changes > 0;
    let profiles = written.profiles.as_ref().filter(|_| changed);
    let points = |(before, after): &(Profile, Profile)| {
        effect::points(&found.story, event, before, after, &app.config().ranking)
    };
    FeedbackChange {
        effect_points: profiles.map(points),
        topic: found.digest.topic.clone(),
        item_id: event.item_id,
        title: found.story.title.clone(),
        kind: event.kind,
        changed,
        withdrawn: None,
    }
}

/// Builds the event that is stored for a story: it contains the words of the representative item's text.
async fn event_on(app: &App, topic: TopicId, story: &DigestStory, kind: FeedbackKind) -> Result<FeedbackEvent> {
    let none = || ServiceError::invalid("item", "the story has no item that the feedback is about; choose another");
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

/// Writes feedback and the profile that follows from all of it. Returns how many of the changes are new.
async fn write(app: &App, user: FeedbackUser, topic: TopicId, feedback: FeedbackWrite) -> Result<usize> {
    Ok(write_measured(app, user, topic, &[feedback]).await?.changes)
}

/// Like [`write`], for several writes at once, and returns also the profiles before and after them.
async fn write_measured(app: &App, user: FeedbackUser, topic: TopicId, writes: &[FeedbackWrite]) -> Result<Written> {
    if writes.is_empty() {
        return Ok(Written { changes: 0, profiles: None });
    }
    // Other processes are not excluded by it. After a write of theirs the profile is computed anew.
    let _turn = app.feedback_writes().lock().await;
    for _ in 0..MAX_ATTEMPTS {
        if let Some(written) = try_write(app, user, topic, writes).await? {
            return Ok(written);
        }
    }
    let why = "other processes changed the feedback of the topic each time before this was stored";
    Err(ServiceError::Busy { message: format!("the feedback was not stored: {why}; try again") })
}

/// Writes feedback with the profiles computed before. Returns `None`, and writes nothing, if another process has changed
/// the feedback since they were computed.
async fn try_write(app: &App, user: FeedbackUser, topic: TopicId, writes: &[FeedbackWrite]) -> Result<Option<Written>> {
    // Read first: what is written in between makes the version differ.
    let version = app.store().feedback_version(topic).await?;
    let before = TopicFeedback::stored(app.store(), topic).await?;
    let mut after = before.clone();
    for feedback in writes {
        apply(user, topic, feedback, &mut after);
    }
    let (events, now) = (after.events.len(), app.clock().now());
    let mut made = profiles(app.store(), topic, vec![before, after], now, &app.config().ranking).await?.into_iter();
    let (before, after) = (made.next().unwrap_or_default(), made.next().unwrap_or_default());
    let saved = SavedProfile {
        profile_json: serde_json::to_string(&after.learnt()).map_err(StoreError::from)?,
        summary: after.summary(),
        events,
        computed_at: now,
    };
    let changes = app.store().write_feedback(user.id(), topic, writes, &saved, &version).await?;
    Ok(changes.map(|changes| Written { changes, profiles: Some((before, after)) }))
}

/// The result of writing feedback.
struct Written {
    /// How many of the changes are new.
    changes: usize,
    /// The profiles before and after; `None` if there was nothing to write.
    profiles: Option<(Profile, Profile)>,
}

/// Changes `topic_feedback` in the same order as the store does, to what the store will contain.
fn apply(user: FeedbackUser, topic: TopicId, feedback: &FeedbackWrite, topic_feedback: &mut TopicFeedback) {
    let TopicFeedback { events, unlearnt } = topic_feedback;
    match feedback {
        FeedbackWrite::Give(_) | FeedbackWrite::Withdraw { .. } if !user.counts_for_learning() => {}
        FeedbackWrite::Give(given) => {
            for event in given {
                let is_of = |(whose, old): &(UserId, FeedbackEvent), kind| {
                    *whose == user.id() && old.item_id == event.item_id && old.kind == kind
                };
                events.retain(|old| !event.kind.opposite().is_some_and(|kind| is_of(old, kind)));
                if !events.iter().any(|old| is_of(old, event.kind)) {
                    events.push((user.id(), event.clone()));
                }
            }
            events.sort_by_cached_key(|(whose, event)| {
                (event.given_at, feedback_id(*whose, topic, event.item_id, event.kind).to_string())
            });
            let most = usize::try_from(EVENTS).unwrap_or(usize::MAX);
            events.drain(..events.len().saturating_sub(most));
        }
        FeedbackWrite::Withdraw { item, kind } => {
            events.retain(|(whose, old)| *whose != user.id() || old.item_id != *item || old.kind != *kind);
        }
        FeedbackWrite::Unlearn { name, .. } if !unlearnt.contains(name) => unlearnt.push(name.clone()),
        FeedbackWrite::Unlearn { .. } => {}
        FeedbackWrite::Relearn { name } => unlearnt.retain(|old| old != name),
    }
}

/// The items of a topic that a user saved, the last first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedStories {
    pub events: Vec<FeedbackEvent>,
    /// The newest digest line of each item.
    pub digest_items: HashMap<ItemId, DigestItemId>,
    /// The items' own addresses, for those whose digests retention removed.
    pub urls: HashMap<ItemId, String>,
}

/// # Errors
/// When there is no such topic or the store fails.
pub async fn saved(app: &App, user: FeedbackUser, topic: &str) -> Result<SavedStories> {
    let id = topics::find(app, topic).await?.id;
    let events = app.store().saved_feedback(user.id(), id).await?;
    let items: Vec<ItemId> = events.iter().map(|event| event.item_id).collect();
    let digest_items: HashMap<ItemId, DigestItemId> =
        app.store().newest_digest_items(id, &items).await?.into_iter().collect();
    let without_line: Vec<ItemId> = items.into_iter().filter(|item| !digest_items.contains_key(item)).collect();
    let mut urls = HashMap::new();
    if !without_line.is_empty() {
        let loaded = app.store().load_items(id, &without_line).await?.into_iter();
        urls.extend(loaded.filter_map(|(item, _)| Some((item.id, item.url?))));
    }
    Ok(SavedStories { events, digest_items, urls })
}

/// Returns a user's feedback on these items of a topic.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn on_items(
    app: &App,
    user: FeedbackUser,
    topic: &str,
    items: &[ItemId],
) -> Result<Vec<(ItemId, FeedbackKind)>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().feedback_on(user.id(), topic, items).await?)
}

/// Returns all feedback of a user on a topic's items, oldest first.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn export(app: &App, user: FeedbackUser, topic: &str) -> Result<Vec<FeedbackEvent>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().feedback(user.id(), topic, i64::MAX).await?)
}

#[cfg(test)]
mod tests {
    use aha_core::account::Role;
    use aha_core::time::Timestamp;
    use aha_store::OpenMode;

    use super::*;
    use crate::config::Config;

    fn event(key: &str, kind: FeedbackKind, at: i64) -> FeedbackEvent {
        FeedbackEvent {
            item_id: ItemId::of(&[key]),
            kind,
            title: key.to_owned(),
            source: String::new(),
            author: None,
            terms: Vec::new(),
            given_at: Timestamp::from_millis(at),
        }
    }

    #[test]
    fn a_profile_is_of_what_the_store_holds_after_the_write() {
        use FeedbackKind::{Dislike, Like, Save};
        let topic = TopicId::of(&["t"]);
        let (owner, zoe) = (FeedbackUser::owner(), FeedbackUser::new("zoe", Role::Editor));
        let mut topic_feedback = TopicFeedback {
            events: vec![(owner.id(), event("a", Like, 5)), (zoe.id(), event("a", Like, 6))],
            unlearnt: vec!["ferry".to_owned()],
        };
        let given = FeedbackWrite::Give(vec![event("a", Dislike, 9), event("b", Save, 1), event("b", Save, 7)]);
        apply(owner, topic, &given, &mut topic_feedback);
        let of_zoe = (zoe.id(), event("a", Like, 6));
        let after = [(owner.id(), event("b", Save, 1)), of_zoe.clone(), (owner.id(), event("a", Dislike, 9))];
        assert_eq!(topic_feedback.events, after);
        apply(FeedbackUser::new("ann", Role::Reader), topic, &given, &mut topic_feedback);
        assert_eq!(topic_feedback.events, after, "a reader's feedback changes no digest but their own");
        apply(owner, topic, &FeedbackWrite::Withdraw { item: ItemId::of(&["b"]), kind: Save }, &mut topic_feedback);
        assert_eq!(topic_feedback.events, [of_zoe, (owner.id(), event("a", Dislike, 9))]);
        apply(owner, topic, &FeedbackWrite::Relearn { name: "ferry".to_owned() }, &mut topic_feedback);
        assert!(topic_feedback.unlearnt.is_empty());
    }

    #[tokio::test]
    async fn the_profile_after_two_changes_at_the_same_time_is_of_both() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
        let topic = store.ensure_topic("default", Timestamp::from_millis(0)).await.unwrap().id;
        let now = ("AHA_NOW".to_owned(), "2026-11-19T07:00:00Z".to_owned());
        let app = App::new(Config::from_pairs([now].into_iter()).unwrap(), store).unwrap();
        let (owner, like) = (FeedbackUser::owner(), |key| [event(key, FeedbackKind::Like, 1)]);
        let (ferries, trams) = (like("ferries"), like("trams"));
        let (one, other) = tokio::join!(merge(&app, owner, topic, &ferries), merge(&app, owner, topic, &trams));
        assert_eq!((one.unwrap(), other.unwrap()), (1, 1));
        let profile = app.store().feedback_version(topic).await.unwrap();
        assert!(profile.starts_with("2 "), "the number of events that it is of comes first: {profile}");
    }
}
