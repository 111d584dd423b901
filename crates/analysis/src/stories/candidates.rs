//! Selects what a run must compare: the new items, and the stories that they may belong to.
//!
//! Input: items. Output: groups, and the pairs of them with any similarity (`lookup.rs` finds these without
//! comparing all pairs). Parallel results are combined in item order.

use std::collections::{HashMap, HashSet};

use aha_core::ids::ClusterId;
use aha_core::time::{DAY_MS, Timestamp};
use rayon::prelude::*;

use super::agglomerate::Edge;
use super::cluster_item::{ClusterItem, OPEN_DAYS};
use super::comparison::{Comparison, Group};
use super::lookup::{Heavy, IndexQuery, Limits, LookupIndex, QueryTerms, RareWords, Shared};
use super::prepared::PreparedVector;

/// Stored items up to this many days before the first new item are always considered.
pub(super) const NEAR_DAYS: i64 = 7;

/// Groups of new items and of stories that they may belong to, and which of them are similar.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) groups: Vec<Group>,
    pub(super) edges: Vec<Edge>,
}

impl Candidates {
    pub(super) fn of(comparison: &Comparison<'_>, items: &[ClusterItem], limits: Limits) -> Self {
        let range = TimeRange::of(items);
        let in_range: Vec<usize> = (0..items.len()).filter(|n| range.contains(items[*n].time)).collect();
        let pairs = pairs(comparison, items, &in_range, limits);
        let (groups, group_of) = groups(comparison, items, &in_range, &pairs);
        let edges = edges(&groups, &group_of, &pairs);
        Self { groups, edges }
    }
}

/// The time range of items whose story a new item can join.
struct TimeRange {
    first: Timestamp,
    last: Timestamp,
}

impl TimeRange {
    fn of(items: &[ClusterItem]) -> Self {
        let new = || items.iter().filter(|d| d.cluster.is_none()).map(|d| d.time);
        let zero = Timestamp::from_millis(0);
        Self { first: new().min().unwrap_or(zero), last: new().max().unwrap_or(zero) }
    }

    fn contains(&self, time: Timestamp) -> bool {
        self.first - time <= OPEN_DAYS * DAY_MS && time - self.last <= OPEN_DAYS * DAY_MS
    }
}

/// Returns a group for each new item and for each story that one may belong to, and the group index of each item.
/// Stories that no new item resembles are unchanged and not considered.
fn groups(
    comparison: &Comparison<'_>,
    items: &[ClusterItem],
    in_range: &[usize],
    pairs: &[(usize, usize)],
) -> (Vec<Group>, Vec<Option<usize>>) {
    let touched: HashSet<ClusterId> =
        pairs.iter().flat_map(|(one, other)| [one, other]).filter_map(|number| items[*number].cluster).collect();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut group_of = vec![None; items.len()];
    let mut stories: HashMap<ClusterId, usize> = HashMap::new();
    for number in in_range.iter().copied() {
        let index = match items[number].cluster {
            None => members.len(),
            Some(story) if touched.contains(&story) => *stories.entry(story).or_insert(members.len()),
            Some(_) => continue,
        };
        if index == members.len() {
            members.push(Vec::new());
        }
        members[index].push(number);
        group_of[number] = Some(index);
    }
    (members.into_par_iter().map(|members| comparison.group(members)).collect(), group_of)
}

/// Returns the pairs of groups with members among `pairs`, if one was open when the other began.
fn edges(groups: &[Group], group_of: &[Option<usize>], pairs: &[(usize, usize)]) -> Vec<Edge> {
    let group_pairs = pairs.iter().filter_map(|(one, other)| {
        let (one, other) = (group_of[*one]?, group_of[*other]?);
        (one != other).then_some((one.max(other), one.min(other)))
    });
    let mut group_pairs: Vec<(usize, usize)> = group_pairs.collect();
    // If all items are new, the pairs are already sorted: each item with those before it.
    if !group_pairs.is_sorted() {
        group_pairs.par_sort_unstable();
    }
    group_pairs.dedup();
    let of_one: Vec<&[(usize, usize)]> = group_pairs.chunk_by(|(later, _), (next, _)| later == next).collect();
    of_one.into_par_iter().flat_map_iter(|group_pairs| edges_of_one(groups, group_pairs)).collect()
}

/// Returns the edges between one group and earlier ones.
fn edges_of_one(groups: &[Group], group_pairs: &[(usize, usize)]) -> Vec<Edge> {
    let Some((later, _)) = group_pairs.first() else { return Vec::new() };
    let own = &groups[*later];
    let prepared = PreparedVector::of(&own.sum);
    let in_range = group_pairs.iter().filter(|(_, earlier)| own.is_in_range(&groups[*earlier]));
    in_range.map(|(later, earlier)| (*earlier, *later, prepared.similarity(&groups[*earlier].sum))).collect()
}

/// Returns pairs of new items and candidates: those that share heavy terms, and those that a model finds similar.
fn pairs(
    comparison: &Comparison<'_>,
    items: &[ClusterItem],
    in_range: &[usize],
    limits: Limits,
) -> Vec<(usize, usize)> {
    // Items dated before every new item are found by the new items' queries; later ones need their own queries.
    let first_new = in_range.iter().position(|number| items[*number].cluster.is_none()).unwrap_or(in_range.len());
    let (index, queries) = index(comparison, items, in_range, first_new, limits);
    let of_one = |shared: &mut Shared, (position, query): (usize, &IndexQuery)| {
        let number = in_range[position];
        let is_new = items[number].cluster.is_none();
        let found = index.candidates(query, shared).into_iter();
        let near = if is_new { comparison.near(number) } else { Vec::new() };
        let found = found.filter(|other| is_new || items[*other].cluster.is_none());
        found.chain(near).map(|other| (other, number)).collect::<Vec<_>>()
    };
    let positions = (first_new..in_range.len()).into_par_iter().zip(&queries);
    positions.map_init(Shared::default, of_one).flatten_iter().collect()
}

/// Number of stored texts prepared for the index at a time.
const INDEX_BATCH: usize = 4_096;

/// Indexes the items in range by their heavy terms, and returns the queries of those from `first_new` on.
fn index(
    comparison: &Comparison<'_>,
    items: &[ClusterItem],
    in_range: &[usize],
    first_new: usize,
    limits: Limits,
) -> (LookupIndex, Vec<IndexQuery>) {
    let mut index = LookupIndex::new(limits);
    let (before, new) = in_range.split_at(first_new);
    let queries: Vec<Heavy> = new.par_iter().map(|number| index.heavy(comparison.get(*number))).collect();
    let (terms, rare) = (QueryTerms::of(queries.iter()), RareWords::of(limits, queries.iter()));
    let first = new.first().map_or_else(Timestamp::default, |number| items[*number].time);
    let is_considered = |number: &usize| {
        let ClusterItem { time, features, .. } = &items[*number];
        first - *time <= NEAR_DAYS * DAY_MS || rare.enough_in(features)
    };
    let before: Vec<usize> = before.par_iter().copied().filter(is_considered).collect();
    for numbers in before.chunks(INDEX_BATCH) {
        let heavy = numbers.par_iter().map(|number| terms.of_item(index.heavy(comparison.get(*number))));
        let heavy: Vec<Heavy> = heavy.collect();
        for (number, heavy) in numbers.iter().zip(heavy) {
            index.insert(*number, &heavy);
        }
    }
    let queries = new.iter().zip(queries).map(|(number, heavy)| index.insert(*number, &heavy)).collect();
    (index, queries)
}
