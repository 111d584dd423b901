//! Idempotency keys: requests that must not be executed twice, with their answers, stored for a day.

use aha_core::time::Timestamp;
pub use aha_store::{IdempotentRequest, RequestState, StoredResponse};

use super::Result;
use crate::app::App;

const RETENTION_DAYS: i64 = 1;

/// A request that has no answer for so long was cut off with its process, and may be made again. Waiting for a model
/// takes minutes at most.
const ABANDONED_AFTER_MS: i64 = 30 * 60 * 1000;

/// Claims the key for a request, or returns the state of the request that claimed it.
///
/// # Errors
/// When the store fails.
pub async fn claim(app: &App, of: &IdempotentRequest) -> Result<RequestState> {
    let now = app.clock().wall();
    let abandoned_before = Timestamp::from_millis(now.as_millis() - ABANDONED_AFTER_MS);
    Ok(app.store().claim_request(of, now, abandoned_before, now.days_before(RETENTION_DAYS)).await?)
}

/// Stores the answer, for when the request is sent again.
///
/// # Errors
/// When the store fails.
pub async fn store_response(app: &App, of: &IdempotentRequest, response: &StoredResponse) -> Result<()> {
    Ok(app.store().store_response(of, response).await?)
}

/// Releases the key, as the request had no effect.
///
/// # Errors
/// When the store fails.
pub async fn release(app: &App, of: &IdempotentRequest) -> Result<()> {
    Ok(app.store().release_request(of).await?)
}
