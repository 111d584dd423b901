//! Statement batches: several statements sent in one round trip to the connection's thread, as a transaction or within
//! one.
//!
//! A round trip costs more than a statement, and the ledger and ingest are performance-critical (`cargo bench`). Their
//! frequent operations are therefore batches: `ledger.rs` reserves and settles calls, `new_items.rs` inserts items not
//! seen before, `fetches.rs` writes the outcomes of fetches. Everything else runs statement by statement. A batch
//! cannot branch on a query, but it can assert. If an assertion fails, the batch has no effect, and the caller goes
//! statement by statement, which can report the reason. The statements and the functions that bind their parameters are
//! those of `tables/`, through [`Values`].

mod fetches;
mod ledger;
mod new_items;
mod queue;

use sqlx::error::ErrorKind;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Encode, Sqlite, Type};

use super::checkpoint::PAGES_OF_A_BATCH;
use super::{Connection, SqliteStore, Values};
use crate::Result;
use crate::shared::hit;

pub(super) use queue::WriteQueue;

/// Approximate length of a batch's SQL in bytes.
const TYPICAL_SQL_BYTES: usize = 4096;

/// Statements with their parameters.
#[derive(Debug)]
struct Batch {
    sql: String,
    values: Values,
    /// Number of parameters of the statements before the last one.
    before: usize,
}

impl Batch {
    fn new() -> Self {
        Self { sql: String::with_capacity(TYPICAL_SQL_BYTES), values: Values::default(), before: 0 }
    }

    /// Adds a statement. Parameters bound after this are its own, from `$1` on.
    fn statement(mut self, statement: &str) -> Self {
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

    /// Binds the next parameter.
    fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(self, value: T) -> Self {
        self.bind_with(|values| values.bind(value))
    }

    /// Binds parameters with a table's function.
    fn bind_with(mut self, bind: impl FnOnce(Values) -> Values) -> Self {
        self.values = bind(self.values);
        self
    }

    /// The same with a fallible function.
    fn try_bind_with(mut self, bind: impl FnOnce(Values) -> Result<Values>) -> Result<Self> {
        self.values = bind(self.values)?;
        Ok(self)
    }

    /// Makes the batch fail unless the condition holds. Parameters bound after this are the condition's. If the
    /// condition does not hold, it inserts a row that a `CHECK` refuses: SQLite reports that by an error code, and a
    /// statement without result rows does not wake the task that waits for the end.
    fn assert(self, condition: &str) -> Self {
        self.statement(&format!("INSERT INTO budget_counters (counter, calls) SELECT '', -1 WHERE NOT ({condition})"))
    }

    /// Makes the batch fail unless the last statement changed a row.
    fn assert_changed(self) -> Self {
        self.assert("changes() > 0")
    }

    /// Wraps it in its own transaction.
    fn into_transaction(mut self) -> Self {
        self.sql = format!("BEGIN IMMEDIATE;\n{};\nCOMMIT", self.sql);
        self
    }

    /// Runs it within a transaction that is already open.
    async fn run_within(self, connection: &mut Connection) -> Result<()> {
        Ok(self.execute(connection).await?)
    }

    async fn execute(self, connection: &mut Connection) -> sqlx::Result<()> {
        let arguments = self.values.into_arguments()?;
        let query: Query<'_, Sqlite, SqliteArguments> = sqlx::query_with(AssertSqlSafe(self.sql), arguments);
        query.execute(connection).await?;
        Ok(())
    }
}

/// Runs a batch as its own transaction. It runs to its end even if the caller is dropped meanwhile. Returns `false` if
/// an assertion failed or a row was refused; nothing has changed then.
async fn run(store: &SqliteStore, operation: &'static str, batch: Batch) -> Result<bool> {
    hit(operation, "before_commit");
    let outcome = match store.check_writable() {
        Ok(()) => store.write_queue.run(operation, batch).await,
        Err(error) => Err(error),
    };
    let is_done = outcome.inspect_err(|error| store.last_write_failure.set(error))?;
    if is_done {
        store.last_write_failure.clear();
        store.checkpoints.note(PAGES_OF_A_BATCH);
        hit(operation, "after_commit");
    }
    Ok(is_done)
}

/// Whether a constraint refused a row, including that of an assertion.
fn is_refused(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        matches!(error.kind(), ErrorKind::CheckViolation | ErrorKind::UniqueViolation | ErrorKind::ForeignKeyViolation)
    })
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::{Batch, run};
    use crate::{LedgerStore as _, OpenMode, SqliteStore};

    const RAISE: &str = "INSERT INTO budget_counters (counter, calls) VALUES ($1, $2)";

    async fn store(folder: &tempfile::TempDir) -> SqliteStore {
        let url = format!("sqlite://{}/test.db", folder.path().display());
        SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap()
    }

    fn raise(batch: Batch, counter: &str, calls: i64) -> Batch {
        batch.statement(RAISE).bind(counter).bind(calls)
    }

    async fn calls(store: &SqliteStore, counter: &str) -> i64 {
        store.counters(&[counter.to_owned()]).await.unwrap()[0].calls
    }

    #[test]
    fn each_statement_has_its_own_parameters() {
        let batch = Batch::new().statement("A $1, $2 $1").bind(1).bind(2).assert("B $1").bind(3).statement("C $1");
        let asserting = "INSERT INTO budget_counters (counter, calls) SELECT '', -1 WHERE NOT (B $3)";
        assert_eq!(batch.sql, format!("A $1, $2 $1;\n{asserting};\nC $4"));
    }

    #[tokio::test]
    async fn a_batch_is_atomic() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let both = raise(raise(Batch::new(), "one", 1), "two", 2).assert_changed();
        assert!(run(&store, "test", both).await.unwrap());
        let failing = raise(Batch::new(), "three", 3)
            .statement("DELETE FROM topics WHERE id = $1")
            .bind("nobody")
            .assert_changed();
        assert!(!run(&store, "test", failing).await.unwrap());
        let refused = raise(raise(Batch::new(), "three", 3), "four", -1);
        assert!(!run(&store, "test", refused).await.unwrap());
        assert!(!run(&store, "test", raise(Batch::new(), "one", 1)).await.unwrap(), "it is there already");
        assert!(run(&store, "test", raise(Batch::new(), "five", 5)).await.unwrap(), "nothing is left open");
        for (counter, expected) in [("one", 1), ("two", 2), ("three", 0), ("four", 0), ("five", 5)] {
            assert_eq!(calls(&store, counter).await, expected, "{counter}");
        }
    }

    #[tokio::test]
    async fn a_statement_that_cannot_run_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let wrong = raise(Batch::new(), "one", 1).statement("UPDATE nowhere SET nothing = 1");
        assert!(run(&store, "test", wrong).await.is_err());
        assert!(run(&store, "test", raise(Batch::new(), "two", 2)).await.unwrap(), "nothing is left open");
        assert_eq!((calls(&store, "one").await, calls(&store, "two").await), (0, 2));
    }

    #[tokio::test]
    async fn a_batch_completes_after_its_caller_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        assert!(run(&store, "test", raise(Batch::new(), "one", 1)).now_or_never().is_none());
        assert!(run(&store, "test", raise(Batch::new(), "two", 2)).await.unwrap());
        assert_eq!((calls(&store, "one").await, calls(&store, "two").await), (1, 2));
    }
}
