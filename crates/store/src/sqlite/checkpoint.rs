//! Checkpoints the write-ahead log beside the writers. By default SQLite does this within a commit, which then waits
//! for the disk twice; here a reader's connection does it while writers continue.
//!
//! SQLite starts the log anew only when all of it has been checkpointed, which never happens while writers are faster
//! than the disk. Before their next transaction, writers therefore wait for a checkpoint that has fallen behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

/// Approximate number of pages written between two checkpoints: SQLite's default (sqlite.org/wal.html, automatic
/// checkpoint).
const PAGES: usize = 1000;
/// Approximate number of pages that may be written while a checkpoint runs. A checkpoint of [`PAGES`] takes a few
/// milliseconds unless the disk is busy, so that writers rarely reach this.
const PAGES_MEANWHILE: usize = 2 * PAGES;
/// Approximate number of pages that a stage writes in one commit.
pub(super) const PAGES_OF_A_WRITE: usize = 20;
/// Pages that reserving or settling a call writes: its row, its answer, the counters and their indexes.
pub(super) const PAGES_OF_A_BATCH: usize = 5;
/// Number of pages in the log (16 MiB) at which a commit does the remaining checkpoint itself if none is running.
pub(super) const MAX_WAL_PAGES: &str = "4096";
/// Number of pages in the log at which writers wait until all of it has been checkpointed: three quarters of
/// [`MAX_WAL_PAGES`].
const LONG_WAL_PAGES: i64 = 3072;
/// Number of further checkpoints of a long log while writers wait: one for what was written during the first, one for
/// a transaction that had begun before. What remains then is held back by a reader's old snapshot.
const REPEATS: usize = 2;

#[derive(Debug, Clone)]
pub(super) struct Checkpoints {
    readers: SqlitePool,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Pages written since the last checkpoint began.
    pages: AtomicUsize,
    /// Whether a checkpoint was started, which may still wait for its connection.
    is_started: AtomicBool,
    /// Whether writers wait until the whole log has been checkpointed.
    is_long: AtomicBool,
    /// Held while a checkpoint runs.
    running: Mutex<()>,
}

impl Checkpoints {
    /// `readers` is the pool of readers' connections.
    pub(super) fn new(readers: SqlitePool) -> Self {
        Self { readers, state: Arc::default() }
    }

    /// Waits for the running checkpoint if it has fallen behind. To be called while holding no connection.
    pub(super) async fn wait_if_behind(&self) {
        let is_behind = self.state.pages.load(Ordering::Relaxed) >= PAGES_MEANWHILE;
        if is_behind || self.state.is_long.load(Ordering::Acquire) {
            drop(self.state.running.lock().await);
        }
    }

    /// Records that approximately this many pages were written, and starts a checkpoint if one is due.
    pub(super) fn note(&self, pages: usize) {
        let written = self.state.pages.fetch_add(pages, Ordering::Relaxed).saturating_add(pages);
        if written < PAGES || self.state.is_started.swap(true, Ordering::AcqRel) {
            return;
        }
        let (pool, state) = (self.readers.clone(), Arc::clone(&self.state));
        tokio::spawn(async move {
            if let Err(error) = state.checkpoint(&pool).await {
                tracing::debug!(%error, "the write-ahead log stays as it is for now");
            }
            state.is_long.store(false, Ordering::Release);
            state.is_started.store(false, Ordering::Release);
        });
    }
}

impl State {
    /// Checkpoints what is in the log; all of it if the log is long.
    async fn checkpoint(&self, readers: &SqlitePool) -> sqlx::Result<()> {
        // Before the lock: writers must not wait for a connection that a reader holds.
        let mut connection = readers.acquire().await?;
        let _running = self.running.lock().await;
        self.pages.store(0, Ordering::Relaxed);
        for _ in 0..=REPEATS {
            let (log, done) = checkpoint(&mut connection).await?;
            if log < LONG_WAL_PAGES || done == log {
                break;
            }
            self.is_long.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// Checkpoints as far as possible without waiting for another connection. Returns the number of pages in the log and
/// the number of them that have been checkpointed.
async fn checkpoint(connection: &mut SqliteConnection) -> sqlx::Result<(i64, i64)> {
    let (_, log, done): (i64, i64, i64) =
        sqlx::query_as("PRAGMA wal_checkpoint(PASSIVE)").fetch_one(connection).await?;
    Ok((log, done))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use futures::FutureExt as _;
    use sqlx::sqlite::SqlitePoolOptions;

    use super::{Checkpoints, PAGES, PAGES_MEANWHILE};

    fn checkpoints() -> Checkpoints {
        Checkpoints::new(SqlitePoolOptions::new().connect_lazy("sqlite::memory:").unwrap())
    }

    #[tokio::test]
    async fn writers_wait_only_for_a_checkpoint_that_is_behind() {
        let checkpoints = checkpoints();
        let running = checkpoints.state.running.lock().await;
        checkpoints.state.pages.store(PAGES, Ordering::Relaxed);
        assert!(checkpoints.wait_if_behind().now_or_never().is_some());
        checkpoints.state.pages.store(PAGES_MEANWHILE, Ordering::Relaxed);
        assert!(checkpoints.wait_if_behind().now_or_never().is_none());
        drop(running);
        assert!(checkpoints.wait_if_behind().now_or_never().is_some());
    }

    #[tokio::test]
    async fn writers_wait_for_the_rest_of_a_long_log() {
        let checkpoints = checkpoints();
        let running = checkpoints.state.running.lock().await;
        checkpoints.state.is_long.store(true, Ordering::Release);
        assert!(checkpoints.wait_if_behind().now_or_never().is_none());
        drop(running);
        assert!(checkpoints.wait_if_behind().now_or_never().is_some());
    }
}
