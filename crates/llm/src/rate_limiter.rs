//! Limits a model's concurrent calls, and its requests and tokens per minute. Each attempt waits here before it
//! reserves, so that no credits are reserved for a waiting call.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use super::bucket::TokenBucket;
use super::provider::Usage;
use crate::catalogue::LimitSettings;

/// Shared by all calls of a model in this process.
pub struct CallLimiter {
    slots: Option<Arc<Semaphore>>,
    requests: Option<DefaultDirectRateLimiter>,
    tokens: Option<Tokens>,
}

impl std::fmt::Debug for CallLimiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallLimiter").field("slots", &self.slots).field("tokens", &self.tokens).finish_non_exhaustive()
    }
}

/// Held while a call is under way. Dropping it before the call was sent returns its tokens.
#[derive(Debug)]
pub struct RatePermit<'a> {
    _slot: Option<SemaphorePermit<'a>>,
    taken: Option<Taken<'a>>,
}

impl CallLimiter {
    /// Builds the limits. `slots`: shared with other models of the same server, replacing its own. `now`: a monotonic
    /// clock.
    #[must_use]
    pub fn of(limits: &LimitSettings, slots: Option<Arc<Semaphore>>, now: fn() -> Instant) -> Self {
        let per_minute = |count: Option<u32>| count.and_then(NonZeroU32::new);
        Self {
            slots: slots.or_else(|| limits.concurrency.map(slots_for)),
            requests: per_minute(limits.requests_per_minute).map(|count| RateLimiter::direct(Quota::per_minute(count))),
            tokens: per_minute(limits.tokens_per_minute).map(|count| Tokens::new(count, now)),
        }
    }

    /// Waits until a call of about `tokens` tokens is allowed. A call of more than a minute's tokens waits for all of
    /// them.
    pub async fn acquire(&self, tokens: i64) -> RatePermit<'_> {
        if let Some(requests) = &self.requests {
            requests.until_ready().await;
        }
        let taken = match &self.tokens {
            Some(known) => Some(known.take(tokens).await),
            None => None,
        };
        // Taken last, since other models may share it: none waits for the minute of another.
        let slot = match &self.slots {
            // The semaphore is never closed. If it were, continuing without a permit is right.
            Some(slots) => slots.acquire().await.ok(),
            None => None,
        };
        RatePermit { _slot: slot, taken }
    }
}

impl RatePermit<'_> {
    /// Marks the call as sent: its tokens count as used until the actual usage is known.
    pub fn sent(&mut self) {
        if let Some(taken) = &mut self.taken {
            taken.is_sent = true;
        }
    }

    /// Records the usage of the call. `None` when unknown: the estimate remains.
    pub fn used(&mut self, usage: Option<Usage>) {
        if let (Some(taken), Some(usage)) = (self.taken.take(), usage) {
            taken.of.correct(taken.tokens, usage.input_tokens.saturating_add(usage.output_tokens));
        }
    }
}

/// The tokens of a minute, and the calls that wait for them.
#[derive(Debug)]
struct Tokens {
    bucket: Mutex<TokenBucket>,
    now: fn() -> Instant,
    /// Held by the first waiting call, so that small calls do not repeatedly overtake a large one.
    queue_head: tokio::sync::Mutex<()>,
    corrected: Notify,
}

/// The tokens that a call has taken.
#[derive(Debug)]
struct Taken<'a> {
    of: &'a Tokens,
    tokens: i64,
    is_sent: bool,
}

impl Tokens {
    fn new(per_minute: NonZeroU32, now: fn() -> Instant) -> Self {
        let bucket = Mutex::new(TokenBucket::new(per_minute, now()));
        Self { bucket, now, queue_head: tokio::sync::Mutex::default(), corrected: Notify::new() }
    }

    async fn take(&self, tokens: i64) -> Taken<'_> {
        let _head = self.queue_head.lock().await;
        loop {
            let taken = self.bucket().take(tokens, (self.now)());
            match taken {
                Ok(tokens) => return Taken { of: self, tokens, is_sent: false },
                Err(wait) => drop(tokio::time::timeout(wait, self.corrected.notified()).await),
            }
        }
    }

    fn correct(&self, taken: i64, used: i64) {
        self.bucket().correct(taken, used, (self.now)());
        self.corrected.notify_one();
    }

    fn bucket(&self) -> MutexGuard<'_, TokenBucket> {
        self.bucket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if !self.is_sent {
            self.of.correct(self.tokens, 0);
        }
    }
}

/// Returns a semaphore for `calls` concurrent calls.
#[must_use]
pub fn slots_for(calls: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(calls).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;
    use std::time::Duration;

    use super::*;

    /// A clock that stands still, so that nothing is refilled.
    fn frozen_clock() -> Instant {
        static NOW: LazyLock<Instant> = LazyLock::new(Instant::now);
        *NOW
    }

    fn limiter(limits: LimitSettings) -> CallLimiter {
        CallLimiter::of(&limits, None, frozen_clock)
    }

    fn of_tokens(tokens_per_minute: u32) -> CallLimiter {
        limiter(LimitSettings { tokens_per_minute: Some(tokens_per_minute), ..LimitSettings::default() })
    }

    /// Sends a call whose usage is never reported.
    async fn waits(limiter: &CallLimiter, tokens: i64) -> bool {
        let permit = tokio::time::timeout(Duration::from_millis(50), limiter.acquire(tokens)).await;
        permit.map(|mut permit| permit.sent()).is_err()
    }

    fn usage(input_tokens: i64, output_tokens: i64) -> Usage {
        Usage { input_tokens, output_tokens, ..Usage::default() }
    }

    #[tokio::test]
    async fn calls_wait_for_their_turn() {
        let limiter = limiter(LimitSettings { concurrency: Some(1), ..LimitSettings::default() });
        let permit = limiter.acquire(1).await;
        assert!(waits(&limiter, 1).await);
        drop(permit);
        assert!(!waits(&limiter, 1).await);
    }

    #[tokio::test]
    async fn a_call_that_waits_for_its_minute_holds_no_shared_slot() {
        let slots = slots_for(1);
        for limits in [
            LimitSettings { tokens_per_minute: Some(1000), ..LimitSettings::default() },
            LimitSettings { requests_per_minute: Some(1), ..LimitSettings::default() },
        ] {
            let limited = CallLimiter::of(&limits, Some(Arc::clone(&slots)), frozen_clock);
            let other = CallLimiter::of(&LimitSettings::default(), Some(Arc::clone(&slots)), frozen_clock);
            assert!(!waits(&limited, 1000).await);
            let mut waiting = Box::pin(limited.acquire(500));
            assert!(futures::poll!(&mut waiting).is_pending());
            assert!(!waits(&other, 1).await, "{limits:?}");
        }
    }

    #[tokio::test]
    async fn requests_and_tokens_of_a_minute_are_counted() {
        let requests = limiter(LimitSettings { requests_per_minute: Some(2), ..LimitSettings::default() });
        assert!(!waits(&requests, 1).await && !waits(&requests, 1).await && waits(&requests, 1).await);
        let tokens = of_tokens(1000);
        assert!(!waits(&tokens, 600).await && waits(&tokens, 600).await && !waits(&tokens, 0).await);
        assert!(!waits(&of_tokens(1000), i64::MAX).await, "more than a minute holds is not waited for in vain");
    }

    #[tokio::test]
    async fn what_a_call_used_takes_the_place_of_what_it_was_thought_to() {
        let limiter = of_tokens(1000);
        let mut permit = limiter.acquire(900).await;
        permit.sent();
        assert!(waits(&limiter, 200).await);
        permit.used(Some(usage(300, 100)));
        assert!(!waits(&limiter, 600).await, "500 are back");
        assert!(waits(&limiter, 1).await);

        let limiter = of_tokens(1000);
        let mut permit = limiter.acquire(100).await;
        permit.sent();
        permit.used(Some(usage(900, 50)));
        assert!(!waits(&limiter, 50).await && waits(&limiter, 1).await, "850 more are gone");
        let mut unknown = limiter.acquire(0).await;
        unknown.sent();
        unknown.used(None);
        assert!(waits(&limiter, 1).await);
    }

    #[tokio::test]
    async fn a_call_that_was_not_sent_takes_nothing() {
        let limiter = of_tokens(1000);
        drop(limiter.acquire(1000).await);
        let mut permit = limiter.acquire(1000).await;
        permit.sent();
        drop(permit);
        assert!(waits(&limiter, 1).await, "sent and not heard of again: it may have used all");
    }

    #[tokio::test]
    async fn one_that_waits_goes_on_as_soon_as_tokens_are_given_back_and_before_those_behind() {
        let limiter = of_tokens(1000);
        let mut permit = limiter.acquire(1000).await;
        permit.sent();
        let (mut large, mut small) = (Box::pin(limiter.acquire(800)), Box::pin(limiter.acquire(1)));
        assert!(futures::poll!(&mut large).is_pending() && futures::poll!(&mut small).is_pending());
        permit.used(Some(usage(500, 0)));
        assert!(
            futures::poll!(&mut large).is_pending() && futures::poll!(&mut small).is_pending(),
            "it is the other's turn"
        );
        drop(large);
        assert!(futures::poll!(&mut small).is_ready(), "whoever stops waiting holds nobody up");
    }
}
