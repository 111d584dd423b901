//! Average link: the two groups that belong together most are made one, until no two do.
//!
//! Comes in: groups and the pairs of them that may belong together. Goes out: the groups that are left. The order of what comes in
//! decides ties alone. What no link holds together is merged side by side (`regions.rs`).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::comparison::{Comparison, Group, Needed, PairRelation};
use super::prepared::PreparedVector;
use super::regions::{Region, regions};

/// Two groups that may belong together, the one with the lower place first, and the sum of their similarity over all pairs of members.
pub(super) type Edge = (usize, usize, f64);

/// Merges the groups; `edges` name places in `groups`. Groups less alike than `least` are no longer considered.
pub(super) fn agglomerate(
    comparison: &Comparison<'_>,
    needed: Needed,
    groups: &[Group],
    edges: &[Edge],
    least: f64,
) -> Vec<Group> {
    let relation = |(one, other, sum): &Edge| {
        let (first, second) = (&groups[*one], &groups[*other]);
        let is_considered = first.may_be_one(second, *sum, least);
        if is_considered { comparison.relation(&needed, first, second, *sum) } else { PairRelation::Apart }
    };
    let relations: Vec<PairRelation> = edges.par_iter().map(relation).collect();
    let (regions, number_within) =
        regions(groups.len(), edges.iter().map(|(one, other, _)| (*one, *other)), &relations);
    let merge_all = |region: Region| {
        let own = region.groups.iter().map(|place| groups[*place].clone());
        let pairs = region.edges.iter().map(|edge| {
            let (one, other, sum) = edges[*edge];
            ((number_within[one], number_within[other], sum), relations[*edge])
        });
        Merging::of(comparison, needed, own.map(Some).collect(), &pairs.collect::<Vec<_>>(), least).finish()
    };
    regions.into_par_iter().flat_map_iter(merge_all).collect()
}

struct Merging<'a, 'b> {
    comparison: &'a Comparison<'b>,
    needed: Needed,
    least: f64,
    /// A group that went into another leaves its place empty; what became of both has a new one.
    groups: Vec<Option<Group>>,
    /// By rising place, each with the sum of similarity.
    neighbours: Vec<Vec<(usize, f64)>>,
    /// By the later place of a pair, what is left of its pairs, the best one last.
    waiting: Vec<Vec<Pair>>,
    /// Of each group the best of its pairs with earlier ones: most pairs are out of date before their turn comes.
    heap: BinaryHeap<Pair>,
}

/// Two groups that are alike enough, by their places. There are many, so little is kept of each.
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
        needed: Needed,
        groups: Vec<Option<Group>>,
        edges: &[(Edge, PairRelation)],
        least: f64,
    ) -> Self {
        let mut neighbours = vec![Vec::new(); groups.len()];
        let mut waiting = vec![Vec::new(); groups.len()];
        for ((one, other, sum), relation) in edges {
            neighbours[*one].push((*other, *sum));
            neighbours[*other].push((*one, *sum));
            if let PairRelation::OneStory { margin } = relation {
                waiting[*other].extend(Pair::of(*margin, *one, *other));
            }
        }
        for known in &mut neighbours {
            known.sort_unstable_by_key(|(place, _)| *place);
        }
        let mut merging = Self { comparison, needed, least, groups, neighbours, waiting, heap: BinaryHeap::new() };
        for place in 0..merging.waiting.len() {
            merging.waiting[place].sort_unstable();
            merging.offer(place);
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

    /// Puts the next best pair of a group and an earlier one on the heap.
    fn offer(&mut self, place: usize) {
        if self.groups[place].is_none() {
            return;
        }
        while let Some(pair) = self.waiting[place].pop() {
            if self.groups[pair.one as usize].is_some() {
                return self.heap.push(pair);
            }
        }
    }

    fn pair(&self, one: usize, other: usize, sum: f64) -> Option<Pair> {
        let (first, second) = (self.groups[one].as_ref()?, self.groups[other].as_ref()?);
        if !first.may_be_one(second, sum, self.least) {
            return None;
        }
        Pair::of(self.comparison.likeness(&self.needed, first, second, sum)?.margin, one, other)
    }

    /// Whether they are, if neither has gone into another.
    fn are_one_story(&self, one: usize, other: usize) -> bool {
        let (Some(first), Some(second)) = (&self.groups[one], &self.groups[other]) else { return false };
        let known = &self.neighbours[other];
        let place = known.binary_search_by_key(&one, |(place, _)| *place);
        let sum = place.ok().and_then(|place| known.get(place)).map(|(_, sum)| *sum);
        let likeness = sum.and_then(|sum| self.comparison.likeness(&self.needed, first, second, sum));
        likeness.is_some_and(|likeness| Comparison::is_one_story(first, second, likeness))
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (self.groups[one].take(), self.groups[other].take()) else { return };
        self.waiting[one] = Vec::new();
        self.waiting[other] = Vec::new();
        let neighbours = self.common(one, other, &first, &second);
        let place = self.groups.len();
        self.groups.push(Some(first.plus(second)));
        for (neighbour, sum) in &neighbours {
            self.neighbours[*neighbour].push((place, *sum));
        }
        let pairs = neighbours.iter().filter_map(|(neighbour, sum)| self.pair(*neighbour, place, *sum));
        let mut pairs: Vec<Pair> = pairs.collect();
        pairs.sort_unstable();
        self.waiting.push(pairs);
        self.neighbours.push(neighbours);
        self.offer(place);
    }

    /// The groups that are left of which either may be one with, each with the sum of similarity to both: where it is not known of
    /// one of them, it is found now.
    fn common(&mut self, one: usize, other: usize, first: &Group, second: &Group) -> Vec<(usize, f64)> {
        let (mine, theirs) = (std::mem::take(&mut self.neighbours[one]), std::mem::take(&mut self.neighbours[other]));
        let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.into_iter().peekable());
        let prepared = (PreparedVector::of(&first.sum), PreparedVector::of(&second.sum));
        let mut common = Vec::with_capacity(mine.len() + theirs.len());
        while let Some(place) = [mine.peek(), theirs.peek()].into_iter().flatten().map(|(place, _)| *place).min() {
            let known = [&mut mine, &mut theirs].map(|list| list.next_if(|(other, _)| *other == place));
            let Some(group) = &self.groups[place] else { continue };
            let may_be_one = |(known, own): (Option<(usize, f64)>, &Group)| {
                known.is_some_and(|(_, sum)| group.is_in_reach(own) && group.may_be_one(own, sum, self.least))
            };
            if !(may_be_one((known[0], first)) || may_be_one((known[1], second))) {
                continue;
            }
            let [to_first, to_second] = [(known[0], &prepared.0), (known[1], &prepared.1)]
                .map(|(known, own)| known.map_or_else(|| own.similarity(&group.sum), |(_, sum)| sum));
            common.push((place, to_first + to_second));
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
