//! Folds the write-ahead log into the file beside the writer's way. By itself SQLite does it within a commit, which then waits for
//! the disk twice; here a reader's connection does it while writers go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use sqlx::SqlitePool;

/// Operations committed between two times: about as many pages as with SQLite's own 1000 (sqlite.org/wal.html, automatic checkpoint).
const COMMITS: u32 = 50;
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
    commits: AtomicU32,
    is_under_way: AtomicBool,
}

impl Checkpoints {
    /// `through` is where readers' connections come from.
    pub(super) fn new(through: SqlitePool) -> Self {
        Self { through, state: Arc::default() }
    }

    /// So many operations were committed.
    pub(super) fn note(&self, operations: usize) {
        let operations = u32::try_from(operations).unwrap_or(COMMITS);
        let commits = self.state.commits.fetch_add(operations, Ordering::Relaxed).saturating_add(operations);
        if commits < COMMITS || self.state.is_under_way.swap(true, Ordering::AcqRel) {
            return;
        }
        self.state.commits.store(0, Ordering::Relaxed);
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
