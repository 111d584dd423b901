//! Idempotency keys: requests that must not be executed twice, with their answers, stored for a day.

use aha_core::time::Timestamp;
pub use aha_store::{KeyAnswer, KeyState, KeyUse};

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
pub async fn take(app: &App, of: &KeyUse) -> Result<KeyState> {
    let now = app.clock().wall();
    let abandoned_before = Timestamp::from_millis(now.as_millis() - ABANDONED_AFTER_MS);
    Ok(app.store().claim_key(of, now, abandoned_before, now.days_before(RETENTION_DAYS)).await?)
}

/// Stores the answer, for when the request is sent again.
///
/// # Errors
/// When the store fails.
pub async fn answer(app: &App, of: &KeyUse, answer: &KeyAnswer) -> Result<()> {
    Ok(app.store().answer_key(of, answer).await?)
}

/// Releases the key, as the request had no effect.
///
/// # Errors
/// When the store fails.
pub async fn free(app: &App, of: &KeyUse) -> Result<()> {
    Ok(app.store().free_key(of).await?)
}
