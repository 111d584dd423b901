//! Atom 1.0.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::digest::rss::{Entry, Feed, element, text_of, xml_text};

pub(super) fn render(feed: &Feed, id: &str) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = writer.create_element("feed").with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
    root.write_inner_content(|root| {
        element(root, "title", &feed.title)?;
        element(root, "id", id)?;
        element(root, "updated", &feed.updated.to_string())?;
        root.create_element("author").write_inner_content(|author| element(author, "name", "Aha Radar"))?;
        if let Some(address) = &feed.address {
            link(root, "self", address)?;
        }
        link(root, "alternate", &feed.home)?;
        feed.entries.iter().try_for_each(|of| entry(root, of))
    })?;
    text_of(writer)
}

fn link(writer: &mut Writer<Vec<u8>>, rel: &str, href: &str) -> io::Result<()> {
    writer.create_element("link").with_attributes([("rel", rel), ("href", href)]).write_empty()?;
    Ok(())
}

fn entry(root: &mut Writer<Vec<u8>>, of: &Entry) -> io::Result<()> {
    root.create_element("entry").write_inner_content(|entry| {
        element(entry, "title", &of.title)?;
        element(entry, "id", &of.id)?;
        element(entry, "updated", &of.published.to_string())?;
        if let Some(name) = &of.author {
            entry.create_element("author").write_inner_content(|author| element(author, "name", name))?;
        }
        if let Some(href) = &of.link {
            link(entry, "alternate", href)?;
        }
        if !of.category.is_empty() {
            entry.create_element("category").with_attribute(("term", of.category)).write_empty()?;
        }
        let content = entry.create_element("content").with_attribute(("type", "html"));
        content.write_text_content(BytesText::new(&xml_text(&of.html)))?;
        Ok(())
    })?;
    Ok(())
}
