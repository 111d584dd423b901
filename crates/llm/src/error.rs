//! Failures of one attempt at a call: the kind on the ledger, the possible charge, and what to do next.

use std::time::Duration;

use thiserror::Error;

/// One attempt's failure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    #[error("the server cannot be reached ({0})")]
    Connect(String),
    #[error("no answer came within {0} s")]
    TimedOut(u64),
    #[error("the server sent nothing for {0} s in the middle of its answer")]
    Stalled(u64),
    #[error("the connection broke before the answer was complete ({0})")]
    Interrupted(String),
    /// Ended by this program, not by the server.
    #[error("the caller stopped waiting for the answer")]
    Abandoned,
    #[error("the answer is larger than {0} MiB")]
    TooLarge(usize),
    #[error("AHA_EGRESS=local: {0} is neither on this host nor on a private network; nothing was sent")]
    NotLocal(String),
    #[error("the server redirects to {0}, which is not followed: the key is for one host")]
    Redirected(String),
    #[error("the key is refused (401: {0}); check OPENAI_API_KEY, or api_key in the catalogue")]
    Unauthorized(String),
    #[error("access is refused (403: {0}); check that the key, its account and region may use this model")]
    Forbidden(String),
    #[error("the account's quota is used up ({0}); see the provider's billing page")]
    QuotaExhausted(String),
    #[error("too many requests (429: {message}); if retries do not help, lower requests_per_minute")]
    RateLimited { message: String, retry_after: Option<Duration> },
    #[error("the server is overloaded ({status}: {message}); if retries do not help, try later or use another model")]
    Overloaded { status: u16, message: String, retry_after: Option<Duration> },
    #[error(
        "the server failed ({status}: {message}); if retries do not help, see its log or the provider's status page"
    )]
    Server { status: u16, message: String },
    #[error("the model is not known there (404: {0}); `aha-radar llm models` shows the configured name and endpoint")]
    UnknownModel(String),
    #[error(
        "the request is refused ({status}: {message}); if it names a parameter or a limit, change the model's settings"
    )]
    Refused { status: u16, message: String },
    #[error("the model answers as a stream alone ({0})")]
    StreamingOnly(String),
    #[error("the answer is no answer of this interface ({0}); check the address of the model")]
    NotTheInterface(String),
    #[error(
        "the answer was cut off at the output limit of {0} tokens; raise max_output_tokens of the task or its model (OPENAI_…_MAX_OUTPUT_TOKENS): a batch has that of each of its stories"
    )]
    Truncated(u32),
    #[error("the model declined to answer ({0})")]
    Declined(String),
    #[error("the answer was withheld by the provider's content filter")]
    Filtered,
    #[error("{0}")]
    Invalid(String),
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The cause may be temporary: send the same request once more, not before `after`.
    Retry { after: Option<Duration> },
    /// The model answers only as a stream: request one.
    Stream,
    /// The answer was unusable: ask again once, giving the reason.
    Repair,
    /// The batch is too large: ask about fewer stories; for a single story, call the next model.
    Split,
    /// This model cannot be used in this run.
    AbandonModel,
    /// This provider cannot be used in this run.
    AbandonProvider,
}

/// What an attempt without a plausible usage may have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The server did no work.
    Nothing,
    /// Possibly all that was reserved.
    Unknown,
}

impl CallError {
    /// Returns the same error with its server message changed.
    #[must_use]
    pub fn map_message(mut self, change: impl Fn(String) -> String) -> Self {
        let words = match &mut self {
            Self::Connect(words)
            | Self::NotLocal(words)
            | Self::Interrupted(words)
            | Self::Redirected(words)
            | Self::Unauthorized(words)
            | Self::Forbidden(words)
            | Self::QuotaExhausted(words)
            | Self::UnknownModel(words)
            | Self::StreamingOnly(words)
            | Self::NotTheInterface(words)
            | Self::Declined(words)
            | Self::Invalid(words)
            | Self::RateLimited { message: words, .. }
            | Self::Overloaded { message: words, .. }
            | Self::Server { message: words, .. }
            | Self::Refused { message: words, .. } => words,
            Self::TimedOut(_)
            | Self::Stalled(_)
            | Self::Abandoned
            | Self::TooLarge(_)
            | Self::Truncated(_)
            | Self::Filtered => {
                return self;
            }
        };
        *words = change(std::mem::take(words));
        self
    }

    /// Returns its kind and message.
    pub(super) fn kind_and_message(&self) -> (&'static str, String) {
        (self.kind(), self.to_string())
    }

    /// As in `provider_calls.error_kind`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Connect(_) => "connect",
            Self::TimedOut(_) => "timed_out",
            Self::Stalled(_) => "stalled",
            Self::Interrupted(_) | Self::Abandoned => "interrupted",
            Self::TooLarge(_) => "too_large",
            Self::NotLocal(_) => "not_local",
            Self::Redirected(_) => "redirected",
            Self::Unauthorized(_) => "unauthorized",
            Self::Forbidden(_) => "forbidden",
            Self::QuotaExhausted(_) => "quota_exhausted",
            Self::RateLimited { .. } => "rate_limited",
            Self::Overloaded { .. } => "overloaded",
            Self::Server { .. } => "server_error",
            Self::UnknownModel(_) => "unknown_model",
            Self::Refused { .. } => "refused_request",
            Self::StreamingOnly(_) => "streaming_only",
            Self::NotTheInterface(_) => "not_the_interface",
            Self::Truncated(_) => "truncated",
            Self::Declined(_) => "declined",
            Self::Filtered => "filtered",
            Self::Invalid(_) => "invalid_answer",
        }
    }

    /// Whether the call was probably charged and its inputs are probably not the cause, so that the next call may well
    /// fail in the same way.
    #[must_use]
    pub const fn is_unusable(&self) -> bool {
        matches!(
            self,
            Self::TimedOut(_) | Self::Stalled(_) | Self::Truncated(_) | Self::NotTheInterface(_) | Self::Invalid(_)
        )
    }

    /// Whether the server failed in a way that often passes.
    #[must_use]
    pub const fn is_server_failure(&self) -> bool {
        matches!(self, Self::Interrupted(_) | Self::Server { .. } | Self::Overloaded { .. })
    }

    /// Whether the server or the model rejected the request: its inputs may be the cause, but if whole batches are
    /// rejected one after the other, they are not.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Declined(_) | Self::Filtered | Self::TooLarge(_))
    }

    /// Returns how long the server asks to wait.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.decision() {
            Decision::Retry { after } => after,
            Decision::Stream
            | Decision::Repair
            | Decision::Split
            | Decision::AbandonModel
            | Decision::AbandonProvider => None,
        }
    }

    #[must_use]
    pub const fn decision(&self) -> Decision {
        match self {
            Self::Connect(_)
            | Self::TimedOut(_)
            | Self::Stalled(_)
            | Self::Interrupted(_)
            | Self::Abandoned
            | Self::Server { .. } => Decision::Retry { after: None },
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => {
                Decision::Retry { after: *retry_after }
            }
            Self::StreamingOnly(_) => Decision::Stream,
            Self::Invalid(_) | Self::NotTheInterface(_) => Decision::Repair,
            Self::Truncated(_) | Self::Refused { .. } | Self::TooLarge(_) | Self::Declined(_) | Self::Filtered => {
                Decision::Split
            }
            Self::UnknownModel(_) => Decision::AbandonModel,
            Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::QuotaExhausted(_)
            | Self::Redirected(_)
            | Self::NotLocal(_) => Decision::AbandonProvider,
        }
    }

    /// Whether one story of several can be the cause.
    #[must_use]
    pub const fn may_be_one_story(&self) -> bool {
        matches!(self, Self::Declined(_) | Self::Filtered | Self::TooLarge(_))
    }

    /// Returns what the attempt may have cost. An HTTP error means that the server gave no answer. 502 and 504 come
    /// only from a gateway; the server behind it may have continued.
    #[must_use]
    pub const fn charge(&self) -> Charge {
        match self {
            Self::Connect(_)
            | Self::NotLocal(_)
            | Self::Redirected(_)
            | Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::QuotaExhausted(_)
            | Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::UnknownModel(_)
            | Self::StreamingOnly(_)
            | Self::Refused { .. } => Charge::Nothing,
            Self::Server { status, .. } if *status != 502 && *status != 504 => Charge::Nothing,
            Self::Server { .. }
            | Self::TimedOut(_)
            | Self::Stalled(_)
            | Self::Interrupted(_)
            | Self::Abandoned
            | Self::TooLarge(_)
            | Self::NotTheInterface(_)
            | Self::Truncated(_)
            | Self::Declined(_)
            | Self::Filtered
            | Self::Invalid(_) => Charge::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_refuses_names_the_next_step() {
        let message = || "no".to_owned();
        for (error, next_step) in [
            (CallError::Unauthorized(message()), "check OPENAI_API_KEY"),
            (CallError::Forbidden(message()), "check that the key"),
            (CallError::RateLimited { message: message(), retry_after: None }, "lower requests_per_minute"),
            (CallError::Overloaded { status: 503, message: message(), retry_after: None }, "try later"),
            (CallError::Server { status: 500, message: message() }, "see its log"),
            (CallError::UnknownModel(message()), "`aha-radar llm models`"),
            (CallError::Refused { status: 400, message: message() }, "change the model's settings"),
        ] {
            let text = error.to_string();
            let (failure, advice) = text.split_once("; ").unwrap_or_default();
            assert!(failure.ends_with(": no)") && advice.contains(next_step), "{text}");
        }
    }
}
