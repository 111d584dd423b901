//! Why a document cannot be read as a feed.

use thiserror::Error;

/// Why a document could not be read as a feed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Another kind of document; `found` describes it.
    #[error("this is {found}, not a feed; look for the address of its RSS, Atom or JSON feed")]
    NotAFeed { found: String },
    #[error("the feed cannot be read even after repair ({reason}); tell its publisher")]
    Unparseable { reason: String },
}

impl ParseError {
    pub(super) fn not_a_feed(found: &str) -> Self {
        Self::NotAFeed { found: found.to_owned() }
    }

    /// Returns the kind of failure, as stored and counted.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotAFeed { .. } => "not_a_feed",
            Self::Unparseable { .. } => "unparseable",
        }
    }
}
