//! Retries a command a few times after a transient failure of the database.

use std::time::Duration;

use aha_core::failpoint;
use anyhow::Result;

use super::output;
use crate::pipeline::{RunError, StopSignal};
use crate::services::ServiceError;
use crate::services::database::{RetryAdvice, StoreError};

const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// Does the work, and repeats it after a pause if the database was unavailable, locked or disconnected. Each step of
/// the work has to be idempotent.
pub(super) async fn with_database_retries<T>(stop: &StopSignal, work: impl AsyncFn() -> Result<T>) -> Result<T> {
    for pause in PAUSES {
        let pause = failpoint::pause("AHA_RETRY_MS", pause);
        match Box::pin(work()).await {
            Err(error) if is_transient(&error) => {
                output::note(&format!("{error}\nretrying automatically"));
            }
            outcome => return outcome,
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            reason = stop.ended() => return Err(reason.into()),
        }
    }
    Box::pin(work()).await
}

fn is_transient(error: &anyhow::Error) -> bool {
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return matches!(error, ServiceError::Store(_)) && error.retry_advice() == Some(RetryAdvice::Soon);
    }
    let decision = match error.downcast_ref::<RunError>() {
        Some(RunError::Store(error)) => Some(error.retry_advice()),
        Some(_) => None,
        None => error.downcast_ref::<StoreError>().map(StoreError::retry_advice),
    };
    decision == Some(RetryAdvice::Soon)
}
