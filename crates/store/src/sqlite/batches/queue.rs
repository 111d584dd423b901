//! The write queue: pending batches, run one after the other by a single task.

use std::sync::Arc;

use aha_core::queue::{Queue, Service};
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::oneshot;

use super::{Batch, is_refused};
use crate::sqlite::checkpoint::Checkpoints;
use crate::{Result, StoreError};

/// Pending batches. One task runs all of them on the connection that it holds, because the pool checks each returned
/// connection, which takes as long as a batch.
#[derive(Debug, Clone)]
pub(in crate::sqlite) struct WriteQueue {
    writer: SqlitePool,
    checkpoints: Checkpoints,
    waiting: Arc<Queue<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    batch: Batch,
    reply_tx: oneshot::Sender<Result<bool>>,
}

/// Maximum number of consecutive batches before other writers get the connection.
const MAX_CONSECUTIVE: usize = 16;

impl WriteQueue {
    pub(in crate::sqlite) fn new(writer: SqlitePool, checkpoints: Checkpoints) -> Self {
        Self { writer, checkpoints, waiting: Arc::default() }
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

    /// Runs batches until the queue is empty.
    async fn serve(self) {
        let _service = Service(&self.waiting);
        while !self.serve_some().await {}
    }

    /// Runs batches on one connection. Returns true if the queue is empty.
    async fn serve_some(&self) -> bool {
        self.checkpoints.wait_if_behind().await;
        let mut connection = match self.writer.acquire().await {
            Ok(connection) => connection,
            Err(error) => return self.refuse(error),
        };
        for _ in 0..MAX_CONSECUTIVE {
            let Some(Waiting { batch, reply_tx }) = self.waiting.take_or_finish(1).pop() else { return true };
            let outcome = run_on(&mut connection, batch).await;
            let is_done = matches!(outcome, Ok(true));
            // The receiver may have been dropped.
            let _ = reply_tx.send(outcome);
            if !is_done {
                // Returns the connection, so that the pool checks whether it is still usable.
                return false;
            }
        }
        false
    }

    /// Reports the connection error to the first waiting caller, and to all of them if acquiring timed out, because
    /// they have waited as long. Returns true if the queue is empty.
    fn refuse(&self, error: sqlx::Error) -> bool {
        let max = if matches!(error, sqlx::Error::PoolTimedOut) { usize::MAX } else { 1 };
        let mut error = Some(error);
        let refused = self.waiting.take_or_finish(max);
        let is_over = refused.is_empty();
        for Waiting { reply_tx, .. } in refused {
            let _ = reply_tx.send(Err(error.take().unwrap_or(sqlx::Error::PoolTimedOut).into()));
        }
        is_over
    }
}

async fn run_on(connection: &mut PoolConnection<Sqlite>, transaction: Batch) -> Result<bool> {
    let Err(error) = transaction.execute(connection).await else { return Ok(true) };
    // The failed batch may have left a transaction open. If there is none, SQLite reports that as a database error; on
    // any other error the connection is closed.
    let undone = sqlx::query("ROLLBACK").execute(&mut **connection).await;
    if undone.is_err_and(|error| error.as_database_error().is_none()) {
        connection.close_on_drop();
    }
    if is_refused(&error) { Ok(false) } else { Err(error.into()) }
}
