//! Clustering: the items that have no story yet join one or begin one, and the stories that they touch are put right.
//!
//! Comes in: the topic's items of the last days, with the stories they are in. Goes out: where each new item went, which stories became
//! one, and which items left a story that was two. Average link decides: first whether groups belong together (`comparison.rs`), then
//! whether what came together is one event (`split.rs`). Stories that get nothing new are left alone. Called by the cluster stage
//! and by `calibrate`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::domain::ids::{ClusterId, ItemId, SourceId, TopicId};
use crate::domain::time::{DAY_MS, Timestamp};

use super::agglomerate::{Edge, agglomerate};
use super::comparison::{Comparison, Group, Thresholds};
use super::dense::DenseVector;
use super::features::Features;
use super::identity::identify;
use super::lookup::{Heavy, Limits, LookupIndex, Shared};
use super::similarity::Yardstick;
use super::split::Splits;

/// A story is open to new items for this long after one of its members.
pub const OPEN_DAYS: i64 = 7;

/// How far back a copy is looked for.
pub const COPY_DAYS: i64 = 30;

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
    /// Whether that story was shown in a digest.
    pub delivered: bool,
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

/// A story that went into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    pub from: ClusterId,
    pub into: ClusterId,
}

/// What clustering found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placed {
    /// Items that joined a story, began one, or went from one into another.
    pub placements: Vec<Placement>,
    pub merges: Vec<Merge>,
    /// Stories whose items are not the same as before.
    pub changed: BTreeSet<ClusterId>,
    /// The story of each document; `None` for one too old to be looked at that has none.
    pub homes: Vec<Option<ClusterId>>,
}

/// Places every document that has no story yet. `documents` come by time, then id.
#[must_use]
pub fn place(topic: TopicId, documents: &[Document], thresholds: Thresholds) -> Placed {
    Clustering::of(documents, Limits::USUAL).place(topic, thresholds)
}

/// Documents made ready for comparing: what does not depend on thresholds is done once.
#[derive(Debug)]
pub struct Clustering<'a> {
    documents: &'a [Document],
    comparison: Comparison<'a>,
    /// New items, and the stories in reach that they may belong to.
    groups: Vec<Group>,
    edges: Vec<Edge>,
    limits: Limits,
}

impl<'a> Clustering<'a> {
    #[must_use]
    pub fn of(documents: &'a [Document], limits: Limits) -> Self {
        let comparison = Comparison::of(documents);
        let reach = Reach::of(documents);
        let in_reach: Vec<usize> = (0..documents.len()).filter(|n| reach.has(documents[*n].time)).collect();
        comparison.weigh_all(&in_reach);
        let pairs = pairs(&comparison, documents, &in_reach, limits);
        let (groups, place_of) = groups(&comparison, documents, &in_reach, &pairs);
        let edges = edges(&groups, &place_of, &pairs, limits.least);
        Self { documents, comparison, groups, edges, limits }
    }

    /// The stories as they are by these thresholds.
    #[must_use]
    pub fn place(&self, topic: TopicId, thresholds: Thresholds) -> Placed {
        let groups = self.groups(thresholds);
        let parts = groups.par_iter().flat_map_iter(|group| self.split(&mut Splits::default(), group, thresholds));
        let parts = parts.collect();
        identify(topic, self.documents, parts, &|number| self.comparison.get(number))
    }

    /// What average link brings together.
    pub(super) fn groups(&self, thresholds: Thresholds) -> Vec<Group> {
        agglomerate(&self.comparison, thresholds, self.groups.clone(), &self.edges, self.limits.least)
    }

    /// What a group is made of; one without news is left as it is.
    pub(super) fn split(&self, splits: &mut Splits, group: &Group, thresholds: Thresholds) -> Vec<Vec<usize>> {
        if !group.changed {
            return vec![group.members.clone()];
        }
        splits.parts(&group.members, &|number| self.comparison.get(number), thresholds.split)
    }
}

/// A group for each new item and for each story that one may belong to, and the place of each document's. A story that nothing new
/// resembles stays as it is, and is not looked at.
fn groups(
    comparison: &Comparison<'_>,
    documents: &[Document],
    in_reach: &[usize],
    pairs: &[(usize, usize)],
) -> (Vec<Group>, FxHashMap<usize, usize>) {
    let touched: HashSet<ClusterId> =
        pairs.iter().flat_map(|(one, other)| [one, other]).filter_map(|number| documents[*number].cluster).collect();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut place_of = FxHashMap::default();
    let mut stories: HashMap<ClusterId, usize> = HashMap::new();
    for number in in_reach.iter().copied() {
        let place = match documents[number].cluster {
            None => members.len(),
            Some(story) if touched.contains(&story) => *stories.entry(story).or_insert(members.len()),
            Some(_) => continue,
        };
        if place == members.len() {
            members.push(Vec::new());
        }
        members[place].push(number);
        place_of.insert(number, place);
    }
    (members.into_par_iter().map(|members| comparison.group(members)).collect(), place_of)
}

/// The groups that have members among the pairs, where they are alike at all or have vectors.
fn edges(groups: &[Group], place_of: &FxHashMap<usize, usize>, pairs: &[(usize, usize)], least: f64) -> Vec<Edge> {
    let places = pairs.iter().filter_map(|(one, other)| {
        let (one, other) = (*place_of.get(one)?, *place_of.get(other)?);
        (one != other).then_some((one.min(other), one.max(other)))
    });
    let mut places: Vec<(usize, usize)> = places.collect();
    places.par_sort_unstable();
    places.dedup();
    let of_one: Vec<&[(usize, usize)]> = places.chunk_by(|(one, _), (next, _)| one == next).collect();
    of_one.into_par_iter().flat_map_iter(|places| edges_of_one(groups, places, least)).collect()
}

/// The edges among pairs of one group.
fn edges_of_one(groups: &[Group], places: &[(usize, usize)], least: f64) -> Vec<Edge> {
    let Some((one, _)) = places.first() else { return Vec::new() };
    let first = &groups[*one];
    let yardstick = Yardstick::of(&first.sum);
    let edge = |(one, other): &(usize, usize)| {
        let second = &groups[*other];
        let sum = yardstick.similarity(&second.sum);
        first.may_be_one(second, sum, least).then_some((*one, *other, sum))
    };
    places.iter().filter_map(edge).collect()
}

/// New documents and those that they may be told with: what shares heavy terms, and what a model finds near.
fn pairs(
    comparison: &Comparison<'_>,
    documents: &[Document],
    in_reach: &[usize],
    limits: Limits,
) -> Vec<(usize, usize)> {
    // What is dated before every new item is found by these; what is dated later has to look for them itself.
    let first_new = in_reach.iter().position(|number| documents[*number].cluster.is_none()).unwrap_or(in_reach.len());
    let (index, heavy) = index(comparison, in_reach, first_new, limits);
    let of_one = |shared: &mut Shared, (place, heavy): (usize, &Heavy)| {
        let number = in_reach[place];
        let is_new = documents[number].cluster.is_none();
        let found = index.candidates(heavy, u32::try_from(place).unwrap_or(u32::MAX), shared).into_iter();
        let near = if is_new { comparison.near(number) } else { Vec::new() };
        let found = found.filter(|other| is_new || documents[*other].cluster.is_none());
        found.chain(near).map(|other| (other, number)).collect::<Vec<_>>()
    };
    let places = (first_new..in_reach.len()).into_par_iter().zip(&heavy);
    places.map_init(Shared::default, of_one).flatten_iter().collect()
}

/// So many texts are made ready for the index at a time.
const INDEXED_AT_ONCE: usize = 4_096;

/// The documents in reach by their heavy terms, and these terms of those from a place on.
fn index(
    comparison: &Comparison<'_>,
    in_reach: &[usize],
    first_new: usize,
    limits: Limits,
) -> (LookupIndex, Vec<Heavy>) {
    let (mut index, mut kept) = (LookupIndex::new(limits), Vec::new());
    for numbers in in_reach.chunks(INDEXED_AT_ONCE) {
        let heavy: Vec<Heavy> = numbers.par_iter().map(|number| index.heavy(comparison.get(*number))).collect();
        for (number, heavy) in numbers.iter().zip(heavy) {
            let is_kept = index.end() as usize >= first_new;
            index.insert(*number, &heavy);
            kept.extend(is_kept.then_some(heavy));
        }
    }
    (index, kept)
}

/// Pairs (copy, original): near-identical texts within [`COPY_DAYS`], the original being the older. What has a story is looked
/// at no more: it is a copy or an original already.
#[must_use]
pub fn copies(documents: &[Document]) -> Vec<(ItemId, ItemId)> {
    let weighted = Comparison::of(documents);
    let (mut index, mut shared) = (LookupIndex::default(), Shared::default());
    let mut found = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        if document.features.length() < COPY_WORDS || document.copy {
            continue;
        }
        let own = weighted.get(number);
        let heavy = index.heavy(own);
        let is_copied = |older: &usize| {
            within_days(documents[*older].time, document.time, COPY_DAYS)
                && weighted.get(*older).word_cosine(own) >= COPY
        };
        let candidates = match document.cluster {
            None => index.candidates(&heavy, index.end(), &mut shared),
            Some(_) => Vec::new(),
        };
        match candidates.into_iter().find(is_copied) {
            Some(older) => found.push((document.id, documents[older].id)),
            None => index.insert(number, &heavy),
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
    use super::super::comparison::LOCAL_THRESHOLDS;
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
                delivered: false,
                copy: false,
                features: Arc::new(Features::of(None, &text)),
                dense: DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new),
            }
        };
        texts.chain(pair).enumerate().map(document).collect()
    }

    fn joined(documents: &[Document]) -> Vec<ItemId> {
        place(TopicId::of(&["t"]), documents, LOCAL_THRESHOLDS)
            .placements
            .iter()
            .filter(|p| !p.began)
            .map(|p| p.item)
            .collect()
    }

    #[test]
    fn what_a_model_finds_alike_is_one_story_where_words_are_few() {
        let documents = documents();
        assert_eq!(joined(&documents), [documents[13].id]);
    }

    fn telling(texts: &[(&str, &str)]) -> Vec<Document> {
        let one = |(place, (source, text)): (usize, &(&str, &str))| Document {
            id: ItemId::of(&[&place.to_string()]),
            source: SourceId::of(&[source]),
            time: Timestamp::from_millis(i64::try_from(place).unwrap()),
            cluster: None,
            delivered: false,
            copy: false,
            features: Arc::new(Features::of(None, text)),
            dense: None,
        };
        texts.iter().enumerate().map(one).collect()
    }

    fn place_all(documents: &[Document]) -> Placed {
        place(TopicId::of(&["t"]), documents, LOCAL_THRESHOLDS)
    }

    const STORM: [(&str, &str); 3] = [
        ("a", "storm tears roof off the school in Kelmouth"),
        ("b", "school in Kelmouth loses its roof in the storm"),
        ("c", "new tax on heat pumps is voted down"),
    ];

    #[test]
    fn forms_versions_and_dates_make_no_story() {
        let series = [
            ("a", "Daily discussion – 12 May"),
            ("b", "Daily discussion – 12 May"),
            ("c", "Release v1.2.3: bug fixes and improvements"),
            ("d", "Release v1.2.3: bug fixes and improvements"),
        ];
        assert!(place_all(&telling(&series)).placements.iter().all(|placement| placement.began));
    }

    #[test]
    fn names_alone_make_no_story() {
        let topic = [("a", "See it all about Skerrow and Aldermane"), ("b", "What was eaten by Skerrow and Aldermane")];
        assert!(place_all(&telling(&topic)).placements.iter().all(|placement| placement.began));
    }

    #[test]
    fn what_is_in_a_story_stays_and_two_that_are_one_merge_unless_both_were_shown() {
        let mut documents = telling(&STORM);
        let stories = ["x", "y"].map(|name| ClusterId::of(&[name]));
        documents.extend(telling(&[
            ("d", "roof of Kelmouth school torn off by storm"),
            ("e", "roof of Kelmouth school torn off by storm: pictures"),
        ]));
        for (place, document) in documents.iter_mut().enumerate() {
            (document.id, document.time) =
                (ItemId::of(&[&place.to_string()]), Timestamp::from_millis(i64::try_from(place).unwrap()));
        }
        documents[0].cluster = Some(stories[0]);
        documents[1].cluster = Some(stories[1]);
        documents[1].delivered = true;
        let placed = place_all(&documents);
        assert_eq!(placed.merges, [Merge { from: stories[0], into: stories[1] }]);
        assert_eq!([0, 1, 3, 4].map(|place| placed.homes[place]), [Some(stories[1]); 4]);
        documents[0].delivered = true;
        let placed = place_all(&documents);
        assert_eq!(placed.merges, []);
        assert_eq!([0, 1].map(|place| placed.homes[place]), stories.map(Some));
    }

    #[test]
    fn without_news_nothing_moves() {
        let mut documents = telling(&STORM);
        for (place, document) in documents.iter_mut().enumerate() {
            document.cluster = Some(ClusterId::of(&[&place.to_string()]));
        }
        let placed = place_all(&documents);
        assert_eq!((placed.placements, placed.merges, placed.changed), (vec![], vec![], BTreeSet::new()));
    }

    #[test]
    fn two_events_in_a_shown_story_part_and_the_larger_keeps_its_id() {
        let raid = |ship: &str, taken: u32, n: u32| {
            format!("navy warship captured pirates gulf report{n}: the {ship} took {taken} men {ship} {taken}")
        };
        let texts: Vec<String> =
            (0..3).map(|n| raid("Mysore", 23, n)).chain((3..9).map(|n| raid("Sukanya", 26, n))).collect();
        let sources: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
        let told: Vec<(&str, &str)> = sources.iter().zip(&texts).map(|(s, t)| (s.as_str(), t.as_str())).collect();
        let mut documents = telling(&told);
        let story = ClusterId::of(&["raids"]);
        for document in &mut documents[..8] {
            (document.cluster, document.delivered) = (Some(story), true);
        }
        let placed = place_all(&documents);
        assert!(placed.homes[3..].iter().all(|home| *home == Some(story)));
        assert!(placed.homes[..3].iter().all(|home| *home == placed.homes[0] && *home != Some(story)));
        assert_eq!(placed.placements.iter().filter(|placement| placement.began).count(), 1);
        assert!(placed.changed.contains(&story));
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
