//! Average link: the two groups that belong together most are made one, until no two do.
//!
//! Comes in: groups and the pairs of them that may belong together. Goes out: the groups that are left. The order of what comes in
//! decides ties alone.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::comparison::{Comparison, Group, Likeness, Thresholds};

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
        if let (Some(one), Some(other)) = (&merging.groups[best.one], &merging.groups[best.other])
            && Comparison::is_one_story(one, other, best.likeness)
        {
            merging.merge(best.one, best.other);
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
    heap: BinaryHeap<Pair>,
}

/// Two groups that are alike enough.
struct Pair {
    likeness: Likeness,
    one: usize,
    other: usize,
}

impl<'a, 'b> Merging<'a, 'b> {
    fn of(
        comparison: &'a Comparison<'b>,
        thresholds: Thresholds,
        groups: Vec<Group>,
        edges: &[Edge],
        least: f64,
    ) -> Self {
        let mut neighbours = vec![Vec::new(); groups.len()];
        for (one, other, sum) in edges {
            neighbours[*one].push((*other, *sum));
            neighbours[*other].push((*one, *sum));
        }
        for known in &mut neighbours {
            known.sort_unstable_by_key(|(place, _)| *place);
        }
        let groups = groups.into_iter().map(Some).collect();
        let mut merging = Self { comparison, thresholds, groups, neighbours, heap: BinaryHeap::new(), least };
        for (one, other, sum) in edges {
            merging.compare(*one, *other, *sum);
        }
        merging
    }

    fn compare(&mut self, one: usize, other: usize, sum: f64) {
        let (Some(first), Some(second)) = (&self.groups[one], &self.groups[other]) else { return };
        if let Some(likeness) = self.comparison.likeness(self.thresholds, first, second, sum) {
            self.heap.push(Pair { likeness, one, other });
        }
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (self.groups[one].take(), self.groups[other].take()) else { return };
        let neighbours = self.common(one, other, &first, &second);
        let place = self.groups.len();
        let both = first.plus(&second);
        let neighbours: Vec<(usize, f64)> =
            neighbours.into_iter().filter(|(neighbour, sum)| self.may_be_one(*neighbour, &both, *sum)).collect();
        self.groups.push(Some(both));
        for (neighbour, sum) in &neighbours {
            self.neighbours[*neighbour].push((place, *sum));
            self.compare(*neighbour, place, *sum);
        }
        self.neighbours.push(neighbours);
    }

    fn may_be_one(&self, place: usize, group: &Group, sum: f64) -> bool {
        self.groups[place].as_ref().is_some_and(|other| other.may_be_one(group, sum, self.least))
    }

    /// The neighbours of either that are left, with the sum of similarity to both: known of a neighbour of both, else completed.
    fn common(&mut self, one: usize, other: usize, first: &Group, second: &Group) -> Vec<(usize, f64)> {
        let (mine, theirs) = (std::mem::take(&mut self.neighbours[one]), std::mem::take(&mut self.neighbours[other]));
        let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.into_iter().peekable());
        let mut common = Vec::with_capacity(mine.len() + theirs.len());
        while let Some(place) = [mine.peek(), theirs.peek()].into_iter().flatten().map(|(place, _)| *place).min() {
            let known = [&mut mine, &mut theirs].map(|list| list.next_if(|(other, _)| *other == place));
            let Some(group) = &self.groups[place] else { continue };
            let [to_first, to_second] = [(known[0], first), (known[1], second)]
                .map(|(known, own)| known.map_or_else(|| own.sum.similarity(&group.sum), |(_, sum)| sum));
            common.push((place, to_first + to_second));
        }
        common
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        let earlier = (other.one, other.other).cmp(&(self.one, self.other));
        self.likeness.margin.total_cmp(&other.likeness.margin).then(earlier)
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
