//! How often and how soon a call is tried again, as data: a task's policy, and what a model's own settings change of it.

use std::time::Duration;

/// What a task is granted for each model of its chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Further tries after a failure that may pass by itself.
    pub transient: u32,
    /// Which failures those are.
    pub retried: RetriedKinds,
    /// Further tries after an answer that could not be used.
    pub repairs: u32,
    /// Whether the next model of the chain is called when this one has failed; else the failure goes to whoever asked.
    pub falls_back: bool,
    /// Before the first further try, without jitter.
    pub base: Duration,
    /// From one wait to the next.
    pub multiplier: f64,
    /// The share of a wait that is left to chance.
    pub jitter: f64,
    /// No wait is longer; a server that asks for a longer one is given up.
    pub longest_wait: Duration,
}

/// Kinds of failures that may pass by themselves. One that is not retried goes to the next model, or to whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each kind is retried or not, whatever the others are")]
pub struct RetriedKinds {
    /// No connection, no answer in time, or one that broke off.
    pub transport: bool,
    /// 429.
    pub rate_limits: bool,
    /// 503 and its like: the server is overloaded.
    pub overload: bool,
    /// 500 and its like: the server failed.
    pub server_errors: bool,
}

impl RetriedKinds {
    pub const ALL: Self = Self { transport: true, rate_limits: true, overload: true, server_errors: true };
    /// The network's failures alone; what a server answers is for the person to decide on.
    pub const TRANSPORT: Self = Self { transport: true, rate_limits: false, overload: false, server_errors: false };
}

/// Seed 004: once more after a transient error, once more after a failed validation.
pub const PIPELINE: RetryPolicy = RetryPolicy {
    transient: 1,
    retried: RetriedKinds::ALL,
    repairs: 1,
    falls_back: true,
    base: Duration::from_secs(1),
    multiplier: 2.0,
    jitter: 0.5,
    longest_wait: Duration::from_mins(1),
};

/// For a person who waits: once more after two seconds where the network failed; what a server refuses is shown at once.
pub const INTERACTIVE: RetryPolicy = RetryPolicy {
    transient: 1,
    retried: RetriedKinds::TRANSPORT,
    repairs: 0,
    falls_back: false,
    base: Duration::from_secs(2),
    multiplier: 1.0,
    jitter: 0.0,
    longest_wait: Duration::from_secs(2),
};

/// A model's own settings for the retries of a task.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetrySettings {
    /// Tries in all.
    pub max_attempts: Option<u32>,
    pub initial_delay: Option<Duration>,
    pub max_delay: Option<Duration>,
    pub multiplier: Option<f64>,
    /// The share of a wait that is left to chance.
    pub jitter: Option<f64>,
}

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

    /// As a model's own settings say, where they do. How often an unusable answer is repaired is the task's.
    #[must_use]
    pub fn with(&self, settings: &RetrySettings) -> Self {
        Self {
            transient: settings.max_attempts.map_or(self.transient, |attempts| attempts.saturating_sub(1)),
            retried: self.retried,
            repairs: self.repairs,
            falls_back: self.falls_back,
            base: settings.initial_delay.unwrap_or(self.base),
            multiplier: settings.multiplier.unwrap_or(self.multiplier),
            jitter: settings.jitter.unwrap_or(self.jitter),
            longest_wait: settings.max_delay.unwrap_or(self.longest_wait),
        }
    }
}
