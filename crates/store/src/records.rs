//! Input and output types of the store other than the domain types.

use std::ops::AddAssign;
use std::time::Duration;

use aha_core::digest::{DigestHead, Section};
use aha_core::fetch::FetchErrorKind;
use aha_core::ids::{ClusterId, DigestId, DigestItemId, FetchRunId, ItemId, RunId, SourceId, TopicId};
use aha_core::item::{Engagement, ItemMetadata, TimeBasis};
use aha_core::money::MicroCredits;
use aha_core::run::AttemptOutcome;
use aha_core::source::{SourceHealth, Validators};
use aha_core::story::Delivery;
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// The initial user, who owns all topics.
pub(crate) const OWNER: &str = "owner";

/// A held lease on a topic's runs. The token grows with each acquisition; a commit with an older token is refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lease {
    pub topic: TopicId,
    pub owner: String,
    pub token: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseAttempt {
    Acquired(Lease),
    Held {
        owner: String,
        expires_at: Timestamp,
    },
    /// The lease is free, but another writer has locked the topic's row: a process that is acquiring the lease, or the
    /// owner.
    Busy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SourcesAdded {
    pub added: usize,
    pub known: usize,
}

/// An item with a determined identity, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentifiedItem {
    pub id: ItemId,
    pub external_id: String,
    pub url: Option<String>,
    pub canonical_url: Option<String>,
    /// Hash of the canonical URL if it identifies the item; `None` if it does not (a home page, a link used twice).
    pub hash_url: Option<String>,
    pub hash_text: String,
    pub title: Option<String>,
    pub body_text: String,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    pub time: Timestamp,
    pub time_basis: TimeBasis,
    pub engagement: Engagement,
    pub metadata: ItemMetadata,
    /// Its sanitised markup; `None` if the text contains as much.
    pub html: Option<String>,
}

/// How one fetch of a source ended. Only a failure has a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchStatus {
    Ok,
    NotModified,
    /// Not fetched: the server had asked to come back later.
    Waiting,
    Error(FetchErrorKind),
}

impl FetchStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotModified => "not_modified",
            Self::Waiting => "waiting",
            Self::Error(_) => "error",
        }
    }

    #[must_use]
    pub const fn error_kind(self) -> Option<FetchErrorKind> {
        match self {
            Self::Error(kind) => Some(kind),
            Self::Ok | Self::NotModified | Self::Waiting => None,
        }
    }
}

/// As the two columns.
impl Serialize for FetchStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut columns = serializer.serialize_struct("FetchStatus", 2)?;
        columns.serialize_field("status", self.as_str())?;
        columns.serialize_field("error_kind", &self.error_kind())?;
        columns.end()
    }
}

/// One fetch of one source: a `fetch_runs` row, the source's new state, and the items.
#[derive(Debug, Clone)]
pub struct FetchCommit {
    pub id: FetchRunId,
    pub run: RunId,
    pub attempt: i64,
    pub source: SourceId,
    pub status: FetchStatus,
    /// The message of its failure; of another fetch, what was left out or why it waited.
    pub error: Option<String>,
    pub http_status: Option<u16>,
    pub bytes: u64,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub health: SourceHealth,
    /// The feed's own title, stored if the user gave none.
    pub feed_title: Option<String>,
    pub validators: Validators,
    pub not_before: Option<Timestamp>,
    /// A scheduled run does not fetch the source before this time.
    pub next_check_at: Option<Timestamp>,
    /// `None` keeps the previous value.
    pub check_interval: Option<Duration>,
    /// The source's new address after a permanent redirect.
    pub moved_to: Option<String>,
    /// Set if the source had been failing: items that it published from this time on may have been missed.
    pub catch_up_from: Option<Timestamp>,
    /// The source had never been read before.
    pub is_first: bool,
    pub items: Vec<IdentifiedItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchCounts {
    pub seen: usize,
    pub new: usize,
    pub updated: usize,
}

impl AddAssign for FetchCounts {
    fn add_assign(&mut self, more: Self) {
        self.seen += more.seen;
        self.new += more.new;
        self.updated += more.updated;
    }
}

/// The last fetch of a source in a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRecord {
    pub source: SourceId,
    pub status: FetchStatus,
    pub error: Option<String>,
}

/// A fetch of a source, for lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastFetch {
    pub run: RunId,
    pub attempt: i64,
    #[serde(flatten)]
    pub status: FetchStatus,
    pub error: Option<String>,
    pub http_status: Option<i64>,
    pub items_seen: i64,
    pub items_new: i64,
    pub items_updated: i64,
    pub bytes: i64,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
}

/// The outcome of a fetch, for the list of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchSummary {
    pub status: FetchStatus,
    pub items_new: i64,
}

/// How many of a source's items reached a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SourceShare {
    pub items: i64,
    /// Items that a digest shows, as representative or as another member of a story.
    pub shown: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemHeader {
    pub id: ItemId,
    pub source: SourceId,
    pub time: Timestamp,
    /// Set if the item came from a source that had been failing: the last successful fetch before that.
    pub catch_up_from: Option<Timestamp>,
    /// It has no date, and was in the first fetch of its source.
    pub is_of_unknown_age: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemText {
    pub id: ItemId,
    pub content_hash: String,
    pub title: Option<String>,
    pub body_text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewEmbedding {
    pub item: ItemId,
    pub content_hash: String,
    /// Length of a dense vector; `None` for a sparse one.
    pub dimensions: Option<i64>,
    pub vector: Vec<u8>,
}

/// An embedded item, as needed for clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedItem {
    pub id: ItemId,
    pub source: SourceId,
    pub time: Timestamp,
    pub hash_text: String,
    pub duplicate_of: Option<ItemId>,
    pub cluster: Option<ClusterId>,
    /// Whether that story has been shown in a digest.
    pub delivered: bool,
    pub vector: Vec<u8>,
}

/// Results of clustering, committed at once.
#[derive(Debug, Clone, Default)]
pub struct ClusterCommit {
    /// New stories with their first item.
    pub created: Vec<(ClusterId, ItemId)>,
    /// Items that joined a story, with their similarity at that time.
    pub joined: Vec<(ItemId, ClusterId, f64)>,
    /// Stories merged into another: the merged story and the remaining one.
    pub merged: Vec<(ClusterId, ClusterId)>,
    /// The new representative of a story.
    pub representatives: Vec<(ClusterId, ItemId)>,
}

/// Thresholds determined on labelled stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TunedThresholds {
    pub thresholds: Thresholds,
    /// Number of labelled documents used.
    pub documents: i64,
    /// B-cubed F1 on these documents.
    pub bcubed_f1: f64,
    pub found_at: Timestamp,
}

/// A story with its members' ids and similarities, by time and id.
#[derive(Debug, Clone, PartialEq)]
pub struct StoryRecord {
    pub cluster: ClusterId,
    pub delivered: Option<Delivery>,
    pub delivered_by: Option<RunId>,
    pub members: Vec<(ItemId, f64)>,
}

/// The key under which an answer is stored (each answer is paid once).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerKey {
    pub task: &'static str,
    pub tier: BudgetTier,
    pub prompt_id: String,
    pub schema_version: &'static str,
    pub fingerprint: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    pub provider: String,
    pub model: String,
    /// Hash of the request. If it changes, a free answer is computed again; a paid one is kept.
    pub input_hash: String,
    pub answer_json: String,
    pub call_id: String,
}

/// A line of a digest, with the fields that distinguish it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestItemRecord {
    pub id: DigestItemId,
    pub title: String,
    /// Of its digest.
    pub window_end: Timestamp,
}

/// Filter of digests; `None` means all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestFilter {
    pub topic: Option<TopicId>,
    /// Digests whose windows end after this.
    pub ends_after: Option<Timestamp>,
    /// Digests whose windows end by this.
    pub ends_until: Option<Timestamp>,
    pub limit: i64,
}

/// A digest without its stories.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DigestEntry {
    pub head: DigestHead,
    /// Number of stories it shows.
    pub stories: usize,
    /// The title of the first story, if there is one.
    pub first_title: Option<String>,
    pub microcredits: MicroCredits,
}

/// An appearance of a story in a digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryAppearance {
    pub digest: DigestId,
    pub digest_item: DigestItemId,
    pub window_end: Timestamp,
    pub rank: usize,
    pub section: Section,
    pub title: String,
    /// `None` if it was not judged.
    pub aha_score: Option<u8>,
    pub final_score: f64,
    /// Number of its items then.
    pub members: usize,
}

/// State that saving a topic's settings changes in addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TopicReset {
    /// The next run is to be scheduled again.
    pub next_run: bool,
    /// The time up to which the topic counts as read.
    pub read_until: Option<Timestamp>,
}

/// The end of an attempt at a run without a digest.
#[derive(Debug, Clone)]
pub struct AttemptEnd {
    /// Failed, interrupted or lost.
    pub outcome: AttemptOutcome,
    pub error: Option<String>,
    pub at: Timestamp,
}

/// Changes to a source; `None` leaves a value unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SourceChange {
    pub enabled: Option<bool>,
    pub weight: Option<f64>,
    pub full_text: Option<bool>,
}
