//! A token bucket for a limit per minute, which refills continuously. A call takes its estimated tokens before it is
//! sent, and the tokens that it actually used correct that afterwards. Pure: the caller passes the time.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// Nanoseconds of a minute. One token is divided into this many parts, and each nanosecond adds one part for every
/// token per minute. So nothing is rounded.
const PARTS_PER_TOKEN: i128 = 60_000_000_000;

/// Tokens that may be used now; initially those of a full minute. Tokens used beyond them are a debt.
#[derive(Debug)]
pub struct TokenBucket {
    per_minute: i128,
    parts: i128,
    filled_at: Instant,
}

impl TokenBucket {
    #[must_use]
    pub fn new(per_minute: NonZeroU32, now: Instant) -> Self {
        let per_minute = i128::from(per_minute.get());
        Self { per_minute, parts: per_minute * PARTS_PER_TOKEN, filled_at: now }
    }

    /// Takes `tokens`, at most those of one minute, and returns the number taken.
    ///
    /// # Errors
    /// The time to wait, when not enough tokens are available.
    pub fn take(&mut self, tokens: i64, now: Instant) -> Result<i64, Duration> {
        self.fill(now);
        let taken = i128::from(tokens).clamp(0, self.per_minute);
        let missing = taken * PARTS_PER_TOKEN - self.parts;
        if missing > 0 {
            let wait = (missing + self.per_minute - 1) / self.per_minute;
            return Err(Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX)));
        }
        self.parts -= taken * PARTS_PER_TOKEN;
        Ok(i64::try_from(taken).unwrap_or(i64::MAX))
    }

    /// Corrects a reservation of `taken` tokens to `used`, which may be more. The debt is at most one minute's tokens,
    /// because a count may be wrong.
    pub fn correct(&mut self, taken: i64, used: i64, now: Instant) {
        self.fill(now);
        let (full, rest) = (self.per_minute * PARTS_PER_TOKEN, i128::from(taken) - i128::from(used));
        self.parts = (self.parts + rest * PARTS_PER_TOKEN).clamp(-full, full);
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled_at).as_nanos();
        let added = i128::try_from(passed).unwrap_or(i128::MAX).saturating_mul(self.per_minute);
        self.parts = self.parts.saturating_add(added).min(self.per_minute * PARTS_PER_TOKEN);
        self.filled_at = self.filled_at.max(now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn bucket(per_minute: u32) -> (TokenBucket, Instant) {
        let now = Instant::now();
        (TokenBucket::new(NonZeroU32::new(per_minute).unwrap(), now), now)
    }

    #[test]
    fn a_minute_s_tokens_are_there_at_once_and_come_back_evenly() {
        let (mut bucket, now) = bucket(600);
        assert_eq!(bucket.take(600, now), Ok(600));
        assert_eq!(bucket.take(15, now), Err(SECOND * 3 / 2));
        assert_eq!(bucket.take(15, now + SECOND), Err(SECOND / 2));
        assert_eq!(bucket.take(15, now + SECOND * 3 / 2), Ok(15));
        assert_eq!(bucket.take(700, now + SECOND * 100), Ok(600), "more than a minute holds is not waited for in vain");
    }

    #[test]
    fn what_was_not_used_is_given_back_and_what_was_used_besides_is_owed() {
        let (mut bucket, now) = bucket(600);
        assert_eq!(bucket.take(500, now), Ok(500));
        bucket.correct(500, 40, now);
        assert_eq!(bucket.take(560, now), Ok(560));
        bucket.correct(560, 660, now);
        assert_eq!(bucket.take(0, now), Err(SECOND * 10), "nobody is sent anything until the debt is paid");
        bucket.correct(0, i64::MAX, now);
        assert_eq!(bucket.take(1, now + SECOND * 60), Err(SECOND / 10), "a minute's debt at most");
        bucket.correct(0, i64::MIN, now + SECOND * 60);
        assert_eq!(bucket.take(600, now + SECOND * 60), Ok(600));
        assert!(bucket.take(1, now + SECOND * 60).is_err(), "no more than a minute's tokens, whatever is given back");
    }

    proptest! {
        /// Calls that use at most what they took never use more than the minute's tokens plus those refilled since; and
        /// a reported wait is exactly as long as necessary.
        #[test]
        fn no_more_is_used_than_time_allows(
            per_minute in 1_u32..5_000,
            calls in prop::collection::vec((0_i64..6_000, 0_u64..20_000, 0_i64..=100), 1..60),
        ) {
            let (mut bucket, begun) = bucket(per_minute);
            let (mut now, mut used) = (begun, 0_i128);
            for (estimate, pause_ms, percent) in calls {
                now += Duration::from_millis(pause_ms);
                let taken = match bucket.take(estimate, now) {
                    Ok(taken) => taken,
                    Err(wait) => {
                        prop_assert!(bucket.take(estimate, now + wait.saturating_sub(Duration::from_nanos(1))).is_err());
                        now += wait;
                        bucket.take(estimate, now).unwrap()
                    }
                };
                let spent = taken * percent / 100;
                bucket.correct(taken, spent, now);
                used += i128::from(spent);
                let allowed = i128::from(per_minute) * (PARTS_PER_TOKEN + i128::try_from((now - begun).as_nanos()).unwrap());
                prop_assert!(used * PARTS_PER_TOKEN <= allowed);
            }
        }

        /// Whatever usage is reported, one minute later something can be sent, and two minutes later all of a minute's
        /// tokens.
        #[test]
        fn no_count_stops_a_model_for_longer_than_two_minutes(
            per_minute in 1_u32..1_000_000_000,
            counts in prop::collection::vec((any::<i64>(), any::<i64>()), 0..20),
        ) {
            let (mut bucket, now) = bucket(per_minute);
            for (taken, used) in counts {
                bucket.correct(taken, used, now);
            }
            prop_assert!(bucket.take(0, now + SECOND * 60).is_ok());
            prop_assert_eq!(bucket.take(i64::MAX, now + SECOND * 120), Ok(i64::from(per_minute)));
        }
    }
}
