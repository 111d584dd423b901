//! Prepares external text to be read, compared and counted, and formats numbers in the program's own texts.
//!
//! [`feed`] parses RSS, Atom, RDF and JSON feeds, including broken ones, into items. [`html`] and [`sanitize`] produce
//! readable text and safe markup. [`language`], [`sentences`], [`quotable`] and [`references`] detect the language of a
//! text, its sentence boundaries, which sentences can be quoted alone, and which only refer to a text. [`index_terms`]
//! makes the terms under which a text is found, and [`excerpt`] shows where. [`canonical`] maps the many spellings of a
//! link to one URL. The crate reads no network and no files.
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

pub mod accents;
mod allowed_markup;
pub mod boilerplate;
pub mod canonical;
#[cfg(test)]
mod deadline;
pub mod documents;
pub mod escapes;
pub mod excerpt;
pub mod feed;
pub mod fold;
pub mod html;
pub mod index_terms;
pub mod language;
pub mod links;
mod markup;
pub mod numbers;
pub mod prune;
pub mod quotable;
mod quotable_words;
pub mod references;
pub mod sanitize;
pub mod sentences;
pub mod stems;
