//! Opens the file and checks its format, whether it is writable, and its schema.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use aha_core::failpoint;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::checkpoint::MAX_WAL_PAGES;
use super::error::{self, BUSY_SECONDS};
use super::file::{self, DatabaseFile};
use crate::schema::{self, Applied, OpenMode, SQLITE_MIGRATIONS, SchemaVersion};
use crate::shared::hit;
use crate::{Result, StoreError};

/// Older versions can lose a write-ahead log (sqlite.org/wal.html, the WAL-reset bug, fixed in 3.51.3).
const SQLITE_NEEDED: &str = "3.51.3";

/// Prepared statements per connection: enough for all statements of the pages and the API.
const STATEMENTS: usize = 400;

/// Pause between attempts to switch to the write-ahead log; SQLite does not wait for that lock by itself.
const WAL_RETRY_MS: u64 = 50;

/// A database that was opened and brought up to date.
pub(super) struct Prepared {
    /// For further connections; they never create the file.
    pub(super) options: SqliteConnectOptions,
    /// Closing the last connection checkpoints the log.
    pub(super) connection: SqliteConnection,
    pub(super) file: DatabaseFile,
    /// Whether the options read the file as immutable. They hold only until another user's process writes it.
    pub(super) is_immutable: bool,
}

/// Checks the file, migrates it if needed, and returns the connection options.
pub async fn prepare(url: &str, mode: OpenMode) -> Result<SqliteConnectOptions> {
    let Prepared { options, connection, .. } = prepared(url, mode).await?;
    close(connection).await;
    Ok(options)
}

/// Like [`prepare`], but also returns the connection.
pub(super) async fn prepared(url: &str, mode: OpenMode) -> Result<Prepared> {
    let options = options(url)?.create_if_missing(mode == OpenMode::CreateIfMissing);
    let path = options.get_filename().to_path_buf();
    if mode == OpenMode::MustExist && !file::has_content(&path) {
        return Err(StoreError::Missing { path: path.display().to_string() });
    }
    let (options, mut connection, is_immutable) = connect(options, &path).await?;
    let outcome = match check_version(&mut connection).await {
        Ok(()) => bring_up_to_date(&mut connection, &path).await,
        Err(error) => Err(error),
    };
    match outcome.and_then(|()| DatabaseFile::of(&path)) {
        Ok(file) => Ok(Prepared { options: options.create_if_missing(false), connection, file, is_immutable }),
        Err(error) => {
            close(connection).await;
            Err(error)
        }
    }
}

pub(super) async fn schema_version(url: &str) -> Result<SchemaVersion> {
    let options = options(url)?;
    let path = options.get_filename().to_path_buf();
    if !path.exists() {
        return Ok(schema::version(&Applied::new(), &SQLITE_MIGRATIONS));
    }
    // A writer would checkpoint the previous writer's log when it closes.
    let (_, mut connection, _) = connect(options.read_only(true), &path).await?;
    let applied = applied_migrations(&mut connection, &path).await;
    close(connection).await;
    Ok(schema::version(&applied?, &SQLITE_MIGRATIONS))
}

fn options(url: &str) -> Result<SqliteConnectOptions> {
    let bad = |reason: String| StoreError::InvalidUrl { reason };
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(bad("a database in memory would be gone after the command; name a file".to_owned()));
    }
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| bad(format!("{error}; write sqlite://PATH, with options after a ?")))?;
    if options.get_filename().as_os_str().is_empty() {
        return Err(bad("it names no file; write sqlite://PATH".to_owned()));
    }
    let options = options
        .foreign_keys(true)
        .statement_cache_capacity(STATEMENTS)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(Duration::from_secs(BUSY_SECONDS))
        .pragma("wal_autocheckpoint", MAX_WAL_PAGES)
        .disable_statement_logging();
    // A test simulates a full disk by limiting the file to this number of pages.
    Ok(match failpoint::limit("AHA_SQLITE_MAX_PAGES") {
        Some(pages) => options.pragma("max_page_count", pages.to_string()),
        None => options,
    })
}

/// Connects for writing, otherwise for reading, and returns whether the connection reads the file as immutable. That is
/// tried only if this user may not create the files that readers share next to the database and no process has created
/// them: SQLite does not notice when an immutable file is written, and ignores its write-ahead log.
async fn connect(options: SqliteConnectOptions, path: &Path) -> Result<(SqliteConnectOptions, SqliteConnection, bool)> {
    let first = match try_connect(&options).await {
        Ok(connection) => return Ok((options, connection, false)),
        Err(error) => error,
    };
    if error::is_about_access(&first) {
        match file::create_beside(path) {
            Err(error) if file::is_about_space(&error) => return Err(StoreError::DiskFull),
            Err(error) if file::is_about_rights(&error) && path.is_file() => {
                let reading = options.read_only(true).create_if_missing(false);
                if let Ok(connection) = try_connect(&reading).await {
                    return Ok((reading, connection, false));
                }
                let unchanging = reading.immutable(true);
                if !file::is_in_use(path)
                    && let Ok(connection) = try_connect(&unchanging).await
                {
                    return Ok((unchanging, connection, true));
                }
            }
            _ => {}
        }
    }
    Err(opening_error(first, path))
}

/// Connects and reads, because SQLite accesses the file only at the first read.
async fn try_connect(options: &SqliteConnectOptions) -> std::result::Result<SqliteConnection, sqlx::Error> {
    let mut connection = options.connect().await?;
    sqlx::query("SELECT count(*) FROM sqlite_schema").fetch_one(&mut connection).await?;
    Ok(connection)
}

pub(super) async fn close(connection: SqliteConnection) {
    // Operations have already reported anything that could be lost; closing has nothing to add.
    let _ = connection.close().await;
}

fn opening_error(error: sqlx::Error, path: &Path) -> StoreError {
    let shown = path.display().to_string();
    if error::is_not_a_database(&error) {
        return StoreError::NotADatabase { path: shown, reason: "it is not an SQLite file".to_owned() };
    }
    if error::is_damaged(&error) {
        return StoreError::corrupt("page of the database", format!("{shown}: {error}; {}", error::RESTORE));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let reason = match parent {
        _ if path.is_dir() => "it is a folder".to_owned(),
        Some(parent) if !parent.is_dir() => format!("the folder {} does not exist", parent.display()),
        _ => error.to_string(),
    };
    match StoreError::from(error) {
        locked @ StoreError::Locked { .. } => locked,
        full @ StoreError::DiskFull => full,
        _ => StoreError::CannotOpen { path: shown, reason },
    }
}

async fn check_version(connection: &mut SqliteConnection) -> Result<()> {
    let found: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(connection).await?;
    if version_parts(&found) < version_parts(SQLITE_NEEDED) {
        return Err(StoreError::OldSqlite { found, needed: SQLITE_NEEDED });
    }
    Ok(())
}

fn version_parts(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

async fn bring_up_to_date(connection: &mut SqliteConnection, path: &Path) -> Result<()> {
    if !is_pending(connection, path).await? {
        return Ok(());
    }
    use_write_ahead_log(connection).await?;
    // sqlx takes no lock on SQLite: without this transaction, two processes that start together would migrate twice.
    let mut tx = connection.begin_with("BEGIN IMMEDIATE").await?;
    let applied = applied_migrations(&mut tx, path).await?;
    if schema::is_pending(&applied, &SQLITE_MIGRATIONS)? {
        SQLITE_MIGRATIONS
            .run_direct(None, &mut *tx, false)
            .await
            .map_err(|error| schema::migration_error(error, &SQLITE_MIGRATIONS))?;
    }
    hit("migrate", "before_commit");
    tx.commit().await?;
    hit("migrate", "after_commit");
    schema::log_migrated(&applied, &SQLITE_MIGRATIONS);
    Ok(())
}

async fn is_pending(connection: &mut SqliteConnection, path: &Path) -> Result<bool> {
    schema::is_pending(&applied_migrations(connection, path).await?, &SQLITE_MIGRATIONS)
}

/// Returns the applied migrations; empty for an empty file.
async fn applied_migrations(connection: &mut SqliteConnection, path: &Path) -> Result<Applied> {
    let (tables, ours): (i64, i64) = sqlx::query_as(
        "SELECT count(*), coalesce(sum(CASE WHEN name = '_sqlx_migrations' THEN 1 ELSE 0 END), 0)
         FROM sqlite_schema WHERE type = 'table'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if ours == 0 && tables > 0 {
        return Err(StoreError::NotADatabase {
            path: path.display().to_string(),
            reason: "it holds the tables of another program; name a file of its own".to_owned(),
        });
    }
    if ours == 0 {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_as(schema::APPLIED).fetch_all(connection).await?)
}

/// Switches to the write-ahead log; the mode is stored in the file. If the file system does not support it, SQLite
/// keeps its rollback journal, which is slower but as safe.
async fn use_write_ahead_log(connection: &mut SqliteConnection) -> Result<()> {
    let mut waited_ms = 0;
    loop {
        let switched = sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await;
        match switched.map_err(StoreError::from) {
            Ok(_) => return Ok(()),
            Err(StoreError::Locked { .. }) if waited_ms < BUSY_SECONDS * 1000 => {
                tokio::time::sleep(Duration::from_millis(WAL_RETRY_MS)).await;
                waited_ms += WAL_RETRY_MS;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::version_parts;

    #[test]
    fn versions_compare_by_number() {
        assert!(version_parts("3.51.3") < version_parts("3.51.10"));
        assert!(version_parts("3.51.3") < version_parts("3.52.0"));
        assert!(version_parts("3.50.4") < version_parts("3.51.3"));
    }
}
