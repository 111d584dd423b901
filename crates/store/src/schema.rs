//! Compares the migrations applied to a database with those of this program.

use std::sync::LazyLock;

use serde::Serialize;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use super::{Result, StoreError};

/// Whether a missing database may be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    CreateIfMissing,
    MustExist,
}

/// The newest migration applied to a database, and the newest that this program has; 0 for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaVersion {
    pub applied: i64,
    pub known: i64,
    /// Migrations that opening the database would apply, in order.
    pub pending: Vec<PendingMigration>,
    /// A migration that was applied in a different form than this program's.
    pub changed: Option<i64>,
}

/// A migration that has not been applied to a database yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingMigration {
    pub version: i64,
    /// From its file name.
    pub name: String,
}

/// The SQLite migrations that `build.rs` found.
pub(crate) static SQLITE_MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| migrator(&include!(concat!(env!("OUT_DIR"), "/sqlite_migrations.rs"))));

/// The Postgres migrations that `build.rs` found.
pub(crate) static POSTGRES_MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| migrator(&include!(concat!(env!("OUT_DIR"), "/postgres_migrations.rs"))));

fn migrator(migrations: &[(i64, &'static str, &'static str)]) -> Migrator {
    let simple = |(number, words, sql): &(i64, &'static str, &'static str)| {
        Migration::new(*number, (*words).into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(migrations.iter().map(simple).collect())
}

/// Versions and checksums of applied migrations, oldest first.
pub(crate) type Applied = Vec<(i64, Vec<u8>)>;

/// Reads an [`Applied`].
pub(crate) const APPLIED: &str = "SELECT version, checksum FROM _sqlx_migrations ORDER BY version";

pub fn version(applied: &Applied, migrations: &Migrator) -> SchemaVersion {
    let is_applied = |number: i64| applied.iter().any(|(version, _)| *version == number);
    let missing = migrations.iter().filter(|migration| !is_applied(migration.version));
    let pending = missing.map(|m| PendingMigration { version: m.version, name: m.description.to_string() });
    let changed = match is_pending(applied, migrations) {
        Err(StoreError::ChangedSchema { version }) => Some(version),
        _ => None,
    };
    SchemaVersion {
        applied: applied.last().map_or(0, |(version, _)| *version),
        known: known(migrations),
        pending: pending.collect(),
        changed,
    }
}

/// Whether migrations remain to be applied. An error if this program must not touch the database.
pub fn is_pending(applied: &Applied, migrations: &Migrator) -> Result<bool> {
    let known = known(migrations);
    for (version, checksum) in applied {
        match migrations.iter().find(|migration| migration.version == *version) {
            Some(migration) if migration.checksum.as_ref() == checksum.as_slice() => {}
            None if *version > known => {
                let found = applied.last().map_or(*version, |(newest, _)| *newest);
                return Err(StoreError::NewerSchema { found, known });
            }
            Some(_) | None => return Err(StoreError::ChangedSchema { version: *version }),
        }
    }
    Ok(applied.len() < migrations.iter().count())
}

/// Logs that a database of an earlier version was migrated. The log has a target of its own, so that commands show it,
/// which otherwise log only errors.
pub(crate) fn log_migrated(before: &Applied, migrations: &Migrator) {
    let (from, to) = (before.last().map_or(0, |(version, _)| *version), known(migrations));
    if (1..to).contains(&from) {
        tracing::info!(
            target: "aha_migrations",
            from,
            to,
            "the database was migrated to this program's schema; earlier versions of the program refuse it from now on"
        );
    }
}

pub(crate) fn migration_error(error: MigrateError, migrations: &Migrator) -> StoreError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
        MigrateError::VersionMissing(found) => StoreError::NewerSchema { found, known: known(migrations) },
        MigrateError::VersionMismatch(version) => StoreError::ChangedSchema { version },
        other => StoreError::Database(sqlx::Error::Migrate(Box::new(other))),
    }
}

fn known(migrations: &Migrator) -> i64 {
    migrations.iter().map(|migration| migration.version).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS};

    #[test]
    fn both_databases_have_each_file_as_a_migration_of_the_same_number_and_name() {
        let of = |migrations: &sqlx::migrate::Migrator| {
            migrations
                .iter()
                .map(|m| format!("{:04}_{}", m.version, m.description.replace(' ', "_")))
                .collect::<Vec<_>>()
        };
        let sqlite = of(&SQLITE_MIGRATIONS);
        assert_eq!(sqlite, of(&POSTGRES_MIGRATIONS));
        for database in ["sqlite", "postgres"] {
            let folder = format!("{}/../../migrations/{database}", env!("CARGO_MANIFEST_DIR"));
            let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
            let mut files: Vec<_> = files.map(|file| file.trim_end_matches(".sql").to_owned()).collect();
            files.sort();
            assert_eq!(files, sqlite, "{database}");
        }
    }
}
