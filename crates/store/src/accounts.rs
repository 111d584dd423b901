//! Operations on accounts, sessions and tokens.

use aha_core::account::Account;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// What came of removing an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountRemoval {
    Removed,
    /// There was no such account.
    Unknown,
    /// It is the only admin while there are other accounts, and was kept.
    LastAdmin,
}

#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Returns all accounts, by name.
    async fn accounts(&self) -> Result<Vec<Account>>;
    /// Returns an account and its password hash.
    async fn account(&self, name: &str) -> Result<Option<(Account, String)>>;
    /// Adds an account. Returns false if the name is taken.
    async fn add_account(&self, account: &Account, password_hash: &str) -> Result<bool>;
    /// Sets the password and ends the account's sessions. Returns false if there is no such account.
    async fn set_password(&self, name: &str, password_hash: &str) -> Result<bool>;
    /// Removes an account, its sessions and its feed token, unless other accounts would remain without an admin.
    async fn remove_account(&self, name: &str) -> Result<AccountRemoval>;
    /// Begins a session, and removes expired ones.
    async fn open_session(&self, name: &str, fingerprint: &str, now: Timestamp, until: Timestamp) -> Result<()>;
    /// Returns the account of a session, unless the session has expired.
    async fn session(&self, fingerprint: &str, now: Timestamp) -> Result<Option<Account>>;
    async fn close_session(&self, fingerprint: &str) -> Result<()>;
    /// Sets the fingerprint of a user's feed token, replacing an earlier one.
    async fn set_feed_token(&self, name: &str, fingerprint: &str, now: Timestamp) -> Result<()>;
    /// Returns when the user's feed token was created; `None` if there is none.
    async fn feed_token(&self, name: &str) -> Result<Option<Timestamp>>;
    /// Removes a user's feed token. Returns false if there was none.
    async fn remove_feed_token(&self, name: &str) -> Result<bool>;
    /// Returns the name of the user whose feed token has that fingerprint.
    async fn user_of_feed_token(&self, fingerprint: &str) -> Result<Option<String>>;
}
