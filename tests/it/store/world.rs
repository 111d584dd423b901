//! What the store's tests start from: a fresh database, a topic with sources, a run under a lease, items.

use std::collections::BTreeMap;

use aha_core::ids::{FetchRunId, ItemId, RunId, SourceId};
use aha_core::item::{Engagement, ItemMetadata, TimeBasis};
use aha_core::ranking::Ranking;
use aha_core::run::{RunMode, RunSettings};
use aha_core::source::{NewSource, Source, SourceHealth, Validators};
use aha_core::time::{HOUR_MS, Timestamp};
use aha_core::topic::{BudgetTier, DigestSizes, Topic};
use aha_core::window::Window;
use aha_store::{
    self, FetchCommit, FetchStatus, IdentifiedItem, Lease, LeaseAttempt, NewEmbedding, NewRun, OpenMode, SharedStore,
    Store,
};
use tempfile::TempDir;

use crate::support::postgres;

pub(crate) const SPACE: &str = "local-test";

pub(crate) struct FreshSqlite {
    pub(crate) store: SharedStore,
    pub(crate) url: String,
    /// Removed with the value.
    pub(crate) folder: TempDir,
}

impl FreshSqlite {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
        Self { store, url, folder }
    }
}

/// A database of its own; left behind by a test that fails.
pub(crate) struct FreshPostgres {
    pub(crate) store: SharedStore,
    pub(crate) url: String,
}

impl FreshPostgres {
    pub(crate) async fn new() -> Self {
        let url = postgres::fresh_database().await;
        let store = aha_store::open(&url, OpenMode::MustExist).await.unwrap();
        Self { store, url }
    }

    pub(crate) async fn remove(self) {
        drop(self.store);
        postgres::remove(&self.url).await;
    }
}

/// `hours` after 2026-11-16T00:00:00Z.
pub(crate) fn at(hours: i64) -> Timestamp {
    Timestamp::from_millis(1_794_787_200_000 + hours * HOUR_MS)
}

pub(crate) fn window(start: i64, end: i64) -> Window {
    Window::new(at(start), at(end)).unwrap()
}

pub(crate) fn feed(url: &str) -> NewSource {
    NewSource { url: url.to_owned(), ..NewSource::default() }
}

pub(crate) fn settings(prompt: &str) -> RunSettings {
    RunSettings {
        sizes: DigestSizes::default(),
        interests: "sqlite, feeds".to_owned(),
        rules: Vec::new(),
        tier: BudgetTier::Normal,
        depth: 50,
        decay_hours: 48.0,
        timezone: "Europe/Berlin".to_owned(),
        ranking: Ranking::default(),
        prompts: BTreeMap::from([("triage".to_owned(), prompt.to_owned())]),
        rejudge: false,
    }
}

pub(crate) fn new_run(topic: &Topic, mode: RunMode, window: Window) -> NewRun {
    NewRun {
        id: RunId::of(&[&topic.name, mode.as_str(), &window.to_string()]),
        topic: topic.id,
        mode,
        window,
        settings: settings("triage_v1"),
        now: at(24),
    }
}

/// A topic with two sources, and its cursor run of the first day, at its first attempt.
pub(crate) struct World {
    pub(crate) topic: Topic,
    pub(crate) lease: Lease,
    pub(crate) run: RunId,
    pub(crate) attempt: i64,
    pub(crate) first: SourceId,
    pub(crate) second: SourceId,
}

impl World {
    pub(crate) async fn new(store: &dyn Store) -> Self {
        Self::named(store, "default").await
    }

    pub(crate) async fn named(store: &dyn Store, name: &str) -> Self {
        let topic = store.ensure_topic(name, at(0)).await.unwrap();
        let urls = [feed("https://a.example/feed"), feed("https://b.example/feed")];
        store.add_sources(topic.id, &urls, at(0)).await.unwrap();
        let sources = store.sources(topic.id).await.unwrap();
        let lease = acquire(store, &topic, "host/1").await;
        let new = new_run(&topic, RunMode::Cursor, window(0, 24));
        let run = store.open_run(&lease, &new).await.unwrap().id;
        let attempt = store.begin_attempt(&lease, run, at(24)).await.unwrap();
        Self { topic, lease, run, attempt, first: sources[0].id, second: sources[1].id }
    }

    /// A look that went well.
    pub(crate) fn look(&self, number: i64, source: SourceId, items: &[IdentifiedItem]) -> FetchCommit {
        FetchCommit {
            id: FetchRunId::of(&[&self.topic.name, &source.to_string(), &number.to_string()]),
            run: self.run,
            attempt: self.attempt,
            source,
            status: FetchStatus::Ok,
            error: None,
            http_status: Some(200),
            bytes: 1000,
            started_at: at(24 + number),
            finished_at: at(24 + number),
            health: SourceHealth::Ok,
            feed_title: None,
            validators: Validators::default(),
            not_before: None,
            next_check_at: None,
            check_interval: None,
            moved_to: None,
            catch_up_from: None,
            is_first: false,
            items: items.to_vec(),
        }
    }

    /// Stores items as the first source's.
    pub(crate) async fn with_items(&self, store: &dyn Store, items: &[IdentifiedItem]) {
        store.commit_fetch(&self.lease, &self.look(0, self.first, items)).await.unwrap();
    }

    pub(crate) async fn source(&self, store: &dyn Store, id: SourceId) -> Source {
        store.sources(self.topic.id).await.unwrap().into_iter().find(|source| source.id == id).unwrap()
    }

    /// Embeds items under the text hash they have in [`item`].
    pub(crate) async fn embed(&self, store: &dyn Store, keys: &[&str]) {
        let embeddings: Vec<_> = keys.iter().map(|key| embedding(key)).collect();
        store.commit_embeddings(&self.lease, SPACE, &embeddings).await.unwrap();
    }
}

pub(crate) fn embedding(key: &str) -> NewEmbedding {
    NewEmbedding {
        item: id(key),
        content_hash: format!("text of {key}"),
        dimensions: Some(2),
        vector: key.as_bytes().to_vec(),
    }
}

pub(crate) async fn acquire(store: &dyn Store, topic: &Topic, holder: &str) -> Lease {
    match store.acquire_lease(topic.id, holder, at(24), None).await.unwrap() {
        LeaseAttempt::Acquired(lease) => lease,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn id(key: &str) -> ItemId {
    ItemId::of(&[key])
}

/// An item with an address and a date of its own.
pub(crate) fn item(key: &str, hour: i64) -> IdentifiedItem {
    IdentifiedItem {
        id: id(key),
        external_id: key.to_owned(),
        url: Some(format!("https://a.example/{key}")),
        canonical_url: Some(format!("https://a.example/{key}")),
        hash_url: Some(format!("address of {key}")),
        hash_text: format!("text of {key}"),
        title: Some(format!("Title of {key}")),
        body_text: format!("Body of {key}"),
        author: Some("Ada".to_owned()),
        published_at: Some(at(hour)),
        time: at(hour),
        time_basis: TimeBasis::Published,
        engagement: Engagement { score: Some(3), comments: None, views: None },
        metadata: ItemMetadata { categories: vec!["db".to_owned()], ..ItemMetadata::default() },
        html: Some(format!("<p>Body of {key}</p>")),
    }
}
