//! Errors of the store, with messages that a user can act on.

use aha_core::topic::BudgetTier;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum StoreError {
    #[error(
        "there is no database at {path}; make one with `aha-radar init` or with a first `aha-radar --run-once --import FILE.opml`"
    )]
    Missing { path: String },
    #[error(
        "the database {path} cannot be opened: {reason}; check that the folder exists and that this user may write to it"
    )]
    CannotOpen { path: String, reason: String },
    #[error(
        "the database is locked by another program, the last attempt waited {waited_seconds} s for it; close that program (a database browser, a backup) and run this again: nothing was lost"
    )]
    Locked { waited_seconds: u64 },
    #[error(
        "the database cannot be written: it is read-only; give this user the right to write the file and its folder, then run this again"
    )]
    ReadOnly,
    #[error(
        "the disk with the database is full; free some space and run this again: what was committed before is kept"
    )]
    DiskFull,
    #[error(
        "the database has schema version {found}, newer than the {known} this program knows; use the newer aha-radar that wrote it"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error(
        "the database's migration {version} differs from the one in this program; use the aha-radar build that made it, or restore a backup"
    )]
    ChangedSchema { version: i64 },
    #[error("{path} is not an aha-radar database: {reason}")]
    NotADatabase { path: String, reason: String },
    #[error("this build carries SQLite {found}; {needed} or newer is needed (older ones can lose a write-ahead log)")]
    OldSqlite { found: String, needed: &'static str },
    #[error(
        "another process took this topic over (our lease token {token} is stale); nothing of this attempt was committed after that"
    )]
    LeaseLost { token: i64 },
    #[error(
        "rows are kept in SQLite or Postgres: DATABASE_URL must be sqlite://PATH or postgres://HOST/DATABASE, not {scheme}://…"
    )]
    UnsupportedDatabase { scheme: String },
    #[error("the database's address (DATABASE_URL) cannot be used: {reason}")]
    InvalidUrl { reason: String },
    #[error(
        "the Postgres server at {server} cannot be reached: {reason}; check that it runs and that DATABASE_URL names it, then run this again: nothing was lost"
    )]
    ServerAway { server: String, reason: String },
    #[error(
        "the Postgres server at {server} has no connection left ({reason}); end other programs' connections, or raise its max_connections or the limit of its user or database, then run this again: nothing was lost"
    )]
    ServerFull { server: String, reason: String },
    #[error("the Postgres server at {server} refuses us: {reason}; check user, password and database in DATABASE_URL")]
    ServerRefuses { server: String, reason: String },
    #[error("the Postgres server at {server} cannot be used: {reason}")]
    ServerUnfit { server: String, reason: String },
    #[error(
        "the Postgres server takes no writes: it is a standby or set to read only; name the primary in DATABASE_URL, then run this again"
    )]
    ServerReadOnly,
    #[error(
        "the connection to the Postgres server broke ({reason}); run this again: what was committed before is kept"
    )]
    ConnectionLost { reason: String },
    #[error(
        "the database has not answered for {waited_seconds} s; see why its server, the network or its disk hangs, then run this again: what was committed before is kept"
    )]
    Silent { waited_seconds: u64 },
    #[error(
        "the database's user may not do this ({reason}); let its owner grant it all rights on the schema and its tables, or name the owner in DATABASE_URL"
    )]
    NoRight { reason: String },
    #[error("conflicting writes ({reason}); run this again: nothing of this was committed")]
    Conflict { reason: String },
    #[error(
        "the Postgres server was too slow: a statement took over {waited_seconds} s and was given up; see what keeps it busy, then run this again"
    )]
    TooSlow { waited_seconds: u64 },
    #[error("there is no {what} {id}; it may have been removed meanwhile")]
    NotFound { what: &'static str, id: String },
    #[error(
        "call {id} is still under way; if its process has ended, it can be adjusted as soon as its time limit has passed"
    )]
    StillOpen { id: String },
    #[error("a stored {what} cannot be read: {reason}")]
    Corrupt { what: &'static str, reason: String },
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

/// When to retry after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAdvice {
    /// The cause passes by itself: retry within minutes.
    Soon,
    /// Stop this attempt; the run stays unfinished and the next attempt continues.
    NextAttempt,
    /// Retrying will not help until a person acts; a daemon tries at long intervals, to notice that one has.
    NeedsPerson,
}

impl StoreError {
    #[must_use]
    pub const fn retry_advice(&self) -> RetryAdvice {
        match self {
            Self::Locked { .. }
            | Self::ServerAway { .. }
            | Self::ServerFull { .. }
            | Self::ConnectionLost { .. }
            | Self::Silent { .. }
            | Self::Conflict { .. } => RetryAdvice::Soon,
            Self::LeaseLost { .. } | Self::DiskFull | Self::TooSlow { .. } | Self::Database(_) => {
                RetryAdvice::NextAttempt
            }
            Self::Missing { .. }
            | Self::CannotOpen { .. }
            | Self::ReadOnly
            | Self::NewerSchema { .. }
            | Self::ChangedSchema { .. }
            | Self::NotADatabase { .. }
            | Self::OldSqlite { .. }
            | Self::UnsupportedDatabase { .. }
            | Self::InvalidUrl { .. }
            | Self::ServerRefuses { .. }
            | Self::ServerUnfit { .. }
            | Self::ServerReadOnly
            | Self::NoRight { .. }
            | Self::NotFound { .. }
            | Self::StillOpen { .. }
            | Self::Corrupt { .. } => RetryAdvice::NeedsPerson,
        }
    }

    pub(crate) fn corrupt(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, reason: reason.to_string() }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::corrupt("JSON value", error)
    }
}

/// Parses a tier column.
pub(crate) fn tier_of(text: &str) -> Result<BudgetTier, StoreError> {
    text.parse().map_err(|()| StoreError::corrupt("budget tier", text))
}
