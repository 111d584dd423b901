//! Why a use case failed, as a kind that each interface maps to its own codes.

use aha_llm::conversation::ConversationError;
use aha_store::copy::CopyError;
use aha_store::{RetryAdvice, StoreError};
use chrono::NaiveDate;
use serde::Serialize;
use thiserror::Error;
use tokio::task::JoinError;

use crate::app::AppError;
use crate::pipeline::RunError;
use crate::sources::fetch::FetchError;
use crate::sources::opml::OpmlError;

/// The kind of error, by what the caller can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The named thing does not exist.
    NotFound,
    /// A given value cannot be used.
    InvalidInput,
    /// It contradicts the current state: a name that is taken, a topic without a source.
    Conflict,
    /// Another process holds it, or the database is temporarily unavailable: the same may succeed later.
    Busy,
    /// This process does as much of the same kind as it can, and enough of it waits: the same may succeed later.
    TooMany,
    /// A cap leaves no room for it.
    BudgetExhausted,
    /// It was asked to stop.
    Interrupted,
    /// The database failed.
    Store,
    /// A provider or model failed.
    Gateway,
    /// A resource could not be fetched.
    Fetch,
    /// A file could not be read or written.
    Files,
    /// A defect of the program.
    Internal,
}

#[derive(Debug, Error)]
pub enum ServiceError {
    /// `what` is the kind of thing: `digest`, `story`, `topic`, …
    #[error("{message}")]
    NotFound { what: &'static str, message: String },
    /// `field` is the value's name in the interface's forms.
    #[error("{message}")]
    Invalid { field: &'static str, message: String },
    #[error("{message}")]
    Conflict { message: String },
    #[error("{message}")]
    Busy { message: String },
    #[error("{message}")]
    TooMany { message: String },
    #[error("{message}")]
    BudgetExhausted { message: String },
    /// Every model that was asked failed.
    #[error("{message}")]
    Gateway { message: String },
    #[error("{message}")]
    Files { message: String, source: std::io::Error },
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Opml(#[from] OpmlError),
    #[error(transparent)]
    App(#[from] AppError),
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// A panic, with its message.
    #[error("a defect of the program prevented this ({0}); the log says where, please report it")]
    Panicked(String),
    #[error(transparent)]
    Run(RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ServiceError {
    pub(super) fn not_found(what: &'static str, message: impl Into<String>) -> Self {
        Self::NotFound { what, message: message.into() }
    }

    pub(crate) fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid { field, message: message.into() }
    }

    /// The last of some days is before the first.
    pub(crate) fn reversed_days(first: NaiveDate, last: NaiveDate) -> Self {
        Self::invalid("last", format!("the last day, {last}, is before the first, {first}; exchange them"))
    }

    /// `why` names the limit that is used up, and its setting.
    pub(super) fn no_budget(why: &str) -> Self {
        let next = "raise that limit, or wait until it is renewed; `aha-radar spend` shows what is left";
        Self::BudgetExhausted { message: format!("{why}; {next}") }
    }

    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Invalid { .. } | Self::Opml(_) => ErrorKind::InvalidInput,
            Self::Conflict { .. } => ErrorKind::Conflict,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::TooMany { .. } => ErrorKind::TooMany,
            Self::BudgetExhausted { .. } => ErrorKind::BudgetExhausted,
            Self::Files { .. } => ErrorKind::Files,
            Self::Fetch(_) => ErrorKind::Fetch,
            Self::Gateway { .. } | Self::App(_) => ErrorKind::Gateway,
            Self::Conversation(error) => kind_of_conversation(error),
            Self::Panicked(_) => ErrorKind::Internal,
            Self::Run(error) => kind_of_run(error),
            Self::Store(error) | Self::Copy(CopyError::Target(error)) => kind_of_store(error),
            Self::Copy(_) => ErrorKind::Store,
        }
    }

    /// Returns the name of the wrong value, if there is one.
    #[must_use]
    pub const fn field(&self) -> Option<&'static str> {
        match self {
            Self::Invalid { field, .. } => Some(field),
            Self::Opml(_) => Some("file"),
            Self::NotFound { .. }
            | Self::Conflict { .. }
            | Self::Busy { .. }
            | Self::TooMany { .. }
            | Self::BudgetExhausted { .. }
            | Self::Gateway { .. }
            | Self::Files { .. }
            | Self::Fetch(_)
            | Self::App(_)
            | Self::Conversation(_)
            | Self::Copy(_)
            | Self::Panicked(_)
            | Self::Run(_)
            | Self::Store(_) => None,
        }
    }

    /// Returns what an automatic caller should do; `None` if a retry is no use.
    #[must_use]
    pub const fn retry_advice(&self) -> Option<RetryAdvice> {
        match self {
            Self::Store(error) => Some(error.retry_advice()),
            Self::Run(error) => error.retry_advice(),
            Self::NotFound { .. }
            | Self::Invalid { .. }
            | Self::Conflict { .. }
            | Self::Busy { .. }
            | Self::TooMany { .. }
            | Self::BudgetExhausted { .. }
            | Self::Gateway { .. }
            | Self::Files { .. }
            | Self::Fetch(_)
            | Self::Opml(_)
            | Self::App(_)
            | Self::Conversation(_)
            | Self::Copy(_)
            | Self::Panicked(_) => None,
        }
    }
}

impl From<JoinError> for ServiceError {
    fn from(error: JoinError) -> Self {
        match RunError::from(error) {
            RunError::Panicked(message) => Self::Panicked(message),
            other => Self::Run(other),
        }
    }
}

impl From<RunError> for ServiceError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => Self::Store(error),
            other => Self::Run(other),
        }
    }
}

pub(super) const fn kind_of_run(error: &RunError) -> ErrorKind {
    match error {
        RunError::Store(error) => kind_of_store(error),
        RunError::Interrupted => ErrorKind::Interrupted,
        RunError::LeaseLost | RunError::Held { .. } => ErrorKind::Busy,
        RunError::NoTopic { .. } => ErrorKind::NotFound,
        RunError::CursorAhead { .. } | RunError::NoSources { .. } => ErrorKind::Conflict,
        RunError::BadTimezone(_) | RunError::BadSchedule(_) | RunError::BadRule(_) => ErrorKind::InvalidInput,
        RunError::Fetch(_) => ErrorKind::Fetch,
        RunError::Output { .. } => ErrorKind::Files,
        RunError::Panicked(_) => ErrorKind::Internal,
    }
}

const fn kind_of_conversation(error: &ConversationError) -> ErrorKind {
    match error {
        ConversationError::NoBudget(_) => ErrorKind::BudgetExhausted,
        ConversationError::Store(error) => kind_of_store(error),
        ConversationError::Archived
        | ConversationError::BadSchema(_)
        | ConversationError::ValidationFailed { .. }
        | ConversationError::Provider { .. }
        | ConversationError::NotSent(_) => ErrorKind::Gateway,
    }
}

const fn kind_of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::UnsupportedDatabase { .. } | StoreError::InvalidUrl { .. } => ErrorKind::InvalidInput,
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::StillOpen { .. } => ErrorKind::Conflict,
        other => match other.retry_advice() {
            RetryAdvice::Soon => ErrorKind::Busy,
            RetryAdvice::NextAttempt | RetryAdvice::NeedsPerson => ErrorKind::Store,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_busy_and_what_was_named_wrong_is_not_found() {
        let kind = |error: ServiceError| error.kind();
        assert_eq!(kind(StoreError::Locked { waited_seconds: 5 }.into()), ErrorKind::Busy);
        assert_eq!(kind(StoreError::DiskFull.into()), ErrorKind::Store);
        assert_eq!(kind(RunError::Store(StoreError::DiskFull).into()), ErrorKind::Store);
        assert_eq!(kind(RunError::NoTopic { name: "x".to_owned() }.into()), ErrorKind::NotFound);
        let invalid = ServiceError::invalid("weight", "too much");
        assert_eq!((invalid.kind(), invalid.field()), (ErrorKind::InvalidInput, Some("weight")));
    }
}
