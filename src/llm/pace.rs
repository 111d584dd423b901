//! How many calls of a model are under way at a time, and how many requests and tokens it is sent in a minute. Asked by each attempt
//! before it reserves, so that no credits are set aside for one that waits.

use std::num::NonZeroU32;
use std::sync::Arc;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::config::catalogue::LimitSettings;

/// Shared by all calls of a model in this process.
pub struct Pace {
    slots: Option<Arc<Semaphore>>,
    requests: Option<DefaultDirectRateLimiter>,
    tokens: Option<(DefaultDirectRateLimiter, NonZeroU32)>,
}

impl std::fmt::Debug for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pace").field("slots", &self.slots).finish_non_exhaustive()
    }
}

/// Held while a call is under way.
#[derive(Debug)]
pub struct Turn<'a> {
    _slot: Option<SemaphorePermit<'a>>,
}

impl Pace {
    /// `slots`: shared with other models of the same server, in the place of its own.
    #[must_use]
    pub fn of(limits: &LimitSettings, slots: Option<Arc<Semaphore>>) -> Self {
        let per_minute = |count: Option<u32>| count.and_then(NonZeroU32::new);
        Self {
            slots: slots.or_else(|| limits.concurrency.map(slots_for)),
            requests: per_minute(limits.requests_per_minute).map(|count| RateLimiter::direct(Quota::per_minute(count))),
            tokens: per_minute(limits.tokens_per_minute)
                .map(|count| (RateLimiter::direct(Quota::per_minute(count)), count)),
        }
    }

    /// Waits until a call of about so many tokens is in order. One of more than a minute's tokens waits for all of them.
    pub async fn turn(&self, tokens: i64) -> Turn<'_> {
        let slot = match &self.slots {
            // It is never closed; were it, asking on is right.
            Some(slots) => slots.acquire().await.ok(),
            None => None,
        };
        if let Some(requests) = &self.requests {
            requests.until_ready().await;
        }
        if let Some((limiter, most)) = &self.tokens
            && let Some(count) = u32::try_from(tokens).ok().or(Some(u32::MAX)).and_then(NonZeroU32::new)
        {
            // No more than there is room for is asked for, so this cannot fail.
            let _ = limiter.until_n_ready(count.min(*most)).await;
        }
        Turn { _slot: slot }
    }
}

/// Room for so many calls.
#[must_use]
pub fn slots_for(calls: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(calls).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn waits(pace: &Pace, tokens: i64) -> bool {
        tokio::time::timeout(Duration::from_millis(50), pace.turn(tokens)).await.is_err()
    }

    #[tokio::test]
    async fn calls_wait_for_their_turn() {
        let pace = Pace::of(&LimitSettings { concurrency: Some(1), ..LimitSettings::default() }, None);
        let turn = pace.turn(1).await;
        assert!(waits(&pace, 1).await);
        drop(turn);
        assert!(!waits(&pace, 1).await);
    }

    #[tokio::test]
    async fn requests_and_tokens_of_a_minute_are_counted() {
        let requests = Pace::of(&LimitSettings { requests_per_minute: Some(2), ..LimitSettings::default() }, None);
        assert!(!waits(&requests, 1).await && !waits(&requests, 1).await && waits(&requests, 1).await);
        let tokens = Pace::of(&LimitSettings { tokens_per_minute: Some(1000), ..LimitSettings::default() }, None);
        assert!(!waits(&tokens, 600).await && waits(&tokens, 600).await && !waits(&tokens, 0).await);
        let huge = Pace::of(&LimitSettings { tokens_per_minute: Some(1000), ..LimitSettings::default() }, None);
        assert!(!waits(&huge, i64::MAX).await, "more than a minute holds is not waited for in vain");
    }
}
