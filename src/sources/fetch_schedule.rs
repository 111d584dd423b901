//! Computes when a source is fetched again. Input: the outcome of its last fetch. Output: a duration. Called by the
//! ingest stage. Pure.
//!
//! No wait is much longer than half a day, so a topic that runs once a day never misses a source because it was fetched
//! at the end of the previous day's run.

use std::time::Duration;

use aha_core::time::Timestamp;

use super::fetch::Freshness;

/// Minimum interval, even for a source that publishes every minute.
const MIN_INTERVAL: Duration = Duration::from_mins(15);
/// Maximum interval, even for a source that rarely publishes or asks for a long pause.
const MAX_INTERVAL: Duration = Duration::from_hours(12);
/// Interval of a source whose pace is unknown.
const INITIAL_INTERVAL: Duration = Duration::from_hours(1);
/// A wait is extended by up to this share, so that sources added together drift apart.
const JITTER: f64 = 0.1;
/// No wait is longer, jitter included: a longer one was noted by a clock that was wrong.
pub const MAX_WAIT: Duration = Duration::from_hours(14);
/// Number of its newest items whose gaps determine how often a source publishes.
const SAMPLE_ITEMS: usize = 20;
/// Consecutive failures before a source is paused for longer than until the next run.
const FAILURES_BEFORE_BACKOFF: i64 = 3;
/// First pause; doubled with each further failure.
const FIRST_PAUSE: Duration = Duration::from_mins(30);

/// Returns the interval at which a source is fetched: half the typical gap between its items, from a quarter of an hour
/// to half a day. A fetch without usable dates increases it by a quarter.
#[must_use]
pub fn interval(previous: Option<Duration>, published: &[Timestamp], now: Timestamp) -> Duration {
    let interval = match typical_gap(published, now) {
        Some(gap) => gap / 2,
        None => previous.map_or(INITIAL_INTERVAL, |previous| previous + previous / 4),
    };
    interval.clamp(MIN_INTERVAL, MAX_INTERVAL)
}

/// Returns how long to wait after a successful fetch. `jitter` is a random number in `0.0..1.0`.
#[must_use]
pub fn wait(interval: Duration, freshness: Freshness, jitter: f64) -> Duration {
    let base = freshness.fresh_for.unwrap_or_default().max(interval).min(MAX_INTERVAL);
    base.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0))
}

/// Returns the pause of a source after this number of consecutive failures; `None`: until the next run.
#[must_use]
pub fn pause(failures: i64, jitter: f64) -> Option<Duration> {
    let further = failures.checked_sub(FAILURES_BEFORE_BACKOFF).filter(|further| *further >= 0)?;
    let doublings = u32::try_from(further).unwrap_or(u32::MAX);
    let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings.min(10))).min(MAX_INTERVAL);
    Some(pause.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0)))
}

/// Returns the median gap between the newest items, or the time since the newest if that is longer.
fn typical_gap(published: &[Timestamp], now: Timestamp) -> Option<Duration> {
    let mut times: Vec<i64> = published.iter().filter(|at| **at <= now).map(|at| at.as_millis()).collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    times.truncate(SAMPLE_ITEMS);
    let mut gaps: Vec<i64> = times.windows(2).map(|pair| pair[0] - pair[1]).collect();
    gaps.sort_unstable();
    let median = *gaps.get(gaps.len() / 2).filter(|_| gaps.len() >= 2)?;
    let silence = now.as_millis().saturating_sub(*times.first()?);
    u64::try_from(median.max(silence)).ok().map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aha_core::time::{HOUR_MS, Timestamp};

    use super::{interval, pause, wait};
    use crate::sources::fetch::Freshness;

    const NOW: Timestamp = Timestamp::from_millis(1000 * HOUR_MS);

    fn minutes(span: Duration) -> u64 {
        span.as_secs() / 60
    }

    #[test]
    fn the_interval_follows_the_publication_rate() {
        let every = |hours: i64| (0..9).map(|n| NOW.hours_before(n * hours)).collect::<Vec<_>>();
        let of = |published: &[Timestamp]| minutes(interval(None, published, NOW));
        assert_eq!(of(&every(4)), 120);
        assert_eq!(of(&every(0)), 15, "a burst");
        assert_eq!(of(&every(24 * 7)), 12 * 60, "a weekly");
        let slept: Vec<Timestamp> = every(1).into_iter().map(|at| at.hours_before(20)).collect();
        assert_eq!(of(&slept), 10 * 60, "quiet now");
        assert_eq!(of(&[NOW]), 60, "too few to tell");
        let ahead = [Timestamp::from_millis(NOW.as_millis() + 1); 9];
        assert_eq!(of(&ahead), 60, "dates to come tell nothing");
        assert_eq!(minutes(interval(Some(Duration::from_hours(2)), &[], NOW)), 150, "unchanged");
        assert_eq!(minutes(interval(Some(Duration::from_hours(11)), &[], NOW)), 12 * 60);
    }

    #[test]
    fn the_servers_freshness_is_respected_up_to_half_a_day() {
        let of = |keeps: Option<u64>, jitter| {
            let freshness = Freshness { fresh_for: keeps.map(Duration::from_hours), limited_for: None };
            minutes(wait(Duration::from_hours(2), freshness, jitter))
        };
        assert_eq!(of(None, 0.0), 120);
        assert_eq!(of(Some(1), 0.0), 120);
        assert_eq!(of(Some(5), 0.0), 300);
        assert_eq!(of(Some(24 * 365), 0.0), 12 * 60);
        assert_eq!(of(Some(24), 1.0), 12 * 60 + 72, "less than a day, whatever chance says");
    }

    #[test]
    fn a_source_that_keeps_failing_is_paused() {
        let of = |failures| pause(failures, 0.0).map(minutes);
        assert_eq!((of(1), of(2), of(3), of(4)), (None, None, Some(30), Some(60)));
        assert_eq!((of(7), of(8), of(i64::MAX)), (Some(480), Some(720), Some(720)));
    }
}
