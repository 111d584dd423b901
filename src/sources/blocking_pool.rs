//! Runs CPU-bound work off the network threads. The pool has slightly more threads than there are processors: more
//! would not be faster, and each thread uses memory. Called by the connectors and the ingest stage.

use std::num::NonZero;
use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

/// Additional threads, so that this many slow feed bodies delay no others.
const EXTRA_THREADS: usize = 2;

static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(max_threads()));

/// A separate pool with as many threads as permits. The runtime's blocking pool would grow further, and each thread
/// uses memory.
static THREADS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    // A panic is reported by the panic hook, and by the dropped reply channel.
    let threads = ThreadPoolBuilder::new()
        .num_threads(max_threads())
        .thread_name(|_| "blocking".to_owned())
        .panic_handler(|_| ());
    threads.build().ok()
});

fn max_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get) + EXTRA_THREADS
}

/// Starts `work` when a permit is free. The returned receiver waits for the result and fails if `work` panics.
pub(crate) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
    // The semaphore is never closed; if it were, continuing would be right.
    let permit = PERMITS.acquire().await.ok();
    let (reply_tx, outcome) = oneshot::channel();
    let work = move || {
        let _permit = permit;
        // The receiver may have been dropped.
        let _ = reply_tx.send(work());
    };
    match &*THREADS {
        Some(threads) => threads.spawn(work),
        None => work(),
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{max_threads, run_blocking};

    #[tokio::test]
    async fn a_panic_does_not_affect_other_work() {
        for number in 0..=max_threads() {
            assert!(run_blocking(|| -> usize { panic!("on purpose") }).await.await.is_err());
            assert_eq!(run_blocking(move || number).await.await, Ok(number));
        }
    }

    #[tokio::test]
    async fn work_waits_for_a_permit() {
        let (now, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut started = Vec::new();
        for _ in 0..3 * max_threads() {
            let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
            started.push(
                run_blocking(move || {
                    peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    now.fetch_sub(1, Ordering::SeqCst);
                })
                .await,
            );
        }
        for work in started {
            work.await.unwrap();
        }
        assert!((1..=max_threads()).contains(&peak.load(Ordering::SeqCst)), "{peak:?}");
    }
}
