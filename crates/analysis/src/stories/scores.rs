//! How well a clustering agrees with labels: B-cubed (Bagga & Baldwin 1998) and pairwise precision, recall and F1.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

/// Agreement of a clustering with labelled stories, all in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClusterScores {
    pub documents: usize,
    pub stories: usize,
    pub clusters: usize,
    pub bcubed_precision: f64,
    pub bcubed_recall: f64,
    pub bcubed_f1: f64,
    pub pairwise_precision: f64,
    pub pairwise_recall: f64,
    pub pairwise_f1: f64,
}

/// Scores pairs of (labelled story, found cluster), one a document.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
pub fn score<S: Eq + Hash, C: Eq + Hash>(documents: &[(S, C)]) -> ClusterScores {
    let (mut stories, mut clusters, mut both) = (HashMap::new(), HashMap::new(), HashMap::new());
    for (story, cluster) in documents {
        *stories.entry(story).or_insert(0_usize) += 1;
        *clusters.entry(cluster).or_insert(0_usize) += 1;
        *both.entry((story, cluster)).or_insert(0_usize) += 1;
    }
    let total = documents.len().max(1) as f64;
    let (mut precision, mut recall, mut true_pairs) = (0.0, 0.0, 0);
    // Summed in a fixed order, so that the same input prints the same digits.
    let mut shared: Vec<(usize, usize, usize)> =
        both.iter().map(|((story, cluster), n)| (*n, clusters[cluster], stories[story])).collect();
    shared.sort_unstable();
    for (n, cluster, story) in shared {
        precision += (n * n) as f64 / cluster as f64;
        recall += (n * n) as f64 / story as f64;
        true_pairs += pairs(n);
    }
    let (precision, recall) = (precision / total, recall / total);
    let ratio = |of: usize| true_pairs as f64 / of.max(1) as f64;
    let pair_precision = ratio(clusters.values().map(|n| pairs(*n)).sum());
    let pair_recall = ratio(stories.values().map(|n| pairs(*n)).sum());
    ClusterScores {
        documents: documents.len(),
        stories: stories.len(),
        clusters: clusters.len(),
        bcubed_precision: precision,
        bcubed_recall: recall,
        bcubed_f1: f1(precision, recall),
        pairwise_precision: pair_precision,
        pairwise_recall: pair_recall,
        pairwise_f1: f1(pair_precision, pair_recall),
    }
}

const fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_clustering_scores_one() {
        let scores = score(&[("a", 1), ("a", 1), ("b", 2)]);
        assert!((scores.bcubed_f1 - 1.0).abs() < 1e-12);
        assert!((scores.pairwise_f1 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_heap_has_full_recall_and_poor_precision() {
        let scores = score(&[("a", 1), ("a", 1), ("b", 1), ("c", 1)]);
        assert!((scores.bcubed_recall - 1.0).abs() < 1e-12);
        // (2/4 + 2/4 + 1/4 + 1/4) / 4
        assert!((scores.bcubed_precision - 0.375).abs() < 1e-12);
    }
}
