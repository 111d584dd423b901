//! Tokens by which feed readers read a user's feeds where log-in is needed: good for feeds alone, one a user, taken back at will.
//!
//! In: a user's name, or a token. Out: a new token, which is shown once, or whose one is. Only its fingerprint is stored.

use aha_core::time::Timestamp;
use aha_net::hash::hex64;

use super::Result;
use crate::app::App;

/// Makes a token, in the place of the user's earlier one.
///
/// # Errors
/// When the store fails.
pub async fn make(app: &App, name: &str) -> Result<String> {
    let token = format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>());
    app.store().set_feed_token(name, &fingerprint(&token), app.clock().wall()).await?;
    Ok(token)
}

/// Since when the user has one.
///
/// # Errors
/// When the store fails.
pub async fn since(app: &App, name: &str) -> Result<Option<Timestamp>> {
    Ok(app.store().feed_token(name).await?)
}

/// Takes the user's token back. Whether there was one.
///
/// # Errors
/// When the store fails.
pub async fn take_back(app: &App, name: &str) -> Result<bool> {
    Ok(app.store().remove_feed_token(name).await?)
}

/// The name of the user whose token it is.
///
/// # Errors
/// When the store fails.
pub async fn user(app: &App, token: &str) -> Result<Option<String>> {
    Ok(app.store().user_of_feed_token(&fingerprint(token)).await?)
}

fn fingerprint(token: &str) -> String {
    hex64(format!("feed\u{1f}{token}").as_bytes())
}
