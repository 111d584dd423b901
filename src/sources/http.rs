//! Shared code of the connectors: one request, its result, and lists in JSON. Only called by the connectors.

use std::time::Duration;

use aha_content::feed::{MAX_ITEMS, ParsedFeed};
use aha_core::source::Validators;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::blocking_pool::run_blocking;
use super::fetch::{FetchError, Fetcher, Request, Response};
use super::{FetchOutcome, FetchResult};

/// A body with its type and final URL.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: Option<String>,
    pub(super) final_url: String,
}

/// The parser of feeds has its own deadline; this one covers steps that it cannot interrupt.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Sends one request; `read` parses the body, if there is one, off the network threads.
pub(super) async fn fetch_feed<R>(fetcher: &Fetcher, request: &Request, read: R) -> Result<FetchResult, FetchError>
where
    R: FnOnce(Page) -> Result<ParsedFeed, FetchError> + Send + 'static,
{
    match fetcher.send_request(request).await? {
        Response::NotModified { final_url, permanent_url, etag, last_modified, freshness } => Ok(FetchResult {
            outcome: FetchOutcome::NotModified,
            http_status: Some(304),
            bytes: 0,
            // A 304 may omit unchanged headers.
            validators: Validators {
                url: Some(final_url),
                etag: etag.or_else(|| request.validators.etag.clone()),
                last_modified: last_modified.or_else(|| request.validators.last_modified.clone()),
            },
            moved_to: permanent_url,
            freshness,
        }),
        Response::Body { bytes, content_type, final_url, permanent_url, etag, last_modified, status, freshness } => {
            let length = bytes.len() as u64;
            let freshness = freshness.with_body(&bytes);
            let page = Page { bytes, content_type, final_url: final_url.clone() };
            let feed = off_network(move || read(page)).await?;
            Ok(FetchResult {
                outcome: FetchOutcome::Feed(feed),
                http_status: Some(status),
                bytes: length,
                validators: Validators { url: Some(final_url), etag, last_modified },
                moved_to: permanent_url,
                freshness,
            })
        }
    }
}

/// Runs a parser off the network threads, waiting only slightly longer than parsing may take.
pub(super) async fn off_network<P>(parser: P) -> Result<ParsedFeed, FetchError>
where
    P: FnOnce() -> Result<ParsedFeed, FetchError> + Send + 'static,
{
    let parsing = run_blocking(parser).await;
    let gave_up = |reason: &str| Err(FetchError::Unparseable { reason: reason.to_owned() });
    match tokio::time::timeout(MAX_WAIT, parsing).await {
        Ok(parsed) => parsed.unwrap_or_else(|_| gave_up("the parser gave up on it")),
        Err(_) => gave_up("reading it took too long"),
    }
}

/// Returns the elements of the array at `pointer`, at most [`MAX_ITEMS`], and the number of those that could not be
/// read.
pub(super) fn elements<T: DeserializeOwned>(bytes: &[u8], pointer: &str) -> Result<(Vec<T>, usize), FetchError> {
    let mut document: Value = json(bytes)?;
    let Some(Value::Array(all)) = document.pointer_mut(pointer).map(Value::take) else {
        return Err(FetchError::NotAFeed { found: "JSON without the list that was asked for".to_owned() });
    };
    let given = all.len().min(MAX_ITEMS);
    let read: Vec<T> =
        all.into_iter().take(MAX_ITEMS).filter_map(|element| serde_json::from_value(element).ok()).collect();
    let lost = given - read.len();
    Ok((read, lost))
}

/// Parses a JSON document of a service.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FetchError> {
    serde_json::from_slice(bytes)
        .map_err(|error| FetchError::Unparseable { reason: format!("JSON was expected: {error}") })
}

/// Returns the problem message for elements that could not be read.
pub(super) fn problems_of(lost: usize) -> Vec<String> {
    if lost == 0 { Vec::new() } else { vec![format!("{lost} entries could not be read and were left out")] }
}
