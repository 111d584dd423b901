//! Online clustering: each item, in order of time, joins the story it resembles most, or begins one.
//!
//! Average link: an item is compared with the members of a story, and their mean decides. Items already in a story stay
//! there; only the new ones are placed. Called by the cluster stage and by `calibrate`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::domain::ids::{ClusterId, ItemId, SourceId, TopicId};
use crate::domain::time::{DAY_MS, Timestamp};

use super::comparison::{Comparison, WeightedDocuments};
use super::dense::DenseVector;
use super::features::Features;
use super::similarity::LookupIndex;

/// A story is open to new items for this long after one of its members.
pub const OPEN_DAYS: i64 = 7;

/// How far back a copy is looked for.
pub const COPY_DAYS: i64 = 30;

/// Members of a story, newest, that an item is compared with.
const COMPARED_MEMBERS: usize = 30;

/// Cosine of words at which one text is a copy of another.
const COPY: f64 = 0.995;

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
    /// Of the run's dense space, where the item has one.
    pub dense: Option<Arc<DenseVector>>,
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

/// Places every document that has no story yet. `documents` come by time, then id.
#[must_use]
pub fn place(topic: TopicId, documents: &[Document]) -> Vec<Placement> {
    let mut stories = OpenStories::of(documents);
    let mut placements = Vec::new();
    for (number, document) in documents.iter().enumerate().filter(|(_, d)| d.cluster.is_none()) {
        let (cluster, similarity, began) = stories.best(number).map_or_else(
            || (ClusterId::of(&[&topic.to_string(), &document.id.to_string()]), 1.0, true),
            |(cluster, similarity)| (cluster, similarity, false),
        );
        stories.add(number, cluster);
        placements.push(Placement { item: document.id, cluster, similarity, began });
    }
    placements
}

/// Stories as they grow.
struct OpenStories<'a> {
    documents: &'a [Document],
    comparison: Comparison<'a>,
    index: LookupIndex,
    /// Documents that stand in a story, by story and by number.
    members: HashMap<ClusterId, Vec<usize>>,
    home: Vec<Option<ClusterId>>,
}

impl<'a> OpenStories<'a> {
    /// Members placed in earlier runs are known from the start: a late item may belong with what is dated after it.
    fn of(documents: &'a [Document]) -> Self {
        let reach = Reach::of(documents);
        let mut stories = Self {
            documents,
            comparison: Comparison::of(documents),
            index: LookupIndex::default(),
            members: HashMap::new(),
            home: documents.iter().map(|d| d.cluster).collect(),
        };
        for (number, document) in documents.iter().enumerate() {
            if let Some(cluster) = document.cluster {
                stories.members.entry(cluster).or_default().push(number);
                if reach.has(document.time) {
                    stories.index.insert(number, stories.comparison.weighted.get(number));
                }
            }
        }
        stories
    }

    fn add(&mut self, number: usize, cluster: ClusterId) {
        self.members.entry(cluster).or_default().push(number);
        self.home[number] = Some(cluster);
        self.index.insert(number, self.comparison.weighted.get(number));
    }

    /// The story that a document resembles most, and how much, among those that it resembles enough.
    fn best(&self, number: usize) -> Option<(ClusterId, f64)> {
        let document = &self.documents[number];
        let mut best: Option<(ClusterId, f64)> = None;
        for cluster in self.candidates(number) {
            let Some(members) = self.members.get(&cluster) else { continue };
            let compared: Vec<usize> = members.iter().rev().take(COMPARED_MEMBERS).copied().collect();
            let own_source = members.iter().all(|member| self.documents[*member].source == document.source);
            let likeness = self.comparison.likeness(number, &compared);
            if likeness.is_same_story(own_source) && best.is_none_or(|(_, highest)| likeness.similarity > highest) {
                best = Some((cluster, likeness.similarity));
            }
        }
        best
    }

    /// Open stories with a member that shares a heavy term, or that a model finds near.
    fn candidates(&self, number: usize) -> BTreeSet<ClusterId> {
        let document = &self.documents[number];
        let is_open = |other: &usize| within_days(self.documents[*other].time, document.time, OPEN_DAYS);
        let by_terms = self.index.candidates(self.comparison.weighted.get(number));
        let by_model = self.comparison.near(number);
        by_terms.into_iter().chain(by_model).filter(is_open).filter_map(|other| self.home[other]).collect()
    }
}

/// Pairs (copy, original): near-identical texts within [`COPY_DAYS`], the original being the older. What has a story is looked
/// at no more: it is a copy or an original already.
#[must_use]
pub fn copies(documents: &[Document]) -> Vec<(ItemId, ItemId)> {
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
                && weighted.get(*older).word_cosine(weighted.get(number)) >= COPY
        });
        match original {
            Some(older) => found.push((document.id, documents[older].id)),
            None => index.insert(number, weighted.get(number)),
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve items of different matters, each with a vector of its own direction, and two that tell one in other words.
    fn documents() -> Vec<Document> {
        let texts = (0..12).map(|n| (format!("thing{n} stuff{n} matter{n}"), n));
        let pair = [("ferry stranded harbour".to_owned(), 12), ("harbour vessel aground".to_owned(), 12)];
        let document = |(place, (text, axis)): (usize, (String, usize))| {
            let mut numbers = [0.0_f32; 13];
            numbers[axis] = 1.0;
            Document {
                id: ItemId::of(&[&place.to_string()]),
                source: SourceId::of(&[&place.to_string()]),
                time: Timestamp::from_millis(i64::try_from(place).unwrap()),
                cluster: None,
                copy: false,
                features: Arc::new(Features::of(None, &text)),
                dense: DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new),
            }
        };
        texts.chain(pair).enumerate().map(document).collect()
    }

    fn joined(documents: &[Document]) -> Vec<ItemId> {
        place(TopicId::of(&["t"]), documents).iter().filter(|p| !p.began).map(|p| p.item).collect()
    }

    #[test]
    fn what_a_model_finds_alike_is_one_story_where_words_are_few() {
        let documents = documents();
        assert_eq!(joined(&documents), [documents[13].id]);
    }

    #[test]
    fn an_item_without_a_vector_is_compared_by_words_alone() {
        let mut documents = documents();
        documents[13].dense = None;
        assert_eq!(joined(&documents), []);
        documents[13].features = Arc::clone(&documents[12].features);
        assert_eq!(joined(&documents), [documents[13].id]);
    }

    #[test]
    fn vectors_of_two_lengths_are_never_compared() {
        let mut documents = documents();
        let other: Vec<f32> = vec![1.0; 8];
        documents[13].dense = DenseVector::from_bytes(&DenseVector::to_bytes(&other)).map(Arc::new);
        assert_eq!(joined(&documents), []);
    }
}
