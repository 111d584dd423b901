//! Separates what average link need not compare together.
//!
//! Comes in: groups, and how each pair of them that is alike at all stands. Goes out: the regions that links hold together, each of which is
//! merged by itself, on any processor. Two regions could only become one story if the mean over many pairs came to be enough for one
//! although no pair has half of what it needs by itself: what they share then is a topic.

use super::comparison::PairRelation;

/// Groups that links hold together.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// Places, rising.
    pub(super) groups: Vec<usize>,
    /// The places of the edges between them, rising.
    pub(super) edges: Vec<usize>,
}

/// The regions of so many groups, and by place the number of each group within its region. `edges` name two groups each.
pub(super) fn regions(
    groups: usize,
    edges: impl ExactSizeIterator<Item = (usize, usize)> + Clone,
    relations: &[PairRelation],
) -> (Vec<Region>, Vec<usize>) {
    let mut roots = Roots((0..groups).collect());
    for ((one, other), relation) in edges.clone().zip(relations) {
        if !matches!(relation, PairRelation::Apart) {
            roots.join(one, other);
        }
    }
    let mut regions: Vec<Region> = Vec::new();
    let mut region_of = vec![usize::MAX; groups];
    let mut number_within = vec![0; groups];
    for place in 0..groups {
        let root = roots.of(place);
        if region_of[root] == usize::MAX {
            region_of[root] = regions.len();
            regions.push(Region::default());
        }
        region_of[place] = region_of[root];
        let region = &mut regions[region_of[place]];
        number_within[place] = region.groups.len();
        region.groups.push(place);
    }
    for (edge, (one, other)) in edges.enumerate() {
        if region_of[one] == region_of[other] {
            regions[region_of[one]].edges.push(edge);
        }
    }
    (regions, number_within)
}

/// For each place another one that it is joined with, or itself: in the end the smallest (a union-find with path halving).
struct Roots(Vec<usize>);

impl Roots {
    fn of(&mut self, mut place: usize) -> usize {
        while self.0[place] != place {
            self.0[place] = self.0[self.0[place]];
            place = self.0[place];
        }
        place
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_hold_groups_together() {
        let edges = [(0, 3), (1, 2), (2, 4), (3, 4), (0, 5), (3, 5)];
        let (linked, apart) = (PairRelation::Linked, PairRelation::Apart);
        let relations = [PairRelation::OneStory { margin: 0.1 }, linked, linked, apart, linked, apart];
        let (regions, number_within) = regions(7, edges.into_iter(), &relations);
        let found: Vec<_> = regions.iter().map(|region| (&region.groups[..], &region.edges[..])).collect();
        assert_eq!(found, [(&[0, 3, 5][..], &[0, 4, 5][..]), (&[1, 2, 4][..], &[1, 2][..]), (&[6][..], &[][..])]);
        assert_eq!(number_within, [0, 0, 1, 1, 2, 2, 0]);
    }
}
