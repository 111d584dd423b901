//! Operations on requests that must not be executed twice.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// A request with an `Idempotency-Key`: it must be executed only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The user of the key.
    pub user: String,
    pub key: String,
    /// Hash of method, path and body.
    pub request_hash: String,
}

/// The response to such a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    pub body: String,
    /// The header `Location`.
    pub location: Option<String>,
}

/// State of such a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestState {
    /// The key is new: execute the request, then store its answer or free the key.
    Claimed,
    /// The request was begun and has no answer yet.
    InProgress,
    /// The key was used for another request.
    UsedByAnotherRequest,
    Answered(StoredResponse),
}

#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims a key for a request, also if the same request claimed it before `abandoned_before` and has no answer yet.
    /// Removes keys from before `remove_before`.
    async fn claim_request(
        &self,
        of: &IdempotentRequest,
        now: Timestamp,
        abandoned_before: Timestamp,
        remove_before: Timestamp,
    ) -> Result<RequestState>;
    /// Stores the answer for repetitions of the request.
    async fn store_response(&self, of: &IdempotentRequest, response: &StoredResponse) -> Result<()>;
    /// Frees a key whose request was not carried out.
    async fn release_request(&self, of: &IdempotentRequest) -> Result<()>;
}
