//! The database: opening it, its schema, and copying it into another.

use aha_core::database_url::DatabaseUrl;
use aha_store::OpenMode;
use aha_store::copy::{CopyError, CopyRequest};

pub use aha_store::copy::CopiedTable;
pub use aha_store::error::Decision;
pub use aha_store::{SchemaVersion, StoreError};

use super::{Result, ServiceError};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::lease_owner::LeaseOwner;

/// What is done where there is no database yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// It is made.
    Create,
    /// That is an error.
    Fail,
}

/// The installation with its database, whose schema is brought up to date.
///
/// # Errors
/// When the database cannot be opened or a setting cannot be used.
pub async fn open(config: Config, absent: Absent) -> Result<App> {
    let mode = match absent {
        Absent::Create => OpenMode::CreateIfMissing,
        Absent::Fail => OpenMode::MustExist,
    };
    let store = aha_store::open(config.database_url.as_str(), mode).await?;
    Ok(App::new(config, store)?)
}

/// Brings the database to this program's schema; one that is not there is made.
///
/// # Errors
/// When it cannot be opened or changed.
pub async fn migrate(config: &Config) -> Result<()> {
    aha_store::open(config.database_url.as_str(), OpenMode::CreateIfMissing).await?;
    Ok(())
}

/// The schema's version and what is pending, without changing anything.
///
/// # Errors
/// When the database cannot be read.
pub async fn schema_version(config: &Config) -> Result<SchemaVersion> {
    Ok(aha_store::schema_version(config.database_url.as_str()).await?)
}

/// Copies all rows into another, empty database and compares them. `progress` hears of each table's rows as they are written, and
/// of how many there are.
///
/// # Errors
/// When both are one database, a run is under way, or either fails.
pub async fn copy(
    config: &Config,
    to: &DatabaseUrl,
    progress: &(dyn Fn(&str, u64, u64) + Send + Sync),
) -> Result<Vec<CopiedTable>> {
    let request = CopyRequest {
        from: config.database_url.as_str(),
        to: to.as_str(),
        wall: config.clock.wall(),
        is_dead: |owner| LeaseOwner::current().is_dead(owner),
        progress,
    };
    aha_store::copy::copy(&request).await.map_err(|error| match error {
        CopyError::SameDatabase => ServiceError::invalid("to", error.to_string()),
        CopyError::AtWork { topic, owner, expires_at } => {
            CopyError::AtWork { topic, owner: LeaseOwner::short(&owner), expires_at }.into()
        }
        CopyError::Store(error) => error.into(),
        other => other.into(),
    })
}
