//! How often and how soon a call is tried again: a task's policy as data, and the one place that decides by it.

use std::time::Duration;

use super::error::{CallError, Decision};

/// What a pipeline task is granted for each model of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Further tries after a failure that may pass by itself.
    pub transient: u32,
    /// Further tries after an answer that could not be used.
    pub repairs: u32,
    /// Before the first further try, without jitter; doubled with each.
    pub base: Duration,
    /// A server that wants to be left alone for longer is given up.
    pub longest_wait: Duration,
}

/// Seed 004: once more after a transient error, once more after a failed validation.
pub const PIPELINE: RetryPolicy =
    RetryPolicy { transient: 1, repairs: 1, base: Duration::from_secs(1), longest_wait: Duration::from_mins(1) };

/// Tries still to be had with the present model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    pub transient: u32,
    pub repairs: u32,
}

impl RetryPolicy {
    /// For a conversation: so many tries in all, whatever each fails of.
    #[must_use]
    pub const fn with_attempts(self, attempts: u32) -> Self {
        let further = attempts.saturating_sub(1);
        Self { transient: further, repairs: further, ..self }
    }

    #[must_use]
    pub const fn all(&self) -> Left {
        Left { transient: self.transient, repairs: self.repairs }
    }
}

/// What happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The same again after a while.
    Again { after: Duration, left: Left },
    /// The same with a word on what was wrong.
    Repair { left: Left },
    /// In two halves.
    Halves,
    /// The next model.
    NextModel,
    /// The next model, and this one not again in this run.
    AbandonModel,
    /// The next provider, and this one not again in this run.
    AbandonProvider,
}

/// Decides. `stories` is how many the failed call was about; `jitter` is a random number in `0.0..1.0`.
#[must_use]
pub fn next(policy: &RetryPolicy, left: Left, error: &CallError, stories: usize, jitter: f64) -> Next {
    match error.decision() {
        Decision::Retry { after } => {
            let wait = after.unwrap_or_else(|| backoff(policy, left, jitter));
            if left.transient == 0 || wait > policy.longest_wait {
                return Next::NextModel;
            }
            Next::Again { after: wait, left: Left { transient: left.transient - 1, ..left } }
        }
        Decision::Repair if left.repairs > 0 => Next::Repair { left: Left { repairs: left.repairs - 1, ..left } },
        Decision::Split if stories > 1 => Next::Halves,
        Decision::Repair | Decision::Split => Next::NextModel,
        Decision::AbandonModel => Next::AbandonModel,
        Decision::AbandonProvider => Next::AbandonProvider,
    }
}

/// base · 2^n, of which between half and all is waited, so that many callers do not come back at once.
fn backoff(policy: &RetryPolicy, left: Left, jitter: f64) -> Duration {
    let tried = policy.transient.saturating_sub(left.transient);
    let full = policy.base.saturating_mul(1_u32.checked_shl(tried).unwrap_or(u32::MAX));
    full.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(error: &CallError, left: Left, stories: usize) -> Next {
        next(&PIPELINE, left, error, stories, 1.0)
    }

    #[test]
    fn a_passing_failure_is_tried_once_more_and_then_falls_back() {
        let late = CallError::TimedOut(1);
        let all = PIPELINE.all();
        let Next::Again { after: wait, left } = after(&late, all, 5) else { panic!() };
        assert_eq!((wait, left), (Duration::from_secs(1), Left { transient: 0, repairs: 1 }));
        assert_eq!(after(&late, left, 5), Next::NextModel);
        assert_eq!(next(&PIPELINE, all, &late, 5, 0.0), Next::Again { after: Duration::from_millis(500), left });
    }

    #[test]
    fn the_server_s_own_word_counts_unless_it_asks_too_much() {
        let limited = |seconds| CallError::RateLimited {
            message: String::new(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        let all = PIPELINE.all();
        assert!(matches!(after(&limited(7), all, 1), Next::Again { after, .. } if after == Duration::from_secs(7)));
        assert_eq!(after(&limited(3600), all, 1), Next::NextModel);
    }

    #[test]
    fn an_unusable_answer_is_repaired_once() {
        let invalid = CallError::Invalid(String::new());
        let Next::Repair { left } = after(&invalid, PIPELINE.all(), 3) else { panic!() };
        assert_eq!(left, Left { transient: 1, repairs: 0 });
        assert_eq!(after(&invalid, left, 3), Next::NextModel);
    }

    #[test]
    fn too_much_is_halved_and_a_single_story_goes_to_the_next_model() {
        for error in [CallError::Truncated(9), CallError::Filtered, CallError::Declined(String::new())] {
            assert_eq!(after(&error, PIPELINE.all(), 4), Next::Halves);
            assert_eq!(after(&error, PIPELINE.all(), 1), Next::NextModel);
        }
    }

    #[test]
    fn a_refused_key_or_an_empty_account_is_never_tried_again() {
        for error in [
            CallError::Unauthorized(String::new()),
            CallError::Forbidden(String::new()),
            CallError::QuotaExhausted(String::new()),
        ] {
            assert_eq!(after(&error, PIPELINE.all(), 4), Next::AbandonProvider);
        }
        assert_eq!(after(&CallError::UnknownModel(String::new()), PIPELINE.all(), 4), Next::AbandonModel);
    }
}
