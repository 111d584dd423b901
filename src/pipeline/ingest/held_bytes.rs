//! Counts the bytes of fetched sources that are not stored yet, so that no more are fetched while they are too many.
//! Called by the ingest stage.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// The bytes that are held, and how many may be.
#[derive(Debug)]
pub(super) struct HeldBytes {
    limit: u64,
    held: AtomicU64,
    freed: Notify,
}

/// Bytes that are held as long as this value.
#[derive(Debug)]
pub(super) struct Held {
    all: Arc<HeldBytes>,
    bytes: u64,
}

impl HeldBytes {
    pub(super) fn up_to(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, held: AtomicU64::new(0), freed: Notify::new() })
    }

    pub(super) fn hold(self: &Arc<Self>, bytes: u64) -> Held {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        Held { all: Arc::clone(self), bytes }
    }

    pub(super) fn is_full(&self) -> bool {
        self.held.load(Ordering::SeqCst) >= self.limit
    }

    /// Waits until some are freed, or were since the last call.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.held.fetch_sub(self.bytes, Ordering::SeqCst);
        self.all.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::HeldBytes;

    #[tokio::test]
    async fn bytes_are_held_until_they_are_stored() {
        let bytes = HeldBytes::up_to(10);
        let (few, more) = (bytes.hold(9), bytes.hold(1));
        assert!(bytes.is_full());
        drop(more);
        bytes.freed().await;
        assert!(!bytes.is_full());
        drop(few);
    }
}
