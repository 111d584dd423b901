//! Average link: the two groups that belong together most are made one, until no two do.
//!
//! Comes in: groups and the pairs of them that may belong together. Goes out: the groups that are left. The order of what comes in
//! decides ties alone.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use super::comparison::{Comparison, Group, Thresholds};

/// Merges the groups; `pairs` are places in `groups`.
pub(super) fn agglomerate(
    comparison: &Comparison<'_>,
    thresholds: Thresholds,
    groups: Vec<Group>,
    pairs: &BTreeSet<(usize, usize)>,
) -> Vec<Group> {
    let mut merging = Merging::of(comparison, thresholds, groups, pairs);
    while let Some(best) = merging.heap.pop() {
        if merging.groups[best.one].is_some() && merging.groups[best.other].is_some() {
            merging.merge(best.one, best.other);
        }
    }
    merging.groups.into_iter().flatten().collect()
}

struct Merging<'a, 'b> {
    comparison: &'a Comparison<'b>,
    thresholds: Thresholds,
    /// A group that went into another leaves its place empty; what became of both has a new one.
    groups: Vec<Option<Group>>,
    neighbours: Vec<BTreeSet<usize>>,
    heap: BinaryHeap<Pair>,
}

/// Two groups that belong together, by how much.
struct Pair {
    margin: f64,
    one: usize,
    other: usize,
}

impl<'a, 'b> Merging<'a, 'b> {
    fn of(
        comparison: &'a Comparison<'b>,
        thresholds: Thresholds,
        groups: Vec<Group>,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Self {
        let mut neighbours = vec![BTreeSet::new(); groups.len()];
        for (one, other) in pairs {
            neighbours[*one].insert(*other);
            neighbours[*other].insert(*one);
        }
        let groups = groups.into_iter().map(Some).collect();
        let mut merging = Self { comparison, thresholds, groups, neighbours, heap: BinaryHeap::new() };
        for (one, other) in pairs {
            merging.compare(*one, *other);
        }
        merging
    }

    fn compare(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (&self.groups[one], &self.groups[other]) else { return };
        if let Some(margin) = self.comparison.margin(self.thresholds, first, second) {
            self.heap.push(Pair { margin, one, other });
        }
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (Some(first), Some(second)) = (self.groups[one].take(), self.groups[other].take()) else { return };
        let place = self.groups.len();
        self.groups.push(Some(first.plus(&second)));
        let mut neighbours = std::mem::take(&mut self.neighbours[one]);
        neighbours.append(&mut self.neighbours[other]);
        neighbours.retain(|neighbour| self.groups[*neighbour].is_some());
        for neighbour in &neighbours {
            self.neighbours[*neighbour].insert(place);
            self.compare(*neighbour, place);
        }
        self.neighbours.push(neighbours);
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
