//! Accounts for the web, and their sessions.
//!
//! Input: names, passwords and fingerprints of session secrets. Output: accounts, or an [`AccountError`]. Called by
//! `aha-radar user` and by the web's sign-in page.

use std::time::Duration;

use aha_core::account::{Account, Role};
use aha_core::ids::UserId;
use aha_store::{AccountRemoval, SharedStore, StoreError};
use thiserror::Error;

pub use super::password::PasswordError;

use super::password;
use crate::app::App;
use crate::config::Config;

/// How long a session lasts.
pub const SESSION_AGE: Duration = Duration::from_hours(24 * 30);
const MAX_NAME_CHARS: usize = 64;

#[derive(Debug, Error)]
pub enum AccountError {
    #[error("{0:?} is no account's name: it has 1 to 64 letters, digits, dots, dashes or underscores")]
    Name(String),
    #[error("there is an account {0} already; change its password with `aha-radar user password {0}`")]
    Taken(String),
    #[error("there is no account {0}; `aha-radar user list` lists them")]
    Unknown(String),
    #[error("{0} is the last admin; add another one before removing it")]
    LastAdmin(String),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub type Result<T> = std::result::Result<T, AccountError>;

/// The user whose feedback it is. Marks, saved stories and likes belong to one user; a topic's digests learn from all
/// users except those with the role reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedbackUser {
    id: UserId,
    counts_for_learning: bool,
}

impl FeedbackUser {
    /// Returns the user with that name.
    #[must_use]
    pub fn new(name: &str, role: Role) -> Self {
        Self { id: UserId::of(&[name]), counts_for_learning: role > Role::Reader }
    }

    /// Returns the user that exists from the start.
    #[must_use]
    pub fn owner() -> Self {
        Self::new(OWNER, Role::Admin)
    }

    pub(super) const fn id(self) -> UserId {
        self.id
    }

    /// Returns whether the topics' digests learn from this user.
    pub(super) const fn counts_for_learning(self) -> bool {
        self.counts_for_learning
    }
}

/// Lists all accounts, by name.
///
/// # Errors
/// When the store fails.
pub async fn list(app: &App) -> Result<Vec<Account>> {
    Ok(app.store().accounts().await?)
}

/// Returns why no server may start, and what to do: others could reach it, and nobody could sign in. `None` if one may.
///
/// # Errors
/// When the store fails.
pub async fn why_unprotected(app: &App) -> Result<Option<String>> {
    Ok(why_unprotected_with(app.config(), app.store()).await?)
}

pub(super) async fn why_unprotected_with(
    config: &Config,
    store: &SharedStore,
) -> std::result::Result<Option<String>, StoreError> {
    if !config.requires_sign_in() || config.web.api_token.is_some() || !store.accounts().await?.is_empty() {
        return Ok(None);
    }
    let who = match &config.web.public_url {
        Some(url) => format!("AHA_PUBLIC_URL says that others reach it at {url}"),
        None => format!("{} (AHA_LISTEN) can be reached from other machines", config.listen),
    };
    let next = "set a password with `aha-radar user password owner`, or AHA_API_TOKEN, or listen on 127.0.0.1";
    Ok(Some(format!("{who}, and nobody could be asked who they are; {next}")))
}

/// Adds an account.
///
/// # Errors
/// When the name is taken or invalid, or the password too short.
pub async fn add(app: &App, name: &str, role: Role, password: String) -> Result<Account> {
    check_name(name)?;
    let hash = password::hash(password).await?;
    let account = Account { name: name.to_owned(), role, created_at: app.clock().wall() };
    if app.store().add_account(&account, &hash).await? {
        Ok(account)
    } else {
        Err(AccountError::Taken(name.to_owned()))
    }
}

/// Sets an account's password and ends its sessions. Creates the owner's account if it does not exist.
///
/// # Errors
/// When there is no such account, or the password is too short.
pub async fn set_password(app: &App, name: &str, password: String) -> Result<()> {
    let hash = password::hash(password).await?;
    if app.store().set_password(name, &hash).await? {
        return Ok(());
    }
    if name != OWNER {
        return Err(AccountError::Unknown(name.to_owned()));
    }
    let account = Account { name: name.to_owned(), role: Role::Admin, created_at: app.clock().wall() };
    app.store().add_account(&account, &hash).await?;
    Ok(())
}

/// The name of the user that exists from the start.
pub const OWNER: &str = "owner";

/// Removes an account and its sessions.
///
/// # Errors
/// When there is no such account, or it is the last admin while others remain.
pub async fn remove(app: &App, name: &str) -> Result<()> {
    match app.store().remove_account(name).await? {
        AccountRemoval::Removed => Ok(()),
        AccountRemoval::Unknown => Err(AccountError::Unknown(name.to_owned())),
        AccountRemoval::LastAdmin => Err(AccountError::LastAdmin(name.to_owned())),
    }
}

/// Returns the account with that name if the password is correct. Takes as long if there is no such account.
///
/// # Errors
/// When the store fails.
pub async fn authenticate(app: &App, name: &str, password: String) -> Result<Option<Account>> {
    let (account, hash) = app.store().account(name).await?.unzip();
    let is_right = password::is_right(password, hash).await;
    Ok(account.filter(|_| is_right))
}

/// Begins a session under the fingerprint of its secret.
///
/// # Errors
/// When the store fails.
pub async fn begin_session(app: &App, name: &str, fingerprint: &str) -> Result<()> {
    let now = app.clock().wall();
    Ok(app.store().open_session(name, fingerprint, now, now + SESSION_AGE).await?)
}

/// Returns the account of a session that has not expired.
///
/// # Errors
/// When the store fails.
pub async fn account_of_session(app: &App, fingerprint: &str) -> Result<Option<Account>> {
    Ok(app.store().session(fingerprint, app.clock().wall()).await?)
}

/// # Errors
/// When the store fails.
pub async fn end_session(app: &App, fingerprint: &str) -> Result<()> {
    Ok(app.store().close_session(fingerprint).await?)
}

fn check_name(name: &str) -> Result<()> {
    let is_usual = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let fits = !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && name.chars().all(is_usual);
    fits.then_some(()).ok_or_else(|| AccountError::Name(name.to_owned()))
}
