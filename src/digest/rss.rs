//! RSS 2.0: the digest as a feed, and the writer of all RSS feeds.
//!
//! Input: a digest, or a [`Feed`]. Output: a feed with one item per story or entry. Called by `digest::render` and by
//! the feeds of the web, whose other formats also contain a [`Feed`].

use std::io;

use aha_core::digest::Digest;
use aha_core::time::Timestamp;
use html_escape::{encode_double_quoted_attribute, encode_text};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::quote::Quote;
use super::sanitise::Link;
use super::view::{Page, Source, Story};

/// RSS requires a link for the channel; without a site, a digest has no address.
const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// The content of a feed, independent of its format.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) title: String,
    pub(crate) description: String,
    /// The corresponding page.
    pub(crate) home: String,
    /// The feed's own address; `None` for a file.
    pub(crate) address: Option<String>,
    pub(crate) updated: Timestamp,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    /// An id or a URN of the digest or story.
    pub(crate) id: String,
    pub(crate) title: String,
    /// The page or article that the entry links to.
    pub(crate) link: Option<String>,
    pub(crate) published: Timestamp,
    pub(crate) category: &'static str,
    pub(crate) author: Option<String>,
    /// HTML, already escaped.
    pub(crate) html: String,
}

pub(super) fn render(digest: &Digest, site: Option<&str>) -> io::Result<String> {
    let page = Page::of(digest);
    let home = site.map_or_else(|| HOME.to_owned(), |site| format!("{site}/digests/{}", digest.head.id));
    write(&Feed {
        title: format!("Aha Radar: {}", page.topic),
        description: page.header,
        home,
        address: None,
        updated: digest.head.window_end,
        entries: page.top.into_iter().chain(page.scan).map(|story| story_entry(story, site)).collect(),
    })
}

/// Returns the entry of a story. With a `site`, the URL of the web pages without a trailing slash, it contains links
/// for feedback.
pub(crate) fn story_entry(story: Story, site: Option<&str>) -> Entry {
    let links = site.map(|site| feedback_links(&format!("{site}/stories/{}", story.id)));
    Entry {
        html: description(&story) + &links.unwrap_or_default(),
        link: story.link.href().map(str::to_owned),
        id: story.id,
        title: story.title,
        published: story.published_at,
        category: story.label,
        author: story.author,
    }
}

/// Writes a feed as RSS 2.0.
pub(crate) fn write(feed: &Feed) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let own_namespace = feed.address.as_ref().map(|_| ("xmlns:atom", "http://www.w3.org/2005/Atom"));
    let rss = writer.create_element("rss").with_attribute(("version", "2.0")).with_attributes(own_namespace);
    rss.write_inner_content(|rss| {
        rss.create_element("channel").write_inner_content(|channel| {
            element(channel, "title", &feed.title)?;
            element(channel, "link", &feed.home)?;
            element(channel, "description", &feed.description)?;
            if let Some(address) = feed.address.as_deref() {
                let own = [("rel", "self"), ("type", "application/rss+xml"), ("href", address)];
                channel.create_element("atom:link").with_attributes(own).write_empty()?;
            }
            element(channel, "lastBuildDate", &feed.updated.to_utc().to_rfc2822())?;
            element(channel, "generator", env!("CARGO_PKG_NAME"))?;
            feed.entries.iter().try_for_each(|entry| item(channel, entry))
        })?;
        Ok(())
    })?;
    text_of(writer)
}

fn item(channel: &mut Writer<Vec<u8>>, entry: &Entry) -> io::Result<()> {
    channel.create_element("item").write_inner_content(|item| {
        element(item, "title", &entry.title)?;
        if let Some(link) = &entry.link {
            element(item, "link", link)?;
        }
        let guid = item.create_element("guid").with_attribute(("isPermaLink", "false"));
        guid.write_text_content(BytesText::new(&xml_text(&entry.id)))?;
        element(item, "pubDate", &entry.published.to_utc().to_rfc2822())?;
        if !entry.category.is_empty() {
            element(item, "category", entry.category)?;
        }
        element(item, "description", &entry.html)
    })?;
    Ok(())
}

/// Writes an element with text, without characters that XML cannot contain.
pub(crate) fn element(writer: &mut Writer<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    writer.create_element(name).write_text_content(BytesText::new(&xml_text(text)))?;
    Ok(())
}

/// Returns the text without characters that XML cannot contain.
pub(crate) fn xml_text(text: &str) -> String {
    text.chars().filter(|c| !is_forbidden(*c)).collect()
}

const fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the written document, with a line break at its end.
pub(crate) fn text_of(writer: Writer<Vec<u8>>) -> io::Result<String> {
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}

/// Returns the story as HTML, which XML escapes once more.
fn description(story: &Story) -> String {
    let mut html = String::new();
    let mut paragraph = |inner: &str| {
        html.push_str("<p>");
        html.push_str(inner);
        html.push_str("</p>");
    };
    if let Some(since) = &story.since {
        paragraph(&format!("<strong>{}</strong>", encode_text(since)));
    }
    if let Some(lead) = &story.lead {
        paragraph(&quoted(lead));
    }
    let facts: Vec<String> =
        std::iter::once(encode_text(&story.score_words).into_owned()).chain(story.facts()).collect();
    paragraph(&facts.join(" · "));
    if !story.reason.is_empty() {
        paragraph(&format!("why: {}", encode_text(&story.reason)));
    }
    let talks = story.discussions.iter().filter(|link| link.href().is_some());
    let talks = talks.map(|link| format!("<li>discussion: {}</li>", linked(link.host(), link)));
    let lines: Vec<String> = story.sources.iter().map(source).chain(talks).collect();
    html + "<ul>" + &lines.concat() + "</ul>"
}

/// Links that ask once more before they note anything. `page`: the address of the story's page.
fn feedback_links(page: &str) -> String {
    let link = |href: &str, name: &str| format!("<a href=\"{}\">{name}</a>", encode_double_quoted_attribute(href));
    let say = ["like", "dislike", "save"].map(|kind| link(&format!("{page}/say?kind={kind}"), kind));
    format!("<p>{} · {}</p>", link(page, "why it is here"), say.join(" · "))
}

fn source(source: &Source) -> String {
    let line = format!("<li>{}, {}", linked(&source.name, &source.link), source.time);
    match source.notes().as_slice() {
        [] => line + "</li>",
        notes => format!("{line} ({})</li>", encode_text(&notes.join("; "))),
    }
}

fn quoted(quote: &Quote) -> String {
    let sentence = encode_text(&quote.marked()).into_owned();
    quote.source.as_deref().map_or(sentence.clone(), |source| format!("{sentence} — {}", encode_text(source)))
}

/// Returns the name as HTML, linked if a reader may follow the link.
pub(crate) fn linked(name: &str, link: &Link) -> String {
    match link.href() {
        Some(href) => format!("<a href=\"{}\">{}</a>", encode_double_quoted_attribute(href), encode_text(name)),
        None => encode_text(name).into_owned(),
    }
}
