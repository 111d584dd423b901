//! Computes the answers to as many questions at the same time as there are processors. More would all be too late, and
//! delay everything else that the process does.
//!
//! Input: the permits of the app, and what is to be computed. Output: the results, or that no processor was free in
//! time. Called by [`super`] and its retrieval.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AskError;
use crate::services::ServiceError;

/// A processor that a question has. Its computations have it, too: they go on if the question is given up.
#[derive(Debug, Clone)]
pub(super) struct Processor {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Processor {
    /// Waits until one is free.
    ///
    /// # Errors
    /// When none was free within `longest`.
    pub(super) async fn free(all: &Arc<Semaphore>, longest: Duration) -> Result<Self, AskError> {
        let permit = tokio::time::timeout(longest, Arc::clone(all).acquire_owned()).await;
        permit.ok().and_then(Result::ok).map(|permit| Self { _permit: Arc::new(permit) }).ok_or(AskError::Busy)
    }

    /// Computes something off the async threads.
    ///
    /// # Errors
    /// When it panics.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AskError> {
        let held = self.clone();
        let computing = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(held);
            done
        });
        Ok(computing.await.map_err(ServiceError::from)?)
    }

    /// Waits for work that computes on other threads.
    ///
    /// # Errors
    /// When it panics.
    pub(super) async fn wait<F>(&self, work: F) -> Result<F::Output, AskError>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let held = self.clone();
        let working = tokio::spawn(async move {
            let done = work.await;
            drop(held);
            done
        });
        Ok(working.await.map_err(ServiceError::from)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    const AMPLE: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn a_computation_has_its_processor_until_it_ends_even_if_nobody_waits_for_it() {
        let all = Arc::new(Semaphore::new(1));
        let processor = Processor::free(&all, SHORT).await.unwrap();
        let (finish, finished) = mpsc::channel::<()>();
        let given_up = timeout(SHORT, processor.compute(move || finished.recv().is_ok())).await;
        assert!(given_up.is_err());
        drop(processor);
        assert!(matches!(Processor::free(&all, SHORT).await, Err(AskError::Busy)));
        finish.send(()).unwrap();
        let processor = Processor::free(&all, AMPLE).await.unwrap();
        let (finish, finished) = tokio::sync::oneshot::channel::<()>();
        assert!(timeout(SHORT, processor.wait(finished)).await.is_err());
        drop(processor);
        assert!(matches!(Processor::free(&all, SHORT).await, Err(AskError::Busy)));
        finish.send(()).unwrap();
        assert!(Processor::free(&all, AMPLE).await.is_ok());
    }
}
