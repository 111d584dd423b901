//! Converts SQLite's result codes into [`StoreError`].

use super::QUEUE_SECONDS;
use crate::StoreError;

/// SQLite's primary result codes (sqlite.org/rescode.html), the low byte of an extended code.
const SQLITE_PERM: i32 = 3;
const SQLITE_BUSY: i32 = 5;
const SQLITE_LOCKED: i32 = 6;
const SQLITE_READONLY: i32 = 8;
const SQLITE_IOERR: i32 = 10;
const SQLITE_CORRUPT: i32 = 11;
/// The search index alone, which `reindex` makes anew.
const SQLITE_CORRUPT_VTAB: i32 = 267;
const SQLITE_FULL: i32 = 13;
const SQLITE_CANTOPEN: i32 = 14;
const SQLITE_AUTH: i32 = 23;
const SQLITE_NOTADB: i32 = 26;

/// What to do about a damaged file.
pub(super) const RESTORE: &str = "check the file and restore the latest backup, as docs/OPERATING.md describes";

/// How long SQLite waits for a lock before it reports an error.
pub(super) const BUSY_SECONDS: u64 = 5;

pub fn of(error: sqlx::Error) -> StoreError {
    if matches!(error, sqlx::Error::PoolTimedOut) {
        return StoreError::Locked { waited_seconds: QUEUE_SECONDS };
    }
    match primary_code(&error) {
        Some(SQLITE_BUSY | SQLITE_LOCKED) => StoreError::Locked { waited_seconds: BUSY_SECONDS },
        Some(SQLITE_READONLY) => StoreError::ReadOnly,
        Some(SQLITE_FULL) => StoreError::DiskFull,
        Some(SQLITE_CORRUPT) if code(&error) != Some(SQLITE_CORRUPT_VTAB) => {
            StoreError::corrupt("page of the database", format!("{error}; {RESTORE}"))
        }
        _ => StoreError::Database(error),
    }
}

/// Returns SQLite's primary result code.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    code(error).map(|code| code & 0xff)
}

fn code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code)?.parse().ok()
}

/// Whether the file or its folder denied access, so that opening it with fewer rights may work.
pub(super) fn is_about_access(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(SQLITE_PERM | SQLITE_READONLY | SQLITE_IOERR | SQLITE_CANTOPEN | SQLITE_AUTH))
}

pub(super) fn is_not_a_database(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(SQLITE_NOTADB)
}

pub(super) fn is_damaged(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(SQLITE_CORRUPT)
}
