//! Several statements run in one trip to the connection's thread, as a transaction or within one: a trip there and back costs more
//! than a statement does. A script cannot ask and then decide; it can insist, and where it insists in vain it fails as a whole.

use std::sync::Arc;

use aha_core::queue::{Queue, Service};
use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Encode, Sqlite, SqliteConnection, SqlitePool, Type};
use tokio::sync::oneshot;

use super::checkpoint::PAGES_OF_A_SCRIPT;
use super::{SqliteStore, Values};
use crate::shared::hit;
use crate::{Result, StoreError};

/// What SQLite says of a condition that was insisted on and does not hold (sqlite.org/json1.html). Any other statement that it cannot
/// run is a mistake, and an error.
const IN_VAIN: &str = "malformed JSON";

/// Statements with their parameters.
#[derive(Debug)]
pub(super) struct Script {
    sql: String,
    values: Values,
    /// How many parameters the statements before the last one have.
    before: usize,
}

/// Of a script's statements, about.
const USUAL_BYTES: usize = 4096;

impl Script {
    pub(super) fn new() -> Self {
        let sql = String::with_capacity(USUAL_BYTES);
        Self { sql, values: Values::default(), before: 0 }
    }

    /// Adds a statement; the parameters that are bound next are its own, from `$1` on.
    pub(super) fn then(mut self, statement: &str) -> Self {
        self.before = self.values.len();
        if !self.sql.is_empty() {
            self.sql.push_str(";\n");
        }
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
        self.values = self.values.bind(value);
        self
    }

    /// Binds what a table's function binds.
    pub(super) fn bind_with(mut self, bind: impl FnOnce(Values) -> Result<Values>) -> Result<Self> {
        self.values = bind(self.values)?;
        Ok(self)
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

/// The way of scripts to the writer. One task runs all that wait on the connection that it has: the pool looks each time whether a
/// connection that comes back is still good, which takes as long as a script does.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    writer: SqlitePool,
    waiting: Arc<Queue<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    script: Script,
    told: oneshot::Sender<Result<bool>>,
}

/// Scripts in a row, before others who want to write get the connection.
const MOST_IN_A_ROW: usize = 16;

impl SqliteStore {
    /// Runs a script to its end, also when the caller goes away meanwhile. `false` where it insisted in vain, or a row was refused; then
    /// nothing has changed.
    pub(super) async fn run(&self, operation: &'static str, script: Script) -> Result<bool> {
        hit(operation, "before_commit");
        let is_done = self.scripts.run(operation, script).await?;
        if is_done {
            self.checkpoints.note(PAGES_OF_A_SCRIPT);
            hit(operation, "after_commit");
        }
        Ok(is_done)
    }
}

impl Lane {
    pub(super) fn to(writer: SqlitePool) -> Self {
        Self { writer, waiting: Arc::default() }
    }

    async fn run(&self, operation: &'static str, script: Script) -> Result<bool> {
        let (told, outcome) = oneshot::channel();
        if self.waiting.push(Waiting { script, told }) {
            tokio::spawn(self.clone().serve());
        }
        outcome.await.unwrap_or_else(|_| {
            Err(StoreError::Conflict { reason: format!("{operation}: the task that writes ended") })
        })
    }

    /// Until nobody waits.
    async fn serve(self) {
        let _service = Service(&self.waiting);
        while !self.serve_some().await {}
    }

    /// On one connection. Whether nobody waits any more.
    async fn serve_some(&self) -> bool {
        let mut connection = match self.writer.acquire().await {
            Ok(connection) => connection,
            Err(error) => return self.refuse(error),
        };
        for _ in 0..MOST_IN_A_ROW {
            let Some(Waiting { script, told }) = self.waiting.take_or_end(1).pop() else { return true };
            let outcome = script.run_on(&mut connection).await;
            let is_done = matches!(outcome, Ok(true));
            // A caller who went away does not listen.
            let _ = told.send(outcome);
            if !is_done {
                // The pool looks whether the connection is still good.
                return false;
            }
        }
        false
    }

    /// Tells the first that there is no connection, and all others too where it was waited for in vain: they have waited as long.
    fn refuse(&self, error: sqlx::Error) -> bool {
        let most = if matches!(error, sqlx::Error::PoolTimedOut) { usize::MAX } else { 1 };
        let mut error = Some(error);
        let refused = self.waiting.take_or_end(most);
        let is_over = refused.is_empty();
        for Waiting { told, .. } in refused {
            let _ = told.send(Err(error.take().unwrap_or(sqlx::Error::PoolTimedOut).into()));
        }
        is_over
    }
}

impl Script {
    /// As a part of a transaction that is open already.
    pub(super) async fn run_within(self, connection: &mut SqliteConnection) -> Result<()> {
        Ok(self.execute(connection).await?)
    }

    /// As a transaction of its own.
    async fn run_on(mut self, connection: &mut PoolConnection<Sqlite>) -> Result<bool> {
        self.sql = format!("BEGIN IMMEDIATE;\n{};\nCOMMIT", self.sql);
        let Err(error) = self.execute(connection).await else { return Ok(true) };
        // What it began stays open otherwise. Where nothing is, SQLite says so; a connection that does not even say that goes.
        let undone = sqlx::query("ROLLBACK").execute(&mut **connection).await;
        if undone.is_err_and(|error| error.as_database_error().is_none()) {
            connection.close_on_drop();
        }
        if is_refused(&error) { Ok(false) } else { Err(error.into()) }
    }

    async fn execute(self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        let arguments = self.values.into_arguments()?;
        let query: Query<'_, Sqlite, SqliteArguments> = sqlx::query_with(AssertSqlSafe(self.sql), arguments);
        query.execute(connection).await?;
        Ok(())
    }
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
    use crate::{LedgerStore as _, OpenMode, SqliteStore};

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
        assert_eq!(script.sql, format!("A $1, $2 $1;\n{insisting};\nC $4"));
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
