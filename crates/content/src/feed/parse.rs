//! Parses a feed document. Input: bytes; output: [`ParsedFeed`]. No I/O; it takes a few milliseconds per megabyte, so
//! it is called within `spawn_blocking`.
//!
//! Steps: decode, lift the long texts out, survey, repair if broken, rewrite if in an old dialect, feed-rs, then the
//! extras that feed-rs omits. A broken document is repaired and read with its texts in place.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Duration;

use aha_core::item::NewItem;
use feed_rs::model::{Feed, FeedType, Link};
use url::Url;

use super::cdf::to_rss;
use super::charset::decode;
use super::dialect::rewrite;
use super::engine::run_feed_rs;
use super::error::ParseError;
use super::items::{Byline, MAX_TEXT_BYTES, Shared, absolute, item, line};
use super::json;
use super::limits::{
    Deadline, MAX_BASE_BYTES, MAX_ITEMS, MAX_READ_ITEMS, too_many_attributes, too_many_strays, too_many_values,
};
use super::long_texts::lift;
use super::repair::repair;
use super::root::skip_to_root;
use super::salvage::salvage;
use super::survey::{ItemExtras, Survey, survey};
use super::vocabulary::{Dialect, is_alternate};
use crate::html::clean_line;

/// A document that takes longer is refused; genuine ones take less than a second.
const MAX_DURATION: Duration = Duration::from_secs(20);
/// feed-rs recurses into some elements, so a deeper document is refused.
const MAX_DEPTH: usize = 256;
/// A longer language code is none, and would be copied into each item.
const MAX_LANGUAGE_BYTES: usize = 64;

/// A parsed feed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedFeed {
    pub title: Option<String>,
    /// The website that the feed belongs to.
    pub link: Option<String>,
    /// As markup, like the texts of the items.
    pub description: Option<String>,
    pub language: Option<String>,
    /// `rss2.0`, `rss0.9x`, `rss1.0`, `atom1.0`, `cdf` or `json1`.
    pub format: String,
    pub items: Vec<NewItem>,
    /// Defects of the document, and how they were handled.
    pub problems: Vec<String>,
    /// Says that not all of its items are here. It is also one of the problems.
    pub left_out: Option<String>,
}

/// Parses a feed in any supported format, repairing it if necessary. `base_url` is the URL it was fetched from.
///
/// # Errors
/// `not_a_feed` for a page or another document, `unparseable` for a feed beyond repair.
pub fn parse(bytes: &[u8], content_type: Option<&str>, base_url: Option<&str>) -> Result<ParsedFeed, ParseError> {
    parse_within(bytes, content_type, base_url, MAX_DURATION)
}

/// Like [`parse`], with a given time limit.
///
/// # Errors
/// As for [`parse`]; `unparseable` also if the time limit is exceeded.
pub fn parse_within(
    bytes: &[u8],
    content_type: Option<&str>,
    base_url: Option<&str>,
    max_duration: Duration,
) -> Result<ParsedFeed, ParseError> {
    let deadline = Deadline::after(max_duration);
    let (text, problem) = decode(bytes, content_type);
    let mut problems: Vec<String> = problem.into_iter().collect();
    let base = base_url.and_then(|b| Url::parse(b).ok()).filter(is_base);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}' || c == '\0');
    let read = match text.as_bytes().first() {
        None => return Err(ParseError::not_a_feed("an empty document")),
        Some(b'{') => parse_json(text, base.as_ref(), deadline, &mut problems)?,
        Some(_) => parse_xml(text, base.as_ref(), deadline, &mut problems)?,
    };
    Ok(assemble(read, base, problems))
}

/// The feed-rs result, and what feed-rs omits.
struct Read {
    feed: Feed,
    /// Dates, in Unix milliseconds, that were written without a zone.
    zoneless: HashSet<i64>,
    is_cdf: bool,
    extras: Vec<ItemExtras>,
    language: Option<String>,
    title: Option<String>,
    description: Option<String>,
    /// Says that not all items were read.
    unread: Option<String>,
}

fn parse_json(
    text: &str,
    base: Option<&Url>,
    deadline: Deadline,
    problems: &mut Vec<String>,
) -> Result<Read, ParseError> {
    let (mut text, mut unread) = (Cow::Borrowed(text), None);
    if too_many_values(&text).is_some()
        && let Some((shorter, count)) = json::first_items(&text)
    {
        unread = Some(format!("{count} items; only the first {MAX_ITEMS} were read"));
        problems.extend(unread.clone());
        text = Cow::Owned(shorter);
    }
    if let Some(reason) = too_many_values(&text) {
        return Err(ParseError::Unparseable { reason });
    }
    let document = json::read(&text, problems)
        .map_err(|error| ParseError::Unparseable { reason: format!("it starts as JSON, but is none: {error}") })?;
    let text =
        json::normalise(document, problems).ok_or_else(|| ParseError::not_a_feed("JSON without a list of items"))?;
    let (feed, zoneless) = run_feed_rs(&text, base, deadline).map_err(|reason| ParseError::Unparseable { reason })?;
    let (extras, language, title, description) = (Vec::new(), None, None, None);
    Ok(Read { feed, zoneless, is_cdf: false, extras, language, title, description, unread })
}

fn parse_xml(
    text: &str,
    base: Option<&Url>,
    deadline: Deadline,
    problems: &mut Vec<String>,
) -> Result<Read, ParseError> {
    let text = skip_to_root(text, problems)?;
    if let Some((read, new_problems)) = read_lifted(text, base, deadline) {
        problems.extend(new_problems);
        return Ok(read);
    }
    read_whole(text, base, deadline, problems)
}

/// Reads an intact document without its long texts. Returns the result and the problems noted; `None` if the document
/// is broken or not known to be equivalent without its texts.
fn read_lifted(text: &str, base: Option<&Url>, deadline: Deadline) -> Option<(Read, Vec<String>)> {
    let lifted = lift(text).filter(|lifted| too_many_attributes(&lifted.rest).is_none())?;
    let found = survey(&lifted.rest, base, deadline);
    if found.syntax_error.is_some() || found.dialect == Dialect::Unknown {
        return None;
    }
    let mut new_problems = Vec::new();
    let mut read = read(&lifted.rest, found, base, deadline, &mut new_problems).ok()?;
    lifted.put_back(&mut read.feed);
    Some((read, new_problems))
}

/// Reads any document, repaired if necessary.
fn read_whole(
    text: &str,
    base: Option<&Url>,
    deadline: Deadline,
    problems: &mut Vec<String>,
) -> Result<Read, ParseError> {
    if let Some(reason) = too_many_attributes(text) {
        return Err(ParseError::Unparseable { reason });
    }
    let first = survey(text, base, deadline);
    if first.root.eq_ignore_ascii_case("channel") {
        problems.extend(first.problems);
        let text = first.end_of_root.and_then(|end| text.get(..end)).unwrap_or(text);
        let rss = if first.syntax_error.is_none() { to_rss(text) } else { to_rss(&repair(text).0) };
        let read = parse_xml(&rss, base, deadline, problems)?;
        return Ok(Read { is_cdf: true, ..read });
    }
    let intact = first.syntax_error.is_none();
    if intact && first.dialect == Dialect::Unknown {
        return Err(ParseError::not_a_feed(&format!("an XML document of another kind (<{}>)", first.root)));
    }
    if intact && let Ok(read) = read(text, first, base, deadline, problems) {
        return Ok(read);
    }
    deadline.check()?;
    if let Some(reason) = too_many_strays(text) {
        return Err(ParseError::Unparseable { reason });
    }
    let (repaired, done) = repair(text);
    let again = survey(&repaired, base, deadline);
    let reason = match again.syntax_error.clone() {
        None => match read(&repaired, again, base, deadline, problems) {
            Ok(read) => {
                problems.extend(done.into_iter().map(str::to_owned));
                return Ok(read);
            }
            Err(reason) => reason,
        },
        Some(reason) => reason,
    };
    problems.extend(done.into_iter().map(str::to_owned));
    deadline.check()?;
    let is_readable =
        |document: &str| matches!(attempt(document, base, deadline), Ok(feed) if !feed.entries.is_empty());
    let (saved, lost) = salvage(&repaired, is_readable).ok_or(ParseError::Unparseable { reason: reason.clone() })?;
    problems.push(format!("the document is broken ({reason}): {lost} incomplete or unreadable items were left out"));
    let found = survey(&saved, base, deadline);
    read(&saved, found, base, deadline, problems).map_err(|reason| ParseError::Unparseable { reason })
}

/// Rewrites the document if the survey requires it, and parses it with feed-rs.
fn read(
    text: &str,
    found: Survey,
    base: Option<&Url>,
    deadline: Deadline,
    problems: &mut Vec<String>,
) -> Result<Read, String> {
    if found.max_depth > MAX_DEPTH {
        return Err(format!("elements are nested more than {MAX_DEPTH} deep"));
    }
    // Relative links of RSS resolve against the site, which feed-rs does not know.
    let base = base.filter(|_| found.dialect == Dialect::Atom);
    let text = found.end_of_root.and_then(|end| text.get(..end)).unwrap_or(text);
    let is_cut = found.end_of_items.is_some();
    let unread = is_cut.then(|| format!("{} items; only the first {MAX_READ_ITEMS} were read", found.item_count));
    problems.extend(unread.clone());
    let (feed, zoneless) = if let Some(end) = found.end_of_items {
        run_feed_rs(&rewrite(text.get(..end).unwrap_or(text), &found.items), base, deadline)
    } else if found.rewrite {
        run_feed_rs(&rewrite(text, &found.items), base, deadline)
    } else {
        run_feed_rs(text, base, deadline)
    }?;
    let (language, title, description) = (found.language.clone(), found.title.clone(), found.description.clone());
    let new_problems: Vec<String> = found.problems.iter().cloned().collect();
    let extras = found.items;
    if feed.entries.is_empty() && !extras.is_empty() {
        return Err("its items could not be read".to_owned());
    }
    problems.extend(new_problems);
    // If the counts differ, the extras would be assigned to the wrong items.
    let extras = if extras.len() == feed.entries.len() { extras } else { Vec::new() };
    Ok(Read { feed, zoneless, is_cdf: false, extras, language, title, description, unread })
}

/// Parses a small document with one item, for salvaging.
fn attempt(document: &str, base: Option<&Url>, deadline: Deadline) -> Result<Feed, String> {
    let found = survey(document, base, deadline);
    if found.max_depth > MAX_DEPTH || found.syntax_error.is_some() {
        return Err(String::new());
    }
    let rewritten = found.rewrite.then(|| rewrite(document, &found.items));
    let read = run_feed_rs(rewritten.as_deref().unwrap_or(document), base, deadline);
    read.map(|(feed, _)| feed)
}

fn assemble(read: Read, base: Option<Url>, mut problems: Vec<String>) -> ParsedFeed {
    let Read { mut feed, zoneless, is_cdf, extras, language, title, description, unread } = read;
    let format = feed.feed_type.clone();
    let authors = if matches!(format, FeedType::Atom) { std::mem::take(&mut feed.authors) } else { Vec::new() };
    let language = feed.language.take().or(language).map(|l| l.trim().replace('_', "-"));
    let language = language.filter(|l| (1..=MAX_LANGUAGE_BYTES).contains(&l.len()));
    let base = item_base(&feed, base);
    let byline = Byline::of(&authors);
    let shared = Shared { format: &format, base, byline: &byline, zoneless: &zoneless, language: language.as_deref() };
    let link = site(&feed.links).and_then(|l| absolute(&l.href, &shared));
    let entries = std::mem::take(&mut feed.entries);
    let mut cut = 0;
    let items = entries.into_iter().take(MAX_READ_ITEMS).enumerate().map(|(index, entry)| {
        let (item, was_cut) = item(entry, extras.get(index), &shared);
        cut += usize::from(was_cut);
        item
    });
    let mut items: Vec<NewItem> = items.collect();
    let older = keep_newest(&mut items);
    problems.extend(older.clone());
    if cut > 0 {
        problems.push(format!("{cut} texts were cut at {MAX_TEXT_BYTES} bytes"));
    }
    if items.iter().any(|item| item.is_zone_assumed) {
        problems.push("dates without a zone were read as UTC".to_owned());
    }
    let own_title = feed.title.as_ref().map(|t| line(&t.content, t.content_type.as_str(), &shared));
    let title = own_title.filter(|t| !t.is_empty()).or_else(|| title.map(|t| clean_line(&t)));
    let own_description = feed.description.map(|t| t.content.trim().to_owned()).filter(|t| !t.is_empty());
    let description = own_description.or_else(|| description.map(|t| t.trim().to_owned()));
    let format = if is_cdf { "cdf" } else { format_name(&format) };
    let left_out = unread.or(older);
    ParsedFeed { title, link, description, language, format: format.to_owned(), items, problems, left_out }
}

/// Keeps the newest [`MAX_ITEMS`], in the order of the document. Undated items count as the oldest, the last of them
/// first. Returns what to say if there were more.
fn keep_newest(items: &mut Vec<NewItem>) -> Option<String> {
    let count = items.len();
    if count <= MAX_ITEMS {
        return None;
    }
    let mut newest_first: Vec<usize> = (0..count).collect();
    newest_first.sort_by_key(|at| Reverse(items[*at].published_at.or(items[*at].updated_at)));
    let kept: HashSet<usize> = newest_first.into_iter().take(MAX_ITEMS).collect();
    let mut places = 0..count;
    items.retain(|_| places.next().is_some_and(|place| kept.contains(&place)));
    Some(format!("{count} items; only the newest {MAX_ITEMS} were kept"))
}

/// Returns the base URL of an item's relative URLs: in Atom and JSON the feed's own URL, in RSS the site's. For a feed
/// from a file, which has no URL, it is the site's, otherwise the feed's id if that is a URL.
fn item_base(feed: &Feed, address: Option<Url>) -> Option<Url> {
    let resolve = |text: &str| Url::options().base_url(address.as_ref()).parse(text.trim()).ok();
    let site = site(&feed.links).and_then(|link| resolve(&link.href)).filter(is_base);
    match feed.feed_type {
        FeedType::Atom | FeedType::JSON => address.or(site).or_else(|| Url::parse(feed.id.trim()).ok().filter(is_base)),
        FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2 => site.or(address),
    }
}

/// Returns whether relative URLs can be resolved against a URL.
fn is_base(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_BASE_BYTES
}

fn site(links: &[Link]) -> Option<&Link> {
    let pages = || links.iter().filter(|l| !l.href.is_empty());
    let alternate = || pages().find(|l| l.rel.as_deref().is_some_and(is_alternate));
    pages().find(|l| l.rel.is_none()).or_else(alternate)
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{Deadline, MAX_DURATION, assemble, decode, read_lifted, read_whole, skip_to_root};

    /// Reads a document with its texts lifted and in place, and asserts equal results. Returns whether lifting was
    /// possible.
    fn reads_the_same(text: &str) -> bool {
        let deadline = Deadline::after(MAX_DURATION);
        let mut problems = Vec::new();
        let Ok(text) = skip_to_root(text, &mut problems) else { return false };
        let Some((lifted, new_problems)) = read_lifted(text, None, deadline) else { return false };
        let whole = read_whole(text, None, deadline, &mut problems).unwrap();
        assert_eq!(assemble(lifted, None, new_problems), assemble(whole, None, problems), "{text}");
        true
    }

    #[test]
    fn the_examples_are_the_same_with_their_texts_lifted() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let files =
            ["examples/feeds", "tests/data/sources"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let documents = files.into_iter().flatten().map(|file| std::fs::read(file.unwrap().path()).unwrap());
        let lifted = documents.filter(|bytes| reads_the_same(&decode(bytes, None).0)).count();
        assert!(lifted >= 10, "{lifted}");
    }

    const LONG: &str = "A text that is long enough to be lifted out of its document.";

    fn elements() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => Just(LONG.to_owned()),
            2 => Just(format!("<![CDATA[ <p>{LONG}</p> ]]>")),
            1 => Just(format!("<![CDATA[<item><summary>{LONG}</summary>]]>")),
            1 => Just(format!("<!-- <summary>{LONG}</summary> -->")),
            1 => Just(format!("<summary>{LONG}</summary>")),
            6 => proptest::sample::select(vec![
                "&lt;p&gt;", "&#233;", "&#xA0;", "&#10;", "\r\n", " ", "&bogus;", "&amp;amp;", "é", "<b c='>'>d</b>", "<br/>",
                "<?e f?>", "&#x10FFFD;0&#1114109;", "]]", "<!-->-->", "&;", "SGVsbG8=",
            ]).prop_map(str::to_owned),
            1 => proptest::sample::select(vec!["& ", "&#0;", "\u{10FFFD}0\u{10FFFD}", "<", "</item>"])
                .prop_map(str::to_owned),
        ];
        let names = "description content:encoded content summary itunes:summary title guid media:group author link \
                     dc:title media:title dc:description atom:content atom:summary";
        let attributes = "||| type='html'| type=\"text\"| type='xhtml'| type='image/png'| mode='base64'| type='a>b'| src='x'\
                          | xmlns='http://search.yahoo.com/mrss/'| xmlns='http://www.w3.org/2005/Atom'\
                          | xml:base='http://x.org/type/'";
        let name = proptest::sample::select(names.split(' ').collect::<Vec<_>>());
        let attributes = proptest::sample::select(attributes.split('|').collect::<Vec<_>>());
        let element = (name, attributes, proptest::collection::vec(piece, 0..4))
            .prop_map(|(name, attributes, pieces)| format!("<{name}{attributes}>{}</{name}>", pieces.concat()));
        proptest::collection::vec(element, 0..4).prop_map(|elements| elements.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn any_feed_is_the_same_with_its_texts_lifted(items in proptest::collection::vec(elements(), 0..4), own in elements()) {
            let prefixes = "xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:media='http://search.yahoo.com/mrss/' \
                            xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' \
                            xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:atom='http://www.w3.org/2005/Atom'";
            let all = |name: &str| items.iter().fold(String::new(), |all, item| {
                format!("{all}<{name}>\r\n <link>http://x.org/a</link>\t{item} </{name}>\n")
            });
            reads_the_same(&format!("<rss version='2.0' {prefixes}><channel>{own}{}</channel></rss>", all("item")));
            reads_the_same(&format!("<feed xmlns='http://www.w3.org/2005/Atom' {prefixes}>{own}{}</feed>", all("entry")));
            reads_the_same(&format!(
                "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' {prefixes}>\
                 <channel>{own}</channel>{}</rdf:RDF>", all("item")));
        }
    }
}
