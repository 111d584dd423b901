//! Finds thresholds on labelled stories.
//!
//! Comes in: labelled documents, made ready for comparing. Goes out: the thresholds that suit them, beside those that ship. Called by
//! `calibrate --tune`.
//!
//! All combinations of a grid are tried. Found is not the best of them but the one whose surroundings are best: a single peak is an
//! accident of these labels, a plateau is found again on others. The thresholds that ship only decide between equals.

use std::collections::HashMap;

use aha_core::thresholds::Thresholds;

use super::agreement::Agreement;
use super::cluster::Clustering;
use super::split::Splits;

const PAIRS: [f64; 5] = [0.20, 0.22, 0.24, 0.26, 0.28];
const GROUPS: [f64; 6] = [0.03, 0.04, 0.05, 0.06, 0.07, 0.08];
const SPLITS: [f64; 11] = [0.03, 0.04, 0.05, 0.055, 0.0575, 0.06, 0.0625, 0.065, 0.07, 0.075, 0.08];

/// What was found on labelled stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    /// Those whose surroundings suit the labels best.
    pub found: Thresholds,
    /// Mean B-cubed F1 of the surroundings of what was found.
    pub found_f1: f64,
    /// The same of the thresholds that ship, at the nearest place of the grid.
    pub shipped_f1: f64,
}

/// B-cubed F1 that a difference has to reach to be more than an accident of so few stories: about one standard error among 22 stories of
/// 250 documents (0.017 and 0.028 on the halves of ECB+'s topics 1 to 24, by a bootstrap over stories).
pub const STANDARD_ERROR: f64 = 0.02;

impl Tuned {
    /// Whether it suits these labels so much better that others may be thought to gain by it as well.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.found_f1 - self.shipped_f1 >= STANDARD_ERROR
    }
}

/// Scores, by the places of the thresholds in the three lists.
type Scores = Vec<Vec<Vec<f64>>>;

/// The thresholds that suit the labels, one for each document.
#[must_use]
pub fn tune(clustering: &Clustering<'_>, labels: &[&str], shipped: Thresholds) -> Tuned {
    let mut known = Splits::default();
    let mut row = |pair: &f64| {
        let by_group = GROUPS.iter().map(|group| Thresholds { pair: *pair, group: *group, ..shipped });
        by_group.map(|thresholds| by_split(clustering, &mut known, labels, thresholds)).collect()
    };
    let scores: Scores = PAIRS.iter().map(&mut row).collect();
    let mut best = (f64::MIN, f64::MIN, shipped);
    for (p, pair) in PAIRS.iter().enumerate() {
        for (c, group) in GROUPS.iter().enumerate() {
            for (s, split) in SPLITS.iter().enumerate() {
                let tried = Thresholds { pair: *pair, group: *group, split: *split, ..shipped };
                let (around, far) = (around(&scores, [p, c, s]), distance(tried, shipped));
                if around > best.0 + 1e-9 || (around > best.0 - 1e-9 && -far > best.1) {
                    best = (around, -far, tried);
                }
            }
        }
    }
    let known = [place(&PAIRS, shipped.pair), place(&GROUPS, shipped.group), place(&SPLITS, shipped.split)];
    Tuned { found: best.2, found_f1: best.0, shipped_f1: around(&scores, known) }
}

/// Where a list has what is nearest to a value.
fn place(values: &[f64], wanted: f64) -> usize {
    let nearest = values.iter().enumerate().min_by(|a, b| (a.1 - wanted).abs().total_cmp(&(b.1 - wanted).abs()));
    nearest.map_or(0, |(place, _)| place)
}

/// B-cubed F1 by each threshold of [`SPLITS`]: what average link brings together does not depend on it.
fn by_split(clustering: &Clustering<'_>, known: &mut Splits, labels: &[&str], thresholds: Thresholds) -> Vec<f64> {
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

/// The mean over a place and those next to it.
fn around(scores: &Scores, place: [usize; 3]) -> f64 {
    let near = |at: usize, wide: usize, length: usize| at.saturating_sub(wide)..(at + wide + 1).min(length);
    let mut values = Vec::new();
    for row in &scores[near(place[0], 1, PAIRS.len())] {
        for column in &row[near(place[1], 1, GROUPS.len())] {
            values.extend_from_slice(&column[near(place[2], 2, SPLITS.len())]);
        }
    }
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    values.iter().sum::<f64>() / f64::from(count.max(1))
}

fn distance(one: Thresholds, other: Thresholds) -> f64 {
    (one.pair - other.pair).abs() + (one.group - other.group).abs() + (one.split - other.split).abs()
}
