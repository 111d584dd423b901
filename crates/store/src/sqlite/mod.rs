//! The store on one SQLite file: one writer, four readers, one file per table group.
//!
//! Input: the store's operations. Output: domain types. Called through [`super::open`]. The database uses a write-ahead
//! log, so readers never wait for the writer; writers of other processes wait for each other, 5 s at most.

mod batches;
mod checkpoint;
pub(super) mod error;
mod file;
pub(super) mod open;
mod write_failure;

// The table groups: written once in `tables/`, compiled here for this database.
#[path = "../tables/accounts.rs"]
mod accounts;
#[path = "../tables/answer_feedback.rs"]
mod answer_feedback;
#[path = "../tables/answers.rs"]
mod answers;
#[path = "../tables/calls.rs"]
mod calls;
#[path = "../tables/counters.rs"]
mod counters;
#[path = "../tables/digest_lists.rs"]
mod digest_lists;
#[path = "../tables/digests.rs"]
mod digests;
#[path = "../tables/documents.rs"]
mod documents;
#[path = "../tables/feedback.rs"]
mod feedback;
#[path = "../tables/fetch_history.rs"]
mod fetch_history;
#[path = "../tables/fetches.rs"]
mod fetches;
#[path = "../tables/idempotency.rs"]
mod idempotency;
#[path = "../tables/item_lists.rs"]
mod item_lists;
#[path = "../tables/item_rows.rs"]
mod item_rows;
#[path = "../tables/items.rs"]
mod items;
#[path = "../tables/leases.rs"]
pub(super) mod leases;
#[path = "../tables/ledger.rs"]
mod ledger;
#[path = "../tables/planner.rs"]
mod planner;
#[path = "../tables/planner_records.rs"]
mod planner_records;
#[path = "../tables/retention.rs"]
mod retention;
#[path = "../tables/runs.rs"]
mod runs;
#[path = "../tables/search.rs"]
mod search;
#[path = "../tables/sentences.rs"]
mod sentences;
#[path = "../tables/sources.rs"]
mod sources;
#[path = "../tables/stories.rs"]
mod stories;
#[path = "../tables/summary_decisions.rs"]
mod summary_decisions;
#[path = "../tables/topics.rs"]
mod topics;

use std::sync::Arc;
use std::time::Duration;

use aha_core::ids::TopicId;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqlitePoolOptions, SqliteRow};
use sqlx::{Connection as _, Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::Mutex;

use super::records::Lease;
use super::schema::{OpenMode, SchemaVersion};
use super::shared::{PerDatabase, column, hit, values};
use super::{Result, StoreError, WriteFailure, WriteFailureStore};
use batches::WriteQueue;
use checkpoint::{Checkpoints, PAGES_OF_A_WRITE};
use file::DatabaseFile;
use open::Prepared;
use write_failure::LastWriteFailure;

/// This database's types, under the names that the files of `tables/` use.
pub(crate) type Database = SqliteStore;
pub(crate) type Connection = SqliteConnection;
pub(crate) type Row = SqliteRow;
pub(crate) type Values = values::Values<SqliteArguments>;

/// Begins a transaction whose reads all see the same rows.
const BEGIN_SNAPSHOT: &str = "BEGIN";

/// SQLite has one writer; a queue in this process is better than waiting for a lock in the file.
const WRITERS: u32 = 1;
const READERS: u32 = 4;

/// The writer's page cache in KiB (negative, because SQLite reads positive numbers as pages): enough for the indexes
/// that a day's items are inserted into.
const WRITER_CACHE_KIB: &str = "-5120";

/// How long an operation waits for one of this process's own connections.
const QUEUE_SECONDS: u64 = 60;

/// The product's store in one SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    writer: SqlitePool,
    reader: SqlitePool,
    checkpoints: Checkpoints,
    write_queue: WriteQueue,
    file: DatabaseFile,
    /// The readers' options if the file was opened as immutable.
    immutable: Option<Arc<Mutex<SqliteConnectOptions>>>,
    last_write_failure: LastWriteFailure,
}

impl SqliteStore {
    /// Opens the database of a `sqlite://` URL and brings its schema up to date; a database that is up to date is not
    /// written. A file that this user may not write is opened for reading; every writing operation is then
    /// [`StoreError::ReadOnly`].
    pub async fn open(url: &str, mode: OpenMode) -> Result<Self> {
        let Prepared { options, connection: prepared, file, is_immutable } = open::prepared(url, mode).await?;
        let pool = |size| {
            SqlitePoolOptions::new()
                .max_connections(size)
                .acquire_timeout(Duration::from_secs(QUEUE_SECONDS))
                .test_before_acquire(false)
                // What reads an immutable file is not used again: another user's process may write it meanwhile.
                .after_release(move |connection, _| {
                    Box::pin(async move { Ok(!is_immutable && is_usable(connection).await?) })
                })
        };
        let reading = options.clone().pragma("query_only", "ON");
        let reader = pool(READERS).connect_lazy_with(reading.clone());
        let checkpoints = Checkpoints::new(reader.clone());
        // Journal of a multi-row statement for rollback: a megabyte at most, not worth a file.
        let writing = options.pragma("cache_size", WRITER_CACHE_KIB).pragma("temp_store", "MEMORY");
        let writer = pool(WRITERS).connect_lazy_with(writing);
        // Only after the writer is open: the last connection to close would checkpoint the migrations' log at once.
        drop(writer.acquire().await?);
        open::close(prepared).await;
        Ok(Self {
            write_queue: WriteQueue::new(writer.clone(), checkpoints.clone()),
            writer,
            reader,
            checkpoints,
            file,
            immutable: is_immutable.then(|| Arc::new(Mutex::new(reading))),
            last_write_failure: LastWriteFailure::default(),
        })
    }

    /// Returns the schema version of a database and the version that this program knows, without changing anything.
    pub async fn schema_version(url: &str) -> Result<SchemaVersion> {
        open::schema_version(url).await
    }

    /// Closes all connections, which checkpoints the write-ahead log.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// Returns a connection for reading.
    async fn reader(&self) -> Result<PoolConnection<Sqlite>> {
        self.file.check()?;
        let Some(reading) = &self.immutable else { return Ok(self.reader.acquire().await?) };
        // Until it has the connection, no other task may set the pool's options.
        let reading = reading.lock().await;
        match self.open_reader(&reading).await {
            // The process that writes may have ended in between and removed its files: what is there now decides.
            Err(_) => self.open_reader(&reading).await,
            opened => opened,
        }
    }

    /// Connects as immutable unless another user's process uses the database.
    async fn open_reader(&self, reading: &SqliteConnectOptions) -> Result<PoolConnection<Sqlite>> {
        self.reader.set_connect_options(reading.clone().immutable(!self.file.is_in_use()));
        let mut connection = self.reader.acquire().await?;
        // SQLite accesses the file only at the first read; from then on no process removes the shared files.
        sqlx::query("SELECT count(*) FROM sqlite_schema").fetch_one(&mut *connection).await?;
        Ok(connection)
    }

    /// Begins a write that needs no lease: the user's own settings, and the ledger's reservations.
    async fn write(&self, operation: &'static str) -> Result<Write> {
        self.checkpoints.wait_if_behind().await;
        let tx = self.begin_write().await.inspect_err(|error| self.last_write_failure.set(error))?;
        let last_failure = self.last_write_failure.clone();
        Ok(Write { tx, operation, checkpoints: self.checkpoints.clone(), last_failure })
    }

    async fn begin_write(&self) -> Result<Transaction<'static, Sqlite>> {
        self.check_writable()?;
        // A deferred transaction that reads before it writes can fail at once where an immediate one waits.
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// Fails if it is known without the database that it cannot be written.
    fn check_writable(&self) -> Result<()> {
        if self.immutable.is_some() {
            return Err(StoreError::ReadOnly);
        }
        self.file.check()
    }

    /// Begins a write of a run's work; fails if another process has taken the topic over.
    async fn write_fenced(&self, operation: &'static str, lease: &Lease) -> Result<Write> {
        let mut write = self.write(operation).await?;
        if write.lock_and_check_lease(lease).await? {
            Ok(write)
        } else {
            Err(StoreError::LeaseLost { token: lease.token })
        }
    }
}

impl WriteFailureStore for SqliteStore {
    fn last_write_failure(&self) -> Option<WriteFailure> {
        self.last_write_failure.get()
    }
}

/// Whether a returned connection has no open transaction. If the disk is full or fails, SQLite rolls back by itself.
/// The driver's own rollback then finds no transaction, and every later transaction on that connection would be
/// refused, so the connection is closed.
async fn is_usable(connection: &mut SqliteConnection) -> std::result::Result<bool, sqlx::Error> {
    if connection.is_in_transaction() {
        // Waits for the rollback that was started when the transaction was dropped.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

/// A write transaction; dropped without [`Write::commit`], it changes nothing.
struct Write {
    tx: Transaction<'static, Sqlite>,
    operation: &'static str,
    checkpoints: Checkpoints,
    last_failure: LastWriteFailure,
}

impl Write {
    fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.tx
    }

    /// Whether the lease still belongs to its owner. SQLite has only one writer at a time, so there is nothing to lock.
    async fn lock_and_check_lease(&mut self, lease: &Lease) -> Result<bool> {
        let held: Option<i64> = sqlx::query_scalar(
            "SELECT lease_token FROM topics WHERE id = $1 AND lease_token = $2 AND lease_holder = $3",
        )
        .bind(lease.topic.to_string())
        .bind(lease.token)
        .bind(&lease.owner)
        .fetch_optional(self.connection())
        .await?;
        Ok(held.is_some())
    }

    /// Excludes other writers of this topic until the end: nothing to do, because SQLite has only one writer at a time.
    #[expect(clippy::unused_async, reason = "as on Postgres, which has to lock")]
    async fn lock_topic(&mut self, _: TopicId) -> Result<()> {
        Ok(())
    }

    /// Whether no other writer has locked the topic's row: always true, because SQLite has only one writer at a time.
    #[expect(clippy::unused_async, reason = "as on Postgres, which has to lock")]
    async fn try_lock_topic(&mut self, _: TopicId) -> Result<bool> {
        Ok(true)
    }

    /// Excludes other writers of data that topics share until the end: nothing to do, because SQLite has only one
    /// writer at a time.
    #[expect(clippy::unused_async, reason = "as on Postgres, which has to lock")]
    async fn lock_shared_items(&mut self) -> Result<()> {
        Ok(())
    }

    /// Rolls back; the locks are released when it returns.
    async fn roll_back(self) -> Result<()> {
        Ok(self.tx.rollback().await?)
    }

    async fn commit(self) -> Result<()> {
        self.commit_all(1).await
    }

    /// Commits several operations at once, each of which passes the failpoints.
    async fn commit_all(self, operations: usize) -> Result<()> {
        (0..operations).for_each(|_| hit(self.operation, "before_commit"));
        self.tx.commit().await.map_err(StoreError::from).inspect_err(|error| self.last_failure.set(error))?;
        self.last_failure.clear();
        self.checkpoints.note(operations * PAGES_OF_A_WRITE);
        (0..operations).for_each(|_| hit(self.operation, "after_commit"));
        Ok(())
    }
}

/// Selects this database's version of a statement.
const fn statement(variants: PerDatabase) -> &'static str {
    variants.sqlite
}

/// Ids as a JSON array for `json_each`: any number of them in one parameter.
fn id_list<T: ToString>(ids: &[T]) -> Result<String> {
    column::to_json(&ids.iter().map(ToString::to_string).collect::<Vec<_>>())
}
