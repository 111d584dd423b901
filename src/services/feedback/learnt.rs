//! What is learnt from feedback: shown, and single words, sources or authors excluded from it.

use std::collections::HashMap;
use std::sync::Arc;

use aha_analysis::preferences::{Learnt, Profile, is_same, unlearnt_name};
use aha_core::feedback::FeedbackEvent;
use aha_core::ids::{DigestItemId, ItemId, TopicId};
use aha_net::hash::hex32;
use aha_store::{FeedbackWrite, StoreError};
use serde::Serialize;

use super::{FeedbackUser, write};
use crate::app::App;
use crate::pipeline::preferences::{EVENTS, TopicFeedback, profile};
use crate::services::{Result, ServiceError, digests, topics};

/// A user's feedback on a topic's items, and the profile learnt from the feedback of all users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedbackOverview {
    /// The newest events, oldest first.
    pub events: Vec<FeedbackEvent>,
    /// What was learnt, as it is described to a judge.
    pub summary: String,
    pub learnt: Learnt,
    /// Words, sources and authors that must not be learnt.
    pub unlearnt: Vec<String>,
    /// The newest digest line of each item.
    #[serde(skip)]
    pub digest_items: HashMap<ItemId, DigestItemId>,
}

/// # Errors
/// When there is no such topic or the store fails.
pub async fn list(app: &App, user: FeedbackUser, topic: &str) -> Result<FeedbackOverview> {
    let topic = topics::find(app, topic).await?.id;
    let events = app.store().feedback(user.id(), topic, EVENTS).await?;
    let profile = shown_profile(app, topic).await?;
    let items: Vec<ItemId> = events.iter().map(|event| event.item_id).collect();
    Ok(FeedbackOverview {
        summary: profile.summary(),
        learnt: profile.learnt(),
        digest_items: app.store().newest_digest_items(topic, &items).await?.into_iter().collect(),
        events,
        unlearnt: app.store().unlearnt(topic).await?,
    })
}

/// Within this time a profile fades by less than is visible.
const SHOWN_MILLIS: i64 = 3_600_000;

/// Returns the profile for display. It is computed from some weeks of items, so it is cached for an hour, until
/// feedback is given or a digest made.
async fn shown_profile(app: &App, topic: TopicId) -> Result<Arc<Profile>> {
    let now = app.clock().now();
    // Read first: feedback that is given in between makes the next version differ.
    let version = app.store().feedback_version(topic).await?;
    let digest = digests::latest_id(app, topic).await?;
    let made_of = (digest, now.as_millis() / SHOWN_MILLIS, version);
    let fingerprint = hex32(&serde_json::to_vec(&made_of).map_err(StoreError::from)?);
    if let Some(known) = app.profile_cache().get(&topic, &fingerprint) {
        return Ok(known);
    }
    let topic_feedback = TopicFeedback::stored(app.store(), topic).await?;
    let made = Arc::new(profile(app.store(), topic, topic_feedback, now, &app.config().ranking).await?);
    app.profile_cache().put(topic, fingerprint, Arc::clone(&made));
    Ok(made)
}

/// Makes the profile ignore a word, in all its forms, a source or an author.
///
/// # Errors
/// When nothing was learnt under that name.
pub async fn unlearn(app: &App, topic: &str, name: &str) -> Result<()> {
    let topic = topics::find(app, topic).await?.id;
    if !shown_profile(app, topic).await?.knows(name) {
        let why =
            "nothing was learnt of a word, source or author of that name; `aha-radar feedback list` shows what was";
        return Err(ServiceError::not_found("learnt name", format!("{name:?}: {why}")));
    }
    let unlearning = FeedbackWrite::Unlearn { name: unlearnt_name(name), at: app.clock().now() };
    write(app, FeedbackUser::owner(), topic, unlearning).await?;
    Ok(())
}

/// Makes the profile use an ignored name again. Returns whether it was ignored.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn relearn(app: &App, topic: &str, name: &str) -> Result<bool> {
    let topic = topics::find(app, topic).await?.id;
    let name = stored_name(app, topic, &unlearnt_name(name)).await?;
    Ok(write(app, FeedbackUser::owner(), topic, FeedbackWrite::Relearn { name }).await? > 0)
}

/// Returns the stored name for `key`: all forms of a word count as the same word.
async fn stored_name(app: &App, topic: TopicId, key: &str) -> Result<String> {
    let unlearnt = app.store().unlearnt(topic).await?;
    let found = unlearnt.iter().find(|name| *name == key).or_else(|| unlearnt.iter().find(|name| is_same(name, key)));
    Ok(found.map_or(key, String::as_str).to_owned())
}

/// Lists the ignored names.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn unlearnt(app: &App, topic: &str) -> Result<Vec<String>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().unlearnt(topic).await?)
}
