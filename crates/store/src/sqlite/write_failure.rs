//! Remembers whether the last write succeeded: a full disk and another program's lock do not hinder readers, so that
//! only a write shows them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::{StoreError, WriteFailure};

/// When and why the last write failed; `None` if it succeeded.
#[derive(Debug, Clone, Default)]
pub(super) struct LastWriteFailure(Arc<Mutex<Option<(Instant, String)>>>);

impl LastWriteFailure {
    pub(super) fn set(&self, error: &StoreError) {
        *self.lock() = Some((Instant::now(), error.to_string()));
    }

    pub(super) fn clear(&self) {
        *self.lock() = None;
    }

    pub(super) fn get(&self) -> Option<WriteFailure> {
        self.lock().as_ref().map(|(at, reason)| WriteFailure { reason: reason.clone(), age: at.elapsed() })
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Instant, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
