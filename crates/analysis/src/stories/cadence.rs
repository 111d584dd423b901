//! How often a source publishes, so that items of rare sources can be preferred.

use std::collections::HashMap;

use aha_core::ids::SourceId;
use aha_core::time::{DAY_MS, Timestamp};

/// Days of history used for a source.
pub const CADENCE_DAYS: i64 = 365;

/// Minimum number of gaps for a typical gap.
const MIN_GAPS: usize = 2;

/// The publication times of each source, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Cadences {
    times: HashMap<SourceId, Vec<Timestamp>>,
}

/// The publication interval of a source at an item's time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cadence {
    /// Days since the source's previous item; `None` for the first known item.
    pub gap_days: Option<f64>,
    /// Median gap between items in days; `None` if there are too few.
    pub usual_gap_days: Option<f64>,
}

impl Cadences {
    #[must_use]
    pub fn of(times: impl IntoIterator<Item = (SourceId, Timestamp)>) -> Self {
        let mut by_source: HashMap<SourceId, Vec<Timestamp>> = HashMap::new();
        for (source, time) in times {
            by_source.entry(source).or_default().push(time);
        }
        for times in by_source.values_mut() {
            times.sort_unstable();
        }
        Self { times: by_source }
    }

    #[must_use]
    pub fn at(&self, source: SourceId, time: Timestamp) -> Cadence {
        let Some(times) = self.times.get(&source) else { return Cadence::default() };
        let before = &times[..times.partition_point(|t| *t < time)];
        let mut gaps: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0).collect();
        gaps.sort_unstable();
        Cadence {
            gap_days: before.last().map(|last| days(time - *last)),
            usual_gap_days: (gaps.len() >= MIN_GAPS).then(|| days(gaps[gaps.len() / 2])),
        }
    }
}

impl Cadence {
    /// Returns whether the source published nothing for a week or more before this item, and typically leaves at least
    /// two days between items.
    #[must_use]
    pub fn is_rare(&self) -> bool {
        const RARE_DAYS: f64 = 7.0;
        self.gap_days.is_some_and(|gap| gap >= RARE_DAYS) && self.usual_gap_days.is_none_or(|usual| usual >= 2.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a year fit a double exactly")]
fn days(millis: i64) -> f64 {
    (millis as f64 / DAY_MS as f64 * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * DAY_MS)
    }

    #[test]
    fn a_long_silence_is_measured() {
        let source = SourceId::of(&["s"]);
        let cadences = Cadences::of([0, 30, 60, 101].map(|day| (source, at(day))));
        let cadence = cadences.at(source, at(101));
        assert_eq!((cadence.gap_days, cadence.usual_gap_days), (Some(41.0), Some(30.0)));
        assert!(cadence.is_rare());
    }

    #[test]
    fn unknown_gaps_are_none() {
        let source = SourceId::of(&["s"]);
        let cadence = Cadences::of([(source, at(5))]).at(source, at(5));
        assert_eq!(cadence, Cadence::default());
        assert!(!cadence.is_rare());
    }
}
