//! Work that keeps a processor busy, off the threads that serve the network. A little more of it at once than there are processors:
//! more would be no faster, and each thread keeps memory of its own. Called by the connectors and the ingest stage.

use std::num::NonZero;
use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

/// So many documents that take their whole time hold nobody else up.
const SPARE: usize = 2;

static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(most()));

/// Threads of its own, as many as there are turns: those that the runtime has for work that blocks become more, and each keeps memory.
static THREADS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    // What panics is reported by the hook, and by the answer that does not come.
    let threads =
        ThreadPoolBuilder::new().num_threads(most()).thread_name(|_| "blocking".to_owned()).panic_handler(|_| ());
    threads.build().ok()
});

fn most() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get) + SPARE
}

/// Starts `work` when it is its turn; what is returned waits for its end, and fails when it panics.
pub(crate) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
    // It is never closed; were it, going on is right.
    let turn = TURNS.acquire().await.ok();
    let (reply_tx, outcome) = oneshot::channel();
    let work = move || {
        let _turn = turn;
        // Who asked may have gone away.
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

    use super::{most, run_blocking};

    #[tokio::test]
    async fn work_that_panics_takes_nothing_with_it() {
        for number in 0..=most() {
            assert!(run_blocking(|| -> usize { panic!("on purpose") }).await.await.is_err());
            assert_eq!(run_blocking(move || number).await.await, Ok(number));
        }
    }

    #[tokio::test]
    async fn work_waits_for_its_turn() {
        let (now, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut started = Vec::new();
        for _ in 0..3 * most() {
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
        assert!((1..=most()).contains(&peak.load(Ordering::SeqCst)), "{peak:?}");
    }
}
