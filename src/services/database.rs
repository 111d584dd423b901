//! Opens the database, migrates it, and copies it into another.

use aha_core::database_url::DatabaseUrl;
use aha_store::OpenMode;
use aha_store::copy::{CopyError, CopyRequest};

pub use aha_store::copy::CopiedTable;
pub use aha_store::{RetryAdvice, SchemaVersion, StoreError};

use super::{Result, ServiceError};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::lease_owner::LeaseOwner;

/// What to do if the database does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// Create it.
    Create,
    /// Return an error.
    Fail,
}

/// Opens the app with its database and brings the schema up to date.
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

/// Brings the database to this program's schema; a missing one is created.
///
/// # Errors
/// When it cannot be opened or changed.
pub async fn migrate(config: &Config) -> Result<()> {
    aha_store::open(config.database_url.as_str(), OpenMode::CreateIfMissing).await?;
    Ok(())
}

/// Returns the schema's version and the pending migrations, and changes nothing.
///
/// # Errors
/// When the database cannot be read.
pub async fn schema_version(config: &Config) -> Result<SchemaVersion> {
    Ok(aha_store::schema_version(config.database_url.as_str()).await?)
}

/// Copies all rows into another, empty database and compares them. `progress` gets the number of rows written of each
/// table, and of how many.
///
/// # Errors
/// When both are the same database, a run is in progress, or either database fails.
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
        CopyError::TopicRunning { topic, owner, expires_at } => {
            CopyError::TopicRunning { topic, owner: LeaseOwner::short(&owner), expires_at }.into()
        }
        CopyError::Store(error) => error.into(),
        other => other.into(),
    })
}
