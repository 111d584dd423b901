//! What a run has to compare: the new items and the stories in reach that they may belong to.
//!
//! Comes in: documents. Goes out: groups, and the pairs of them that are alike at all (`lookup.rs` finds these without comparing all).
//! What is done side by side is put together in the order of the documents.

use std::collections::{HashMap, HashSet};

use aha_core::ids::ClusterId;
use aha_core::time::{DAY_MS, Timestamp};
use rayon::prelude::*;

use super::agglomerate::Edge;
use super::comparison::{Comparison, Group};
use super::document::{Document, OPEN_DAYS};
use super::lookup::{Heavy, IndexQuery, Limits, LookupIndex, RareWords, Shared, Wanted};
use super::prepared::PreparedVector;

/// What is stored of up to so many days before the first new item is considered without a condition.
pub(super) const NEAR_DAYS: i64 = 7;

/// New items, stories that they may belong to, and which of them are alike.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) groups: Vec<Group>,
    pub(super) edges: Vec<Edge>,
}

impl Candidates {
    pub(super) fn of(comparison: &Comparison<'_>, documents: &[Document], limits: Limits) -> Self {
        let reach = Reach::of(documents);
        let in_reach: Vec<usize> = (0..documents.len()).filter(|n| reach.has(documents[*n].time)).collect();
        let pairs = pairs(comparison, documents, &in_reach, limits);
        let (groups, place_of) = groups(comparison, documents, &in_reach, &pairs);
        let edges = edges(&groups, &place_of, &pairs);
        Self { groups, edges }
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

/// A group for each new item and for each story that one may belong to, and the place of each document's. A story that nothing new
/// resembles stays as it is, and is not considered.
fn groups(
    comparison: &Comparison<'_>,
    documents: &[Document],
    in_reach: &[usize],
    pairs: &[(usize, usize)],
) -> (Vec<Group>, Vec<Option<usize>>) {
    let touched: HashSet<ClusterId> =
        pairs.iter().flat_map(|(one, other)| [one, other]).filter_map(|number| documents[*number].cluster).collect();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut place_of = vec![None; documents.len()];
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
        place_of[number] = Some(place);
    }
    (members.into_par_iter().map(|members| comparison.group(members)).collect(), place_of)
}

/// The groups that have members among the pairs, where one was open when the other began.
fn edges(groups: &[Group], place_of: &[Option<usize>], pairs: &[(usize, usize)]) -> Vec<Edge> {
    let places = pairs.iter().filter_map(|(one, other)| {
        let (one, other) = (place_of[*one]?, place_of[*other]?);
        (one != other).then_some((one.max(other), one.min(other)))
    });
    let mut places: Vec<(usize, usize)> = places.collect();
    // Where all is new they come in order: each item with those before it.
    if !places.is_sorted() {
        places.par_sort_unstable();
    }
    places.dedup();
    let of_one: Vec<&[(usize, usize)]> = places.chunk_by(|(later, _), (next, _)| later == next).collect();
    of_one.into_par_iter().flat_map_iter(|places| edges_of_one(groups, places)).collect()
}

/// The edges of one group and those before it.
fn edges_of_one(groups: &[Group], places: &[(usize, usize)]) -> Vec<Edge> {
    let Some((later, _)) = places.first() else { return Vec::new() };
    let own = &groups[*later];
    let prepared = PreparedVector::of(&own.sum);
    let in_reach = places.iter().filter(|(_, earlier)| own.is_in_reach(&groups[*earlier]));
    in_reach.map(|(later, earlier)| (*earlier, *later, prepared.similarity(&groups[*earlier].sum))).collect()
}

/// New documents and those that they may be told with: what shares heavy terms, and what a model finds near.
fn pairs(
    comparison: &Comparison<'_>,
    documents: &[Document],
    in_reach: &[usize],
    limits: Limits,
) -> Vec<(usize, usize)> {
    // What is dated before every new item is found by these; what is dated later has to query for them itself.
    let first_new = in_reach.iter().position(|number| documents[*number].cluster.is_none()).unwrap_or(in_reach.len());
    let (index, queries) = index(comparison, documents, in_reach, first_new, limits);
    let of_one = |shared: &mut Shared, (place, query): (usize, &IndexQuery)| {
        let number = in_reach[place];
        let is_new = documents[number].cluster.is_none();
        let found = index.candidates(query, shared).into_iter();
        let near = if is_new { comparison.near(number) } else { Vec::new() };
        let found = found.filter(|other| is_new || documents[*other].cluster.is_none());
        found.chain(near).map(|other| (other, number)).collect::<Vec<_>>()
    };
    let places = (first_new..in_reach.len()).into_par_iter().zip(&queries);
    places.map_init(Shared::default, of_one).flatten_iter().collect()
}

/// So many stored texts are made ready for the index at a time.
const INDEXED_AT_ONCE: usize = 4_096;

/// The documents in reach by their heavy terms, and the queries of those from a place on.
fn index(
    comparison: &Comparison<'_>,
    documents: &[Document],
    in_reach: &[usize],
    first_new: usize,
    limits: Limits,
) -> (LookupIndex, Vec<IndexQuery>) {
    let mut index = LookupIndex::new(limits);
    let (before, new) = in_reach.split_at(first_new);
    let queries: Vec<Heavy> = new.par_iter().map(|number| index.heavy(comparison.get(*number))).collect();
    let (wanted, rare) = (Wanted::of(queries.iter()), RareWords::of(limits, queries.iter()));
    let first = new.first().map_or_else(Timestamp::default, |number| documents[*number].time);
    let is_considered = |number: &usize| {
        let Document { time, features, .. } = &documents[*number];
        first - *time <= NEAR_DAYS * DAY_MS || rare.are_in(features)
    };
    let before: Vec<usize> = before.par_iter().copied().filter(is_considered).collect();
    for numbers in before.chunks(INDEXED_AT_ONCE) {
        let heavy = numbers.par_iter().map(|number| wanted.of_item(index.heavy(comparison.get(*number))));
        let heavy: Vec<Heavy> = heavy.collect();
        for (number, heavy) in numbers.iter().zip(heavy) {
            index.insert(*number, &heavy);
        }
    }
    let queries = new.iter().zip(queries).map(|(number, heavy)| index.insert(*number, &heavy)).collect();
    (index, queries)
}
