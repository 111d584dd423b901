//! Gathers the facts about each story that `local` uses for its judgement and that every reason cites.

mod naming;
mod near_sources;
mod prominence;
mod relevance;
mod sentence_similarity;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aha_analysis::noise::patterns::{is_clickbait, is_promotional, promotional_phrases};
use aha_analysis::stories::cadence::{CADENCE_DAYS, Cadences};
use aha_analysis::stories::cluster::ClusterItem;
use aha_analysis::stories::lookup::{LookupIndex, Shared};
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::{Frequencies, Weighted};
use aha_analysis::text::tokens::tokens;
use aha_core::digest::Evidence;
use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::item::Engagement;
use aha_core::story::Story;
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::window::Window;

use super::cluster::{cluster_items_in, thresholds};
use super::{RunContext, RunError};
pub use naming::NamedClauses;
use near_sources::NearSources;
use prominence::Prominence;
use relevance::Relevances;

/// Number of days before the window that novelty and new terms are compared with.
const NOVELTY_DAYS: i64 = 30;

/// With fewer earlier items every term would be "new".
const MIN_HISTORY: usize = 200;

/// Maximum number of new terms.
const NEW_TERMS: usize = 4;

/// Data needed to gather the evidence.
struct History {
    /// Items before the window that are not the run's own, by time.
    earlier: Vec<ClusterItem>,
    weighted: Vec<Weighted>,
    index: LookupIndex,
    frequencies: Frequencies,
    earlier_frequencies: Frequencies,
    features: HashMap<ItemId, Arc<Features>>,
    /// The newest items of each source, to determine how often it matched.
    of_sources: Vec<(ItemId, SourceId, Arc<Features>)>,
    prominence: Prominence,
}

/// Maximum number of items per source, to determine how often it matches.
const SOURCE_ITEMS: usize = 50;
/// Maximum number of such items over all sources.
const ALL_SOURCE_ITEMS: usize = 5_000;

/// Computed on the blocking pool, because it compares every text of the run with those of the weeks before.
pub(super) async fn gather(
    context: &RunContext,
    stories: &Arc<Vec<Story>>,
    items_by_source: &HashMap<SourceId, usize>,
) -> Result<HashMap<ClusterId, Evidence>, RunError> {
    let window = context.run.window;
    let year = Window { start: window.end.days_before(CADENCE_DAYS), end: window.end };
    let cadences = Cadences::of(context.store().source_times(context.topic.id, year).await?);
    let history = history(context, stories).await?;
    let relevance = Relevances::of(context, &history, stories).await?;
    let resembled = resembled_titles(context, &history, stories).await?;
    let thresholds = thresholds(context, None).await?;
    let (stories, items_by_source) = (Arc::clone(stories), items_by_source.clone());
    let gathering = tokio::task::spawn_blocking(move || {
        let facts = Facts { history: &history, relevance, resembled, thresholds, cadences, items_by_source };
        facts.about(&stories, window.end)
    });
    Ok(gathering.await?)
}

/// What is known of a run's stories.
struct Facts<'h> {
    history: &'h History,
    relevance: Relevances,
    /// For each story the most similar earlier item of another story: similarity and title.
    resembled: HashMap<ClusterId, (f64, String)>,
    thresholds: Thresholds,
    cadences: Cadences,
    items_by_source: HashMap<SourceId, usize>,
}

impl Facts<'_> {
    fn about(&self, stories: &[Story], window_end: Timestamp) -> HashMap<ClusterId, Evidence> {
        let history = self.history;
        // Only readers without interests need it; with interests, relevance is used.
        let near = if self.relevance.has_interests() {
            NearSources::default()
        } else {
            NearSources::of(stories, &history.features, &history.frequencies)
        };
        let mut shared = Shared::default();
        let engagement = EngagementScale::of(stories);
        let in_scope: usize = self.items_by_source.values().sum();
        let gathered = stories.iter().map(|story| {
            let item = story.representative();
            let mut evidence = about_text(history, story);
            self.relevance.describe(story.cluster_id, &mut evidence);
            evidence.shared_names =
                round(history.prominence.shared_names(story, &history.features, &history.frequencies));
            evidence.near_sources = near.count(story, &mut shared);
            evidence.corroborated_share = round(history.prominence.corroborated_share(story));
            let cadence = self.cadences.at(item.source_id, item.time);
            evidence.source_gap_days = cadence.gap_days;
            evidence.source_usual_gap_days = cadence.usual_gap_days;
            evidence.source_share = share(self.items_by_source.get(&item.source_id).copied().unwrap_or(0), in_scope);
            evidence.distinct_sources = story.distinct_sources().len();
            engagement.describe(story, &mut evidence);
            evidence.age_hours = round(window_end.hours_since(story.latest()).max(0.0));
            self.describe_novelty(story.cluster_id, &mut evidence);
            (story.cluster_id, evidence)
        });
        gathered.collect()
    }

    fn describe_novelty(&self, story: ClusterId, evidence: &mut Evidence) {
        let Some((similarity, title)) = self.resembled.get(&story) else {
            evidence.novelty = 1.0;
            return;
        };
        evidence.novelty = round(1.0 - similarity);
        let is_similar = self.thresholds.resembles(*similarity, self.history.frequencies.documents());
        evidence.resembles = is_similar.then(|| title.clone());
    }
}

async fn history(context: &RunContext, stories: &[Story]) -> Result<Arc<History>, RunError> {
    let window = context.run.window;
    // Late items are part of the run, so they must not count as history.
    let own: HashSet<ItemId> = stories.iter().flat_map(Story::in_scope).map(|member| member.item.id).collect();
    let span = Window { start: window.start.days_before(NOVELTY_DAYS), end: window.end };
    let cluster_items =
        cluster_items_in(context.store(), context.topic.id, &context.feature_cache, span, context.snapshot).await?;
    let computing = tokio::task::spawn_blocking(move || History::of(cluster_items, &own, window));
    Ok(Arc::new(computing.await?))
}

impl History {
    /// `own` are the run's items.
    fn of(cluster_items: Vec<ClusterItem>, own: &HashSet<ItemId>, window: Window) -> Self {
        let frequencies = Frequencies::of(cluster_items.iter().map(|d| &*d.features));
        let features = cluster_items.iter().map(|d| (d.id, Arc::clone(&d.features))).collect();
        let prominence = Prominence::of(&cluster_items, |cluster_item| cluster_item.time >= window.start);
        let of_sources = newest_of_sources(&cluster_items);
        let earlier: Vec<ClusterItem> =
            cluster_items.into_iter().filter(|d| d.time < window.start && !own.contains(&d.id)).collect();
        let weighted: Vec<Weighted> = earlier.iter().map(|d| frequencies.weigh(&d.features)).collect();
        let mut index = LookupIndex::default();
        for (number, vector) in weighted.iter().enumerate() {
            index.insert(number, &index.heavy(vector));
        }
        let earlier_frequencies = Frequencies::of(earlier.iter().map(|d| &*d.features));
        Self { earlier, weighted, index, frequencies, earlier_frequencies, features, of_sources, prominence }
    }
}

/// Returns the newest items first, at most [`SOURCE_ITEMS`] per source.
fn newest_of_sources(cluster_items: &[ClusterItem]) -> Vec<(ItemId, SourceId, Arc<Features>)> {
    let mut newest: Vec<&ClusterItem> = cluster_items.iter().filter(|cluster_item| !cluster_item.copy).collect();
    newest.sort_by_key(|cluster_item| (std::cmp::Reverse(cluster_item.time), cluster_item.id));
    let mut taken: HashMap<SourceId, usize> = HashMap::new();
    newest.retain(|cluster_item| {
        let count = taken.entry(cluster_item.source).or_default();
        *count += 1;
        *count <= SOURCE_ITEMS
    });
    newest.truncate(ALL_SOURCE_ITEMS);
    newest
        .into_iter()
        .map(|cluster_item| (cluster_item.id, cluster_item.source, Arc::clone(&cluster_item.features)))
        .collect()
}

/// Returns for each story the most similar earlier item of another story: similarity and title.
async fn resembled_titles(
    context: &RunContext,
    history: &Arc<History>,
    stories: &Arc<Vec<Story>>,
) -> Result<HashMap<ClusterId, (f64, String)>, RunError> {
    let (history, stories) = (Arc::clone(history), Arc::clone(stories));
    let nearest = tokio::task::spawn_blocking(move || nearest_of_each(&history, &stories)).await?;
    let ids: Vec<ItemId> = nearest.iter().map(|(_, _, id)| *id).collect::<HashSet<_>>().into_iter().collect();
    let titles: HashMap<ItemId, String> = context
        .store()
        .load_items(context.topic.id, &ids)
        .await?
        .into_iter()
        .map(|(item, _)| (item.id, item.display_title()))
        .collect();
    let named = nearest
        .into_iter()
        .filter_map(|(cluster, similarity, id)| Some((cluster, (similarity, titles.get(&id)?.clone()))));
    Ok(named.collect())
}

/// Returns for each story the similarity and id of that item.
fn nearest_of_each(history: &History, stories: &[Story]) -> Vec<(ClusterId, f64, ItemId)> {
    let mut shared = Shared::default();
    let nearest = stories.iter().filter_map(|story| {
        let vector = history.frequencies.weigh(history.features.get(&story.representative().id)?);
        let (similarity, id) = nearest(history, &mut shared, story.cluster_id, &vector)?;
        Some((story.cluster_id, similarity, id))
    });
    nearest.collect()
}

fn nearest(history: &History, shared: &mut Shared, own: ClusterId, vector: &Weighted) -> Option<(f64, ItemId)> {
    let query = history.index.lookup(&history.index.heavy(vector));
    let found = history.index.candidates(&query, shared).into_iter();
    let others = found.filter(|n| history.earlier[*n].cluster != Some(own));
    others
        .map(|number| (history.weighted[number].similarity(vector), history.earlier[number].id))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
}

fn about_text(history: &History, story: &Story) -> Evidence {
    let item = story.representative();
    let title = item.display_title();
    let phrases = promotional_phrases(&title, &item.body_text);
    Evidence {
        new_terms: new_terms(history, story),
        teaser: story.members.iter().all(|member| member.item.is_teaser()),
        promotional: if is_promotional(&title, &phrases) { phrases } else { Vec::new() },
        clickbait: is_clickbait(&title),
        noise: round(aha_analysis::noise::score(&title)),
        ..Evidence::default()
    }
}

/// Returns names in the title, as written, that no earlier item contains, and in the window hardly any items other than
/// the story's own.
fn new_terms(history: &History, story: &Story) -> Vec<String> {
    let item = story.representative();
    let own = u32::try_from(story.members.len()).unwrap_or(u32::MAX);
    if history.earlier_frequencies.documents() < MIN_HISTORY {
        return Vec::new();
    }
    let features = history.features.get(&item.id);
    let title = item.title.as_deref().unwrap_or("");
    let mut found: Vec<String> = Vec::new();
    for token in tokens(title) {
        let is_name = features.is_some_and(|features| features.has_name(&token.term));
        let is_word = token.written.chars().all(char::is_alphabetic) && token.written.chars().count() >= 3;
        let is_new = history.earlier_frequencies.documents_with(&token.term) == 0;
        let is_its_own = history.frequencies.documents_with(&token.term) <= own;
        if is_name && is_word && is_new && is_its_own {
            let written = token.written.to_owned();
            if !found.contains(&written) {
                found.push(written);
            }
        }
    }
    found.truncate(NEW_TERMS);
    found
}

/// Engagement is ln(1 + score) + 0.25 ln(1 + comments), relative to the items of the same source.
struct EngagementScale {
    by_source: HashMap<SourceId, Vec<f64>>,
}

/// Minimum number of items with engagement for a source to have a percentile.
const MIN_ENGAGED_ITEMS: usize = 4;

impl EngagementScale {
    fn of(stories: &[Story]) -> Self {
        let mut by_source: HashMap<SourceId, Vec<f64>> = HashMap::new();
        for item in stories.iter().flat_map(Story::in_scope).map(|member| &member.item) {
            if let Some(response) = response(item.engagement) {
                by_source.entry(item.source_id).or_default().push(response);
            }
        }
        Self { by_source }
    }

    /// Adds the engagement of the story's most discussed item.
    fn describe(&self, story: &Story, evidence: &mut Evidence) {
        let best = story
            .in_scope()
            .map(|member| &member.item)
            .filter_map(|item| Some((response(item.engagement)?, item)))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.id.cmp(&a.1.id)));
        let Some((response, item)) = best else { return };
        evidence.score = item.engagement.score;
        evidence.views = item.engagement.views;
        evidence.comments = item.engagement.comments;
        evidence.engagement_percentile = self.percentile(item.source_id, response);
    }

    fn percentile(&self, source: SourceId, response: f64) -> Option<f64> {
        let all = self.by_source.get(&source).filter(|all| all.len() >= MIN_ENGAGED_ITEMS)?;
        let below = all.iter().filter(|other| **other < response).count();
        Some(share(below, all.len() - 1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "points and comments")]
fn response(engagement: Engagement) -> Option<f64> {
    let log = |n: Option<i64>| n.map(|n| (n.max(0) as f64).ln_1p());
    match (log(engagement.score.or(engagement.views)), log(engagement.comments)) {
        (None, None) => None,
        (score, comments) => Some(score.unwrap_or(0.0) + 0.25 * comments.unwrap_or(0.0)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and sources")]
fn share_of(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { round(part as f64 / whole as f64) }
}

/// Rounds to four decimals, so that stored values read back the same and are short.
fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
