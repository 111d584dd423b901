//! The digest as RSS 2.0, for feed readers.
//!
//! Input: a digest. Output: a feed with one item per story. Called by `digest::render`.

use std::io;

use aha_core::digest::Digest;
use html_escape::{encode_double_quoted_attribute, encode_text};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::quote::Quote;
use super::sanitise::Link;
use super::view::{Page, Source, Story};

/// RSS requires a link for the channel; without a site, a digest has no address.
const HOME: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) fn render(digest: &Digest, site: Option<&str>) -> io::Result<String> {
    let page = Page::of(digest);
    let built = digest.head.window_end.to_utc().to_rfc2822();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.create_element("rss").with_attribute(("version", "2.0")).write_inner_content(|rss| {
        rss.create_element("channel").write_inner_content(|channel| {
            element(channel, "title", &format!("Aha Radar: {}", page.topic))?;
            let link = site.map(|site| format!("{site}/digests/{}", digest.head.id));
            element(channel, "link", link.as_deref().unwrap_or(HOME))?;
            element(channel, "description", &page.header)?;
            element(channel, "lastBuildDate", &built)?;
            element(channel, "generator", env!("CARGO_PKG_NAME"))?;
            page.top.iter().chain(&page.scan).try_for_each(|story| item(channel, story, site))
        })?;
        Ok(())
    })?;
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}

fn item(channel: &mut Writer<Vec<u8>>, story: &Story, site: Option<&str>) -> io::Result<()> {
    channel.create_element("item").write_inner_content(|item| {
        element(item, "title", &story.title)?;
        if let Some(href) = story.link.href() {
            element(item, "link", href)?;
        }
        item.create_element("guid")
            .with_attribute(("isPermaLink", "false"))
            .write_text_content(BytesText::new(&story.id))?;
        element(item, "pubDate", &story.published_rfc2822)?;
        if !story.label.is_empty() {
            element(item, "category", story.label)?;
        }
        let links = site.map(|site| feedback_links(&format!("{site}/stories/{}", story.id)));
        element(item, "description", &(description(story) + &links.unwrap_or_default()))
    })?;
    Ok(())
}

fn element(writer: &mut Writer<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    writer.create_element(name).write_text_content(BytesText::new(text))?;
    Ok(())
}

/// Returns the story as HTML, which RSS escapes once more.
pub(crate) fn description(story: &Story) -> String {
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
pub(crate) fn feedback_links(page: &str) -> String {
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

fn linked(name: &str, link: &Link) -> String {
    match link.href() {
        Some(href) => format!("<a href=\"{}\">{}</a>", encode_double_quoted_attribute(href), encode_text(name)),
        None => encode_text(name).into_owned(),
    }
}
