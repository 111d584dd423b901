//! What stands in a database, read past the product.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::time::Duration;

use aha_radar::store::{self, OpenMode, SharedStore};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

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
    block_on(|| async move { work(store::open(&url, OpenMode::MustExist).await.unwrap()).await })
}

/// The first column of a query, NULL as an empty text.
pub fn query(radar: &Radar, sql: &str) -> Vec<String> {
    let (url, sql) = (radar.database_url(), sql.to_owned());
    block_on(|| async move { column(&mut connect(&url).await, sql).await })
}

/// The one number that a query finds.
pub fn number(radar: &Radar, sql: &str) -> i64 {
    query(radar, &format!("SELECT CAST(({sql}) AS TEXT)")).concat().parse().unwrap()
}

/// All rows of all tables.
pub fn all(radar: &Radar) -> Tables {
    let url = radar.database_url();
    block_on(|| async move {
        let mut connection = connect(&url).await;
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut tables = Tables::new();
        for table in column(&mut connection, names.to_owned()).await {
            let rows = rows_of(&mut connection, &table, &[]).await;
            tables.insert(table, rows);
        }
        tables
    })
}

/// All rows of a table but for some columns.
pub fn table(radar: &Radar, table: &str, without: &[&str]) -> Vec<String> {
    let url = radar.database_url();
    block_on(|| async move { rows_of(&mut connect(&url).await, table, without).await })
}

/// Waits until a query finds a number other than 0.
#[track_caller]
pub fn wait_for(radar: &Radar, sql: &str) {
    for _ in 0..200 {
        if number(radar, sql) != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("10 s have passed without {sql}");
}

async fn connect(url: &str) -> SqliteConnection {
    let options = SqliteConnectOptions::from_str(url).unwrap().busy_timeout(Duration::from_secs(10));
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn column(connection: &mut SqliteConnection, sql: String) -> Vec<String> {
    let values: Vec<Option<String>> = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(connection).await.unwrap();
    values.into_iter().map(Option::unwrap_or_default).collect()
}

async fn rows_of(connection: &mut SqliteConnection, table: &str, without: &[&str]) -> Vec<String> {
    let names = column(connection, format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid")).await;
    let kept: Vec<String> = names
        .iter()
        .filter(|name| !without.contains(&name.as_str()))
        .map(|name| format!("'{name}=' || quote(\"{name}\")"))
        .collect();
    column(connection, format!("SELECT {} FROM \"{table}\" ORDER BY 1", kept.join(" || ' ' || "))).await
}
