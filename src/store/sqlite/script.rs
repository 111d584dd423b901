//! Several statements that are one transaction, run in one trip to the connection's thread: a trip there and back costs more than a
//! statement does. A script cannot ask and then decide; it can insist, and where it insists in vain it fails as a whole.

use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, Encode, Sqlite, SqlitePool, Type};

use super::SqliteStore;
use crate::store::shared::hit;
use crate::store::{Result, StoreError};

/// What SQLite says of a condition that was insisted on and does not hold (sqlite.org/json1.html). Any other statement that it cannot
/// run is a mistake, and an error.
const IN_VAIN: &str = "malformed JSON";

/// Statements with their parameters.
pub(super) struct Script {
    sql: String,
    arguments: SqliteArguments,
    /// The first error in encoding a parameter.
    broken: Option<sqlx::error::BoxDynError>,
    /// How many parameters the statements before the last one have.
    before: usize,
}

impl Script {
    pub(super) fn new() -> Self {
        Self { sql: "BEGIN IMMEDIATE".to_owned(), arguments: SqliteArguments::default(), broken: None, before: 0 }
    }

    /// Adds a statement; the parameters that are bound next are its own, from `$1` on.
    pub(super) fn then(mut self, statement: &str) -> Self {
        self.before = self.arguments.len();
        self.sql.push_str(";\n");
        let mut parts = statement.split('$');
        self.sql.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            let number: usize = number.parse().unwrap_or_default();
            self.sql.push('$');
            self.sql.push_str(&(number + self.before).to_string());
            self.sql.push_str(rest);
        }
        self
    }

    pub(super) fn bind<'a, T: Encode<'a, Sqlite> + Type<Sqlite>>(mut self, value: T) -> Self {
        if let Err(error) = self.arguments.add(value) {
            self.broken.get_or_insert(error);
        }
        self
    }

    /// The whole fails unless the condition holds; the parameters that are bound next are its own. It gives no row, since each that
    /// comes back wakes whoever waits for the end.
    pub(super) fn insist_that(self, condition: &str) -> Self {
        self.then(&format!("SELECT 1 WHERE json(CASE WHEN {condition} THEN '1' ELSE 'it does not hold' END) IS NULL"))
    }

    /// The whole fails unless the last statement changed a row.
    pub(super) fn insist(self) -> Self {
        self.insist_that("changes() > 0")
    }
}

impl SqliteStore {
    /// Runs a script to its end, also when the caller goes away meanwhile. `false` where it insisted in vain, or a row was refused; then
    /// nothing has changed.
    pub(super) async fn run(&self, operation: &'static str, script: Script) -> Result<bool> {
        hit(operation, "before_commit");
        let running = tokio::spawn(run_to_its_end(self.writer.clone(), script));
        let is_done =
            running.await.map_err(|error| StoreError::Conflict { reason: format!("{operation}: {error}") })??;
        if is_done {
            self.checkpoints.note(1);
            hit(operation, "after_commit");
        }
        Ok(is_done)
    }
}

async fn run_to_its_end(writer: SqlitePool, script: Script) -> Result<bool> {
    if let Some(error) = script.broken {
        return Err(sqlx::Error::Encode(error).into());
    }
    let mut connection = writer.acquire().await?;
    let sql = AssertSqlSafe(script.sql + ";\nCOMMIT");
    let query: Query<'_, Sqlite, SqliteArguments> = sqlx::query_with(sql, script.arguments);
    let Err(error) = query.execute(&mut *connection).await else { return Ok(true) };
    // What it began stays open otherwise. Where nothing is, SQLite says so; a connection that does not even say that goes.
    let undone = sqlx::query("ROLLBACK").execute(&mut *connection).await;
    if undone.is_err_and(|error| error.as_database_error().is_none()) {
        connection.close_on_drop();
    }
    if is_refused(&error) { Ok(false) } else { Err(error.into()) }
}

fn is_refused(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.is_check_violation()
            || error.is_unique_violation()
            || error.is_foreign_key_violation()
            || error.message() == IN_VAIN
    })
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::Script;
    use crate::store::{LedgerStore as _, OpenMode, SqliteStore};

    const RAISE: &str = "INSERT INTO budget_counters (counter, calls) VALUES ($1, $2)";

    async fn store(folder: &tempfile::TempDir) -> SqliteStore {
        let url = format!("sqlite://{}/test.db", folder.path().display());
        SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap()
    }

    fn raise(script: Script, counter: &str, calls: i64) -> Script {
        script.then(RAISE).bind(counter).bind(calls)
    }

    async fn calls(store: &SqliteStore, counter: &str) -> i64 {
        store.counters(&[counter.to_owned()]).await.unwrap()[0].calls
    }

    #[test]
    fn each_statement_s_parameters_are_its_own() {
        let script = Script::new().then("A $1, $2 $1").bind(1).bind(2).insist_that("B $1").bind(3).then("C $1");
        let insisting = "SELECT 1 WHERE json(CASE WHEN B $3 THEN '1' ELSE 'it does not hold' END) IS NULL";
        assert_eq!(script.sql, format!("BEGIN IMMEDIATE;\nA $1, $2 $1;\n{insisting};\nC $4"));
    }

    #[tokio::test]
    async fn all_of_it_is_done_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let both = raise(raise(Script::new(), "one", 1), "two", 2).insist();
        assert!(store.run("test", both).await.unwrap());
        let in_vain = raise(Script::new(), "three", 3).then("DELETE FROM topics WHERE id = $1").bind("nobody").insist();
        assert!(!store.run("test", in_vain).await.unwrap());
        let refused = raise(raise(Script::new(), "three", 3), "four", -1);
        assert!(!store.run("test", refused).await.unwrap());
        assert!(!store.run("test", raise(Script::new(), "one", 1)).await.unwrap(), "it is there already");
        assert!(store.run("test", raise(Script::new(), "five", 5)).await.unwrap(), "nothing is left open");
        for (counter, expected) in [("one", 1), ("two", 2), ("three", 0), ("four", 0), ("five", 5)] {
            assert_eq!(calls(&store, counter).await, expected, "{counter}");
        }
    }

    #[tokio::test]
    async fn a_statement_that_cannot_run_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let wrong = raise(Script::new(), "one", 1).then("UPDATE nowhere SET nothing = 1");
        assert!(store.run("test", wrong).await.is_err());
        assert!(store.run("test", raise(Script::new(), "two", 2)).await.unwrap(), "nothing is left open");
        assert_eq!((calls(&store, "one").await, calls(&store, "two").await), (0, 2));
    }

    #[tokio::test]
    async fn it_ends_though_its_caller_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        assert!(store.run("test", raise(Script::new(), "one", 1)).now_or_never().is_none());
        assert!(store.run("test", raise(Script::new(), "two", 2)).await.unwrap());
        assert_eq!((calls(&store, "one").await, calls(&store, "two").await), (1, 2));
    }
}
