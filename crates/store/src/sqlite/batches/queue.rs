//! The write queue: batches that wait for the writer, run one after the other by one task.

use std::sync::Arc;

use aha_core::queue::{Queue, Service};
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::oneshot;

use super::{Batch, is_refused};
use crate::{Result, StoreError};

/// Batches that wait. One task runs all of them on the connection that it has: the pool checks each time whether a connection that comes
/// back is still good, which takes as long as a batch does.
#[derive(Debug, Clone)]
pub(in crate::sqlite) struct WriteQueue {
    writer: SqlitePool,
    waiting: Arc<Queue<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    batch: Batch,
    reply_tx: oneshot::Sender<Result<bool>>,
}

/// Batches in a row, before others who want to write get the connection.
const MOST_IN_A_ROW: usize = 16;

impl WriteQueue {
    pub(in crate::sqlite) fn new(writer: SqlitePool) -> Self {
        Self { writer, waiting: Arc::default() }
    }

    pub(super) async fn run(&self, operation: &'static str, batch: Batch) -> Result<bool> {
        let (reply_tx, outcome) = oneshot::channel();
        if self.waiting.push(Waiting { batch: batch.into_transaction(), reply_tx }) {
            tokio::spawn(self.clone().serve());
        }
        outcome.await.unwrap_or_else(|_| {
            Err(StoreError::Conflict { reason: format!("{operation}: the task that writes ended") })
        })
    }

    /// Until nothing waits.
    async fn serve(self) {
        let _service = Service(&self.waiting);
        while !self.serve_some().await {}
    }

    /// On one connection. Whether nothing waits any more.
    async fn serve_some(&self) -> bool {
        let mut connection = match self.writer.acquire().await {
            Ok(connection) => connection,
            Err(error) => return self.refuse(error),
        };
        for _ in 0..MOST_IN_A_ROW {
            let Some(Waiting { batch, reply_tx }) = self.waiting.take_or_end(1).pop() else { return true };
            let outcome = run_on(&mut connection, batch).await;
            let is_done = matches!(outcome, Ok(true));
            // A caller who went away does not listen.
            let _ = reply_tx.send(outcome);
            if !is_done {
                // The pool checks whether the connection is still good.
                return false;
            }
        }
        false
    }

    /// Answers the first that there is no connection, and all others too where waiting for one timed out: they have waited as long.
    fn refuse(&self, error: sqlx::Error) -> bool {
        let most = if matches!(error, sqlx::Error::PoolTimedOut) { usize::MAX } else { 1 };
        let mut error = Some(error);
        let refused = self.waiting.take_or_end(most);
        let is_over = refused.is_empty();
        for Waiting { reply_tx, .. } in refused {
            let _ = reply_tx.send(Err(error.take().unwrap_or(sqlx::Error::PoolTimedOut).into()));
        }
        is_over
    }
}

async fn run_on(connection: &mut PoolConnection<Sqlite>, transaction: Batch) -> Result<bool> {
    let Err(error) = transaction.execute(connection).await else { return Ok(true) };
    // What it began stays open otherwise. Where nothing is, SQLite says so; a connection that does not even say that goes.
    let undone = sqlx::query("ROLLBACK").execute(&mut **connection).await;
    if undone.is_err_and(|error| error.as_database_error().is_none()) {
        connection.close_on_drop();
    }
    if is_refused(&error) { Ok(false) } else { Err(error.into()) }
}
