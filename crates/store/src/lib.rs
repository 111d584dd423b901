//! The store: small traits of whole operations on an embedded SQLite database or a Postgres server.
//!
//! Input: domain types. Output: domain types or a [`StoreError`]. Called by services, the pipeline's stages, the
//! gateway and the modules beside services; never by the commands or the web. No operation hands out an open
//! transaction, so none can be held across a network call. Every operation that commits a run's work takes the run's
//! [`Lease`] and is refused if another process has taken over since.
//!
//! ```
//! use aha_core::time::Timestamp;
//! use aha_store::{OpenMode, StoreError, open};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let url = format!("sqlite://{}/radar.db", folder.path().display());
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let store = open(&url, OpenMode::CreateIfMissing).await?;
//! let topic = store.ensure_topic("default", Timestamp::from_millis(0)).await?;
//! assert_eq!(store.topic("default").await?, Some(topic));
//! # Ok::<(), StoreError>(())
//! # }).unwrap();
//! ```

#![expect(clippy::duplicate_mod, reason = "the files of tables/ are written once and compiled for each database")]

#[macro_use]
mod rows;

mod accounts;
mod answer_feedback;
mod call_records;
pub mod copy;
mod digests;
mod driver_error;
mod error;
mod feedback;
mod fetches;
mod idempotency;
mod item_lists;
mod ledger;
mod planner;
mod postgres;
mod records;
mod retention;
mod schema;
mod search;
mod shared;
mod sqlite;
mod summary_decisions;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

pub use accounts::{AccountRemoval, AccountStore};
pub use answer_feedback::{AnswerFeedback, AnswerFeedbackStore};
pub use call_records::*;
pub use digests::{DigestNeighbours, DigestStore};
pub use error::{RetryAdvice, StoreError};
pub use feedback::{FeedbackStore, FeedbackWrite, SavedProfile, feedback_id};
pub use fetches::{FetchHistoryStore, FetchStore};
pub use idempotency::{IdempotencyStore, IdempotentRequest, RequestState, StoredResponse};
pub use item_lists::{ItemFilter, ItemListStore, ListedItem};
pub use ledger::*;
pub use planner::*;
pub use postgres::PostgresStore;
pub use records::*;
pub use retention::{RemovedRows, RetentionStep, RetentionStore};
pub use schema::{OpenMode, PendingMigration, SchemaVersion};
pub use search::{
    DocumentStore, EntryContent, EntryVector, MAX_FREQUENCY, NewDocument, PassageText, SearchHit, SearchQuery,
    SearchStore, SentenceStore, VectorsVersion,
};
pub use sqlite::SqliteStore;
pub use summary_decisions::{SummaryDecision, SummaryDecisionStore};

use aha_core::digest::Digest;
use aha_core::ids::{ClusterId, ItemId, RunId, SourceId, TopicId};
use aha_core::item::Item;
use aha_core::run::{Run, RunAttempt, RunMode, RunSettings};
use aha_core::score_health::GivenScore;
use aha_core::source::{NewSource, Source};
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_core::window::Window;

pub type Result<T> = std::result::Result<T, StoreError>;

/// Defines [`Store`] as the combination of its parts.
macro_rules! store_of {
    ($($part:ident),+) => {
        /// All operations of the product's store.
        pub trait Store: Debug $(+ $part)+ {}

        impl<T> Store for T where T: Debug $(+ $part)+ {}
    };
}

store_of!(
    TopicStore,
    LeaseStore,
    SourceStore,
    FetchStore,
    FetchHistoryStore,
    RunStore,
    ItemStore,
    ItemListStore,
    StoryStore,
    AnswerStore,
    ReservationStore,
    LedgerStore,
    DigestStore,
    FeedbackStore,
    PlannerStore,
    RetentionStore,
    SearchStore,
    DocumentStore,
    SentenceStore,
    AccountStore,
    IdempotencyStore,
    SummaryDecisionStore,
    AnswerFeedbackStore,
    WriteFailureStore
);

pub type SharedStore = Arc<dyn Store>;

/// Opens the database of a `DATABASE_URL`; its scheme selects the kind.
pub async fn open(database_url: &str, mode: OpenMode) -> Result<SharedStore> {
    Ok(match Kind::of(database_url)? {
        Kind::Sqlite => Arc::new(SqliteStore::open(database_url, mode).await?),
        Kind::Postgres => Arc::new(PostgresStore::open(database_url, mode).await?),
    })
}

/// Returns the schema version of a database and the version that this program knows, without changing or creating
/// anything. A database that does not exist has version 0.
pub async fn schema_version(database_url: &str) -> Result<SchemaVersion> {
    match Kind::of(database_url)? {
        Kind::Sqlite => SqliteStore::schema_version(database_url).await,
        Kind::Postgres => PostgresStore::schema_version(database_url).await,
    }
}

enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// The error contains only the scheme, because the rest of a URL may contain a password.
    fn of(database_url: &str) -> Result<Self> {
        match database_url.split_once(':') {
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            Some((scheme, _)) => Err(StoreError::UnsupportedDatabase { scheme: scheme.to_owned() }),
            None => Err(StoreError::InvalidUrl {
                reason: "it is no URL; write sqlite://PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE".to_owned(),
            }),
        }
    }
}

#[async_trait]
pub trait TopicStore: Send + Sync {
    /// Returns the topic of that name; creates it and its owner if it does not exist.
    async fn ensure_topic(&self, name: &str, now: Timestamp) -> Result<Topic>;
    async fn topic(&self, name: &str) -> Result<Option<Topic>>;
    /// Returns all topics, by name.
    async fn topics(&self) -> Result<Vec<Topic>>;
    /// Adds a topic with these settings. Returns false if the name is taken; nothing is written then.
    async fn add_topic(&self, topic: &Topic, now: Timestamp) -> Result<bool>;
    /// Writes the user's settings of a topic: everything except its name, lease, cursor and schedule state. `reset`
    /// selects which of that state to change as well. Returns false if the stored settings are no longer those of
    /// `before`; nothing is written then.
    async fn save_topic(&self, before: &Topic, topic: &Topic, reset: TopicReset) -> Result<bool>;
    /// Removes a topic with its sources, runs, digests and feedback. Its costs stay in the ledger, without its name.
    async fn remove_topic(&self, lease: &Lease) -> Result<()>;
    async fn set_next_run(&self, topic: TopicId, at: Option<Timestamp>) -> Result<()>;
}

#[async_trait]
pub trait LeaseStore: Send + Sync {
    /// Acquires the topic's lease if it is free, expired at `wall`, or held by `replaced_owner`, whose lease the caller
    /// has found to be void. Each acquisition has a new token.
    async fn acquire_lease(
        &self,
        topic: TopicId,
        owner: &str,
        wall: Timestamp,
        replaced_owner: Option<&str>,
    ) -> Result<LeaseAttempt>;
    /// Extends a held lease by another [`LEASE_SECONDS`].
    async fn renew_lease(&self, lease: &Lease, wall: Timestamp) -> Result<()>;
    /// Returns the owner of the topic's lease at `wall`, if it is held and ends no later than [`latest_lease_end`], and
    /// the token of the last acquisition.
    async fn lease_owner(&self, topic: TopicId, wall: Timestamp) -> Result<(Option<String>, i64)>;
    /// Returns the stored owner of the topic's lease and its end, also if that has passed.
    async fn lease_end(&self, topic: TopicId) -> Result<Option<(String, Timestamp)>>;
    /// Releases a lease; does nothing if it was taken over.
    async fn release_lease(&self, lease: &Lease) -> Result<()>;
}

#[async_trait]
pub trait SourceStore: Send + Sync {
    /// Adds sources that do not exist yet; repeating an import changes nothing.
    async fn add_sources(&self, topic: TopicId, sources: &[NewSource], now: Timestamp) -> Result<SourcesAdded>;
    /// Returns the sources of a topic, by URL.
    async fn sources(&self, topic: TopicId) -> Result<Vec<Source>>;
    async fn source(&self, id: SourceId) -> Result<Option<Source>>;
    /// Applies all changes at once; applies none if the weight is invalid.
    async fn change_source(&self, source: SourceId, change: SourceChange) -> Result<()>;
    async fn remove_source(&self, source: SourceId) -> Result<()>;
    /// Returns, for a source's newest items by its external ids, the hash of the source's own text when the item's page
    /// was read. `None` if the item belongs to another source or was removed, so that this source must not read its
    /// page.
    async fn full_text_hashes(&self, source: SourceId) -> Result<HashMap<String, Option<String>>>;
    /// Returns sources already fetched successfully in the run's current pass.
    async fn fetched_sources(&self, run: RunId, from_attempt: i64) -> Result<Vec<SourceId>>;
    /// Returns the last fetch of each source in the run's current pass.
    async fn fetch_outcomes(&self, run: RunId, from_attempt: i64) -> Result<Vec<FetchRecord>>;
}

#[async_trait]
pub trait RunStore: Send + Sync {
    /// Returns the run of that window; creates it if it does not exist. A finished run starts a new pass with
    /// `settings`, an unfinished one keeps its own. The ids of prompts stay as first pinned: they are those by which
    /// stored answers are found, while calls are made with the current prompts. Answers are reused, unless
    /// `settings.rejudge`, which an unfinished pass takes on with the ids of its prompts.
    async fn open_run(&self, lease: &Lease, new: &NewRun) -> Result<Run>;
    async fn unfinished_cursor_run(&self, topic: TopicId) -> Result<Option<Run>>;
    /// Starts the run's next attempt and returns its number, from 1. Attempts left `running` by a dead process become
    /// `lost`.
    async fn begin_attempt(&self, lease: &Lease, run: RunId, now: Timestamp) -> Result<i64>;
    /// Records the stage that an attempt has reached.
    async fn record_stage(&self, lease: &Lease, run: RunId, attempt: i64, stage: &str) -> Result<()>;
    /// Pins the frequency snapshot, unless it is pinned already, and returns it.
    async fn pin_snapshot(&self, lease: &Lease, run: RunId, at: Timestamp) -> Result<Timestamp>;
    async fn end_attempt(&self, run: RunId, attempt: i64, end: &AttemptEnd) -> Result<()>;
    /// Records why the files of the digest that an attempt produced could not be written, or with `None` that they are.
    async fn record_unwritten_files(&self, run: RunId, attempt: i64, why: Option<&str>) -> Result<()>;
    /// Returns a run with its attempts.
    async fn run(&self, id: RunId) -> Result<Option<(Run, Vec<RunAttempt>)>>;
    /// Returns the finished run with the newest window, of a topic or of all.
    async fn latest_finished_run(&self, topic: Option<TopicId>) -> Result<Option<Run>>;
    /// Returns the runs whose id, or whose stored digest's, begins with `prefix` (digits of an id and hyphens), newest
    /// window first.
    async fn runs_by_id_prefix(&self, prefix: &str) -> Result<Vec<Run>>;
    /// Returns runs with their attempts, newest window first.
    async fn runs(&self, topic: Option<TopicId>, limit: i64) -> Result<Vec<(Run, Vec<RunAttempt>)>>;
}

#[async_trait]
pub trait ItemStore: Send + Sync {
    /// Returns items of the topic older than `until` that no cursor run has assigned or skipped.
    async fn unassigned_items(&self, topic: TopicId, until: Timestamp) -> Result<Vec<ItemHeader>>;
    /// Claims the `assigned` items for a run and marks the `seen` items as skipped. From `failed_since` on, also claims
    /// again the items of stories that the topic's last cursor digest shows without a judgement because triage failed.
    async fn assign_items(
        &self,
        lease: &Lease,
        run: RunId,
        assigned: &[ItemId],
        seen: &[ItemId],
        failed_since: Timestamp,
    ) -> Result<()>;
    /// Returns the items that a cursor run has claimed.
    async fn assigned_items(&self, run: RunId) -> Result<Vec<ItemId>>;
    /// Returns the items that a later run has claimed again, because the run's digest shows their stories without a
    /// judgement: what the run had is these and those of [`Self::assigned_items`].
    async fn reclaimed_items(&self, run: RunId) -> Result<Vec<ItemId>>;
    /// Returns the items that a cursor run has claimed, from before its window, that a source could not deliver when
    /// they were due.
    async fn late_items(&self, run: RunId, window_start: Timestamp) -> Result<Vec<ItemId>>;
    /// Returns those of the items that a source of the topic listed before that time.
    async fn items_seen_before(&self, topic: TopicId, items: &[ItemId], before: Timestamp) -> Result<Vec<ItemId>>;
    /// Returns items of the topic in the window, whatever their assignment.
    async fn items_in_window(&self, topic: TopicId, window: Window) -> Result<Vec<ItemId>>;
    /// Returns texts of the topic's items whose current text has no embedding in `space`.
    async fn items_to_embed(&self, topic: TopicId, space: &str, limit: i64) -> Result<Vec<ItemText>>;
    async fn commit_embeddings(&self, lease: &Lease, space: &str, embeddings: &[NewEmbedding]) -> Result<()>;
    /// Returns vectors in `space` of the topic's items in the window, if they match the items' current texts.
    async fn vectors(&self, topic: TopicId, space: &str, window: Window) -> Result<Vec<(ItemId, Vec<u8>)>>;
    /// Returns publication times of the topic's sources, newest first within a source and at most 200 each. An item
    /// counts for each source that published it.
    async fn source_times(&self, topic: TopicId, window: Window) -> Result<Vec<(SourceId, Timestamp)>>;
}

#[async_trait]
pub trait StoryStore: Send + Sync {
    /// Returns the time of the topic's oldest item that has an embedding but no story.
    async fn oldest_unclustered(&self, topic: TopicId, space: &str) -> Result<Option<Timestamp>>;
    /// Returns the times of the first and the last such item of each UTC day that has any, in order.
    async fn unclustered_days(&self, topic: TopicId, space: &str) -> Result<Vec<(Timestamp, Timestamp)>>;
    /// Returns embedded items of the topic in the window, first seen up to `snapshot`, by time and id.
    async fn embedded_items(
        &self,
        topic: TopicId,
        space: &str,
        window: Window,
        snapshot: Timestamp,
    ) -> Result<Vec<EmbeddedItem>>;
    async fn commit_duplicates(&self, lease: &Lease, duplicates: &[(ItemId, ItemId)]) -> Result<()>;
    /// Writes the results of clustering. A new story's first item becomes its member, at similarity 1; an item that
    /// joins another story leaves its former one.
    async fn commit_clusters(&self, lease: &Lease, commit: &ClusterCommit) -> Result<()>;
    /// Returns clustering thresholds that were determined for a space; `None` if the shipped ones apply.
    async fn thresholds(&self, space: &str) -> Result<Option<Thresholds>>;
    /// Stores thresholds, replacing earlier ones.
    async fn store_thresholds(&self, space: &str, found: &TunedThresholds) -> Result<()>;
    /// Returns the members, up to `until`, of all stories that contain one of `items`.
    async fn stories_of(&self, topic: TopicId, items: &[ItemId], until: Timestamp) -> Result<Vec<StoryRecord>>;
    /// Returns the stored markup of these items, safe to show in a page. Items whose text contains everything have
    /// none.
    async fn items_html(&self, items: &[ItemId]) -> Result<Vec<(ItemId, String)>>;
    /// Returns full items in the order of `ids`, each with every source of the topic that published it, its own first.
    /// If its own source is of another topic, `source_id` is the smallest of these instead. The list of
    /// sources is empty if all were removed.
    async fn load_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(Item, Vec<SourceId>)>>;
}

#[async_trait]
pub trait AnswerStore: Send + Sync {
    /// Returns for each key the answer of its tier or of a higher one. An answer of a lower tier is returned only if
    /// that run received it because its budget was nearly used up.
    async fn answers(&self, keys: &[AnswerKey], run: Option<RunId>) -> Result<Vec<Option<StoredAnswer>>>;
    /// The same, of those that a call of this run has given since the attempt with that number.
    async fn answers_of_pass(&self, keys: &[AnswerKey], run: RunId, pass: i64) -> Result<Vec<Option<StoredAnswer>>>;
    /// [`Self::answers`] for one key.
    async fn answer(&self, key: &AnswerKey, run: Option<RunId>) -> Result<Option<StoredAnswer>> {
        Ok(self.answers(std::slice::from_ref(key), run).await?.pop().flatten())
    }
    /// Returns the newest answer of a task about exactly these members.
    async fn newest_answer(&self, task: &str, members: &[ItemId]) -> Result<Option<StoredAnswer>>;
    /// Returns the answer of a task that a call gave.
    async fn answer_of_call(&self, task: &str, call_id: &str) -> Result<Option<StoredAnswer>>;
    /// Returns the newest scores that models gave, of all topics.
    async fn given_scores(&self, limit: i64) -> Result<Vec<GivenScore>>;
}

/// Whether the database takes writes, as far as it is known without writing.
pub trait WriteFailureStore: Send + Sync {
    /// Returns the failure of this process's last write; `None` if it succeeded, or if failures are not recorded.
    fn last_write_failure(&self) -> Option<WriteFailure> {
        None
    }
}

/// Not recorded: a server that takes no writes reports that itself, and one that is away is not read either.
impl WriteFailureStore for PostgresStore {}

/// A write that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFailure {
    pub reason: String,
    /// How long ago.
    pub age: Duration,
}

/// How long a lease lasts unless renewed.
pub const LEASE_SECONDS: u64 = 60;
/// How often an owner renews its lease.
pub const HEARTBEAT_SECONDS: u64 = 20;

/// Returns the latest end of a lease that counts as held at `wall`. An owner sets the end [`LEASE_SECONDS`] ahead, so a
/// much later one was set by a clock that was wrong, and would block the topic until then.
#[must_use]
pub fn latest_lease_end(wall: Timestamp) -> Timestamp {
    wall + Duration::from_secs(10 * LEASE_SECONDS)
}

/// Input of [`DigestStore::commit_digest`].
#[derive(Debug, Clone)]
pub struct DigestCommit {
    pub run: RunId,
    pub topic: TopicId,
    pub attempt: i64,
    pub digest: Digest,
    /// Stories to mark as delivered, with their number of distinct sources.
    pub delivered: Vec<(ClusterId, i64)>,
    /// The topic's new cursor.
    pub cursor: Option<Timestamp>,
    pub now: Timestamp,
}

/// Input of [`RunStore::open_run`].
#[derive(Debug, Clone)]
pub struct NewRun {
    pub id: RunId,
    pub topic: TopicId,
    pub mode: RunMode,
    pub window: Window,
    pub settings: RunSettings,
    pub now: Timestamp,
}
