//! Exit codes: 0 ok · 1 failed · 2 usage or configuration · 3 partial · 4 budget exhausted · 130 interrupted.

use std::process::ExitCode;

use aha_benchmark::BenchmarkError;
use aha_core::digest::{Digest, DigestStatus};
use aha_core::schedule::ScheduleError;
use aha_core::topic::RuleError;
use aha_core::window::WindowError;
use thiserror::Error;

use crate::app::AppError;
use crate::ask::AskError;
use crate::config::ConfigError;
use crate::daemon::DaemonError;
use crate::journal::JournalError;
use crate::pipeline::RunError;
use crate::services::accounts::AccountError;
use crate::services::database::StoreError;
use crate::services::{ErrorKind, ServiceError};
use crate::sources::opml::OpmlError;
use crate::web::ServeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Ok,
    Failed,
    Usage,
    Partial,
    BudgetExhausted,
    Interrupted,
}

impl Exit {
    /// Returns the one to report if both apply: the first of 130, 2, 1, 4, 3.
    pub(super) fn or(self, other: Self) -> Self {
        let precedence = |exit: &Self| match exit {
            Self::Ok => 0,
            Self::Partial => 1,
            Self::BudgetExhausted => 2,
            Self::Failed => 3,
            Self::Usage => 4,
            Self::Interrupted => 5,
        };
        std::cmp::max_by_key(self, other, precedence)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Partial => 3,
            Exit::BudgetExhausted => 4,
            Exit::Interrupted => 130,
        })
    }
}

/// An error that the user can correct.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// Returns the exit code for a digest, which may be complete or partial.
pub(super) fn of_digest(digest: &Digest) -> Exit {
    if digest.cost.budget_exhausted.is_some() {
        return Exit::BudgetExhausted;
    }
    match digest.head.status {
        DigestStatus::Partial => Exit::Partial,
        DigestStatus::Complete | DigestStatus::Quiet => Exit::Ok,
    }
}

pub(super) fn of(error: &anyhow::Error) -> Exit {
    if let Some(error) = error.downcast_ref::<JournalError>() {
        return if error.is_usage() { Exit::Usage } else { Exit::Failed };
    }
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return of_service(error);
    }
    match error.downcast_ref::<AskError>() {
        Some(AskError::Empty | AskError::TooLong) => return Exit::Usage,
        Some(AskError::Service(error)) => return of_service(error),
        Some(
            AskError::EmptyStore
            | AskError::Unanswered { .. }
            | AskError::OwnFeedback
            | AskError::Timeout
            | AskError::Busy,
        )
        | None => {}
    }
    match error.downcast_ref::<RunError>() {
        Some(RunError::Interrupted) => return Exit::Interrupted,
        Some(
            RunError::NoTopic { .. }
            | RunError::CursorAhead { .. }
            | RunError::NoSources { .. }
            | RunError::BadTimezone(_)
            | RunError::BadSchedule(_)
            | RunError::BadRule(_),
        ) => return Exit::Usage,
        Some(
            RunError::Store(_)
            | RunError::LeaseLost
            | RunError::Held { .. }
            | RunError::Fetch(_)
            | RunError::Output { .. }
            | RunError::Panicked(_),
        )
        | None => {}
    }
    let no_database = matches!(
        error.downcast_ref::<StoreError>(),
        Some(StoreError::UnsupportedDatabase { .. } | StoreError::InvalidUrl { .. })
    );
    let usage = no_database
        || error.is::<ConfigError>()
        || error.is::<UsageError>()
        || error.is::<WindowError>()
        || error.is::<RuleError>()
        || error.is::<ScheduleError>()
        || error.is::<OpmlError>();
    if usage || is_configuration(error) { Exit::Usage } else { Exit::Failed }
}

/// Whether the configuration or an argument is wrong, so that the same command would fail again.
fn is_configuration(error: &anyhow::Error) -> bool {
    let serve = match error.downcast_ref::<DaemonError>() {
        Some(DaemonError::Serve(error)) => Some(error),
        Some(DaemonError::Tick(_) | DaemonError::Store(_)) | None => error.downcast_ref::<ServeError>(),
    };
    let account = match serve {
        Some(ServeError::Accounts(error)) => Some(error),
        Some(ServeError::Unprotected { .. }) => return true,
        Some(ServeError::Listen { .. }) | None => error.downcast_ref::<AccountError>(),
    };
    account.is_some_and(|account| !matches!(account, AccountError::Store(_)))
        || matches!(error.downcast_ref::<AppError>(), Some(AppError::Prompt(_)))
        || matches!(error.downcast_ref::<BenchmarkError>(), Some(BenchmarkError::Baseline(_)))
}

const fn of_service(error: &ServiceError) -> Exit {
    match (error, error.kind()) {
        (_, ErrorKind::InvalidInput) | (ServiceError::App(AppError::Prompt(_)), _) => Exit::Usage,
        (ServiceError::Store(_), _)
        | (
            _,
            ErrorKind::Busy
            | ErrorKind::TooMany
            | ErrorKind::Store
            | ErrorKind::Gateway
            | ErrorKind::Fetch
            | ErrorKind::Files
            | ErrorKind::Internal,
        ) => Exit::Failed,
        (_, ErrorKind::NotFound | ErrorKind::Conflict) => Exit::Usage,
        (_, ErrorKind::BudgetExhausted) => Exit::BudgetExhausted,
        (_, ErrorKind::Interrupted) => Exit::Interrupted,
    }
}
