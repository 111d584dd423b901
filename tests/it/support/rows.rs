//! What stands in a database of either kind, read past the product.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::time::Duration;

use aha_core::clock::Clock;
use aha_store::{OpenMode, SharedStore};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    AssertSqlSafe, Column as _, Connection as _, Executor as _, PgConnection, SqlSafeStr as _, SqliteConnection,
    Statement as _,
};

use super::radar::Radar;

/// Rows by table, each row its values in SQL notation.
pub type Tables = BTreeMap<String, Vec<String>>;

/// Runs a future from a test that is not asynchronous. It is made in the thread it runs in, so it need not be [`Send`].
pub fn block_on<T: Send, F: Future<Output = T>>(make: impl FnOnce() -> F + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope
            .spawn(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(make()));
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Works on the store as another process of the product would.
pub fn with_store<T, F>(radar: &Radar, work: impl FnOnce(SharedStore) -> F + Send) -> T
where
    T: Send,
    F: Future<Output = T>,
{
    let url = radar.database_url();
    block_on(|| async move { work(aha_store::open(&url, OpenMode::MustExist).await.unwrap()).await })
}

/// The first column of a query, NULL as an empty text.
pub fn query(radar: &Radar, sql: &str) -> Vec<String> {
    let sql = sql.to_owned();
    with_connection(radar, async |database| database.column(sql).await)
}

/// Does something behind the product's back, as an owner with a shell of the database would.
pub fn execute(radar: &Radar, sql: &str) {
    let sql = sql.to_owned();
    with_connection(radar, async |database| database.execute(sql).await.unwrap());
}

/// The same where another process may hold what is to be changed: whether it was.
pub fn execute_unless_locked(radar: &Radar, sql: &str) -> bool {
    let sql = sql.to_owned();
    match with_connection(radar, async |database| database.execute(sql).await) {
        Ok(()) => true,
        Err(error) if error.to_string().contains("database is locked") => false,
        Err(error) => panic!("{error}"),
    }
}

/// Another machine holds all topics for the next five minutes, which is longer than any test needs and not so long that
/// only a wrong clock can have set it.
pub fn hold_elsewhere(radar: &Radar) {
    let end = (Clock::system().wall() + Duration::from_mins(5)).as_millis();
    let owner = "elsewhere pid:7 start:1 ns:1";
    execute(radar, &format!("UPDATE topics SET lease_holder = '{owner}', lease_expires_at = {end}"));
}

/// The one number that a query finds.
pub fn number(radar: &Radar, sql: &str) -> i64 {
    query(radar, &format!("SELECT CAST(({sql}) AS TEXT)")).concat().parse().unwrap()
}

/// All rows of all tables.
pub fn all(radar: &Radar) -> Tables {
    with_connection(radar, async |database| {
        let mut tables = Tables::new();
        for table in database.tables().await {
            let rows = database.rows(&table, &[]).await;
            tables.insert(table, rows);
        }
        tables
    })
}

/// What a query finds: the names of its columns, and how many rows.
pub fn found(radar: &Radar, sql: &str) -> Result<(Vec<String>, usize), sqlx::Error> {
    let sql = sql.to_owned();
    with_connection(radar, async |database| database.found(sql).await)
}

/// The columns of each table.
pub fn columns_of_tables(radar: &Radar) -> BTreeMap<String, Vec<String>> {
    with_connection(radar, async |database| {
        let tables = database.tables().await;
        database.columns_of(tables).await
    })
}

/// The columns of each view.
pub fn columns_of_views(radar: &Radar) -> BTreeMap<String, Vec<String>> {
    with_connection(radar, async |database| {
        let views = database.views().await;
        database.columns_of(views).await
    })
}

/// All rows of a table but for some columns.
pub fn table(radar: &Radar, table: &str, without: &[&str]) -> Vec<String> {
    with_connection(radar, async |database| database.rows(table, without).await)
}

/// What the database's own check finds wrong.
pub fn damage(radar: &Radar) -> Vec<String> {
    with_connection(radar, async |database| database.damage().await)
}

/// Waits until a query finds a number other than 0.
#[track_caller]
pub fn wait_for(radar: &Radar, sql: &str) {
    for _ in 0..600 {
        if number(radar, sql) != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("30 s have passed without {sql}");
}

/// A transaction of another program, which keeps its locks until it is dropped.
pub struct OpenTransaction {
    database: Option<Database>,
    runtime: tokio::runtime::Runtime,
}

impl OpenTransaction {
    /// Begins with these statements.
    pub fn of(radar: &Radar, sql: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let database = runtime.block_on(async {
            let mut database = Database::open(&radar.database_url()).await;
            database.execute(sql.to_owned()).await.unwrap();
            database
        });
        Self { database: Some(database), runtime }
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if let Some(mut database) = self.database.take() {
            self.runtime.block_on(database.execute("ROLLBACK".to_owned())).unwrap();
        }
    }
}

/// Works on a connection and closes it: until then SQLite's log stands beside the database, and may go at any moment.
fn with_connection<T: Send>(radar: &Radar, work: impl AsyncFnOnce(&mut Database) -> T + Send) -> T {
    let url = radar.database_url();
    block_on(|| async move {
        let mut database = Database::open(&url).await;
        let outcome = work(&mut database).await;
        database.close().await;
        outcome
    })
}

/// A connection of a test's own.
enum Database {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Database {
    async fn open(url: &str) -> Self {
        if url.starts_with("sqlite") {
            let options = SqliteConnectOptions::from_str(url).unwrap().busy_timeout(Duration::from_secs(10));
            Self::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
        } else {
            Self::Postgres(PgConnection::connect(url).await.unwrap())
        }
    }

    async fn close(self) {
        match self {
            Self::Sqlite(connection) => connection.close().await.unwrap(),
            Self::Postgres(connection) => connection.close().await.unwrap(),
        }
    }

    async fn column(&mut self, sql: String) -> Vec<String> {
        let query = sqlx::AssertSqlSafe(sql);
        let values: Vec<Option<String>> = match self {
            Self::Sqlite(connection) => sqlx::query_scalar(query).fetch_all(connection).await.unwrap(),
            Self::Postgres(connection) => sqlx::query_scalar(query).fetch_all(connection).await.unwrap(),
        };
        values.into_iter().map(Option::unwrap_or_default).collect()
    }

    async fn execute(&mut self, sql: String) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(connection) => connection.execute(AssertSqlSafe(sql)).await.map(drop),
            Self::Postgres(connection) => connection.execute(AssertSqlSafe(sql)).await.map(drop),
        }
    }

    /// Without the index for search, which each database keeps in its own way.
    async fn tables(&mut self) -> Vec<String> {
        let sql = match self {
            Self::Sqlite(_) => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search!_%' ESCAPE '!'"
            }
            Self::Postgres(_) => {
                "SELECT tablename::text FROM pg_tables
                 WHERE schemaname = current_schema() AND tablename NOT LIKE 'search!_%' ESCAPE '!'"
            }
        };
        self.column(sql.to_owned()).await
    }

    async fn views(&mut self) -> Vec<String> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT name FROM sqlite_schema WHERE type = 'view'",
            Self::Postgres(_) => "SELECT viewname::text FROM pg_views WHERE schemaname = current_schema()",
        };
        self.column(sql.to_owned()).await
    }

    /// The names of a table's or view's columns, in their order.
    async fn columns(&mut self, table: &str) -> Vec<String> {
        let sql = match self {
            Self::Sqlite(_) => format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"),
            Self::Postgres(_) => format!(
                "SELECT column_name::text FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY ordinal_position"
            ),
        };
        self.column(sql).await
    }

    async fn columns_of(&mut self, tables: Vec<String>) -> BTreeMap<String, Vec<String>> {
        let mut columns = BTreeMap::new();
        for table in tables {
            let names = self.columns(&table).await;
            columns.insert(table, names);
        }
        columns
    }

    async fn found(&mut self, sql: String) -> Result<(Vec<String>, usize), sqlx::Error> {
        let prepared = AssertSqlSafe(sql.clone()).into_sql_str();
        match self {
            Self::Sqlite(connection) => {
                let statement = (&mut *connection).prepare(prepared).await?;
                let columns = statement.columns().iter().map(|column| column.name().to_owned()).collect();
                Ok((columns, connection.fetch_all(AssertSqlSafe(sql)).await?.len()))
            }
            Self::Postgres(connection) => {
                let statement = (&mut *connection).prepare(prepared).await?;
                let columns = statement.columns().iter().map(|column| column.name().to_owned()).collect();
                Ok((columns, connection.fetch_all(AssertSqlSafe(sql)).await?.len()))
            }
        }
    }

    async fn rows(&mut self, table: &str, without: &[&str]) -> Vec<String> {
        let quoted = match self {
            Self::Sqlite(_) => ("quote(", ")"),
            Self::Postgres(_) => ("quote_nullable(", "::text)"),
        };
        let kept: Vec<String> = self
            .columns(table)
            .await
            .iter()
            .filter(|name| !without.contains(&name.as_str()))
            .map(|name| format!("'{name}=' || {}\"{name}\"{}", quoted.0, quoted.1))
            .collect();
        let mut rows = self.column(format!("SELECT {} FROM \"{table}\"", kept.join(" || ' ' || "))).await;
        rows.sort();
        rows
    }

    /// SQLite checks pages, indexes and references. On Postgres `amcheck` checks each index against its table;
    /// references are looked for as SQLite's are nowhere: its server holds them at every statement.
    async fn damage(&mut self) -> Vec<String> {
        match self {
            Self::Sqlite(_) => {
                let mut found = self.column("PRAGMA integrity_check".to_owned()).await;
                found.retain(|line| line != "ok");
                found.extend(self.column("PRAGMA foreign_key_check".to_owned()).await);
                found
            }
            Self::Postgres(connection) => {
                let indexes = "SELECT bt_index_check(c.oid::regclass, true)::text FROM pg_class c
                    JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_am a ON a.oid = c.relam AND a.amname = 'btree'
                    WHERE c.relnamespace = current_schema()::regnamespace AND i.indisvalid";
                let checked = async {
                    connection.execute("CREATE EXTENSION IF NOT EXISTS amcheck").await?;
                    connection.execute(indexes).await
                };
                checked.await.err().map(|error| error.to_string()).into_iter().collect()
            }
        }
    }
}
