//! Converts feed-rs entries to items. Called by the parser. Nothing is invented that the feed does not contain.

use std::collections::HashSet;

use aha_core::item::{Engagement, NewItem};
use aha_core::time::Timestamp;
use chrono::{DateTime, Utc};
use feed_rs::model::{Category, Entry, FeedType, Link, LinkTarget, Person};
use url::Url;

use super::dates::{ReadDate, read_date};
use super::survey::{ItemExtras, Text};
use crate::fold::fold_line;
use crate::html::{clean_line, looks_like_html};

/// Longer texts of an item are cut: 1 MiB of markup.
pub(super) const MAX_TEXT_BYTES: usize = 1024 * 1024;
const MAX_LINE_CHARS: usize = 1_000;
const MAX_CATEGORIES: usize = 50;

/// What the items of a feed have in common.
pub(super) struct Shared<'a> {
    pub(super) format: &'a FeedType,
    /// Resolves remaining relative URLs.
    pub(super) base: Option<Url>,
    pub(super) authors: &'a [Person],
    /// Dates, in Unix milliseconds, that were written without a zone.
    pub(super) zoneless: &'a HashSet<i64>,
    pub(super) language: Option<&'a str>,
}

/// Converts an entry to an item. The flag indicates whether its text was cut.
pub(super) fn item(entry: Entry, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> (NewItem, bool) {
    let guid = Some(entry.id.trim().to_owned()).filter(|g| !g.is_empty());
    let guid = guid.or_else(|| extras.and_then(|e| e.about.as_deref()).map(|a| a.trim().to_owned()));
    let url = link(&entry, guid.as_deref(), extras, shared);
    let title =
        entry.title.as_ref().map(|t| line(&t.content, t.content_type.as_str(), shared)).filter(|t| !t.is_empty());
    let times = times(&entry, extras, shared);
    let other = || extras.and_then(|e| e.author.as_deref()).map(clean_line).filter(|name| !name.is_empty());
    let (author, byline) = match authors(&entry.authors, own_name) {
        None => match other() {
            None => (authors(shared.authors, own_name), authors(shared.authors, full_name)),
            other => (other, None),
        },
        names => (names, authors(&entry.authors, full_name)),
    };
    let byline = byline.filter(|byline| Some(byline) != author.as_ref());
    let own_base = extras.and_then(|e| e.base.as_deref()).and_then(|base| absolute(base, shared));
    let discussion_url = discussion(&entry.links, extras, url.as_deref(), shared);
    let categories = categories(&entry.categories);
    let engagement = Engagement { comments: extras.and_then(|e| e.comments), ..Engagement::default() };
    let media = entry.media.iter().find_map(|m| m.description.as_ref()).map(|d| d.content.clone());
    let title = title.or_else(|| {
        let media = entry.media.iter().find_map(|m| m.title.as_ref())?;
        Some(clean_line(&media.content)).filter(|t| !t.is_empty())
    });
    // An element that is present but empty is an empty text.
    let is_empty = |text: Text| extras.is_some_and(|extras| extras.texts.is_empty(text));
    let title = title.or_else(|| (entry.title.is_some() || is_empty(Text::Title)).then(String::new));
    let mut cut = false;
    let mut capped = |text: String| {
        cut |= text.len() > MAX_TEXT_BYTES;
        truncated(text, MAX_TEXT_BYTES)
    };
    let summary = entry.summary.map(|s| (capped(s.content), s.content_type.to_string()));
    let content = entry.content.and_then(|c| Some((capped(c.body?), c.content_type.to_string())));
    let media = media.filter(|_| summary.is_none() && content.is_none()).map(|m| (capped(m), "text/plain".to_owned()));
    let longest = [&content, &summary, &media].into_iter().flatten().max_by_key(|(text, _)| text.len());
    let is_plain = longest.is_some_and(|(_, kind)| kind == "text/plain");
    let item = NewItem {
        guid,
        url,
        title,
        body_text: None,
        summary_markup: summary.or(media).map(|(text, _)| text).or_else(|| is_empty(Text::Summary).then(String::new)),
        content_markup: content.map(|(text, _)| text).or_else(|| is_empty(Text::Content).then(String::new)),
        is_plain,
        author,
        byline,
        published_at: times.published,
        updated_at: times.updated,
        is_zone_assumed: times.is_zone_assumed,
        categories,
        engagement,
        discussion_url,
        markup_base: own_base.or_else(|| shared.base.as_ref().map(Url::to_string)),
        language: shared.language.map(str::to_owned),
    };
    (item, cut)
}

/// Returns a title as one line. Only Atom declares whether it is markup; in other formats tags are detected.
pub(super) fn line(text: &str, kind: &str, shared: &Shared<'_>) -> String {
    let is_plain = *shared.format == FeedType::Atom && kind == "text/plain" && !looks_like_html(text);
    let line = if is_plain { fold_line(text) } else { clean_line(text) };
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => line[..end].to_owned(),
        None => line,
    }
}

fn link(entry: &Entry, guid: Option<&str>, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> Option<String> {
    let pages = || entry.links.iter().filter(|l| l.target.is_none() && !l.href.trim().is_empty());
    let rel = |wanted: &str| pages().find(|l| l.rel.as_deref() == Some(wanted));
    let own = pages().find(|l| l.rel.is_none());
    let fallback =
        || pages().find(|l| !matches!(l.rel.as_deref(), Some("self" | "edit" | "replies" | "enclosure" | "hub")));
    let from_link = own.or_else(|| rel("alternate")).or_else(fallback).and_then(|l| absolute(&l.href, shared));
    from_link.or_else(|| {
        let is_address = extras.is_none_or(|e| e.guid_is_address);
        let guid = guid.filter(|g| is_address && (g.starts_with("http://") || g.starts_with("https://")))?;
        absolute(guid, shared)
    })
}

/// Returns an absolute http(s) URL; `None` for anything else.
pub(super) fn absolute(href: &str, shared: &Shared<'_>) -> Option<String> {
    let href = href.trim();
    if href.is_empty() {
        return None;
    }
    let url = match Url::parse(href) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => shared.base.as_ref()?.join(href).ok()?,
        Err(_) => return None,
    };
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

fn discussion(links: &[Link], extras: Option<&ItemExtras>, url: Option<&str>, shared: &Shared<'_>) -> Option<String> {
    let from_feed = links.iter().find(|l| l.target == Some(LinkTarget::Comments)).map(|l| l.href.as_str());
    let replies = || links.iter().find(|l| l.rel.as_deref() == Some("replies") && is_page(l)).map(|l| l.href.as_str());
    let found = extras.and_then(|e| e.comments_url.as_deref()).or(from_feed).or_else(replies)?;
    absolute(found, shared).filter(|found| Some(found.as_str()) != url)
}

fn is_page(link: &Link) -> bool {
    link.media_type.as_deref().is_none_or(|kind| kind.contains("html"))
}

struct Times {
    published: Option<Timestamp>,
    updated: Option<Timestamp>,
    is_zone_assumed: bool,
}

fn times(entry: &Entry, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> Times {
    let own = |date: Option<DateTime<Utc>>| {
        date.map(|at| ReadDate { at, has_zone: !shared.zoneless.contains(&at.timestamp_millis()) })
    };
    let (published, mut updated) = (own(entry.published), own(entry.updated));
    let is_rss = matches!(shared.format, FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2);
    // feed-rs copies the publication date here.
    updated = updated.filter(|u| !is_rss || Some(*u) != published);
    let other = |text: fn(&ItemExtras) -> Option<&str>| extras.and_then(text).and_then(read_date);
    let published = published.or_else(|| other(|e| e.published.as_deref()));
    let updated = updated.or_else(|| other(|e| e.updated.as_deref()));
    // Atom requires `updated`: without `published` it is the entry's date.
    let published = published.or(updated.filter(|_| *shared.format == FeedType::Atom));
    Times {
        published: published.map(|read| read.at.into()),
        updated: updated.map(|read| read.at.into()),
        is_zone_assumed: published.or(updated).is_some_and(|read| !read.has_zone),
    }
}

/// Returns a person's name, otherwise the email address.
fn own_name(person: &Person) -> String {
    let name = person.name.as_deref().or(person.email.as_deref()).map(clean_line).unwrap_or_default();
    name.trim_matches(['(', ')', '<', '>', ',', ' ']).to_owned()
}

/// Returns the name followed by the email address, if there are both.
fn full_name(person: &Person) -> String {
    let name = own_name(person);
    let address = person.email.as_deref().map(clean_line).unwrap_or_default();
    if name.is_empty() || address.is_empty() || name.contains(&address) { name } else { format!("{name} ({address})") }
}

fn authors(people: &[Person], name_of: impl Fn(&Person) -> String) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for person in people {
        let name = name_of(person);
        if !name.is_empty() && !names.contains(&name) && names.len() < 10 {
            names.push(name);
        }
    }
    let joined: String = names.join(", ").chars().take(MAX_LINE_CHARS).collect();
    Some(joined).filter(|j| !j.is_empty())
}

fn categories(found: &[Category]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for category in found {
        let text = clean_line(category.label.as_deref().filter(|l| !l.trim().is_empty()).unwrap_or(&category.term));
        let is_fit = !text.is_empty() && kept.len() < MAX_CATEGORIES && text.chars().count() <= 200;
        if is_fit && seen.insert(text.to_lowercase()) {
            kept.push(text);
        }
    }
    kept
}

fn truncated(mut text: String, max_bytes: usize) -> String {
    if text.len() > max_bytes {
        let end = (0..=max_bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
