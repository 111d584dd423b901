//! What can go wrong with the rows, in words a person can act on.

use thiserror::Error;

use crate::domain::topic::BudgetTier;

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
        "the database is locked by another program and stayed so for {waited_seconds} s; close that program (a database browser, a backup) and run this again: nothing was lost"
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
    #[error("the file {path} is not an aha-radar database: {reason}")]
    NotADatabase { path: String, reason: String },
    #[error("this build carries SQLite {found}; {needed} or newer is needed (older ones can lose a write-ahead log)")]
    OldSqlite { found: String, needed: &'static str },
    #[error(
        "another process took this topic over (our lease token {token} is stale); nothing of this attempt was committed after that"
    )]
    LeaseLost { token: i64 },
    #[error("this version keeps its rows in SQLite only: DATABASE_URL must be sqlite://PATH, not {scheme}://…")]
    UnsupportedDatabase { scheme: String },
    #[error("there is no {what} {id}; it may have been removed meanwhile")]
    NotFound { what: &'static str, id: String },
    #[error("a stored {what} cannot be read: {reason}")]
    Corrupt { what: &'static str, reason: String },
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

/// What a caller does about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The cause passes by itself: try the same again later.
    Retry,
    /// Stop this attempt; the run stays unfinished and the next attempt continues.
    Park,
    /// Trying again will not help until a person acts.
    Abort,
}

impl StoreError {
    #[must_use]
    pub const fn decision(&self) -> Decision {
        match self {
            Self::Locked { .. } => Decision::Retry,
            Self::LeaseLost { .. } | Self::DiskFull | Self::Database(_) => Decision::Park,
            Self::Missing { .. }
            | Self::CannotOpen { .. }
            | Self::ReadOnly
            | Self::NewerSchema { .. }
            | Self::ChangedSchema { .. }
            | Self::NotADatabase { .. }
            | Self::OldSqlite { .. }
            | Self::UnsupportedDatabase { .. }
            | Self::NotFound { .. }
            | Self::Corrupt { .. } => Decision::Abort,
        }
    }

    pub(crate) fn corrupt(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, reason: reason.to_string() }
    }
}

/// SQLite's primary result codes (sqlite.org/rescode.html), the low byte of an extended code.
const SQLITE_PERM: i32 = 3;
const SQLITE_BUSY: i32 = 5;
const SQLITE_LOCKED: i32 = 6;
const SQLITE_READONLY: i32 = 8;
const SQLITE_IOERR: i32 = 10;
const SQLITE_FULL: i32 = 13;
const SQLITE_CANTOPEN: i32 = 14;
const SQLITE_AUTH: i32 = 23;
const SQLITE_NOTADB: i32 = 26;

/// How long SQLite waits for a lock before it gives up.
pub const BUSY_SECONDS: u64 = 5;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match primary_code(&error) {
            Some(SQLITE_BUSY | SQLITE_LOCKED) => Self::Locked { waited_seconds: BUSY_SECONDS },
            Some(SQLITE_READONLY) => Self::ReadOnly,
            Some(SQLITE_FULL) => Self::DiskFull,
            _ => Self::Database(error),
        }
    }
}

/// SQLite's primary result code.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code)?;
    code.parse::<i32>().ok().map(|code| code & 0xff)
}

/// Whether the file or its folder refused what was asked, so that asking for less may do.
pub(crate) fn is_about_access(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(SQLITE_PERM | SQLITE_READONLY | SQLITE_IOERR | SQLITE_CANTOPEN | SQLITE_AUTH))
}

pub(crate) fn is_not_a_database(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(SQLITE_NOTADB)
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::corrupt("JSON value", error)
    }
}

/// Reads a tier column.
pub(crate) fn tier_of(text: &str) -> Result<BudgetTier, StoreError> {
    text.parse().map_err(|()| StoreError::corrupt("budget tier", text))
}
