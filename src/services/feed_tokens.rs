//! Tokens with which feed readers read a user's feeds if sign-in is required. A token is valid for feeds only; each
//! user has at most one and can revoke it.
//!
//! Input: a user's name, or a token. Output: a new token, which is shown once, or the user of a token. Only its
//! fingerprint is stored.

use aha_core::time::Timestamp;
use aha_net::hash::hex64;

use super::Result;
use crate::app::App;

/// Creates a token that replaces the user's earlier one.
///
/// # Errors
/// When the store fails.
#[expect(clippy::disallowed_methods, reason = "a token must not be guessed, AHA_NOW or not")]
pub async fn create(app: &App, name: &str) -> Result<String> {
    let token = format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>());
    app.store().set_feed_token(name, &fingerprint(&token), app.clock().wall()).await?;
    Ok(token)
}

/// Returns when the user's token was created, if there is one.
///
/// # Errors
/// When the store fails.
pub async fn created_at(app: &App, name: &str) -> Result<Option<Timestamp>> {
    Ok(app.store().feed_token(name).await?)
}

/// Revokes the user's token and returns whether there was one.
///
/// # Errors
/// When the store fails.
pub async fn revoke(app: &App, name: &str) -> Result<bool> {
    Ok(app.store().remove_feed_token(name).await?)
}

/// Returns the name of the token's user.
///
/// # Errors
/// When the store fails.
pub async fn user_of(app: &App, token: &str) -> Result<Option<String>> {
    Ok(app.store().user_of_feed_token(&fingerprint(token)).await?)
}

fn fingerprint(token: &str) -> String {
    hex64(format!("feed\u{1f}{token}").as_bytes())
}
