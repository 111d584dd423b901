//! Checkpoints the write-ahead log without blocking the writer. By default SQLite does this within a commit, which then
//! waits for the disk twice; here a reader's connection does it while writers continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::SqlitePool;

/// Approximate number of pages written between two checkpoints: SQLite's default (sqlite.org/wal.html, automatic
/// checkpoint).
const PAGES: usize = 1000;
/// Approximate number of pages that a stage writes in one commit.
pub(super) const PAGES_OF_A_WRITE: usize = 20;
/// Pages that reserving or settling a call writes: its row, its answer, the counters and their indexes.
pub(super) const PAGES_OF_A_BATCH: usize = 5;
/// Number of pages in the log (16 MiB) at which a commit does the remaining checkpoint itself. Under continuous writing
/// the log grows, because it is reset only when all of it has been checkpointed.
pub(super) const MAX_WAL_PAGES: &str = "4096";

#[derive(Debug, Clone)]
pub(super) struct Checkpoints {
    readers: SqlitePool,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    pages: AtomicUsize,
    is_running: AtomicBool,
}

impl Checkpoints {
    /// `readers` is the pool of readers' connections.
    pub(super) fn new(readers: SqlitePool) -> Self {
        Self { readers, state: Arc::default() }
    }

    /// Records that approximately this many pages were written, and starts a checkpoint if one is due.
    pub(super) fn note(&self, pages: usize) {
        let written = self.state.pages.fetch_add(pages, Ordering::Relaxed).saturating_add(pages);
        if written < PAGES || self.state.is_running.swap(true, Ordering::AcqRel) {
            return;
        }
        self.state.pages.store(0, Ordering::Relaxed);
        let (pool, state) = (self.readers.clone(), Arc::clone(&self.state));
        tokio::spawn(async move {
            // A passive checkpoint waits for no other connection; the next one does what remains.
            if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&pool).await {
                tracing::debug!(%error, "the write-ahead log stays as it is for now");
            }
            state.is_running.store(false, Ordering::Release);
        });
    }
}
