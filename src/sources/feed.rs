//! Reads a feed from the web or from a local file. Called through [`Connector`].

use aha_content::feed::{ParsedFeed, parse};
use aha_core::source::{Source, Validators};
use async_trait::async_trait;
use tokio::io::AsyncReadExt;
use url::Url;

use crate::sources::fetch::{FetchError, Fetcher, Freshness, Request};
use crate::sources::http::{Page, fetch_feed, off_network};
use crate::sources::{Connector, FetchOutcome, FetchResult};

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
    fetch_feed(fetcher, &request, |page| parsed(&page)).await
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

/// Parses a page of a feed.
pub(super) fn parsed(page: &Page) -> Result<ParsedFeed, FetchError> {
    Ok(parse(&page.bytes, page.content_type.as_deref(), Some(&page.final_url))?)
}

/// Parses a feed off the network threads.
pub(super) async fn parse_blocking(
    bytes: Vec<u8>,
    content_type: Option<String>,
    base: Option<String>,
) -> Result<ParsedFeed, FetchError> {
    off_network(move || Ok(parse(&bytes, content_type.as_deref(), base.as_deref())?)).await
}
