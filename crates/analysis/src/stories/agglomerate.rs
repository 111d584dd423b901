//! Average-link clustering: merges the two groups with the highest margin until no two belong together.
//!
//! Input: groups, and the pairs of them that may belong together. Output: the merged groups. The order of the input
//! only decides ties. Regions without links between them are merged in parallel (`regions.rs`).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::comparison::{Comparison, Group, PairRelation, Requirement};
use super::prepared::PreparedVector;
use super::regions::{Region, regions};

/// Two groups that may belong together, by index with the lower one first, and the sum of the similarity over all pairs
/// of members.
pub(super) type Edge = (usize, usize, f64);

/// Merges the groups. `edges` contain indexes in `groups`. Groups with a mean similarity below `min_similarity` are not
/// considered.
pub(super) fn agglomerate(
    comparison: &Comparison<'_>,
    requirement: Requirement,
    groups: &[Group],
    edges: &[Edge],
    min_similarity: f64,
) -> Vec<Group> {
    let relation = |(one, other, sum): &Edge| {
        let (first, second) = (&groups[*one], &groups[*other]);
        let is_considered = first.may_be_one(second, *sum, min_similarity);
        if is_considered { comparison.relation(&requirement, first, second, *sum) } else { PairRelation::Apart }
    };
    let relations: Vec<PairRelation> = edges.par_iter().map(relation).collect();
    let (regions, number_within) =
        regions(groups.len(), edges.iter().map(|(one, other, _)| (*one, *other)), &relations);
    let merge_all = |region: Region| {
        let own = region.groups.iter().map(|index| groups[*index].clone());
        let pairs = region.edges.iter().map(|edge| {
            let (one, other, sum) = edges[*edge];
            ((number_within[one], number_within[other], sum), relations[*edge])
        });
        Merging::of(comparison, requirement, own.map(Some).collect(), &pairs.collect::<Vec<_>>(), min_similarity)
            .finish()
    };
    regions.into_par_iter().flat_map_iter(merge_all).collect()
}

struct Merging<'a, 'b> {
    comparison: &'a Comparison<'b>,
    requirement: Requirement,
    min_similarity: f64,
    /// A merged group leaves an empty slot; the result is appended.
    groups: Vec<Option<Group>>,
    /// By ascending index, each with the sum of similarity.
    neighbours: Vec<Vec<(usize, f64)>>,
    /// By the later group of a pair, its remaining pairs, best last.
    pending: Vec<Vec<Pair>>,
    /// The best pair of each group with an earlier one. Only one per group, since most pairs become obsolete before
    /// they are reached.
    heap: BinaryHeap<Pair>,
}

/// A candidate pair of groups, by index. Compact because there are many.
#[derive(Debug, Clone, Copy)]
struct Pair {
    /// See [`PairRelation::OneStory`].
    margin: f64,
    one: u32,
    other: u32,
}

impl<'a, 'b> Merging<'a, 'b> {
    fn of(
        comparison: &'a Comparison<'b>,
        requirement: Requirement,
        groups: Vec<Option<Group>>,
        edges: &[(Edge, PairRelation)],
        min_similarity: f64,
    ) -> Self {
        let mut neighbours = vec![Vec::new(); groups.len()];
        let mut pending = vec![Vec::new(); groups.len()];
        for ((one, other, sum), relation) in edges {
            neighbours[*one].push((*other, *sum));
            neighbours[*other].push((*one, *sum));
            if let PairRelation::OneStory { margin } = relation {
                pending[*other].extend(Pair::of(*margin, *one, *other));
            }
        }
        for known in &mut neighbours {
            known.sort_unstable_by_key(|(index, _)| *index);
        }
        let mut merging =
            Self { comparison, requirement, min_similarity, groups, neighbours, pending, heap: BinaryHeap::new() };
        for index in 0..merging.pending.len() {
            merging.pending[index].sort_unstable();
            merging.offer(index);
        }
        merging
    }

    fn finish(mut self) -> impl Iterator<Item = Group> {
        while let Some(best) = self.heap.pop() {
            let (one, other) = (best.one as usize, best.other as usize);
            if self.are_one_story(one, other) {
                self.merge(one, other);
            } else {
                self.offer(other);
            }
        }
        self.groups.into_iter().flatten()
    }

    /// Pushes the next best pair of a group with an earlier one onto the heap.
    fn offer(&mut self, index: usize) {
        if self.groups[index].is_none() {
            return;
        }
        while let Some(pair) = self.pending[index].pop() {
            if self.groups[pair.one as usize].is_some() {
                return self.heap.push(pair);
            }
        }
    }

    fn pair(&self, one: usize, other: usize, sum: f64) -> Option<Pair> {
        let (first, second) = (self.groups[one].as_ref()?, self.groups[other].as_ref()?);
        if !first.may_be_one(second, sum, self.min_similarity) {
            return None;
        }
        Pair::of(self.comparison.story_match(&self.requirement, first, second, sum)?.margin, one, other)
    }

    /// Returns whether both groups still exist and are one story.
    fn are_one_story(&self, one: usize, other: usize) -> bool {
        let (Some(first), Some(second)) = (&self.groups[one], &self.groups[other]) else { return false };
        let known = &self.neighbours[other];
        let index = known.binary_search_by_key(&one, |(index, _)| *index);
        let sum = index.ok().and_then(|index| known.get(index)).map(|(_, sum)| *sum);
        let story_match = sum.and_then(|sum| self.comparison.story_match(&self.requirement, first, second, sum));
        story_match.is_some_and(|story_match| Comparison::is_one_story(first, second, story_match))
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (self.groups[one].take(), self.groups[other].take()) else { return };
        self.pending[one] = Vec::new();
        self.pending[other] = Vec::new();
        let neighbours = self.common(one, other, &first, &second);
        let index = self.groups.len();
        self.groups.push(Some(first.plus(second)));
        for (neighbour, sum) in &neighbours {
            self.neighbours[*neighbour].push((index, *sum));
        }
        let pairs = neighbours.iter().filter_map(|(neighbour, sum)| self.pair(*neighbour, index, *sum));
        let mut pairs: Vec<Pair> = pairs.collect();
        pairs.sort_unstable();
        self.pending.push(pairs);
        self.neighbours.push(neighbours);
        self.offer(index);
    }

    /// Returns the remaining groups that may be one with either group, each with the sum of similarity to both. A sum
    /// that is unknown for one of them is computed.
    fn common(&mut self, one: usize, other: usize, first: &Group, second: &Group) -> Vec<(usize, f64)> {
        let (of_first, of_second) =
            (std::mem::take(&mut self.neighbours[one]), std::mem::take(&mut self.neighbours[other]));
        let (mut of_first, mut of_second) = (of_first.into_iter().peekable(), of_second.into_iter().peekable());
        let prepared = (PreparedVector::of(&first.sum), PreparedVector::of(&second.sum));
        let mut common = Vec::with_capacity(of_first.len() + of_second.len());
        while let Some(index) = [of_first.peek(), of_second.peek()].into_iter().flatten().map(|(index, _)| *index).min()
        {
            let known = [&mut of_first, &mut of_second].map(|list| list.next_if(|(other, _)| *other == index));
            let Some(group) = &self.groups[index] else { continue };
            let may_be_one = |(known, own): (Option<(usize, f64)>, &Group)| {
                known.is_some_and(|(_, sum)| group.is_in_range(own) && group.may_be_one(own, sum, self.min_similarity))
            };
            if !(may_be_one((known[0], first)) || may_be_one((known[1], second))) {
                continue;
            }
            let [to_first, to_second] = [(known[0], &prepared.0), (known[1], &prepared.1)]
                .map(|(known, own)| known.map_or_else(|| own.similarity(&group.sum), |(_, sum)| sum));
            common.push((index, to_first + to_second));
        }
        common
    }
}

impl Pair {
    fn of(margin: f64, one: usize, other: usize) -> Option<Self> {
        Some(Self { margin, one: u32::try_from(one).ok()?, other: u32::try_from(other).ok()? })
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        let earlier = (other.one, other.other).cmp(&(self.one, self.other));
        self.margin.total_cmp(&other.margin).then(earlier)
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}
