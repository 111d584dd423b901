//! Separates groups that average link need not compare with each other.
//!
//! Input: groups, and the relations of their pairs. Output: the connected regions, each of which is merged
//! independently and in parallel. Two regions could only become one story if the mean over many pairs sufficed although
//! no pair has half of the required similarity. What they share in that case is a broad topic.

use super::comparison::PairRelation;

/// Groups connected by links.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// Group indexes, ascending.
    pub(super) groups: Vec<usize>,
    /// Indexes of the edges between them, ascending.
    pub(super) edges: Vec<usize>,
}

/// Returns the regions, and the index of each group within its region. `edges` contain two group indexes each.
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
    for index in 0..groups {
        let root = roots.of(index);
        if region_of[root] == usize::MAX {
            region_of[root] = regions.len();
            regions.push(Region::default());
        }
        region_of[index] = region_of[root];
        let region = &mut regions[region_of[index]];
        number_within[index] = region.groups.len();
        region.groups.push(index);
    }
    for (edge, (one, other)) in edges.enumerate() {
        if region_of[one] == region_of[other] {
            regions[region_of[one]].edges.push(edge);
        }
    }
    (regions, number_within)
}

/// Union-find with path halving: for each index its parent, or itself. The root is the smallest index.
struct Roots(Vec<usize>);

impl Roots {
    fn of(&mut self, mut index: usize) -> usize {
        while self.0[index] != index {
            self.0[index] = self.0[self.0[index]];
            index = self.0[index];
        }
        index
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
