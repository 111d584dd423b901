//! Finds thresholds on labelled stories.
//!
//! Input: labelled items, prepared for comparison. Output: the thresholds that fit them best, and a comparison with
//! the default ones. Called by `calibrate --tune`.
//!
//! All combinations of a grid are tried. The result is not the single best one but the one with the best neighbourhood:
//! a single peak is an accident of these labels, while a plateau is likely to recur on others. The default thresholds
//! only decide ties.

use std::collections::HashMap;

use aha_core::thresholds::Thresholds;

use super::agreement::Agreement;
use super::cluster::Clustering;
use super::split::Splits;

const PAIRS: [f64; 5] = [0.20, 0.22, 0.24, 0.26, 0.28];
const GROUPS: [f64; 6] = [0.03, 0.04, 0.05, 0.06, 0.07, 0.08];
const SPLITS: [f64; 11] = [0.03, 0.04, 0.05, 0.055, 0.0575, 0.06, 0.0625, 0.065, 0.07, 0.075, 0.08];

/// The result of tuning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    /// The thresholds whose neighbourhood fits the labels best.
    pub found: Thresholds,
    /// Mean B-cubed F1 in their neighbourhood.
    pub found_f1: f64,
    /// The same for the default thresholds, at the nearest grid point.
    pub shipped_f1: f64,
}

/// Minimum difference in B-cubed F1 that is more than chance with so few stories: about one standard error for 22
/// stories of 250 items (0.017 and 0.028 on the halves of ECB+'s topics 1 to 24, by a bootstrap over stories).
pub const STANDARD_ERROR: f64 = 0.02;

impl Tuned {
    /// Returns whether the improvement on these labels is large enough to expect one on others.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.found_f1 - self.shipped_f1 >= STANDARD_ERROR
    }
}

/// Scores by the indexes of the thresholds in the three lists.
type Scores = Vec<Vec<Vec<f64>>>;

/// Finds the thresholds that fit the labels, one label per item.
#[must_use]
pub fn tune(clustering: &Clustering<'_>, labels: &[&str], shipped: Thresholds) -> Tuned {
    let mut known = Splits::default();
    let mut row = |pair: &f64| {
        let by_group = GROUPS.iter().map(|group| Thresholds { pair: *pair, group: *group, ..shipped });
        by_group.map(|thresholds| scores_by_split(clustering, &mut known, labels, thresholds)).collect()
    };
    let scores: Scores = PAIRS.iter().map(&mut row).collect();
    let mut best = (f64::MIN, f64::MIN, shipped);
    for (p, pair) in PAIRS.iter().enumerate() {
        for (c, group) in GROUPS.iter().enumerate() {
            for (s, split) in SPLITS.iter().enumerate() {
                let tried = Thresholds { pair: *pair, group: *group, split: *split, ..shipped };
                let (mean, far) = (neighbourhood_mean(&scores, [p, c, s]), distance(tried, shipped));
                if mean > best.0 + 1e-9 || (mean > best.0 - 1e-9 && -far > best.1) {
                    best = (mean, -far, tried);
                }
            }
        }
    }
    let known = [
        nearest_index(&PAIRS, shipped.pair),
        nearest_index(&GROUPS, shipped.group),
        nearest_index(&SPLITS, shipped.split),
    ];
    Tuned { found: best.2, found_f1: best.0, shipped_f1: neighbourhood_mean(&scores, known) }
}

/// Returns the index of the nearest value in a list.
fn nearest_index(values: &[f64], wanted: f64) -> usize {
    let nearest = values.iter().enumerate().min_by(|a, b| (a.1 - wanted).abs().total_cmp(&(b.1 - wanted).abs()));
    nearest.map_or(0, |(index, _)| index)
}

/// Returns the B-cubed F1 for each threshold in [`SPLITS`]; the groups of average link do not depend on it.
fn scores_by_split(
    clustering: &Clustering<'_>,
    known: &mut Splits,
    labels: &[&str],
    thresholds: Thresholds,
) -> Vec<f64> {
    let groups = clustering.groups(thresholds);
    let mut score = |split: &f64| {
        let mut found: HashMap<usize, usize> = HashMap::new();
        for group in &groups {
            for part in clustering.split(known, group, Thresholds { split: *split, ..thresholds }) {
                let cluster = found.len();
                found.extend(part.into_iter().map(|member| (member, cluster)));
            }
        }
        let both: Vec<(&str, Option<&usize>)> =
            labels.iter().enumerate().map(|(number, label)| (*label, found.get(&number))).collect();
        Agreement::of(&both).bcubed.f1
    };
    SPLITS.iter().map(&mut score).collect()
}

/// Returns the mean over a grid point and its neighbours.
fn neighbourhood_mean(scores: &Scores, point: [usize; 3]) -> f64 {
    let near = |at: usize, wide: usize, length: usize| at.saturating_sub(wide)..(at + wide + 1).min(length);
    let mut values = Vec::new();
    for row in &scores[near(point[0], 1, PAIRS.len())] {
        for column in &row[near(point[1], 1, GROUPS.len())] {
            values.extend_from_slice(&column[near(point[2], 2, SPLITS.len())]);
        }
    }
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    values.iter().sum::<f64>() / f64::from(count.max(1))
}

fn distance(one: Thresholds, other: Thresholds) -> f64 {
    (one.pair - other.pair).abs() + (one.group - other.group).abs() + (one.split - other.split).abs()
}
