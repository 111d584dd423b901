//! How often a source speaks, so that a rare voice is heard beside a loud one.

use std::collections::HashMap;

use aha_core::ids::SourceId;
use aha_core::time::{DAY_MS, Timestamp};

/// Days of history that a source is measured by.
pub const CADENCE_DAYS: i64 = 365;

/// Gaps needed before a usual gap is spoken of.
const MIN_GAPS: usize = 2;

/// When each source published, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Cadences {
    times: HashMap<SourceId, Vec<Timestamp>>,
}

/// What an item's time says about its source.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cadence {
    /// Days since the source published before that; `None` for the first known item.
    pub gap_days: Option<f64>,
    /// Median gap between items in days; `None` when too little is known.
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
    /// A source that usually, or this time, let a week or more pass.
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
    fn what_is_not_known_is_not_said() {
        let source = SourceId::of(&["s"]);
        let cadence = Cadences::of([(source, at(5))]).at(source, at(5));
        assert_eq!(cadence, Cadence::default());
        assert!(!cadence.is_rare());
    }
}
