//! Reasons why a database was not copied.

use aha_core::time::Timestamp;
use thiserror::Error;

use crate::StoreError;

#[derive(Debug, Error)]
pub enum CopyError {
    #[error("--to names the database that DATABASE_URL names; name another one")]
    SameDatabase,
    #[error(
        "topic {topic:?} is being run by {owner}, until {expires_at} unless it goes on; let it end, or stop that process, then copy again"
    )]
    TopicRunning { topic: String, owner: String, expires_at: Timestamp },
    #[error("the target holds rows already ({found}); name an empty database, or a file that is not there yet")]
    NotEmpty { found: String },
    #[error("the databases' schemas differ: {0}; nothing was copied: this is a fault of a migration, please report it")]
    Schemas(String),
    #[error(
        "what was written to {table} reads back differently ({read} rows read, {written} written); nothing was kept: please report it"
    )]
    Different { table: String, read: u64, written: u64 },
    /// The database that the rows are written to.
    #[error("the copy cannot be written: {}", .0.to_string().replace("DATABASE_URL", "--to"))]
    Target(StoreError),
    /// The database that the rows are read from.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CopyError {
    /// Says of a database's failure that it is the target's.
    pub(super) fn of_target(self) -> Self {
        match self {
            Self::Store(error) => Self::Target(error),
            other => other,
        }
    }
}

impl From<sqlx::Error> for CopyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
