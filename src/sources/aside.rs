//! Work that keeps a processor busy, off the threads that serve the network. A little more of it at once than there are processors:
//! more would be no faster, and each thread keeps memory of its own. Called by the connectors and the ingest stage.

use std::num::NonZero;
use std::sync::LazyLock;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// So many documents that take their whole time hold nobody else up.
const SPARE: usize = 2;

static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(most()));

fn most() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get) + SPARE
}

/// Starts `work` when it is its turn; what is returned waits for its end.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    // It is never closed; were it, going on is right.
    let turn = TURNS.acquire().await.ok();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{aside, most};

    #[tokio::test]
    async fn work_waits_for_its_turn() {
        let (now, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut started = Vec::new();
        for _ in 0..3 * most() {
            let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
            started.push(
                aside(move || {
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
