//! Digests with their stories, and where stories and items appear in them.

use aha_core::digest::{Digest, DigestHead, DigestStory, Section, SourceReport};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, TopicId};
use aha_core::run::RunMode;
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::{DigestCommit, DigestEntry, DigestFilter, DigestItemRecord, Lease, Result, StoryAppearance};

/// The digests of a topic next to one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DigestNeighbours {
    /// `None` for the first one.
    pub earlier: Option<DigestId>,
    /// `None` for the newest one.
    pub later: Option<DigestId>,
}

#[async_trait]
pub trait DigestStore: Send + Sync {
    /// Stores the digest and ends the run. A cursor run also marks its stories as delivered and moves the cursor. One
    /// transaction.
    async fn commit_digest(&self, lease: &Lease, commit: &DigestCommit) -> Result<()>;
    async fn digest(&self, id: DigestId) -> Result<Option<Digest>>;
    /// Returns the topic's digest with the latest window.
    async fn latest_digest(&self, topic: TopicId) -> Result<Option<Digest>>;
    /// Returns the topic's digests with the latest windows, newest first, at most `limit`. If `section` is given, only
    /// stories of that section are included.
    async fn recent_digests(&self, topic: TopicId, limit: i64, section: Option<Section>) -> Result<Vec<Digest>>;
    /// Returns the sources of the topic's previous digest: of the same run mode, with a window that had ended by `by`.
    async fn sources_before(&self, topic: TopicId, mode: RunMode, by: Timestamp) -> Result<Vec<SourceReport>>;
    /// Returns a line of a digest with the digest's head, without reading the other lines.
    async fn digest_line(&self, item: DigestItemId) -> Result<Option<(DigestHead, DigestStory)>>;
    /// Returns the heads of digests whose id begins with `prefix`, in lower case, latest window first, at most `limit`.
    async fn digests_by_id_prefix(&self, prefix: &str, limit: i64) -> Result<Vec<DigestHead>>;
    /// Returns the head of the topic's digest with the latest window among those with stories.
    async fn newest_with_stories(&self, topic: TopicId) -> Result<Option<DigestHead>>;
    /// Returns the digests of its topic between which a digest stands, in the order of [`Self::digest_entries`]; neither
    /// if there is no such digest.
    async fn digest_neighbours(&self, digest: DigestId) -> Result<DigestNeighbours>;
    /// Returns digests without their stories, latest window first.
    async fn digest_entries(&self, filter: &DigestFilter) -> Result<Vec<DigestEntry>>;
    /// Returns a story's appearances in digests, latest window first; including those of stories that were merged into
    /// it.
    async fn story_appearances(&self, story: ClusterId) -> Result<Vec<StoryAppearance>>;
    /// Returns those of the stories that a digest whose window ended before that time shows without a judgement;
    /// including those of stories that were merged into them.
    async fn stories_not_judged(&self, stories: &[ClusterId], before: Timestamp) -> Result<Vec<ClusterId>>;
    /// Returns the summaries of promoted pasted texts, latest decision first. Digests returned by this store already
    /// contain them.
    async fn kept_summaries(&self) -> Result<Vec<(ItemId, Summary)>>;
    /// Returns lines of any digest whose id begins with these hexadecimal digits, newest digest first, at most `limit`.
    async fn digest_items(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>>;
    /// Returns the newest digest line of each of a topic's items.
    async fn newest_digest_items(&self, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>>;
    /// Returns the newest digest line of each of these items, in the digests of all topics.
    async fn newest_digest_items_of_all_topics(&self, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>>;
    /// Returns, for each of these items whose story was in the window of one of the newest digests, the id that its line
    /// in the newest of them has or would have; [`Self::digest_line`] finds the story by it. Only digests of these topics
    /// count; without topics, all.
    async fn unshown_digest_items(&self, topics: &[TopicId], items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>>;
}
