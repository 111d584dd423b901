//! A command that meets a failure of the database that passes by itself tries again, a few times, before it says so.

use std::time::Duration;

use aha_core::failpoint;
use anyhow::Result;

use super::output;
use crate::pipeline::{RunError, StopSignal};
use crate::services::ServiceError;
use crate::services::database::{Decision, StoreError};

const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// Does the work, and again after a pause when the database was away, locked or cut off. Each step of the work has to be one
/// that finds what is done already.
pub(super) async fn with_database_retries<T>(stop: &StopSignal, work: impl AsyncFn() -> Result<T>) -> Result<T> {
    for pause in PAUSES {
        let pause = failpoint::pause("AHA_RETRY_MS", pause);
        match Box::pin(work()).await {
            Err(error) if passes_by_itself(&error) => {
                output::note(&format!("{error}\nnow it is tried again by itself"));
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

fn passes_by_itself(error: &anyhow::Error) -> bool {
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return matches!(error, ServiceError::Store(_)) && error.decision() == Some(Decision::Retry);
    }
    let decision = match error.downcast_ref::<RunError>() {
        Some(RunError::Store(error)) => Some(error.decision()),
        Some(_) => None,
        None => error.downcast_ref::<StoreError>().map(StoreError::decision),
    };
    decision == Some(Decision::Retry)
}
