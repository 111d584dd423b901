//! Where items come from. A [`Source`] goes in; what a look at it found comes out, its items not yet identified. Called by
//! the ingest stage and by `source test`. One connector a kind of source; all reach the outside through [`fetch::Fetcher`].

pub mod canonical;
pub mod feed;
pub mod fetch;
pub mod identity;
mod location;
pub mod opml;

use async_trait::async_trait;

use crate::domain::source::{Source, Validators};
use feed::{FeedConnector, ParsedFeed};
use fetch::{FetchError, Fetcher};

pub use location::location_from_argument;

/// What a look at a source found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    pub outcome: LookOutcome,
    /// `None` for a local file.
    pub http_status: Option<u16>,
    /// Size of the body after decompression.
    pub bytes: u64,
    /// What the next look sends; on an unchanged source those that still hold.
    pub validators: Validators,
    /// The address to use from now on, after permanent redirects alone.
    pub moved_to: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookOutcome {
    NotModified,
    Feed(ParsedFeed),
}

/// Reads one kind of source.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Looks once at a source.
    async fn look(&self, source: &Source, fetcher: &Fetcher) -> Result<Looked, FetchError>;
}

/// The connector for a source's `kind`.
#[must_use]
pub fn connector(kind: &str) -> Option<&'static dyn Connector> {
    match kind {
        "feed" => Some(&FeedConnector),
        _ => None,
    }
}
