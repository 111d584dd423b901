//! Idempotency keys: requests that must not be executed twice, with their answers, stored for a day.

pub use aha_store::{KeyState, KeyUse};

use super::Result;
use crate::app::App;

const RETENTION_DAYS: i64 = 1;

/// Claims the key for a request, or returns the state of the request that claimed it.
///
/// # Errors
/// When the store fails.
pub async fn take(app: &App, of: &KeyUse) -> Result<KeyState> {
    let now = app.clock().wall();
    Ok(app.store().claim_key(of, now, now.days_before(RETENTION_DAYS)).await?)
}

/// Stores the answer, for when the request is sent again.
///
/// # Errors
/// When the store fails.
pub async fn answer(app: &App, of: &KeyUse, status: u16, answer: &str) -> Result<()> {
    Ok(app.store().answer_key(of, status, answer).await?)
}

/// Releases the key, as the request had no effect.
///
/// # Errors
/// When the store fails.
pub async fn free(app: &App, of: &KeyUse) -> Result<()> {
    Ok(app.store().free_key(of).await?)
}
