//! Converts the Channel Definition Format of early feeds to RSS. Called by the parser for a root `<channel>`.

use std::fmt::Write;

use quick_xml::events::{BytesStart, Event};

use super::survey::reader;
use super::vocabulary::PREFIXES;

/// Returns the document as RSS 2.0, cut at its first syntax error.
pub(super) fn to_rss(text: &str) -> String {
    let declared = PREFIXES.iter().fold(String::new(), |all, (prefix, uri)| format!("{all} xmlns:{prefix}=\"{uri}\""));
    let mut out = format!("<rss version=\"2.0\"{declared}>");
    let mut open: Vec<Option<&'static str>> = Vec::new();
    let mut reader = reader(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                let name = rss_name(&start, open.last().map(|name| name.unwrap_or_default()));
                if let Some(name) = name {
                    let _ = write!(out, "<{name}>");
                }
                if matches!(name, Some("channel" | "item")) || is_link(&start) {
                    attributes(&start, &mut out);
                }
                open.push(name);
            }
            Ok(Event::End(_)) => {
                if let Some(Some(name)) = open.pop() {
                    let _ = write!(out, "</{name}>");
                }
            }
            Ok(Event::Text(text)) if open.last().is_some_and(Option::is_some) => out.push_str(&text),
            Ok(Event::CData(data)) if open.last().is_some_and(Option::is_some) => {
                out.push_str(&quick_xml::escape::escape(&*data));
            }
            Ok(Event::GeneralRef(name)) if open.last().is_some_and(Option::is_some) => {
                let _ = write!(out, "&{};", &*name);
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    for name in open.into_iter().rev().flatten() {
        let _ = write!(out, "</{name}>");
    }
    out.push_str("</rss>");
    out
}

/// Returns the element's name in RSS; `None` if it is omitted. `parent` is the parent's RSS name: empty if the parent
/// is omitted, `None` at the root. Only the items of a nested channel are used, as items of the outer one.
fn rss_name(start: &BytesStart<'_>, parent: Option<&'static str>) -> Option<&'static str> {
    let name = start.local_name();
    let name: &str = name.as_ref();
    [("channel", "channel"), ("item", "item"), ("title", "title"), ("abstract", "description")]
        .into_iter()
        .find(|(theirs, ours)| {
            let is_allowed = match *ours {
                "channel" => parent.is_none(),
                "item" => parent.is_some(),
                _ => matches!(parent, Some("channel" | "item")),
            };
            is_allowed && name.eq_ignore_ascii_case(theirs)
        })
        .map(|(_, ours)| ours)
}

/// Whether this is `<A HREF="…">`, the link of its channel or item.
fn is_link(start: &BytesStart<'_>) -> bool {
    start.local_name().as_ref().eq_ignore_ascii_case("a")
}

fn attributes(start: &BytesStart<'_>, out: &mut String) {
    for attribute in start.attributes().with_checks(false).filter_map(Result::ok) {
        let key: &str = attribute.key.as_ref();
        let name = match key.to_ascii_lowercase().as_str() {
            "href" => "link",
            "lastmod" => "updated",
            _ => continue,
        };
        let value = attribute.value.replace('<', "&lt;");
        let _ = write!(out, "<{name}>{value}</{name}>");
    }
}

#[cfg(test)]
mod tests {
    use super::to_rss;

    #[test]
    fn a_channel_becomes_rss() {
        let rss = to_rss(
            "<CHANNEL HREF='http://x.org/?a=1&amp;b=2'><ABSTRACT>About</ABSTRACT><LOGO HREF='l'/>\
             <CHANNEL><TITLE>Within</TITLE><ITEM LASTMOD='2004-04-06'><A HREF='http://x.org/1'>one</A><TITLE>T &amp; U</TITLE></ITEM></CHANNEL></CHANNEL>",
        );
        assert!(
            rss.ends_with(
                "><channel><link>http://x.org/?a=1&amp;b=2</link><description>About</description><item>\
                 <updated>2004-04-06</updated><link>http://x.org/1</link><title>T &amp; U</title></item></channel></rss>"
            ),
            "{rss}"
        );
    }
}
