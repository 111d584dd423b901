//! Assigns every item of the topic without a story to one, whatever the run's window, so that overlapping windows find
//! the same stories. Items far apart in time are placed one span after the other, each in a transaction of its own
//! (`spans.rs`).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use aha_analysis::stories::cluster::{ClusterItem, FREQUENCY_DAYS, OPEN_DAYS, Placed, place};
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::features::{Features, LOCAL_SPACE};
use aha_analysis::text::space::mixture;
use aha_content::numbers::count;
use aha_core::ids::{ClusterId, ItemId, TopicId};
use aha_core::item::Item;
use aha_core::story::{StoryMember, choose_representative};
use aha_core::thresholds::{DenseThresholds, Thresholds};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use aha_store::{ClusterCommit, EmbeddedItem, SharedStore, StoreError};
use rayon::prelude::*;

use super::spans::{Span, unplaced_spans};
use super::{RunContext, RunError, Stage};

/// Later than any item's time.
pub(super) const FOREVER: Timestamp = Timestamp::from_millis(i64::MAX);

/// `space`: the space of the dense vectors to compare in addition.
pub(super) async fn run(context: &RunContext, space: Option<&str>) -> Result<(), RunError> {
    context.progress.begin(Stage::Cluster, 0);
    let spans = unplaced_spans(context).await?;
    if spans.is_empty() {
        context.progress.end(Stage::Cluster, "nothing new");
        return Ok(());
    }
    let thresholds = thresholds(context, space).await?;
    let mut totals = Totals::default();
    for span in spans {
        context.check()?;
        totals.add(&place_span(context, span, space, thresholds).await?);
    }
    context.progress.end(Stage::Cluster, &totals.in_words());
    Ok(())
}

/// Places the items of a span, and commits what comes of it.
async fn place_span(
    context: &RunContext,
    span: Span,
    space: Option<&str>,
    thresholds: Thresholds,
) -> Result<ClusterCommit, RunError> {
    let mut cluster_items = cluster_items_of(context, span, FREQUENCY_DAYS).await?;
    if let Some(space) = space {
        add_vectors(context, span, space, &mut cluster_items).await?;
    }
    let topic = context.topic.id;
    let placing = tokio::task::spawn_blocking(move || {
        let placed = place(topic, &cluster_items, thresholds);
        (cluster_items, placed)
    });
    let (cluster_items, placed) = placing.await?;
    let commit = ClusterCommit {
        created: placed.placements.iter().filter(|p| p.began).map(|p| (p.cluster, p.item)).collect(),
        joined: placed.placements.iter().filter(|p| !p.began).map(|p| (p.item, p.cluster, p.similarity)).collect(),
        merged: placed.merges.iter().map(|merge| (merge.from, merge.into)).collect(),
        representatives: representatives(context, &cluster_items, &placed).await?,
    };
    context.store().commit_clusters(&context.lease, &commit).await?;
    Ok(commit)
}

/// What the stage has done, in numbers.
#[derive(Debug, Default)]
struct Totals {
    begun: usize,
    joined: usize,
    merged: usize,
}

impl Totals {
    fn add(&mut self, commit: &ClusterCommit) {
        self.begun += commit.created.len();
        self.joined += commit.joined.len();
        self.merged += commit.merged.len();
    }

    fn in_words(&self) -> String {
        let merged = if self.merged == 0 { String::new() } else { format!(", {} merged", self.merged) };
        let (begun, joined) = (count(self.begun, "new story", "new stories"), count(self.joined, "item", "items"));
        format!("{begun}, {joined} joined to one{merged}")
    }
}

/// Returns the thresholds determined on the user's labelled stories, with these vectors or lexically; otherwise the
/// shipped ones.
pub(super) async fn thresholds(context: &RunContext, dense: Option<&str>) -> Result<Thresholds, RunError> {
    Ok(tuned_thresholds(context.store(), dense).await?.unwrap_or_else(|| Thresholds::shipped(&mixture(dense))))
}

/// Returns the thresholds stored by `calibrate --tune`.
///
/// # Errors
/// When the store fails.
pub async fn tuned_thresholds(store: &SharedStore, dense: Option<&str>) -> Result<Option<Thresholds>, StoreError> {
    let mixture = mixture(dense);
    if let Some(found) = store.thresholds(&mixture).await? {
        return Ok(Some(found));
    }
    let of_words = store.thresholds(LOCAL_SPACE).await?;
    Ok(of_words.map(|found| Thresholds { dense: DenseThresholds::of(&mixture), ..found }))
}

/// Adds dense vectors of that space to the items that are compared, where they exist.
async fn add_vectors(
    context: &RunContext,
    span: Span,
    space: &str,
    cluster_items: &mut [ClusterItem],
) -> Result<(), RunError> {
    let stored = context.store().vectors(context.topic.id, space, span.window(OPEN_DAYS)).await?;
    let mut vectors: HashMap<ItemId, DenseVector> =
        stored.into_iter().filter_map(|(id, bytes)| Some((id, DenseVector::from_bytes(&bytes)?))).collect();
    for cluster_item in cluster_items {
        cluster_item.dense = vectors.remove(&cluster_item.id).map(Arc::new);
    }
    Ok(())
}

/// Returns the items of a span and those that they are compared with, from `days` before the first on.
pub(super) async fn cluster_items_of(
    context: &RunContext,
    span: Span,
    days: i64,
) -> Result<Vec<ClusterItem>, RunError> {
    cluster_items_in(context.store(), context.topic.id, &context.feature_cache, span.window(days), FOREVER).await
}

/// Returns a topic's items of a window in the form in which they are compared, for use outside of a run.
///
/// # Errors
/// When the store fails.
pub async fn stored_cluster_items(
    store: &SharedStore,
    topic: TopicId,
    window: Window,
) -> Result<Vec<ClusterItem>, RunError> {
    cluster_items_in(store, topic, &FeatureCache::default(), window, FOREVER).await
}

/// Reads in parts, because the stored form of a text takes several times the memory of the compared form.
pub(super) async fn cluster_items_in(
    store: &SharedStore,
    topic: TopicId,
    cache: &FeatureCache,
    window: Window,
    snapshot: Timestamp,
) -> Result<Vec<ClusterItem>, RunError> {
    let mut cluster_items = Vec::new();
    for part in window.parts(PART_DAYS, PARTS) {
        let items = store.embedded_items(topic, LOCAL_SPACE, part, snapshot).await?;
        cluster_items.extend(to_cluster_items(cache, items).await?);
    }
    Ok(cluster_items)
}

/// Number of days read at a time, and maximum number of such parts; the rest of the window is read at once.
const PART_DAYS: i64 = 4;
const PARTS: usize = 24;

/// Decodes the stored vectors on the blocking pool.
async fn to_cluster_items(cache: &FeatureCache, items: Vec<EmbeddedItem>) -> Result<Vec<ClusterItem>, RunError> {
    let cache = cache.clone();
    let reading = tokio::task::spawn_blocking(move || {
        items.par_iter().map(|item| cluster_item(&cache, item)).collect::<Result<Vec<_>, _>>()
    });
    Ok(reading.await??)
}

fn cluster_item(cache: &FeatureCache, item: &EmbeddedItem) -> Result<ClusterItem, StoreError> {
    let features = cache.read(item)?;
    let copy = item.duplicate_of.is_some();
    Ok(ClusterItem {
        id: item.id,
        source: item.source,
        time: item.time,
        cluster: item.cluster,
        delivered: item.delivered,
        copy,
        features,
        dense: None,
    })
}

/// Features decoded in this attempt; three stages use the same ones.
#[derive(Debug, Clone, Default)]
pub struct FeatureCache(Arc<Mutex<HashMap<ItemId, ReadVector>>>);

/// The features, with the hash of the text from which they were computed.
type ReadVector = (String, Arc<Features>);

impl FeatureCache {
    fn read(&self, item: &EmbeddedItem) -> Result<Arc<Features>, StoreError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, features)) = known().get(&item.id).filter(|(hash, _)| *hash == item.hash_text) {
            return Ok(Arc::clone(features));
        }
        let features = Features::from_bytes(&item.vector).map_err(|reason| StoreError::Corrupt {
            what: "embedding",
            reason: format!("item {}: {reason}", item.id),
        })?;
        let features = Arc::new(features);
        known().insert(item.id, (item.hash_text.clone(), Arc::clone(&features)));
        Ok(features)
    }
}

/// Returns the representative of each story whose items have changed.
async fn representatives(
    context: &RunContext,
    cluster_items: &[ClusterItem],
    placed: &Placed,
) -> Result<Vec<(ClusterId, ItemId)>, RunError> {
    let joined: HashMap<ItemId, f64> = placed.placements.iter().map(|p| (p.item, p.similarity)).collect();
    let mut members: BTreeMap<ClusterId, Vec<ItemId>> = BTreeMap::new();
    for (cluster_item, assignment) in cluster_items.iter().zip(&placed.assignments) {
        if let Some(cluster) = assignment.filter(|cluster| placed.changed.contains(cluster)) {
            members.entry(cluster).or_default().push(cluster_item.id);
        }
    }
    let ids: Vec<ItemId> = members.values().flatten().copied().collect();
    let items: HashMap<ItemId, Item> = context
        .store()
        .load_items(context.topic.id, &ids)
        .await?
        .into_iter()
        .map(|(item, _)| (item.id, item))
        .collect();
    let chosen = members.into_iter().filter_map(|(cluster, ids)| {
        let candidates: Vec<StoryMember> =
            ids.iter().filter_map(|id| Some(member(items.get(id)?, joined.get(id).copied().unwrap_or(1.0)))).collect();
        let index = choose_representative(&candidates);
        candidates.get(index).map(|best| (cluster, best.item.id))
    });
    Ok(chosen.collect())
}

fn member(item: &Item, similarity: f64) -> StoryMember {
    StoryMember { item: item.clone(), in_scope: true, similarity, sources: Vec::new() }
}
