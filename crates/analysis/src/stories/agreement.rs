//! Agreement of clusters with labelled stories: B-cubed (Bagga and Baldwin 1998) and pairwise precision and recall.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

/// Shares in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// The results of both measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    pub documents: usize,
    pub stories: usize,
    pub clusters: usize,
    pub bcubed: Score,
    pub pairwise: Score,
}

impl Score {
    fn of(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        Self { precision, recall, f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
    }
}

impl Agreement {
    /// Computes the agreement from (labelled story, cluster) pairs, one per document.
    #[must_use]
    pub fn of<S: Copy + Eq + Hash, C: Copy + Eq + Hash>(documents: &[(S, C)]) -> Self {
        let stories = counts(documents.iter().map(|(story, _)| *story));
        let clusters = counts(documents.iter().map(|(_, cluster)| *cluster));
        let both = counts(documents.iter().copied());
        let all = number(documents.len()).max(1.0);
        // Summed in ascending order, so that the result does not depend on the map's order.
        let share = |of: &dyn Fn(&(S, C)) -> usize| {
            let mut shares: Vec<f64> =
                both.iter().map(|(key, count)| number(*count) * number(*count) / number(of(key))).collect();
            shares.sort_unstable_by(f64::total_cmp);
            shares.iter().sum::<f64>() / all
        };
        let bcubed = Score::of(share(&|(_, cluster)| clusters[cluster]), share(&|(story, _)| stories[story]));
        let together = pairs(both.values());
        let found = together / pairs(clusters.values()).max(1.0);
        let labelled = together / pairs(stories.values()).max(1.0);
        Self {
            documents: documents.len(),
            stories: stories.len(),
            clusters: clusters.len(),
            bcubed,
            pairwise: Score::of(found, labelled),
        }
    }
}

fn counts<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut counts = HashMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

fn pairs<'a>(sizes: impl Iterator<Item = &'a usize>) -> f64 {
    number(sizes.map(|size| size * size.saturating_sub(1) / 2).sum())
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
const fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn what_agrees_wholly_is_one() {
        let agreement = Agreement::of(&[("a", 1), ("a", 1), ("b", 2)]);
        assert!(close(agreement.bcubed.f1, 1.0) && close(agreement.pairwise.f1, 1.0));
        assert_eq!((agreement.documents, agreement.stories, agreement.clusters), (3, 2, 2));
    }

    /// Calculated by hand: two stories of two items each, in one cluster of three and one of one.
    #[test]
    fn a_wrong_one_costs_precision_and_recall() {
        let agreement = Agreement::of(&[("a", 1), ("a", 1), ("b", 1), ("b", 2)]);
        assert!(close(agreement.bcubed.precision, (4.0 / 3.0 + 1.0 / 3.0 + 1.0) / 4.0));
        assert!(close(agreement.bcubed.recall, (2.0 + 0.5 + 0.5) / 4.0));
        assert!(close(agreement.pairwise.precision, 1.0 / 3.0) && close(agreement.pairwise.recall, 0.5));
    }

    #[test]
    fn nothing_labelled_is_no_error() {
        assert!(close(Agreement::of::<u8, u8>(&[]).bcubed.f1, 0.0));
    }
}
