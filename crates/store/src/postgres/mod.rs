//! The store on a Postgres server: up to eight connections, one file per table group, as in `sqlite/`.
//!
//! Input: the store's operations. Output: domain types. Called through [`super::open`]. Locks replace SQLite's single
//! writer. They are always taken in this order: the topic's row, a source's row, [`Write::lock_shared_items`].

mod batches;
pub(super) mod error;
pub(super) mod open;

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

use std::time::Duration;

use aha_core::ids::TopicId;
use open::{CONNECT_SECONDS, Server};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgPoolOptions, PgRow};
use sqlx::{PgConnection, PgPool, Postgres, Transaction};

use super::records::Lease;
use super::schema::{OpenMode, SchemaVersion};
use super::shared::{PerDatabase, hit, values};
use super::{Result, StoreError};

/// This database's types, under the names that the files of `tables/` use.
pub(crate) type Database = PostgresStore;
pub(crate) type Connection = PgConnection;
pub(crate) type Row = PgRow;
pub(crate) type Values = values::Values<PgArguments>;

/// Begins a transaction whose reads all see the same rows.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

const CONNECTIONS: u32 = 8;

/// The advisory lock of [`Write::lock_shared_items`]: an arbitrary number not used elsewhere in the database.
const SHARED_ITEMS_LOCK: i64 = 0x0061_6861_2d72_6164;

/// The product's store in one Postgres database.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pool: PgPool,
    server: Server,
}

impl PostgresStore {
    /// Connects to the database of a `postgres://` URL and brings its schema up to date. The database itself has to be
    /// created by an administrator. A database without our tables is [`StoreError::Missing`] if it must exist.
    pub async fn open(url: &str, mode: OpenMode) -> Result<Self> {
        let server = Server::of(url)?;
        open::prepare(&server, mode).await?;
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(Duration::from_secs(CONNECT_SECONDS))
            .connect_lazy_with(server.options.clone());
        Ok(Self { pool, server })
    }

    /// Returns the schema version of a database and the version that this program knows, without changing anything.
    pub async fn schema_version(url: &str) -> Result<SchemaVersion> {
        open::schema_version(&Server::of(url)?).await
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Returns a connection for reading.
    async fn reader(&self) -> Result<PoolConnection<Postgres>> {
        match self.pool.acquire().await {
            Ok(connection) => Ok(connection),
            Err(error) => Err(self.unreachable(error).await),
        }
    }

    /// Begins a write that needs no lease: the user's own settings, and the ledger's reservations.
    async fn write(&self, operation: &'static str) -> Result<Write> {
        match self.pool.begin().await {
            Ok(tx) => Ok(Write { tx, operation }),
            Err(error) => Err(self.unreachable(error).await),
        }
    }

    /// Begins a write of a run's work; fails if another process has taken the topic over. The topic's row stays locked
    /// until the end, as by an update, so that no other process takes the topic over before this commits.
    async fn write_fenced(&self, operation: &'static str, lease: &Lease) -> Result<Write> {
        let mut write = self.write(operation).await?;
        if write.lock_and_check_lease(lease).await? {
            Ok(write)
        } else {
            Err(StoreError::LeaseLost { token: lease.token })
        }
    }

    /// Finds the reason why no connection could be acquired. The pool retries an unreachable server and finally reports
    /// only a timeout, so this tries to connect once more.
    async fn unreachable(&self, error: sqlx::Error) -> StoreError {
        match error {
            sqlx::Error::PoolTimedOut => match self.server.try_connect().await {
                Err(error) => error,
                Ok(_) => StoreError::ServerAway {
                    server: self.server.name.clone(),
                    reason: format!("all {CONNECTIONS} connections of this process were busy for {CONNECT_SECONDS} s"),
                },
            },
            other => error::of_connecting(other, &self.server.name),
        }
    }
}

/// A write transaction. Dropped without [`Write::commit`], it changes nothing but keeps its locks until the pool rolls
/// it back.
struct Write {
    tx: Transaction<'static, Postgres>,
    operation: &'static str,
}

impl Write {
    fn connection(&mut self) -> &mut PgConnection {
        &mut self.tx
    }

    /// Whether the lease still belongs to its owner. The topic's row stays locked, so this remains true until the end.
    async fn lock_and_check_lease(&mut self, lease: &Lease) -> Result<bool> {
        let held: Option<i64> = sqlx::query_scalar(
            "SELECT lease_token FROM topics WHERE id = $1 AND lease_token = $2 AND lease_holder = $3 FOR NO KEY UPDATE",
        )
        .bind(lease.topic.to_string())
        .bind(lease.token)
        .bind(&lease.owner)
        .fetch_optional(self.connection())
        .await?;
        Ok(held.is_some())
    }

    /// Excludes other writers of this topic until the end.
    async fn lock_topic(&mut self, topic: TopicId) -> Result<()> {
        sqlx::query("SELECT id FROM topics WHERE id = $1 FOR NO KEY UPDATE")
            .bind(topic.to_string())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Locks the topic's row until the end, without waiting. Returns false if another writer has locked it.
    async fn try_lock_topic(&mut self, topic: TopicId) -> Result<bool> {
        let locked: Option<String> =
            sqlx::query_scalar("SELECT id FROM topics WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED")
                .bind(topic.to_string())
                .fetch_optional(self.connection())
                .await?;
        Ok(locked.is_some())
    }

    /// Excludes other writers of data that topics share (items and their vectors) until the end, so that two topics
    /// that fetch the same new item at once store it once. Waiting for our own writers is no error, so only the
    /// statement timeout limits it.
    async fn lock_shared_items(&mut self) -> Result<()> {
        sqlx::query("SELECT set_config('lock_timeout', '0', true), pg_advisory_xact_lock($1)")
            .bind(SHARED_ITEMS_LOCK)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    async fn commit(self) -> Result<()> {
        hit(self.operation, "before_commit");
        self.tx.commit().await?;
        hit(self.operation, "after_commit");
        Ok(())
    }

    /// Rolls back; the locks are released when it returns.
    async fn roll_back(self) -> Result<()> {
        Ok(self.tx.rollback().await?)
    }
}

/// Selects this database's version of a statement.
const fn statement(variants: PerDatabase) -> &'static str {
    variants.postgres
}

/// Ids as an array for `= ANY`: any number of them in one parameter.
#[expect(clippy::unnecessary_wraps, reason = "as on SQLite, whose JSON may fail")]
fn id_list<T: ToString>(ids: &[T]) -> Result<Vec<String>> {
    Ok(ids.iter().map(ToString::to_string).collect())
}
