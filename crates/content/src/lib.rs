//! Text that came from outside, made fit to be read, compared and counted; and numbers in texts of our own.
//!
//! [`feed`] makes items of RSS, Atom, RDF and JSON feeds in whatever state they are; [`html`] and [`sanitize`] make readable text and safe
//! markup of theirs; [`language`], [`sentences`] and [`quotable`] say what language a text is in, where its sentences end, and which of
//! them can stand alone; [`canonical`] makes one address of the many spellings of a link. Nothing here reads a network or a file.
//!
//! ```
//! use aha_content::feed::{ParseError, parse};
//!
//! let document = "<rss version='2.0'><channel><title>Wire</title><item><title>Rain &amp; wind</title></item></channel></rss>";
//! let feed = parse(document.as_bytes(), Some("application/rss+xml"), Some("https://wire.example/feed"))?;
//! assert_eq!(feed.items[0].title.as_deref(), Some("Rain & wind"));
//! assert!(parse(b"<html><body>Hello</body></html>", None, None).is_err());
//! # Ok::<(), ParseError>(())
//! ```

mod allowed_markup;
pub mod boilerplate;
pub mod canonical;
#[cfg(test)]
mod deadline;
pub mod documents;
pub mod escapes;
pub mod feed;
pub mod fold;
pub mod html;
pub mod language;
pub mod links;
mod markup;
pub mod numbers;
pub mod prune;
pub mod quotable;
mod quotable_words;
pub mod sanitize;
pub mod sentences;
