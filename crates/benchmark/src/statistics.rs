//! Summary statistics of a series of durations.

use serde::{Deserialize, Serialize};

/// A higher 95th percentile causes a warning, in milliseconds.
pub const SLOW_P95_MS: f64 = 10_000.0;

/// Latencies of the questions that were answered, in milliseconds: of the attempt that was answered, without those and
/// the pause before it. The figures are 0 if `count` is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Latency {
    pub count: usize,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub mean: f64,
    pub median: f64,
    /// Standard deviation of the sample (n − 1).
    pub std: f64,
    pub min: f64,
    pub max: f64,
}

impl Latency {
    /// Computes the statistics. Percentiles are interpolated between the neighbouring values.
    #[must_use]
    pub fn of(milliseconds: &[f64]) -> Self {
        let mut sorted = milliseconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (sorted.first().copied(), sorted.last().copied()) else { return Self::default() };
        let count = as_f64(sorted.len());
        let mean = sorted.iter().sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let std = if sorted.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|share| percentile(&sorted, share));
        Self { count: sorted.len(), p50, p95, p99, mean, median: p50, std, min, max }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position in the list")]
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let position = share * as_f64(sorted.len() - 1);
    let below = position.floor();
    let at = |index: f64| sorted.get(index as usize).copied().unwrap_or_default();
    let (low, high) = (at(below), at(position.ceil()));
    low + (high - low) * (position - below)
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
pub(crate) const fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Returns `part / whole`, and 0 if `whole` is 0.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { as_f64(part) / as_f64(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_match_reference_values() {
        let latency = Latency::of(&[40.0, 10.0, 20.0, 30.0]);
        assert_eq!((latency.p50, latency.median, latency.mean), (25.0, 25.0, 25.0));
        assert!((latency.p95 - 38.5).abs() < 1e-9 && (latency.p99 - 39.7).abs() < 1e-9);
        assert!((latency.std - 12.909_944).abs() < 1e-5);
        assert_eq!((latency.min, latency.max, latency.count), (10.0, 40.0, 4));
    }

    #[test]
    fn one_value_and_no_values_are_handled() {
        assert_eq!(Latency::of(&[]), Latency::default());
        let one = Latency::of(&[7.0]);
        assert_eq!((one.p50, one.p99, one.std), (7.0, 7.0, 0.0));
    }
}
