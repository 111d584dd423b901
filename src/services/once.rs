//! Requests that must not be done twice: their keys and answers, kept for a day.

pub use aha_store::{KeyState, KeyUse};

use super::Result;
use crate::app::App;

const KEPT_DAYS: i64 = 1;

/// Takes the key for a request, or says what became of the one that has it.
///
/// # Errors
/// When the store fails.
pub async fn take(app: &App, of: &KeyUse) -> Result<KeyState> {
    let now = app.clock().wall();
    Ok(app.store().take_key(of, now, now.days_before(KEPT_DAYS)).await?)
}

/// Keeps the answer for a request that is sent again.
///
/// # Errors
/// When the store fails.
pub async fn answer(app: &App, of: &KeyUse, status: u16, answer: &str) -> Result<()> {
    Ok(app.store().answer_key(of, status, answer).await?)
}

/// Gives the key back: nothing was done.
///
/// # Errors
/// When the store fails.
pub async fn free(app: &App, of: &KeyUse) -> Result<()> {
    Ok(app.store().free_key(of).await?)
}
