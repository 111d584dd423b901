//! Operations on who may sign in, and on requests that must not be done twice.

use aha_core::account::Account;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// A request that says it must be done once (`Idempotency-Key`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyUse {
    /// Whose key it is.
    pub user: String,
    pub key: String,
    /// Of method, path and body.
    pub request_hash: String,
}

/// What is known of such a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    /// It is new: do it, then answer or free the key.
    Taken,
    /// It was begun and has no answer yet.
    UnderWay,
    /// The key belongs to another request.
    OfAnotherRequest,
    Answered {
        status: u16,
        answer: String,
    },
}

#[async_trait]
pub trait AccountStore: Send + Sync {
    /// All accounts, by name.
    async fn accounts(&self) -> Result<Vec<Account>>;
    /// An account and the hash of its password.
    async fn account(&self, name: &str) -> Result<Option<(Account, String)>>;
    /// Whether there was none of that name.
    async fn add_account(&self, account: &Account, password_hash: &str) -> Result<bool>;
    /// Ends the account's sessions, too. Whether there is such an account.
    async fn set_password(&self, name: &str, password_hash: &str) -> Result<bool>;
    /// Ends the account's sessions and its token for feeds, too. Whether there was such an account.
    async fn remove_account(&self, name: &str) -> Result<bool>;
    /// Begins a session, and removes those that have expired.
    async fn open_session(&self, name: &str, fingerprint: &str, now: Timestamp, until: Timestamp) -> Result<()>;
    /// Whose session it is, unless it has expired.
    async fn session(&self, fingerprint: &str, now: Timestamp) -> Result<Option<Account>>;
    async fn close_session(&self, fingerprint: &str) -> Result<()>;
    /// Sets the fingerprint of the token by which a user's feed reader is known, in the place of an earlier one.
    async fn set_feed_token(&self, name: &str, fingerprint: &str, now: Timestamp) -> Result<()>;
    /// Since when a user has a token for feeds; nothing where there is none.
    async fn feed_token(&self, name: &str) -> Result<Option<Timestamp>>;
    /// Whether there was one.
    async fn remove_feed_token(&self, name: &str) -> Result<bool>;
    /// The name of the user whose token for feeds has that fingerprint.
    async fn user_of_feed_token(&self, fingerprint: &str) -> Result<Option<String>>;
    /// Takes a key for a request, and forgets keys from before `forget_before`.
    async fn take_key(&self, of: &KeyUse, now: Timestamp, forget_before: Timestamp) -> Result<KeyState>;
    /// Keeps the answer for whoever asks the same again.
    async fn answer_key(&self, of: &KeyUse, status: u16, answer: &str) -> Result<()>;
    /// Gives a key back whose request came to nothing.
    async fn free_key(&self, of: &KeyUse) -> Result<()>;
}
