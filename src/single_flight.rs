//! Work that several callers request at the same time and that is done once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::watch;

/// Work in progress by key. Clones share it.
#[derive(Debug, Clone)]
pub struct SingleFlight<T>(Arc<Mutex<Flights<T>>>);

/// The result of each, once there is one.
type Flights<T> = HashMap<String, watch::Receiver<Option<T>>>;

impl<T> Default for SingleFlight<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone + Send + Sync + 'static> SingleFlight<T> {
    /// Returns the result of the work in progress under a key; if there is none, passes `work` to `spawn`, where it goes
    /// on even if all callers stop waiting. `None` if the work ended without a result, because it panicked or was
    /// cancelled.
    pub async fn join(
        &self,
        key: String,
        work: impl Future<Output = T> + Send + 'static,
        spawn: impl FnOnce(BoxFuture<'static, ()>),
    ) -> Option<T> {
        let mut result = {
            let mut flights = self.flights();
            // The sender of work that ended without a result is gone.
            if let Some(result) = flights.get(&key).filter(|result| result.has_changed().is_ok()) {
                result.clone()
            } else {
                let (sender, result) = watch::channel(None);
                flights.insert(key.clone(), result.clone());
                let all = self.clone();
                let finish = async move {
                    let value = work.await;
                    all.flights().remove(&key);
                    sender.send_replace(Some(value));
                };
                spawn(finish.boxed());
                result
            }
        };
        result.wait_for(Option::is_some).await.ok().and_then(|value| value.clone())
    }

    fn flights(&self) -> MutexGuard<'_, Flights<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;

    use super::*;

    fn spawn(work: BoxFuture<'static, ()>) {
        drop(tokio::spawn(work));
    }

    #[tokio::test]
    async fn the_same_work_at_the_same_time_is_done_once() {
        let (flights, done, go) = (SingleFlight::default(), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let work = || {
            let (done, go) = (Arc::clone(&done), Arc::clone(&go));
            async move {
                go.notified().await;
                done.fetch_add(1, Ordering::SeqCst)
            }
        };
        let join = |key: &str| flights.join(key.to_owned(), work(), spawn);
        // A caller that stops waiting does not end it.
        assert!(join("a").now_or_never().is_none());
        let (first, second, ()) = tokio::join!(join("a"), join("a"), async { go.notify_one() });
        assert_eq!((first, second), (Some(0), Some(0)));
        go.notify_one();
        assert_eq!(join("a").await, Some(1), "afterwards it is done again");
    }

    #[tokio::test]
    async fn work_that_panics_has_no_result_and_can_be_done_again() {
        let flights = SingleFlight::<u8>::default();
        let fails = async { panic!("the expected failure of a test") };
        assert_eq!(flights.join("a".to_owned(), fails, spawn).await, None);
        assert_eq!(flights.join("a".to_owned(), async { 7 }, spawn).await, Some(7));
    }
}
