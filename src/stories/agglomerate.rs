//! Average link: the two groups that belong together most are made one, until no two do.
//!
//! Comes in: groups and the pairs of them that may belong together. Goes out: the groups that are left. The order of what comes in
//! decides ties alone.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::comparison::{Comparison, Group, Likeness, Thresholds};
use super::yardstick::Yardstick;

/// Two groups that may belong together, the one with the lower place first, and the sum of their similarity over all pairs of members.
pub(super) type Edge = (usize, usize, f64);

/// Merges the groups; `edges` name places in `groups`, in rising order. Groups less alike than `least` are no longer looked at.
pub(super) fn agglomerate(
    comparison: &Comparison<'_>,
    thresholds: Thresholds,
    groups: Vec<Group>,
    edges: &[Edge],
    least: f64,
) -> Vec<Group> {
    let mut merging = Merging::of(comparison, thresholds, groups, edges, least);
    while let Some(best) = merging.heap.pop() {
        let (one, other) = (best.one as usize, best.other as usize);
        if merging.are_one_story(one, other) {
            merging.merge(one, other);
        } else {
            merging.offer(other);
        }
    }
    merging.groups.into_iter().flatten().collect()
}

struct Merging<'a, 'b> {
    comparison: &'a Comparison<'b>,
    thresholds: Thresholds,
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
    /// See [`Likeness`].
    margin: f64,
    one: u32,
    other: u32,
}

impl<'a, 'b> Merging<'a, 'b> {
    fn of(
        comparison: &'a Comparison<'b>,
        thresholds: Thresholds,
        groups: Vec<Group>,
        edges: &[Edge],
        least: f64,
    ) -> Self {
        let mut counts = vec![0; groups.len()];
        for place in edges.iter().flat_map(|(one, other, _)| [*one, *other]) {
            counts[place] += 1;
        }
        let mut neighbours: Vec<Vec<(usize, f64)>> = counts.into_iter().map(Vec::with_capacity).collect();
        for (one, other, sum) in edges {
            neighbours[*one].push((*other, *sum));
            neighbours[*other].push((*one, *sum));
        }
        for known in &mut neighbours {
            known.sort_unstable_by_key(|(place, _)| *place);
        }
        let groups = groups.into_iter().map(Some).collect();
        let waiting = vec![Vec::new(); neighbours.len()];
        let mut merging = Self { comparison, thresholds, least, groups, neighbours, waiting, heap: BinaryHeap::new() };
        let pair = |(one, other, sum): &Edge| merging.pair(*one, *other, *sum);
        let pairs: Vec<Pair> = edges.par_iter().filter_map(pair).collect();
        for pair in pairs {
            merging.waiting[pair.other as usize].push(pair);
        }
        for place in 0..merging.waiting.len() {
            merging.waiting[place].sort_unstable();
            merging.offer(place);
        }
        merging
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
        let margin = self.likeness(one, other, sum)?.margin;
        Some(Pair { margin, one: u32::try_from(one).ok()?, other: u32::try_from(other).ok()? })
    }

    fn likeness(&self, one: usize, other: usize, sum: f64) -> Option<Likeness> {
        let (first, second) = (self.groups[one].as_ref()?, self.groups[other].as_ref()?);
        self.comparison.likeness(self.thresholds, first, second, sum)
    }

    /// Whether they are, if neither has gone into another.
    fn are_one_story(&self, one: usize, other: usize) -> bool {
        let (Some(first), Some(second)) = (&self.groups[one], &self.groups[other]) else { return false };
        let known = &self.neighbours[other];
        let place = known.binary_search_by_key(&one, |(place, _)| *place);
        let sum = place.ok().and_then(|place| known.get(place)).map(|(_, sum)| *sum);
        let likeness = sum.and_then(|sum| self.likeness(one, other, sum));
        likeness.is_some_and(|likeness| Comparison::is_one_story(first, second, likeness))
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (self.groups[one].take(), self.groups[other].take()) else { return };
        self.waiting[one] = Vec::new();
        self.waiting[other] = Vec::new();
        let neighbours = self.common(one, other, &first, &second);
        let place = self.groups.len();
        let both = first.plus(second);
        let neighbours: Vec<(usize, f64)> =
            neighbours.into_iter().filter(|(neighbour, sum)| self.may_be_one(*neighbour, &both, *sum)).collect();
        self.groups.push(Some(both));
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

    fn may_be_one(&self, place: usize, group: &Group, sum: f64) -> bool {
        self.groups[place].as_ref().is_some_and(|other| other.may_be_one(group, sum, self.least))
    }

    /// The neighbours of either that are left, with the sum of similarity to both: known of a neighbour of both, else completed.
    fn common(&mut self, one: usize, other: usize, first: &Group, second: &Group) -> Vec<(usize, f64)> {
        let (mine, theirs) = (std::mem::take(&mut self.neighbours[one]), std::mem::take(&mut self.neighbours[other]));
        let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.into_iter().peekable());
        let (first, second) = (Yardstick::of(&first.sum), Yardstick::of(&second.sum));
        let mut common = Vec::with_capacity(mine.len() + theirs.len());
        while let Some(place) = [mine.peek(), theirs.peek()].into_iter().flatten().map(|(place, _)| *place).min() {
            let known = [&mut mine, &mut theirs].map(|list| list.next_if(|(other, _)| *other == place));
            let Some(group) = &self.groups[place] else { continue };
            let [to_first, to_second] = [(known[0], &first), (known[1], &second)]
                .map(|(known, own)| known.map_or_else(|| own.similarity(&group.sum), |(_, sum)| sum));
            common.push((place, to_first + to_second));
        }
        common
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
