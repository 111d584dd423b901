//! Locks by key: work on the same thing is done one after the other, on others at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Clones share the locks.
#[derive(Debug, Clone, Default)]
pub struct KeyLocks(Arc<Mutex<HashMap<String, Weak<AsyncMutex<()>>>>>);

impl KeyLocks {
    /// Waits until no other work on `key` is in progress. The key is free again when the guard is dropped.
    pub async fn lock(&self, key: &str) -> OwnedMutexGuard<()> {
        self.of(key).lock_owned().await
    }

    fn of(&self, key: &str) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(key).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(key.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::KeyLocks;

    #[tokio::test]
    async fn work_on_one_key_waits_for_work_on_the_same_key_alone() {
        let locks = KeyLocks::default();
        let first = locks.lock("a").await;
        assert!(locks.clone().lock("a").now_or_never().is_none());
        drop(locks.lock("b").now_or_never().unwrap());
        drop(first);
        assert!(locks.lock("a").now_or_never().is_some());
        drop(locks.lock("c").await);
        assert_eq!(locks.0.lock().unwrap().len(), 1, "keys that are free are forgotten");
    }
}
