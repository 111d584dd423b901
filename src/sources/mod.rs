//! Connectors of sources. Input: a [`Source`]. Output: the result of fetching it, with items that are not yet
//! identified. Called by the ingest stage and by `source test`. There is one connector per kind of source; all access
//! the network through [`fetch::Fetcher`].

pub(crate) mod blocking_pool;
pub mod discover;
pub mod documents;
pub mod feed;
pub mod fetch;
pub mod fetch_schedule;
pub mod full_text;
mod hacker_news;
mod http;
pub mod identity;
mod location;
pub mod miniflux;
pub mod opml;
pub mod pdf_process;
mod reddit;
mod short_names;
pub mod signal;
mod sites;
mod youtube;

use aha_content::feed::ParsedFeed;
use aha_core::source::{Source, SourceKind, Validators};
use async_trait::async_trait;
use feed::FeedConnector;
use fetch::{FetchError, Fetcher, Freshness};
use hacker_news::HackerNews;
use reddit::Reddit;
use signal::{SearchProvider, SearchResponse, Signal};
use youtube::YouTube;

pub use location::{is_location_of, location_from_argument, web_location_from_argument};
pub use reddit::RedditKey;
pub use short_names::{SourceLocation, source_of_page};
pub use sites::Sites;

/// The result of fetching a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResult {
    pub outcome: FetchOutcome,
    /// `None` for a local file.
    pub http_status: Option<u16>,
    /// Size of the body after decompression.
    pub bytes: u64,
    /// The validators for the next fetch; on an unchanged source those that are still valid.
    pub validators: Validators,
    /// The address to use from now on, if all redirects were permanent.
    pub moved_to: Option<String>,
    pub freshness: Freshness,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchOutcome {
    NotModified,
    Feed(ParsedFeed),
    /// Results of a search; their fields are still to be identified.
    Results(SearchResponse),
}

/// Reads one kind of source.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Fetches a source once.
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError>;
}

/// One connector per kind of source. Use one set per process, so that the connectors' rate limits apply to all
/// requests.
#[derive(Debug)]
pub struct Connectors {
    hacker_news: HackerNews,
    reddit: Reddit,
    signal: Signal,
}

impl Connectors {
    #[must_use]
    pub fn new(sites: &Sites, reddit: Option<RedditKey>, search: Option<SearchProvider>) -> Self {
        Self { hacker_news: HackerNews::at(sites), reddit: Reddit::at(sites, reddit), signal: Signal::by(search) }
    }

    /// The connector for searches, which cost money.
    #[must_use]
    pub const fn signal(&self) -> &Signal {
        &self.signal
    }

    /// Returns the connector for a kind of source; `None` for documents, which are files.
    #[must_use]
    pub fn of(&self, kind: SourceKind) -> Option<&dyn Connector> {
        match kind {
            SourceKind::HackerNews => Some(&self.hacker_news),
            SourceKind::Reddit => Some(&self.reddit),
            SourceKind::Signal => Some(&self.signal),
            SourceKind::Youtube => Some(&YouTube),
            SourceKind::Feed | SourceKind::GithubReleases | SourceKind::Arxiv | SourceKind::Lobsters => {
                Some(&FeedConnector)
            }
            SourceKind::Documents => None,
        }
    }
}
