//! Folds the write-ahead log into the file beside the writer's way. By itself SQLite does it within a commit, which then waits for
//! the disk twice; here a reader's connection does it while writers go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::SqlitePool;

/// Pages written between two times, about: SQLite's own number (sqlite.org/wal.html, automatic checkpoint).
const PAGES: usize = 1000;
/// What a stage writes at once, about.
pub(super) const PAGES_OF_A_WRITE: usize = 20;
/// What a call's reservation or its settlement writes: its row, its answer, the counters and their indexes.
pub(super) const PAGES_OF_A_BATCH: usize = 5;
/// Pages in the log (16 MiB) at which a commit does what is left of it after all: while writing never ceases the log grows, since it
/// begins anew only when all of it has been folded.
pub(super) const MOST_PAGES: &str = "4096";

#[derive(Debug, Clone)]
pub(super) struct Checkpoints {
    through: SqlitePool,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    pages: AtomicUsize,
    is_under_way: AtomicBool,
}

impl Checkpoints {
    /// `through` is where readers' connections come from.
    pub(super) fn new(through: SqlitePool) -> Self {
        Self { through, state: Arc::default() }
    }

    /// So many pages were written, about.
    pub(super) fn note(&self, pages: usize) {
        let written = self.state.pages.fetch_add(pages, Ordering::Relaxed).saturating_add(pages);
        if written < PAGES || self.state.is_under_way.swap(true, Ordering::AcqRel) {
            return;
        }
        self.state.pages.store(0, Ordering::Relaxed);
        let (pool, state) = (self.through.clone(), Arc::clone(&self.state));
        tokio::spawn(async move {
            // It waits for nobody, and what it leaves is left to the next.
            if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&pool).await {
                tracing::debug!(%error, "the write-ahead log stays as it is for now");
            }
            state.is_under_way.store(false, Ordering::Release);
        });
    }
}
