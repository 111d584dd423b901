//! RSS 2.0.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Entry, Feed};

pub(super) fn render(feed: &Feed) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let rss = writer.create_element("rss").with_attribute(("version", "2.0"));
    rss.with_attribute(("xmlns:atom", "http://www.w3.org/2005/Atom")).write_inner_content(|rss| {
        rss.create_element("channel").write_inner_content(|channel| {
            element(channel, "title", &feed.title)?;
            element(channel, "link", &feed.home)?;
            element(channel, "description", &feed.title)?;
            let own = [("rel", "self"), ("type", "application/rss+xml"), ("href", feed.address.as_str())];
            channel.create_element("atom:link").with_attributes(own).write_empty()?;
            element(channel, "lastBuildDate", &feed.updated.to_utc().to_rfc2822())?;
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
        guid.write_text_content(BytesText::new(&entry.id))?;
        element(item, "pubDate", &entry.published.to_utc().to_rfc2822())?;
        if !entry.category.is_empty() {
            element(item, "category", entry.category)?;
        }
        element(item, "description", &entry.html)
    })?;
    Ok(())
}

/// Writes an element with text, without characters that XML cannot contain.
pub(super) fn element(writer: &mut Writer<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    writer.create_element(name).write_text_content(BytesText::new(&xml_text(text)))?;
    Ok(())
}

/// Returns the text without characters that XML cannot contain.
pub(super) fn xml_text(text: &str) -> String {
    text.chars().filter(|c| !is_forbidden(*c)).collect()
}

const fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

pub(super) fn text_of(writer: Writer<Vec<u8>>) -> io::Result<String> {
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}
