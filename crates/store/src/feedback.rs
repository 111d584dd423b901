//! Feedback: the operations on it, their input and their results.

use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{FeedbackId, ItemId, TopicId, UserId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

#[async_trait]
pub trait FeedbackStore: Send + Sync {
    /// Writes a user's feedback and the topic's profile that results from all its feedback, in one transaction. Returns
    /// the number of effective changes: feedback given before, or withdrawn without having been given, does not count.
    /// `version` is the [`Self::feedback_version`] from which the profile was computed; if it is another one now, this
    /// writes nothing and returns `None`.
    async fn write_feedback(
        &self,
        user: UserId,
        topic: TopicId,
        feedback: &[FeedbackWrite],
        profile: &SavedProfile,
        version: &str,
    ) -> Result<Option<usize>>;
    /// Returns a user's newest `limit` feedback events in a topic, oldest first.
    async fn feedback(&self, user: UserId, topic: TopicId, limit: i64) -> Result<Vec<FeedbackEvent>>;
    /// Returns the `save` feedback of a user on a topic's items, latest first.
    async fn saved_feedback(&self, user: UserId, topic: TopicId) -> Result<Vec<FeedbackEvent>>;
    /// Returns a user's feedback on these items of a topic.
    async fn feedback_on(&self, user: UserId, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, FeedbackKind)>>;
    /// Returns the newest `limit` feedback events that a topic's digests learn from, with their users, oldest first.
    /// Users whose account has the reader role, or was removed, are excluded; the owner needs no account.
    async fn learning_feedback(&self, topic: TopicId, limit: i64) -> Result<Vec<(UserId, FeedbackEvent)>>;
    /// Returns the names excluded from learning: words, sources and authors in lower case.
    async fn unlearnt(&self, topic: TopicId) -> Result<Vec<String>>;
    /// Returns a text that differs after a change of [`Self::learning_feedback`] or [`Self::unlearnt`].
    async fn feedback_version(&self, topic: TopicId) -> Result<String>;
}

/// A change of a topic's feedback.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedbackWrite {
    /// Each event withdraws its opposite.
    Give(Vec<FeedbackEvent>),
    Withdraw {
        item: ItemId,
        kind: FeedbackKind,
    },
    /// Excludes a word, source or author, in lower case, from learning.
    Unlearn {
        name: String,
        at: Timestamp,
    },
    Relearn {
        name: String,
    },
}

/// Returns the id of a user's feedback of a kind on an item. Feedback given at the same time is ordered by id.
#[must_use]
pub fn feedback_id(user: UserId, topic: TopicId, item: ItemId, kind: FeedbackKind) -> FeedbackId {
    FeedbackId::of(&[&user.to_string(), &topic.to_string(), &item.to_string(), kind.as_str()])
}

/// A topic's preference profile, as of its latest feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedProfile {
    pub profile_json: String,
    pub summary: String,
    pub events: usize,
    pub computed_at: Timestamp,
}
