//! Hashes passwords with argon2id, off the threads that answer requests.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task;

/// More than anyone types, and short enough that hashing it is no denial of service.
const MAX_CHARS: usize = 1_000;
/// Shorter passwords can be guessed.
const MIN_CHARS: usize = 8;

/// Hashes computed at the same time; each takes 19 MiB.
static HASHING: Semaphore = Semaphore::const_new(4);

#[derive(Debug, Error)]
pub enum PasswordError {
    #[error("a password has 8 to 1000 characters; choose another one")]
    Length,
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

/// Returns the hash to store for a password.
pub(super) async fn hash(password: String) -> Result<String, PasswordError> {
    let chars = password.chars().count();
    if !(MIN_CHARS..=MAX_CHARS).contains(&chars) {
        return Err(PasswordError::Length);
    }
    let _turn = HASHING.acquire().await;
    let hashed = task::spawn_blocking(move || {
        let hash: Result<PasswordHash, _> = Argon2::default().hash_password(password.as_bytes());
        hash.map(|hash| hash.to_string()).map_err(|error| error.to_string())
    });
    hashed.await.map_err(|error| PasswordError::Hash(error.to_string()))?.map_err(PasswordError::Hash)
}

/// Returns whether the password matches the hash. Without a hash, as for an unknown name, it takes as long and returns
/// false.
pub(super) async fn is_right(password: String, stored: Option<String>) -> bool {
    if password.chars().count() > MAX_CHARS {
        return false;
    }
    let _turn = HASHING.acquire().await;
    let checked = task::spawn_blocking(move || {
        let Some(stored) = stored else {
            let _: Result<PasswordHash, _> = Argon2::default().hash_password(password.as_bytes());
            return false;
        };
        let Ok(hash) = PasswordHash::new(&stored) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
    });
    checked.await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_right_for_its_own_hash_alone() {
        let stored = hash("correct horse".to_owned()).await.unwrap();
        assert!(stored.starts_with("$argon2id$"), "{stored}");
        assert!(is_right("correct horse".to_owned(), Some(stored.clone())).await);
        assert!(!is_right("correct horsf".to_owned(), Some(stored)).await);
        assert!(!is_right("correct horse".to_owned(), None).await);
        assert!(hash("short".to_owned()).await.is_err());
    }
}
