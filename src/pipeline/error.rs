//! Reasons why an attempt at a run ended without a digest.

use std::error::Error as _;

use aha_core::digest::Digest;
use aha_core::run::AttemptOutcome;
use aha_core::shell;
use aha_core::time::Timestamp;
use aha_core::topic::topic_option;
use aha_store::{RetryAdvice, StoreError};
use thiserror::Error;
use tokio::task::JoinError;

use crate::sources::fetch::FetchError;

#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Store(StoreError),
    #[error("the run was interrupted; run it again and it continues where it stopped")]
    Interrupted,
    #[error("another process took this topic's lease over; this attempt ended and committed nothing after that")]
    LeaseLost,
    #[error(
        "topic {topic:?} is being run by {owner} (its lease ends at {expires_at} unless renewed); wait for it to finish, then run this again"
    )]
    Held { topic: String, owner: String, expires_at: Timestamp },
    #[error(
        "topic {topic:?} has been read up to {cursor}, more than a day ahead of the clock, which says {now}; if the clock is right, set the topic back with `{}`",
        shell::topic_set(topic, &format!("--read-from {now}"))
    )]
    CursorAhead { topic: String, cursor: Timestamp, now: Timestamp },
    #[error(
        "there is no topic {name:?}; `aha-radar topic list` shows those there are, and a first --import makes the topic \"default\""
    )]
    NoTopic { name: String },
    #[error(
        "topic {topic:?} has no source yet; add one with `aha-radar source add URL{}` or bring a list with --import FILE.opml",
        topic_option(topic)
    )]
    NoSources { topic: String },
    #[error(
        "the time zone {0:?} of the topic is not known; set one with `aha-radar topic set NAME --timezone Europe/Berlin`"
    )]
    BadTimezone(String),
    #[error(
        "the schedule {0:?} of the topic cannot be read; set one with `aha-radar topic set NAME --schedule \"0 7 * * *\"`"
    )]
    BadSchedule(String),
    #[error("a rule of the topic cannot be used: {0}")]
    BadRule(#[from] aha_core::topic::RuleError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(
        "the digest was stored, but its files could not be written: {error}; check AHA_OUTPUT_DIR, and the topic's next run writes them (one without --window)"
    )]
    Output {
        #[source]
        error: crate::digest::RenderError,
        digest: Box<Digest>,
    },
    #[error(
        "a defect of the program ended the run ({0}); the log says where, please report it, and the run continues where it stopped when it is started again"
    )]
    Panicked(String),
}

/// A panic is a defect. A task that did not end is one that the shutdown of the process cancelled.
impl From<JoinError> for RunError {
    fn from(error: JoinError) -> Self {
        let Ok(payload) = error.try_into_panic() else { return Self::Interrupted };
        let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
        Self::Panicked(message.unwrap_or_else(|| "panic without a message".to_owned()))
    }
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost { .. } => Self::LeaseLost,
            other => Self::Store(other),
        }
    }
}

impl RunError {
    /// Returns the message with those causes that it does not contain itself.
    #[must_use]
    pub fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let message = error.to_string();
            if !text.contains(&message) {
                text.push_str(": ");
                text.push_str(&message);
            }
            cause = error.source();
        }
        text
    }

    /// How a daemon handles the error; `None`: the topic waits for its next scheduled time.
    #[must_use]
    pub const fn retry_advice(&self) -> Option<RetryAdvice> {
        match self {
            Self::Store(error) => Some(error.retry_advice()),
            Self::Held { .. } => Some(RetryAdvice::Soon),
            Self::LeaseLost => Some(RetryAdvice::NextAttempt),
            Self::Interrupted
            | Self::CursorAhead { .. }
            | Self::NoTopic { .. }
            | Self::NoSources { .. }
            | Self::BadTimezone(_)
            | Self::BadSchedule(_)
            | Self::BadRule(_)
            | Self::Fetch(_)
            | Self::Output { .. }
            | Self::Panicked(_) => None,
        }
    }

    /// The outcome stored in the attempt's row.
    #[must_use]
    pub const fn attempt_outcome(&self) -> AttemptOutcome {
        match self {
            Self::Interrupted => AttemptOutcome::Interrupted,
            Self::LeaseLost => AttemptOutcome::Lost,
            Self::Store(_)
            | Self::Held { .. }
            | Self::CursorAhead { .. }
            | Self::NoTopic { .. }
            | Self::NoSources { .. }
            | Self::BadTimezone(_)
            | Self::BadSchedule(_)
            | Self::BadRule(_)
            | Self::Fetch(_)
            | Self::Output { .. }
            | Self::Panicked(_) => AttemptOutcome::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_failure_and_not_an_interruption() {
        for (panicked, message) in [
            (tokio::task::spawn_blocking(|| panic!("index out of bounds")).await, "index out of bounds"),
            (tokio::task::spawn_blocking(|| panic!("{} of 3", 7)).await, "7 of 3"),
        ] {
            let error = RunError::from(panicked.unwrap_err());
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.attempt_outcome(), AttemptOutcome::Failed);
        }
        let waiting = tokio::spawn(std::future::pending::<()>());
        waiting.abort();
        let error = RunError::from(waiting.await.unwrap_err());
        assert_eq!(error.attempt_outcome(), AttemptOutcome::Interrupted);
    }
}
