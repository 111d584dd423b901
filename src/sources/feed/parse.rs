//! A feed document to items: bytes in, [`ParsedFeed`] out. Pure and without I/O; takes a few milliseconds a megabyte, so it
//! is called within `spawn_blocking`.
//!
//! The order: decode, survey, repair if broken, rewrite if an old dialect, feed-rs, then the extras that it leaves out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use feed_rs::model::{Feed, FeedType, Link};
use feed_rs::parser::Builder;
use url::Url;

use super::charset::decode;
use super::dates::parse_date;
use super::dialect::rewrite;
use super::extras::{ItemExtras, Survey, survey};
use super::items::{MAX_TEXT_BYTES, Shared, absolute, item, line};
use super::repair::repair;
use super::salvage::salvage;
use super::{json, vocabulary::Dialect};
use crate::domain::item::NewItem;
use crate::sources::fetch::FetchError;
use crate::text::html::{clean_line, html_to_text};

/// More items than this are left out, last ones first.
pub const MAX_ITEMS: usize = 5_000;
/// feed-rs recurses into some elements; a deeper document is refused.
const MAX_DEPTH: usize = 256;

/// A feed as read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedFeed {
    pub title: Option<String>,
    /// The site that the feed belongs to.
    pub link: Option<String>,
    pub description: Option<String>,
    pub language: Option<String>,
    /// `rss2.0`, `rss0.9x`, `rss1.0`, `atom1.0` or `json1`.
    pub format: String,
    pub items: Vec<NewItem>,
    /// What was wrong with the document and what was done about it.
    pub problems: Vec<String>,
}

/// Reads a feed in whatever format and state it is. `base_url` is where it came from.
///
/// # Errors
/// `not_a_feed` for a page or another document, `unparseable` for a feed past repair.
pub fn parse(bytes: &[u8], content_type: Option<&str>, base_url: Option<&str>) -> Result<ParsedFeed, FetchError> {
    let (text, problem) = decode(bytes, content_type);
    let mut problems: Vec<String> = problem.into_iter().collect();
    let base = base_url.and_then(|b| Url::parse(b).ok()).filter(|b| matches!(b.scheme(), "http" | "https"));
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}' || c == '\0');
    let read = match text.as_bytes().first() {
        None => return Err(not_a_feed("an empty document")),
        Some(b'{') => parse_json(text, base.as_ref(), &mut problems)?,
        Some(_) => parse_xml(text, base.as_ref(), &mut problems)?,
    };
    Ok(assemble(read, base, problems))
}

/// What feed-rs read, and what it left out.
struct Read {
    feed: Feed,
    extras: Vec<ItemExtras>,
    language: Option<String>,
    title: Option<String>,
    description: Option<String>,
}

fn not_a_feed(found: &str) -> FetchError {
    FetchError::NotAFeed { found: found.to_owned() }
}

fn parse_json(text: &str, base: Option<&Url>, problems: &mut Vec<String>) -> Result<Read, FetchError> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{FEFF}')) {
        return Err(FetchError::Unparseable { reason: format!("it starts as JSON, but is none: {error}") });
    }
    let (text, found) = json::normalise(text).ok_or_else(|| not_a_feed("JSON without a list of items"))?;
    problems.extend(found);
    let feed = run_feed_rs(&text, base).map_err(|reason| FetchError::Unparseable { reason })?;
    Ok(Read { feed, extras: Vec::new(), language: None, title: None, description: None })
}

fn parse_xml(text: &str, base: Option<&Url>, problems: &mut Vec<String>) -> Result<Read, FetchError> {
    let text = skip_to_root(text, problems)?;
    let first = survey(text);
    let intact = first.syntax_error.is_none();
    if intact && first.dialect == Dialect::Unknown {
        return Err(not_a_feed(&format!("an XML document of another kind (<{}>)", first.root)));
    }
    if intact && let Ok(read) = read(text, first, base, problems) {
        return Ok(read);
    }
    let (repaired, done) = repair(text);
    let again = survey(&repaired);
    let reason = match again.syntax_error.clone() {
        None => match read(&repaired, again, base, problems) {
            Ok(read) => {
                problems.extend(done.into_iter().map(str::to_owned));
                return Ok(read);
            }
            Err(reason) => reason,
        },
        Some(reason) => reason,
    };
    problems.extend(done.into_iter().map(str::to_owned));
    let one_by_one = |document: &str| matches!(attempt(document, base), Ok(feed) if !feed.entries.is_empty());
    let (saved, lost) = salvage(&repaired, one_by_one).ok_or(FetchError::Unparseable { reason: reason.clone() })?;
    problems.push(format!("the document is broken ({reason}): {lost} incomplete or unreadable items were left out"));
    let found = survey(&saved);
    read(&saved, found, base, problems).map_err(|reason| FetchError::Unparseable { reason })
}

/// The document from its XML declaration or root on. An HTML page is told from a feed here.
fn skip_to_root<'a>(text: &'a str, problems: &mut Vec<String>) -> Result<&'a str, FetchError> {
    let head_end = (0..=text.len().min(64 * 1024)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let head = text[..head_end].to_ascii_lowercase();
    let first_of = |starts: &[&str]| starts.iter().filter_map(|start| head.find(start)).min();
    let root = first_of(&["<rss", "<feed", "<rdf:rdf"]);
    if let Some(page) = first_of(&["<!doctype html", "<html"])
        && root.is_none_or(|root| page < root)
    {
        return Err(not_a_feed("an HTML page"));
    }
    let is_markup = text.starts_with('<');
    match root {
        Some(root) if root > 0 && !text.starts_with("<?") && !text.starts_with("<!") => {
            problems.push("there is something before the feed's start".to_owned());
            Ok(&text[root..])
        }
        None if !is_markup => Err(not_a_feed("neither XML nor JSON")),
        _ => Ok(text),
    }
}

/// Rewrites where the survey asks, and hands the document to feed-rs.
fn read(text: &str, found: Survey, base: Option<&Url>, problems: &mut Vec<String>) -> Result<Read, String> {
    if found.max_depth > MAX_DEPTH {
        return Err(format!("elements are nested more than {MAX_DEPTH} deep"));
    }
    let feed = if found.rewrite { run_feed_rs(&rewrite(text), base) } else { run_feed_rs(text, base) }?;
    let (language, title, description) = (found.language.clone(), found.title.clone(), found.description.clone());
    let noted: Vec<String> = found.problems.iter().cloned().collect();
    let extras = found.kept_items();
    if feed.entries.is_empty() && !extras.is_empty() {
        return Err("its items could not be read".to_owned());
    }
    problems.extend(noted);
    // Out of step, they would land on the wrong items.
    let extras = if extras.len() == feed.entries.len() { extras } else { Vec::new() };
    Ok(Read { feed, extras, language, title, description })
}

/// One small document with one item, for salvaging.
fn attempt(document: &str, base: Option<&Url>) -> Result<Feed, String> {
    let found = survey(document);
    if found.max_depth > MAX_DEPTH || found.syntax_error.is_some() {
        return Err(String::new());
    }
    if found.rewrite { run_feed_rs(&rewrite(document), base) } else { run_feed_rs(document, base) }
}

fn run_feed_rs(text: &str, base: Option<&Url>) -> Result<Feed, String> {
    let parser = Builder::new()
        .id_generator(|_, _, _| String::new())
        .timestamp_parser(parse_date)
        .sanitize_content(false)
        .base_uri(base)
        .build();
    // feed-rs 3.0 panics on some durations; one hostile item must not take the daemon's thread with it.
    catch_unwind(AssertUnwindSafe(|| parser.parse(text.as_bytes())))
        .map_err(|_| "the parser gave up on it".to_owned())?
        .map_err(|error| error.to_string())
}

fn assemble(read: Read, base: Option<Url>, mut problems: Vec<String>) -> ParsedFeed {
    let Read { mut feed, extras, language, title, description } = read;
    let format = feed.feed_type.clone();
    let authors = if matches!(format, FeedType::Atom) { std::mem::take(&mut feed.authors) } else { Vec::new() };
    let mut shared = Shared { format: &format, base, authors: &authors };
    // A file has no address of its own: the site's, else the feed's id where that is one.
    if shared.base.is_none() {
        let addresses = site(&feed.links).map(|l| l.href.as_str()).into_iter().chain([feed.id.trim()]);
        shared.base = addresses.filter(|a| a.starts_with("http")).find_map(|a| Url::parse(a).ok());
    }
    let link = site(&feed.links).and_then(|l| absolute(&l.href, &shared));
    let entries = std::mem::take(&mut feed.entries);
    if entries.len() > MAX_ITEMS {
        problems.push(format!("{} items; only the first {MAX_ITEMS} were read", entries.len()));
    }
    let mut cut = 0;
    let items = entries.into_iter().take(MAX_ITEMS).enumerate().map(|(index, entry)| {
        let (item, was_cut) = item(entry, extras.get(index), &shared);
        cut += usize::from(was_cut);
        item
    });
    let items = items.collect();
    if cut > 0 {
        problems.push(format!("{cut} texts were cut at {MAX_TEXT_BYTES} bytes"));
    }
    let own_title = feed.title.as_ref().map(|t| line(&t.content, t.content_type.as_str(), &shared));
    let title = own_title.filter(|t| !t.is_empty()).or_else(|| title.map(|t| clean_line(&t)));
    let description = feed.description.map(|t| t.content).filter(|t| !t.is_empty()).or(description);
    let description = description.map(|t| html_to_text(&t)).filter(|t| !t.is_empty());
    let language = feed.language.or(language).map(|l| l.trim().replace('_', "-")).filter(|l| !l.is_empty());
    ParsedFeed { title, link, description, language, format: format_name(&format).to_owned(), items, problems }
}

fn site(links: &[Link]) -> Option<&Link> {
    let named = |rel: Option<&str>| links.iter().find(|l| l.rel.as_deref() == rel && !l.href.is_empty());
    named(None).or_else(|| named(Some("alternate")))
}

const fn format_name(format: &FeedType) -> &'static str {
    match format {
        FeedType::Atom => "atom1.0",
        FeedType::JSON => "json1",
        FeedType::RSS0 => "rss0.9x",
        FeedType::RSS1 => "rss1.0",
        FeedType::RSS2 => "rss2.0",
    }
}
