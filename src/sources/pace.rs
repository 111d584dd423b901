//! When a source is asked again. How its last fetch ended goes in, a time span comes out. Called by the ingest stage; pure.
//!
//! No wait is longer than half a day and a little: who reads once a day never misses a source for having asked it at the end of
//! yesterday's run.

use std::time::Duration;

use aha_core::time::Timestamp;

use super::fetch::Freshness;

/// A source that publishes by the minute is asked no more often than this.
const SHORTEST: Duration = Duration::from_mins(15);
/// One that seldom publishes, or asks for a long pause, is asked as often as this.
const LONGEST: Duration = Duration::from_hours(12);
/// One that is not known yet.
const FIRST: Duration = Duration::from_hours(1);
/// A wait is made longer by up to this share of it, so that sources added together drift apart.
const JITTER: f64 = 0.1;
/// The gaps between so many of its newest items tell how often a source publishes.
const MEASURED: usize = 20;
/// Failures in a row before a source is left alone for longer than until the next run.
const FAILURES_BEFORE_BACKOFF: i64 = 3;
/// How long it is left alone at first; doubled with each further failure.
const FIRST_BREAK: Duration = Duration::from_mins(30);

/// The interval at which a source is asked: half the usual gap between its items, from a quarter of an hour to half a day. An
/// answer that tells nothing of its items makes it grow by a quarter.
#[must_use]
pub fn interval(previous: Option<Duration>, published: &[Timestamp], now: Timestamp) -> Duration {
    let interval = match usual_gap(published, now) {
        Some(gap) => gap / 2,
        None => previous.map_or(FIRST, |previous| previous + previous / 4),
    };
    interval.clamp(SHORTEST, LONGEST)
}

/// How long to wait after a good answer. `jitter` is a random number in `0.0..1.0`.
#[must_use]
pub fn wait(interval: Duration, freshness: Freshness, jitter: f64) -> Duration {
    let wanted = freshness.keeps_for.unwrap_or_default().max(interval).min(LONGEST);
    wanted.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0))
}

/// How long a source is left alone that failed so often in a row; `None` until the next run.
#[must_use]
pub fn pause(failures: i64, jitter: f64) -> Option<Duration> {
    let further = failures.checked_sub(FAILURES_BEFORE_BACKOFF).filter(|further| *further >= 0)?;
    let doublings = u32::try_from(further).unwrap_or(u32::MAX);
    let pause = FIRST_BREAK.saturating_mul(2_u32.saturating_pow(doublings.min(10))).min(LONGEST);
    Some(pause.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0)))
}

/// The median gap between the newest items, or the silence since the newest where that is longer.
fn usual_gap(published: &[Timestamp], now: Timestamp) -> Option<Duration> {
    let mut times: Vec<i64> = published.iter().filter(|at| **at <= now).map(|at| at.as_millis()).collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    times.truncate(MEASURED);
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
    fn a_source_is_asked_as_often_as_it_publishes() {
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
    fn what_the_server_says_is_heeded_up_to_half_a_day() {
        let of = |keeps: Option<u64>, jitter| {
            let freshness = Freshness { keeps_for: keeps.map(Duration::from_hours), leave_alone: None };
            minutes(wait(Duration::from_hours(2), freshness, jitter))
        };
        assert_eq!(of(None, 0.0), 120);
        assert_eq!(of(Some(1), 0.0), 120);
        assert_eq!(of(Some(5), 0.0), 300);
        assert_eq!(of(Some(24 * 365), 0.0), 12 * 60);
        assert_eq!(of(Some(24), 1.0), 12 * 60 + 72, "less than a day, whatever chance says");
    }

    #[test]
    fn a_source_that_fails_and_fails_is_left_alone() {
        let of = |failures| pause(failures, 0.0).map(minutes);
        assert_eq!((of(1), of(2), of(3), of(4)), (None, None, Some(30), Some(60)));
        assert_eq!((of(7), of(8), of(i64::MAX)), (Some(480), Some(720), Some(720)));
    }
}
