//! Retry policies as data: a task's policy, and how a model's settings change it.

use std::time::Duration;

/// The retries that a task allows for each model of its chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Retries after a failure that may be temporary.
    pub transient: u32,
    /// Which failures those are.
    pub retried: RetriedKinds,
    /// Retries after an unusable answer.
    pub repairs: u32,
    /// Whether the next model of the chain is called when this one has failed; otherwise the failure is returned to
    /// the caller.
    pub falls_back: bool,
    /// Wait before the first retry, without jitter.
    pub base: Duration,
    /// Factor from one wait to the next.
    pub multiplier: f64,
    /// The random share of a wait, from 0 to 1.
    pub jitter: f64,
    /// Maximum wait; if a server asks for a longer one, the call is given up.
    pub longest_wait: Duration,
}

/// Kinds of failures that may be temporary. A failure that is not retried leads to the next model, or is returned to
/// the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each kind is retried or not, whatever the others are")]
pub struct RetriedKinds {
    /// No connection, no answer in time, or a broken connection.
    pub transport: bool,
    /// 429.
    pub rate_limits: bool,
    /// 503 and the like: the server is overloaded.
    pub overload: bool,
    /// 500 and the like: the server failed.
    pub server_errors: bool,
}

impl RetriedKinds {
    pub const ALL: Self = Self { transport: true, rate_limits: true, overload: true, server_errors: true };
    /// Network failures only; the user decides on failures that a server reports.
    pub const TRANSPORT: Self = Self { transport: true, rate_limits: false, overload: false, server_errors: false };
}

/// For everything that a schedule or a request waits for: one retry after a failure that may be temporary, one after an
/// answer that fails validation.
pub const STANDARD: RetryPolicy = RetryPolicy {
    transient: 1,
    retried: RetriedKinds::ALL,
    repairs: 1,
    falls_back: true,
    base: Duration::from_secs(1),
    multiplier: 2.0,
    jitter: 0.5,
    longest_wait: Duration::from_mins(1),
};

/// For interactive use: one retry after two seconds where the network failed; a server's refusal is shown at once.
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

/// A model's settings for retries, which override those of a task.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetrySettings {
    /// Attempts in total.
    pub max_attempts: Option<u32>,
    pub initial_delay: Option<Duration>,
    pub max_delay: Option<Duration>,
    pub multiplier: Option<f64>,
    /// The random share of a wait, from 0 to 1.
    pub jitter: Option<f64>,
}

/// Remaining retries with the current model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    pub transient: u32,
    pub repairs: u32,
}

impl RetryPolicy {
    /// Returns the policy for a conversation: `attempts` in total, whatever the failures.
    #[must_use]
    pub const fn with_attempts(self, attempts: u32) -> Self {
        let further = attempts.saturating_sub(1);
        Self { transient: further, repairs: further, ..self }
    }

    #[must_use]
    pub const fn all(&self) -> Left {
        Left { transient: self.transient, repairs: self.repairs }
    }

    /// Returns the policy with a model's settings applied where given. Repairs are always those of the task.
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
