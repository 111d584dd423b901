//! Reads a feed from the web or from a local file. Called through [`Connector`].

use std::time::Duration;

use aha_content::feed::{ParsedFeed, parse};
use aha_core::source::{Source, Validators};
use async_trait::async_trait;
use tokio::io::AsyncReadExt;
use url::Url;

use crate::sources::blocking_pool::run_blocking;
use crate::sources::fetch::{FetchError, Fetcher, Freshness, Request};
use crate::sources::http::{Page, fetch_feed};
use crate::sources::{Connector, FetchOutcome, FetchResult};

/// The parser has its own deadline; this one covers steps that it cannot interrupt.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// The connector of the kind `feed`.
#[derive(Debug, Clone, Copy)]
pub struct FeedConnector;

#[async_trait]
impl Connector for FeedConnector {
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
        match Url::parse(&source.url) {
            Ok(url) if url.scheme() == "file" => read_file(&url, fetcher.max_body_bytes()).await,
            _ => fetch_from_web(source, fetcher).await,
        }
    }
}

async fn fetch_from_web(source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
    let request = Request::to(&source.url).if_changed(&source.validators);
    let read = async |page: Page| parse_blocking(page.bytes, page.content_type, Some(page.final_url)).await;
    fetch_feed(fetcher, &request, read).await
}

async fn read_file(url: &Url, max_bytes: usize) -> Result<FetchResult, FetchError> {
    let failed = |reason: String| FetchError::File { path: url.path().to_owned(), reason };
    let path = url.to_file_path().map_err(|()| failed("the URL names no local file".to_owned()))?;
    let failed = |reason: String| FetchError::File { path: path.display().to_string(), reason };
    let metadata = tokio::fs::metadata(&path).await.map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() {
        return Err(failed("it is no regular file".to_owned()));
    }
    let file = tokio::fs::File::open(&path).await.map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).await.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > max_bytes {
        return Err(FetchError::TooLarge { what: path.display().to_string(), limit_bytes: max_bytes });
    }
    let length = bytes.len() as u64;
    let feed = parse_blocking(bytes, None, None).await?;
    Ok(FetchResult {
        outcome: FetchOutcome::Feed(feed),
        http_status: None,
        bytes: length,
        validators: Validators::default(),
        moved_to: None,
        freshness: Freshness::default(),
    })
}

/// Parses off the network threads, waiting only slightly longer than parsing may take.
pub(super) async fn parse_blocking(
    bytes: Vec<u8>,
    content_type: Option<String>,
    base: Option<String>,
) -> Result<ParsedFeed, FetchError> {
    let parsing = run_blocking(move || parse(&bytes, content_type.as_deref(), base.as_deref())).await;
    let gave_up = |reason: &str| Err(FetchError::Unparseable { reason: reason.to_owned() });
    match tokio::time::timeout(MAX_WAIT, parsing).await {
        Ok(parsed) => parsed.map_or_else(|_| gave_up("the parser gave up on it"), |parsed| Ok(parsed?)),
        Err(_) => gave_up("reading it took too long"),
    }
}
