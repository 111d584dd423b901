//! Online clustering: each item, in order of time, joins the story it resembles most, or begins one.
//!
//! Average link: an item is compared with the members of a story, and their mean decides. Items already in a story stay
//! there; only the new ones are placed. Called by the cluster stage and by `calibrate`.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::domain::ids::{ClusterId, ItemId, SourceId, TopicId};
use crate::domain::time::{DAY_MS, Timestamp};

use super::features::Features;
use super::similarity::{Frequencies, LookupIndex, Weighted};

/// Where "alike" becomes "the same story", by space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Mean similarity at which an item joins a story.
    pub join: f64,
    /// The same when all of the story comes from the item's own source: there likeness is mostly a house style or a series.
    pub join_own_source: f64,
    /// Mean cosine of words below which an item joins only with [`NAMES_IN_COMMON`]: two items that share a country's name and
    /// little else are two stories.
    pub join_words: f64,
    /// Cosine of words at which one text is a copy of another.
    pub copy: f64,
}

/// Thresholds of the `local` space: `docs/ARCHITECTURE.md` says how they were found.
pub const LOCAL_THRESHOLDS: Thresholds =
    Thresholds { join: 0.24, join_own_source: 0.45, join_words: 0.17, copy: 0.995 };

/// Names or numbers shared with one member that make up for few words in common.
const NAMES_IN_COMMON: usize = 2;

/// A story is open to new items for this long after one of its members.
const OPEN_DAYS: i64 = 7;

/// How far back a copy is looked for.
pub const COPY_DAYS: i64 = 30;

/// Members of a story, newest, that an item is compared with.
const COMPARED_MEMBERS: usize = 30;

/// Shorter texts are not called copies of one another: "Open thread" is not one story.
const COPY_WORDS: usize = 20;

/// An item as it is clustered.
#[derive(Debug, Clone)]
pub struct Document {
    pub id: ItemId,
    pub source: SourceId,
    pub time: Timestamp,
    pub cluster: Option<ClusterId>,
    /// Whether it was found to be a copy of another one.
    pub copy: bool,
    pub features: Arc<Features>,
}

/// Where an item was placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    pub item: ItemId,
    pub cluster: ClusterId,
    /// Mean similarity to the story, 1 for the item that began it.
    pub similarity: f64,
    pub began: bool,
}

#[derive(Debug, Default)]
struct OpenStory {
    members: Vec<usize>,
}

/// Places every document that has no story yet. `documents` come by time, then id.
#[must_use]
pub fn place(topic: TopicId, documents: &[Document], thresholds: Thresholds) -> Vec<Placement> {
    let weighted = WeightedDocuments::of(documents);
    let reach = Reach::of(documents);
    let mut index = LookupIndex::default();
    let mut stories: HashMap<ClusterId, OpenStory> = HashMap::new();
    let mut home: Vec<Option<ClusterId>> = documents.iter().map(|d| d.cluster).collect();
    // Members placed in earlier runs are known from the start: a late item may belong with what is dated after it.
    for (number, document) in documents.iter().enumerate() {
        if let Some(cluster) = document.cluster {
            stories.entry(cluster).or_default().members.push(number);
            if reach.has(document.time) {
                index.insert(number, weighted.get(number));
            }
        }
    }
    let mut placements = Vec::new();
    for (number, document) in documents.iter().enumerate().filter(|(_, d)| d.cluster.is_none()) {
        let near = index.candidates(weighted.get(number));
        let best = best_story(documents, &weighted, number, &near, &home, &stories, thresholds);
        let (cluster, similarity, began) = best.map_or_else(
            || (ClusterId::of(&[&topic.to_string(), &document.id.to_string()]), 1.0, true),
            |(cluster, similarity)| (cluster, similarity, false),
        );
        stories.entry(cluster).or_default().members.push(number);
        home[number] = Some(cluster);
        index.insert(number, weighted.get(number));
        placements.push(Placement { item: document.id, cluster, similarity, began });
    }
    placements
}

fn best_story(
    documents: &[Document],
    weighted: &WeightedDocuments<'_>,
    number: usize,
    near: &[usize],
    home: &[Option<ClusterId>],
    stories: &HashMap<ClusterId, OpenStory>,
    thresholds: Thresholds,
) -> Option<(ClusterId, f64)> {
    let document = &documents[number];
    let reachable = near.iter().filter(|other| within_days(documents[**other].time, document.time, OPEN_DAYS));
    let candidates: BTreeSet<ClusterId> = reachable.filter_map(|other| home[*other]).collect();
    let mut best: Option<(ClusterId, f64)> = None;
    for cluster in candidates {
        let Some(story) = stories.get(&cluster) else { continue };
        let item = weighted.get(number);
        let compared = || story.members.iter().rev().take(COMPARED_MEMBERS).map(|member| weighted.get(*member));
        let similarity = mean(compared().map(|member| member.similarity(item)));
        let same_matter = mean(compared().map(|member| member.word_cosine(item))) >= thresholds.join_words
            || compared().any(|member| member.shared_names(item) >= NAMES_IN_COMMON);
        let own_source = story.members.iter().all(|member| documents[*member].source == document.source);
        let needed = if own_source { thresholds.join_own_source } else { thresholds.join };
        if similarity >= needed && same_matter && best.is_none_or(|(_, highest)| similarity > highest) {
            best = Some((cluster, similarity));
        }
    }
    best
}

/// Pairs (copy, original): near-identical texts within [`COPY_DAYS`], the original being the older. What has a story is looked
/// at no more: it is a copy or an original already.
#[must_use]
pub fn copies(documents: &[Document], thresholds: Thresholds) -> Vec<(ItemId, ItemId)> {
    let weighted = WeightedDocuments::of(documents);
    let mut index = LookupIndex::default();
    let mut found = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let long_enough = document.features.words.values().sum::<u32>() as usize >= COPY_WORDS;
        if !long_enough || document.copy {
            continue;
        }
        if document.cluster.is_some() {
            index.insert(number, weighted.get(number));
            continue;
        }
        let original = index.candidates(weighted.get(number)).into_iter().find(|older| {
            within_days(documents[*older].time, document.time, COPY_DAYS)
                && weighted.get(*older).word_cosine(weighted.get(number)) >= thresholds.copy
        });
        match original {
            Some(older) => found.push((document.id, documents[older].id)),
            None => index.insert(number, weighted.get(number)),
        }
    }
    found
}

/// Documents as they are compared, each weighed when it first is: most only count towards the frequencies.
struct WeightedDocuments<'a> {
    documents: &'a [Document],
    frequencies: Frequencies,
    weighted: Vec<OnceCell<Weighted>>,
}

impl<'a> WeightedDocuments<'a> {
    fn of(documents: &'a [Document]) -> Self {
        let frequencies = Frequencies::of(documents.iter().map(|d| &*d.features));
        Self { documents, frequencies, weighted: vec![OnceCell::new(); documents.len()] }
    }

    fn get(&self, number: usize) -> &Weighted {
        self.weighted[number].get_or_init(|| self.frequencies.weigh(&self.documents[number].features))
    }
}

/// The times of documents that one without a story can join the story of.
struct Reach {
    first: Timestamp,
    last: Timestamp,
}

impl Reach {
    fn of(documents: &[Document]) -> Self {
        let new = || documents.iter().filter(|d| d.cluster.is_none()).map(|d| d.time);
        let zero = Timestamp::from_millis(0);
        Self { first: new().min().unwrap_or(zero), last: new().max().unwrap_or(zero) }
    }

    fn has(&self, time: Timestamp) -> bool {
        self.first - time <= OPEN_DAYS * DAY_MS && time - self.last <= OPEN_DAYS * DAY_MS
    }
}

fn within_days(a: Timestamp, b: Timestamp, days: i64) -> bool {
    (a - b).abs() <= days * DAY_MS
}

#[expect(clippy::cast_precision_loss, reason = "at most COMPARED_MEMBERS values")]
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for value in values {
        sum += value;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}
