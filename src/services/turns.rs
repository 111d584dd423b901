//! Limits how many requests do the same long work at the same time, and how many wait for their turn.
//!
//! Input: the work. Output: its result, or that too many wait already. Called by the services whose work computes for
//! long or waits for a source, on a thread of its own.

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::{Result, ServiceError};
use crate::app::App;
use crate::pipeline::RunError;

/// The turns of one kind of work.
#[derive(Debug)]
pub(super) struct Turns {
    /// Names the work in messages, in the plural.
    what: &'static str,
    running: Semaphore,
    /// One is held by each request that runs or waits.
    places: Semaphore,
}

impl Turns {
    pub(super) const fn new(what: &'static str, running: usize, waiting: usize) -> Self {
        Self { what, running: Semaphore::const_new(running), places: Semaphore::const_new(running + waiting) }
    }

    /// Runs the work on a blocking thread once it is its turn, so that it delays no other request. It goes on if the
    /// caller stops waiting, and has its turn until it ends.
    ///
    /// # Errors
    /// When too many wait already, or the process is asked to stop before the work begins; else those of the work.
    pub(super) async fn run<T, F>(&'static self, app: &App, work: impl FnOnce() -> F + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        let place = self.places.try_acquire().map_err(|_| self.too_many())?;
        // Before a thread is taken: threads that only wait would leave none for those that the work in progress needs.
        let turn = tokio::select! {
            turn = self.running.acquire() => turn,
            () = app.stopping().cancelled() => return Err(RunError::Interrupted.into()),
        };
        let runtime = Handle::current();
        let working = tokio::task::spawn_blocking(move || {
            let _held = (place, turn);
            runtime.block_on(work())
        });
        working.await?
    }

    fn too_many(&self) -> ServiceError {
        let what = self.what;
        ServiceError::TooMany {
            message: format!("this was not begun, as too many {what} are waiting already; try again in some seconds"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aha_store::OpenMode;
    use tokio::sync::Notify;

    use super::*;
    use crate::config::Config;

    static TURNS: Turns = Turns::new("tests", 1, 1);
    static FINISH: Notify = Notify::const_new();

    async fn until_available(places: usize) {
        for _ in 0..2_000 {
            if TURNS.places.available_permits() == places {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("20 s have passed and {:?} is not as expected", TURNS.places);
    }

    fn begin(app: &App, number: usize) -> tokio::task::JoinHandle<Result<usize>> {
        let app = app.clone();
        tokio::spawn(async move {
            let work = move || async move {
                FINISH.notified().await;
                Ok(number)
            };
            TURNS.run(&app, work).await
        })
    }

    #[tokio::test]
    async fn one_runs_one_waits_the_next_is_refused_and_a_stop_lets_none_begin() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
        let app = App::new(Config::from_pairs(std::iter::empty()).unwrap(), store).unwrap();
        let first = begin(&app, 1);
        until_available(1).await;
        let second = begin(&app, 2);
        until_available(0).await;
        let refused = begin(&app, 3).await.unwrap();
        assert!(matches!(&refused, Err(ServiceError::TooMany { message }) if message.contains("tests")), "{refused:?}");
        FINISH.notify_one();
        assert_eq!(first.await.unwrap().unwrap(), 1);
        until_available(1).await;
        let third = begin(&app, 4);
        until_available(0).await;
        app.begin_stopping();
        let stopped = third.await.unwrap();
        assert!(matches!(stopped, Err(ServiceError::Run(RunError::Interrupted))), "{stopped:?}");
        FINISH.notify_one();
        assert_eq!(second.await.unwrap().unwrap(), 2, "what has begun is not ended");
    }
}
