//! How long the daemon waits before it retries a failed operation: by the error's [`RetryAdvice`], longer after each
//! failure.

use std::time::Duration;

use aha_core::failpoint;
use aha_store::RetryAdvice;
use tokio::time::Instant;

/// Consecutive failures of one operation, and when it may be retried.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Backoff {
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    /// Records a failure and returns the pause until the next attempt.
    pub(super) fn failed(&mut self, decision: RetryAdvice, now: Instant) -> Duration {
        let pause = pause(decision, self.failures);
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now + pause);
        pause
    }

    pub(super) fn may_try(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// Returns when the operation may be retried, or `None` if it has not failed.
    pub(super) const fn until(&self) -> Option<Instant> {
        self.until
    }
}

/// Returns the pause. Transient failures are retried soon; failures that a person has to fix, such as a full disk, less
/// often.
fn pause(decision: RetryAdvice, failures: u32) -> Duration {
    let (first, longest) = match decision {
        RetryAdvice::Soon => (Duration::from_secs(5), Duration::from_mins(5)),
        RetryAdvice::NextAttempt => (Duration::from_mins(1), Duration::from_mins(15)),
        RetryAdvice::NeedsPerson => (Duration::from_mins(15), Duration::from_mins(15)),
    };
    failpoint::pause("AHA_RETRY_MS", first.saturating_mul(1 << failures.min(10)).min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_doubles_the_pause_up_to_a_limit() {
        let (mut backoff, now) = (Backoff::default(), Instant::now());
        let pauses = [(); 8].map(|()| backoff.failed(RetryAdvice::Soon, now).as_secs());
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert!(!backoff.may_try(now + Duration::from_secs(299)) && backoff.may_try(now + Duration::from_mins(5)));
        assert_eq!([0, 1, 4].map(|n| pause(RetryAdvice::NextAttempt, n).as_secs()), [60, 120, 900]);
        assert_eq!([0, 30].map(|n| pause(RetryAdvice::NeedsPerson, n).as_secs()), [900, 900]);
        assert!(Backoff::default().may_try(now));
    }
}
