//! Decides what follows a failed call, according to a task's policy ([`crate::retry_policy`]).

use std::time::Duration;

use super::error::{CallError, Decision};
use super::retry_policy::{Left, RetriedKinds, RetryPolicy};

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send the same request again after a wait.
    Again { after: Duration, left: Left },
    /// Send the same request as a stream, at once. It does not count as a further attempt, because the question was not
    /// at fault.
    AsStream,
    /// Send the same request, with a note on what was wrong, after a wait.
    Repair { after: Duration, left: Left },
    /// Split in two halves.
    Halves,
    /// Call the next model.
    NextModel,
    /// Call the next model, and do not use this one again in this run.
    AbandonModel,
    /// Call the next provider, and do not use this one again in this run.
    AbandonProvider,
}

/// Returns what to do next. `stories` is the number of stories in the failed call; `jitter` is a random number in
/// `0.0..1.0`.
#[must_use]
pub fn next(policy: &RetryPolicy, left: Left, error: &CallError, stories: usize, jitter: f64) -> Next {
    match error.decision() {
        Decision::Retry { after } => {
            let wait = after.unwrap_or_else(|| backoff(policy, left, jitter));
            if left.transient == 0 || wait > policy.longest_wait || !is_retried(policy.retried, error) {
                return Next::NextModel;
            }
            Next::Again { after: wait, left: Left { transient: left.transient - 1, ..left } }
        }
        Decision::Stream => Next::AsStream,
        Decision::Repair => {
            repair(policy, left, jitter).map_or(Next::NextModel, |(after, left)| Next::Repair { after, left })
        }
        Decision::Split if stories > 1 => Next::Halves,
        Decision::Split => Next::NextModel,
        Decision::AbandonModel => Next::AbandonModel,
        Decision::AbandonProvider => Next::AbandonProvider,
    }
}

/// Returns after which wait an unusable answer is asked for again, and what is left then; `None` if it is not.
pub(super) fn repair(policy: &RetryPolicy, left: Left, jitter: f64) -> Option<(Duration, Left)> {
    let repairs = left.repairs.checked_sub(1)?;
    Some((backoff(policy, left, jitter), Left { repairs, ..left }))
}

/// Whether the policy retries failures of that kind.
const fn is_retried(kinds: RetriedKinds, error: &CallError) -> bool {
    match error {
        CallError::RateLimited { .. } => kinds.rate_limits,
        CallError::Overloaded { .. } => kinds.overload,
        CallError::Server { .. } => kinds.server_errors,
        _ => kinds.transport,
    }
}

/// Returns base · multiplier^n, capped at the longest wait, where n is the number of retries so far, for whatever reason.
/// A share of it is random, so that many callers do not retry at once.
fn backoff(policy: &RetryPolicy, left: Left, jitter: f64) -> Duration {
    let all = policy.all();
    let retries = all.transient.saturating_sub(left.transient).saturating_add(all.repairs.saturating_sub(left.repairs));
    let retries = i32::try_from(retries).unwrap_or(i32::MAX);
    let longest = policy.longest_wait.as_secs_f64();
    let full = (policy.base.as_secs_f64() * policy.multiplier.powi(retries)).min(longest);
    let share = policy.jitter.clamp(0.0, 1.0);
    Duration::try_from_secs_f64(full * (1.0 - share + share * jitter.clamp(0.0, 1.0))).unwrap_or(policy.longest_wait)
}

#[cfg(test)]
mod tests {
    use super::super::retry_policy::{INTERACTIVE, RetrySettings, STANDARD};
    use super::*;

    fn after(error: &CallError, left: Left, stories: usize) -> Next {
        next(&STANDARD, left, error, stories, 1.0)
    }

    #[test]
    fn a_passing_failure_is_tried_once_more_and_then_falls_back() {
        let late = CallError::TimedOut(1);
        let all = STANDARD.all();
        let Next::Again { after: wait, left } = after(&late, all, 5) else { panic!() };
        assert_eq!((wait, left), (Duration::from_secs(1), Left { transient: 0, repairs: 1 }));
        assert_eq!(after(&late, left, 5), Next::NextModel);
        assert_eq!(next(&STANDARD, all, &late, 5, 0.0), Next::Again { after: Duration::from_millis(500), left });
    }

    #[test]
    fn the_server_s_own_word_counts_unless_it_asks_too_much() {
        let limited = |seconds| CallError::RateLimited {
            message: String::new(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        let all = STANDARD.all();
        assert!(matches!(after(&limited(7), all, 1), Next::Again { after, .. } if after == Duration::from_secs(7)));
        assert_eq!(after(&limited(3600), all, 1), Next::NextModel);
    }

    #[test]
    fn a_person_who_waits_is_shown_what_a_server_refuses_and_the_network_is_tried_once_more() {
        let all = INTERACTIVE.all();
        let Next::Again { after, left } = next(&INTERACTIVE, all, &CallError::TimedOut(60), 1, 0.5) else { panic!() };
        assert_eq!((after, left.transient), (Duration::from_secs(2), 0));
        let message = String::new;
        for error in [
            CallError::RateLimited { message: message(), retry_after: None },
            CallError::Overloaded { status: 503, message: message(), retry_after: None },
            CallError::Server { status: 500, message: message() },
            CallError::Invalid(message()),
        ] {
            assert_eq!(next(&INTERACTIVE, all, &error, 1, 0.5), Next::NextModel, "{error:?}");
        }
    }

    #[test]
    fn waits_grow_as_a_model_s_settings_say_and_no_further() {
        let settings = RetrySettings {
            max_attempts: Some(5),
            initial_delay: Some(Duration::from_secs(2)),
            max_delay: Some(Duration::from_secs(10)),
            multiplier: Some(3.0),
            jitter: Some(0.25),
        };
        let policy = STANDARD.with(&settings);
        assert_eq!((policy.transient, policy.repairs), (4, 1));
        let mut left = policy.all();
        let mut waits = Vec::new();
        while let Next::Again { after, left: fewer } = next(&policy, left, &CallError::TimedOut(1), 1, 0.0) {
            waits.push(after.as_secs_f64());
            left = fewer;
        }
        assert_eq!(waits, [1.5, 4.5, 7.5, 7.5]);
        assert_eq!(STANDARD.with(&RetrySettings::default()), STANDARD);
    }

    #[test]
    fn an_unusable_answer_is_repaired_once() {
        let invalid = CallError::Invalid(String::new());
        let Next::Repair { after: wait, left } = after(&invalid, STANDARD.all(), 3) else { panic!() };
        assert_eq!((wait, left), (Duration::from_secs(1), Left { transient: 1, repairs: 0 }));
        assert_eq!(after(&invalid, left, 3), Next::NextModel);
        let late = CallError::TimedOut(1);
        assert!(matches!(after(&late, left, 3), Next::Again { after, .. } if after == Duration::from_secs(2)));
    }

    #[test]
    fn too_much_is_halved_and_a_single_story_goes_to_the_next_model() {
        for error in [CallError::Truncated(9), CallError::Filtered, CallError::Declined(String::new())] {
            assert_eq!(after(&error, STANDARD.all(), 4), Next::Halves);
            assert_eq!(after(&error, STANDARD.all(), 1), Next::NextModel);
        }
    }

    #[test]
    fn a_refused_key_or_an_empty_account_is_never_tried_again() {
        for error in [
            CallError::Unauthorized(String::new()),
            CallError::Forbidden(String::new()),
            CallError::QuotaExhausted(String::new()),
        ] {
            assert_eq!(after(&error, STANDARD.all(), 4), Next::AbandonProvider);
        }
        assert_eq!(after(&CallError::UnknownModel(String::new()), STANDARD.all(), 4), Next::AbandonModel);
    }
}
