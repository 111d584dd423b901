//! Renderings of a digest: Markdown, HTML, JSON and RSS for files and the web, and text for a terminal.
//!
//! Input: a [`Digest`] only: no clock, no store, no network, so that the same digest always renders the same. Output:
//! text. Called by the pipeline's last stage ([`write_files`]), `aha-radar digest` and the web ([`render`]), and
//! `aha-radar run` ([`terminal::render`]).
//!
//! `sanitise` cleans text from outside, `view` prepares the texts to show, and each rendering escapes them for its own
//! syntax and lays them out. The JSON is the digest itself.

mod cost_summary;
pub mod deep_dive;
mod few_matches;
mod files;
pub(crate) mod format;
mod header;
pub(crate) mod html;
mod json;
mod markdown;
mod plots;
pub(crate) mod quote;
pub(crate) mod rss;
pub(crate) mod sanitise;
pub mod terminal;
#[cfg(test)]
mod tests;
pub(crate) mod view;
pub(crate) mod wrap;

use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

pub use files::{OldFiles, file_stem_of, remove_old_files, write_files, write_missing_files};
pub(crate) use header::{all_sources_failed, is_quiet};
pub use header::{gaps_line, header_line, late_line, reasons_line};

use aha_core::digest::Digest;

/// A rendering that is a file by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
    Json,
    Rss,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Html, Self::Json, Self::Rss];

    /// Returns the file extension; that of RSS is `xml`.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
            Self::Rss => "xml",
        }
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0:?} is not a format of a digest; use md, html, json or rss")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "md" => Ok(Self::Markdown),
            "html" => Ok(Self::Html),
            "json" => Ok(Self::Json),
            "rss" => Ok(Self::Rss),
            other => Err(UnknownFormat(other.to_owned())),
        }
    }
}

#[derive(Debug, Error)]
pub enum RenderError {
    #[error("the digest could not be written as JSON")]
    Json(#[from] serde_json::Error),
    #[error("the digest could not be laid out as HTML")]
    Html(#[from] askama::Error),
    #[error("the digest could not be written as RSS")]
    Rss(#[source] std::io::Error),
    #[error("a picture of the digest could not be drawn: {0}")]
    Plot(Box<dyn std::error::Error + Send + Sync>),
    #[error("{} could not be written; is AHA_OUTPUT_DIR a folder that may be written to?", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{} could not be removed; is it in a folder that may be written to?", path.display())]
    Remove { path: PathBuf, source: std::io::Error },
}

/// Renders the whole digest as text. `site` is the URL of the web pages without a trailing slash, to which HTML and RSS
/// link for feedback; with `None` they contain no such links.
pub fn render(digest: &Digest, format: Format, site: Option<&str>) -> Result<String, RenderError> {
    render_named(digest, format, site, &files::end_stem(&digest.head))
}

/// Renders like [`render`], for files with the name `stem` ([`file_stem_of`]): HTML links to the pictures beside it.
pub fn render_named(digest: &Digest, format: Format, site: Option<&str>, stem: &str) -> Result<String, RenderError> {
    match format {
        Format::Markdown => Ok(markdown::render(digest)),
        Format::Html => Ok(html::render(digest, site, stem)?),
        Format::Json => Ok(json::render(digest)?),
        Format::Rss => rss::render(digest, site).map_err(RenderError::Rss),
    }
}
