//! Search through a third-party HTTP API, such as that of X. Input: words. Output: results as the service returned
//! them. The field names are specific to each service, so the ingest stage has a model identify the fields (the task
//! `signal_parse`), and [`verify`] accepts only values that the result contains.

mod provider;
mod results;
pub mod verify;

use async_trait::async_trait;

pub use provider::{SearchPrice, SearchProvider};
pub use results::{SearchResponse, SearchResult};

use aha_core::fetch::FetchErrorKind;
use aha_core::source::{Source, Validators};

use super::fetch::{FetchError, Fetcher, Response};
use super::{Connector, FetchOutcome, FetchResult};

/// The connector of the kind `signal`; the source's address is `signal:WORDS`.
#[derive(Debug, Clone)]
pub struct Signal(Option<SearchProvider>);

impl Signal {
    #[must_use]
    pub const fn by(provider: Option<SearchProvider>) -> Self {
        Self(provider)
    }
}

#[async_trait]
impl Connector for Signal {
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
        let provider = self.0.as_ref().ok_or_else(|| {
            disabled(FetchErrorKind::NoSearch, None, "no search is configured: set AHA_SIGNAL_URL and AHA_SIGNAL_KEY")
        })?;
        let words = source.url.strip_prefix("signal:").unwrap_or(&source.url);
        let sent = fetcher.send_request(&provider.request(words)).await;
        let answer = sent.map_err(|error| explained(error).without_address(&provider.host()))?;
        let Response::Body { mut bytes, status, freshness, .. } = answer else {
            return Err(FetchError::NotAFeed { found: "an answer without results".to_owned() });
        };
        let length = bytes.len() as u64;
        provider.redact(&mut bytes);
        let results = results::read(provider, &bytes)?;
        let found = SearchResponse { title: format!("Signal: {words}"), link: provider.link.clone(), ..results };
        Ok(FetchResult {
            outcome: FetchOutcome::Results(found),
            http_status: Some(status),
            bytes: length,
            validators: Validators::default(),
            // The request URL is not the source's address, and may contain a key.
            moved_to: None,
            freshness,
        })
    }
}

fn disabled(kind: FetchErrorKind, status: Option<u16>, reason: &str) -> FetchError {
    FetchError::Search { kind, status, reason: reason.to_owned() }
}

/// Explains a refused request in terms of the search's key or account.
fn explained(error: FetchError) -> FetchError {
    let FetchError::Http { status, .. } = error else { return error };
    match status {
        401 | 403 => disabled(
            FetchErrorKind::SearchKey,
            Some(status),
            &format!("the search refuses its key ({status}); check AHA_SIGNAL_KEY and AHA_SIGNAL_HEADERS"),
        ),
        402 => disabled(
            FetchErrorKind::SearchCredits,
            Some(status),
            "the credits of the search's account are used up (402); nothing is found until they are renewed there",
        ),
        _ => error,
    }
}
