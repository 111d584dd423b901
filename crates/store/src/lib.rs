//! The rows: small traits of whole operations, kept in an embedded SQLite database or on a Postgres server.
//!
//! Comes in: domain types. Goes out: domain types or a [`StoreError`]. Called by the pipeline's stages, the commands and the
//! web. No operation hands out an open transaction, so none can be held across a network call. Every operation that commits
//! a run's work takes the run's [`Lease`] and is refused when another process has taken over since.
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
pub mod copy;
mod driver_error;
pub mod error;
mod item_lists;
mod ledger;
mod planner;
mod postgres;
pub mod records;
mod schema;
pub mod search;
mod shared;
mod sqlite;
pub mod terms;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

pub use accounts::{AccountStore, KeyState, KeyUse};
pub use answer_feedback::{AnswerFeedback, AnswerFeedbackStore};
pub use error::StoreError;
pub use item_lists::{ItemFilter, ItemListStore, ListedItem};
pub use ledger::*;
pub use planner::*;
pub use postgres::PostgresStore;
pub use records::*;
pub use schema::{OpenMode, PendingMigration, SchemaVersion};
pub use search::{
    DocumentStore, EntryContent, EntryVector, Forms, NewDocument, PassageText, SearchHit, SearchQuery, SearchStore,
    SentenceStore, forms,
};
pub use sqlite::SqliteStore;

use aha_core::digest::{Digest, DigestHead, DigestStory, Section, SourceReport};
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, RunId, SourceId, TopicId, UserId};
use aha_core::item::Item;
use aha_core::run::{Run, RunAttempt, RunMode, RunSettings};
use aha_core::score_health::GivenScore;
use aha_core::source::{NewSource, Source};
use aha_core::summary::Summary;
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_core::window::Window;

pub type Result<T> = std::result::Result<T, StoreError>;

/// Makes [`Store`] of its parts.
macro_rules! store_of {
    ($($part:ident),+) => {
        /// Everything the product keeps.
        pub trait Store: Debug $(+ $part)+ {}

        impl<T> Store for T where T: Debug $(+ $part)+ {}
    };
}

store_of!(
    TopicStore,
    LeaseStore,
    SourceStore,
    FetchHistoryStore,
    RunStore,
    ItemStore,
    ItemListStore,
    StoryStore,
    AnswerStore,
    LedgerStore,
    DigestStore,
    FeedbackStore,
    PlannerStore,
    RetentionStore,
    SearchStore,
    DocumentStore,
    SentenceStore,
    AccountStore,
    AnswerFeedbackStore
);

pub type SharedStore = Arc<dyn Store>;

/// Opens the database that `DATABASE_URL` names; its scheme chooses the kind.
pub async fn open(database_url: &str, mode: OpenMode) -> Result<SharedStore> {
    Ok(match Kind::of(database_url)? {
        Kind::Sqlite => Arc::new(SqliteStore::open(database_url, mode).await?),
        Kind::Postgres => Arc::new(PostgresStore::open(database_url, mode).await?),
    })
}

/// The schema version of a database and the one that this program knows, without changing or making anything: a database
/// that is not there has version 0.
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
    /// Names the scheme alone in its error: the rest of a URL may hold a password.
    fn of(database_url: &str) -> Result<Self> {
        match database_url.split_once(':') {
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            Some((scheme, _)) => Err(StoreError::UnsupportedDatabase { scheme: scheme.to_owned() }),
            None => Err(StoreError::CannotOpen {
                path: database_url.to_owned(),
                reason: "it is no URL; write sqlite://PATH or postgres://HOST/DATABASE".to_owned(),
            }),
        }
    }
}

#[async_trait]
pub trait TopicStore: Send + Sync {
    /// The topic of that name, made with its owner when there is none.
    async fn ensure_topic(&self, name: &str, now: Timestamp) -> Result<Topic>;
    async fn topic(&self, name: &str) -> Result<Option<Topic>>;
    /// All topics, by name.
    async fn topics(&self) -> Result<Vec<Topic>>;
    /// Makes a topic with these settings. False where the name is taken; then nothing is written.
    async fn add_topic(&self, topic: &Topic, now: Timestamp) -> Result<bool>;
    /// Writes the user's settings of a topic: everything but lease, cursor and schedule state, of which `reset` says what goes with it.
    async fn save_topic(&self, topic: &Topic, reset: TopicReset) -> Result<()>;
    /// Removes a topic with its sources, runs, digests and feedback. What it has spent stays in the ledger, without its name.
    async fn remove_topic(&self, lease: &Lease) -> Result<()>;
    async fn set_next_run(&self, topic: TopicId, at: Option<Timestamp>) -> Result<()>;
}

#[async_trait]
pub trait LeaseStore: Send + Sync {
    /// Takes the topic's lease when it is free, expired at `wall`, or held by `dead_owner`; each taking has a new token.
    async fn acquire_lease(
        &self,
        topic: TopicId,
        owner: &str,
        wall: Timestamp,
        dead_owner: Option<&str>,
    ) -> Result<LeaseAttempt>;
    /// Keeps a held lease for another [`LEASE_SECONDS`].
    async fn renew_lease(&self, lease: &Lease, wall: Timestamp) -> Result<()>;
    /// Who holds the topic at `wall`, if anybody does.
    async fn lease_owner(&self, topic: TopicId, wall: Timestamp) -> Result<Option<String>>;
    /// Gives a lease back; one that was taken over is left alone.
    async fn release_lease(&self, lease: &Lease) -> Result<()>;
}

#[async_trait]
pub trait SourceStore: Send + Sync {
    /// Adds what is not there yet; the same import twice changes nothing.
    async fn add_sources(&self, topic: TopicId, sources: &[NewSource], now: Timestamp) -> Result<SourcesAdded>;
    /// Sources of a topic, by URL.
    async fn sources(&self, topic: TopicId) -> Result<Vec<Source>>;
    async fn source(&self, id: SourceId) -> Result<Option<Source>>;
    /// Changes what is named, all at once; refused whole where the weight is none.
    async fn change_source(&self, source: SourceId, change: SourceChange) -> Result<()>;
    async fn remove_source(&self, source: SourceId) -> Result<()>;
    /// Of the newest items that a source gave, by the id it gives them: what the source itself said (its hash) when their page was
    /// read; `None` where the item is another source's or was removed, and so none of this one's business.
    async fn page_notes(&self, source: SourceId) -> Result<HashMap<String, Option<String>>>;
    /// Sources already fetched with success in the run's current pass.
    async fn fetched_sources(&self, run: RunId, from_attempt: i64) -> Result<Vec<SourceId>>;
    /// The last fetch of each source in the run's current pass.
    async fn fetch_outcomes(&self, run: RunId, from_attempt: i64) -> Result<Vec<FetchRecord>>;
    /// Stores a fetch of a source, the items it brought and the source's health, in one transaction. Nothing, when the source
    /// was removed meanwhile.
    async fn commit_fetch(&self, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts>;
    /// Stores several fetches in their order, as [`Self::commit_fetch`] does each; where that is faster, in one transaction.
    async fn commit_fetches(&self, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts> {
        let mut total = FetchCounts::default();
        for fetch in fetches {
            total += self.commit_fetch(lease, fetch).await?;
        }
        Ok(total)
    }
}

#[async_trait]
pub trait FetchHistoryStore: Send + Sync {
    /// The last fetches of a source, the newest first.
    async fn last_fetches(&self, source: SourceId, limit: i64) -> Result<Vec<PastFetch>>;
    /// How the last fetches of each of a topic's sources ended, at most `limit` of each, the newest first.
    async fn fetch_marks(&self, topic: TopicId, limit: i64) -> Result<HashMap<SourceId, Vec<FetchMark>>>;
    /// How many items published from `since` on each of a topic's sources brought, and how many of these a digest of the topic with a window that
    /// ended since then shows; of sources that brought none, nothing.
    async fn source_shares(&self, topic: TopicId, since: Timestamp) -> Result<HashMap<SourceId, SourceShare>>;
}

#[async_trait]
pub trait RunStore: Send + Sync {
    /// The run of that window, made when there is none. A finished one starts a new pass with `settings` (its prompts stay
    /// pinned unless `repin_prompts`); an unfinished one keeps the settings it began with.
    async fn open_run(&self, lease: &Lease, new: &NewRun) -> Result<Run>;
    async fn unfinished_cursor_run(&self, topic: TopicId) -> Result<Option<Run>>;
    /// Starts the run's next attempt and returns its number, from 1. Attempts left `running` by a dead process become `lost`.
    async fn begin_attempt(&self, lease: &Lease, run: RunId, now: Timestamp) -> Result<i64>;
    async fn note_stage(&self, lease: &Lease, run: RunId, attempt: i64, stage: &str) -> Result<()>;
    /// Pins the frequency snapshot, unless it is pinned, and returns it.
    async fn pin_snapshot(&self, lease: &Lease, run: RunId, at: Timestamp) -> Result<Timestamp>;
    async fn end_attempt(&self, run: RunId, attempt: i64, end: &AttemptEnd) -> Result<()>;
    /// A run with its attempts.
    async fn run(&self, id: RunId) -> Result<Option<(Run, Vec<RunAttempt>)>>;
    /// Runs with their attempts, newest window first.
    async fn runs(&self, topic: Option<TopicId>, limit: i64) -> Result<Vec<(Run, Vec<RunAttempt>)>>;
}

#[async_trait]
pub trait ItemStore: Send + Sync {
    /// Items of the topic that no cursor run has assigned or passed over, older than `until`.
    async fn unassigned_items(&self, topic: TopicId, until: Timestamp) -> Result<Vec<ItemHeader>>;
    /// Claims items for a run, or passes them over. Claims again, from `failed_since` on, those of stories that the topic's last cursor
    /// digest shows without a judgement as the judge failed.
    async fn assign_items(
        &self,
        lease: &Lease,
        run: RunId,
        assigned: &[ItemId],
        seen: &[ItemId],
        failed_since: Timestamp,
    ) -> Result<()>;
    /// Items that a cursor run has claimed.
    async fn assigned_items(&self, run: RunId) -> Result<Vec<ItemId>>;
    /// Of these, the ones from before the run's window that a source could not give when they were due.
    async fn late_items(&self, run: RunId, window_start: Timestamp) -> Result<Vec<ItemId>>;
    /// Items of the topic in the window, whatever their assignment.
    async fn items_in_window(&self, topic: TopicId, window: Window) -> Result<Vec<ItemId>>;
    /// Texts of the topic's items that have no embedding of their present text in `space`.
    async fn items_to_embed(&self, topic: TopicId, space: &str, limit: i64) -> Result<Vec<ItemText>>;
    async fn commit_embeddings(&self, lease: &Lease, space: &str, embeddings: &[NewEmbedding]) -> Result<()>;
    /// Vectors in `space` of the topic's items in the window, where they are of the items' present texts.
    async fn vectors(&self, topic: TopicId, space: &str, window: Window) -> Result<Vec<(ItemId, Vec<u8>)>>;
    /// Times at which the topic's sources published, newest first within a source and at most 200 of each; an item counts for
    /// each that brought it.
    async fn source_times(&self, topic: TopicId, window: Window) -> Result<Vec<(SourceId, Timestamp)>>;
}

#[async_trait]
pub trait StoryStore: Send + Sync {
    /// The time of the oldest item of the topic that has an embedding but no story.
    async fn oldest_unclustered(&self, topic: TopicId, space: &str) -> Result<Option<Timestamp>>;
    /// Embedded items of the topic in the window, first seen up to `snapshot`, by time and id.
    async fn embedded_items(
        &self,
        topic: TopicId,
        space: &str,
        window: Window,
        snapshot: Timestamp,
    ) -> Result<Vec<EmbeddedItem>>;
    async fn commit_duplicates(&self, lease: &Lease, duplicates: &[(ItemId, ItemId)]) -> Result<()>;
    /// A new story's first item becomes its member, at similarity 1; an item that joins another story leaves its former one.
    async fn commit_clusters(&self, lease: &Lease, commit: &ClusterCommit) -> Result<()>;
    /// Thresholds of clustering that were found for a space; `None` where those that ship serve.
    async fn thresholds(&self, space: &str) -> Result<Option<Thresholds>>;
    /// Keeps them in the place of those found before.
    async fn keep_thresholds(&self, space: &str, found: &FoundThresholds) -> Result<()>;
    /// Members, up to `until`, of all stories that contain one of `items`.
    async fn stories_of(&self, topic: TopicId, items: &[ItemId], until: Timestamp) -> Result<Vec<StoryRecord>>;
    /// The markup kept of these items, fit to be shown in a page; none of an item whose text says it all.
    async fn items_html(&self, items: &[ItemId]) -> Result<Vec<(ItemId, String)>>;
    /// Full items in the order of `ids`, each with every source of the topic that brought it, its own first. Where another
    /// topic's source brought it first, `source_id` is the smallest of these instead. No source is left when all were removed.
    async fn load_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(Item, Vec<SourceId>)>>;
}

#[async_trait]
pub trait AnswerStore: Send + Sync {
    /// The answer of the key's tier or of a higher one; of a lower one only where that run was given it for lack of budget.
    async fn answer(&self, key: &AnswerKey, run: Option<RunId>) -> Result<Option<StoredAnswer>>;
    /// The newest answer of a task about exactly these members.
    async fn newest_answer(&self, task: &str, members: &[ItemId]) -> Result<Option<StoredAnswer>>;
    /// The newest scores that were given, of all topics.
    async fn given_scores(&self, limit: i64) -> Result<Vec<GivenScore>>;
}

#[async_trait]
pub trait DigestStore: Send + Sync {
    /// Stores the digest and ends the run: for a cursor run also marks its stories delivered and moves the cursor. One transaction.
    async fn commit_digest(&self, lease: &Lease, commit: &DigestCommit) -> Result<()>;
    async fn digest(&self, id: DigestId) -> Result<Option<Digest>>;
    /// The topic's digest with the latest window.
    async fn latest_digest(&self, topic: TopicId) -> Result<Option<Digest>>;
    /// The topic's digests with the latest windows, the newest first and at most `limit`; of their stories only those of a section, where one
    /// is named.
    async fn recent_digests(&self, topic: TopicId, limit: i64, section: Option<Section>) -> Result<Vec<Digest>>;
    /// The sources of the topic's last digest before: of that kind of runs, and of a window that had ended by then.
    async fn sources_before(&self, topic: TopicId, mode: RunMode, by: Timestamp) -> Result<Vec<SourceReport>>;
    /// A line of a digest with its head, without reading the lines beside it.
    async fn digest_line(&self, item: DigestItemId) -> Result<Option<(DigestHead, DigestStory)>>;
    /// Digests without their stories, the latest window first.
    async fn digest_entries(&self, filter: &DigestFilter) -> Result<Vec<DigestEntry>>;
    /// Where a story stood in digests, the latest window first; also where a story stood that was merged into it.
    async fn story_appearances(&self, story: ClusterId) -> Result<Vec<StoryAppearance>>;
    /// The summaries of pasted texts that were kept, the last decision first. A digest that is read has them already.
    async fn kept_summaries(&self) -> Result<Vec<(ItemId, Summary)>>;
    /// Lines of any digest whose id begins with these hexadecimal digits, the newest digest's first and at most `limit`.
    async fn digest_items(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>>;
    /// The newest line that each of a topic's items stood in.
    async fn newest_digest_items(&self, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>>;
}

#[async_trait]
pub trait FeedbackStore: Send + Sync {
    /// Writes a user's feedback and the profile that all of the topic's then comes to, in one transaction. How many of the changes are
    /// new: what was given before, or was not there to be taken back, is none.
    async fn write_feedback(
        &self,
        user: UserId,
        topic: TopicId,
        feedback: &FeedbackWrite,
        profile: &SavedProfile,
    ) -> Result<usize>;
    /// A user's newest `limit` sayings of a topic, oldest first.
    async fn feedback(&self, user: UserId, topic: TopicId, limit: i64) -> Result<Vec<FeedbackEvent>>;
    /// What a user saved of a topic's items, the last first.
    async fn saved_feedback(&self, user: UserId, topic: TopicId) -> Result<Vec<FeedbackEvent>>;
    /// What a user said of these items of a topic.
    async fn feedback_on(&self, user: UserId, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, FeedbackKind)>>;
    /// The newest `limit` sayings that a topic's digests learn from, with whose they are, oldest first: of all users but those whose
    /// account is a reader's.
    async fn teaching_feedback(&self, topic: TopicId, limit: i64) -> Result<Vec<(UserId, FeedbackEvent)>>;
    /// What is not to be learnt, by name: words, sources and authors in lower case.
    async fn unlearnt(&self, topic: TopicId) -> Result<Vec<String>>;
}

#[async_trait]
pub trait RetentionStore: Send + Sync {
    /// Rows of a step that are older than `before`.
    async fn count_old(&self, step: RetentionStep, before: Timestamp) -> Result<i64>;
    /// Removes some of them, at most `limit`, and says how many; none while a run holds a topic at `wall`.
    async fn remove_old(
        &self,
        step: RetentionStep,
        before: Timestamp,
        limit: i64,
        wall: Timestamp,
    ) -> Result<RemovedRows>;
}

/// A lease lasts this long unless renewed.
pub const LEASE_SECONDS: u64 = 60;
/// An owner renews its lease this often.
pub const HEARTBEAT_SECONDS: u64 = 20;

/// What [`DigestStore::commit_digest`] writes.
#[derive(Debug, Clone)]
pub struct DigestCommit {
    pub run: RunId,
    pub topic: TopicId,
    pub attempt: i64,
    pub digest: Digest,
    /// Stories to mark delivered, with the distinct sources they had.
    pub delivered: Vec<(ClusterId, i64)>,
    /// Where the topic's cursor goes.
    pub cursor: Option<Timestamp>,
    pub now: Timestamp,
}

/// What [`RunStore::open_run`] makes.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub id: RunId,
    pub topic: TopicId,
    pub mode: RunMode,
    pub window: Window,
    pub settings: RunSettings,
    pub repin_prompts: bool,
    pub now: Timestamp,
}
