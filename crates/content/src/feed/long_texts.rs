//! Removes the long texts from a feed before it is parsed, and restores them in the parsed feed. Input: a document;
//! output: a much shorter one. Called by the parser.
//!
//! Most of a feed is text, and XML readers emit an event for each escaped character in it. A text is lifted only if
//! readers would take it as one text: an element of an item that contains only characters, resolvable references and
//! CDATA.

use std::borrow::Cow;
use std::fmt::Write;

use feed_rs::model::{Entry, Feed};
use memchr::{memchr, memchr3, memmem};
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::BytesRef;
use quick_xml::parser::{ElementParser, Parser};

/// Placed before and after the number of a lifted text: the last private-use character.
const MARK: char = '\u{10FFFD}';
/// Shorter texts are not lifted.
const MIN_BYTES: usize = 48;

const TEXTS: [&str; 5] = ["description", "content:encoded", "content", "summary", "itunes:summary"];
const ITEMS: [&str; 2] = ["item", "entry"];
/// Elements that contain items.
const FRAMES: [&str; 4] = ["rss", "rdf:RDF", "channel", "feed"];
/// Content types whose text is used as written.
const TYPES: [&str; 4] = ["text", "html", "text/html", "text/plain"];

const CDATA: (&str, &str) = ("<![CDATA[", "]]>");

/// A feed without its long texts, and those texts.
#[derive(Debug)]
pub(super) struct Lifted<'a> {
    pub(super) rest: String,
    texts: Vec<Cow<'a, str>>,
}

/// Lifts the long texts out of a feed. `None` if readers might interpret the document differently: it is broken, or
/// contains the mark itself.
pub(super) fn lift(text: &str) -> Option<Lifted<'_>> {
    let empty = Lifted { rest: String::with_capacity(text.len() / 8), texts: Vec::new() };
    let mut walker = Lifter { text, copied: 0, lifted: empty, depth: 0, framed: 0, in_item: false };
    walker.walk()?;
    let Lifter { copied, mut lifted, .. } = walker;
    lifted.rest.push_str(&text[copied..]);
    (!lifted.has_other_marks()).then_some(lifted)
}

impl Lifted<'_> {
    /// Returns whether the rest contains a mark that was not inserted, or a reference to one.
    fn has_other_marks(&self) -> bool {
        let rest = self.rest.as_bytes();
        let marks = memmem::find_iter(rest, MARK.encode_utf8(&mut [0; 4])).count();
        let mut references = memmem::find_iter(rest, "&#").map(|at| &self.rest[at + 1..]);
        // A reference ends before the next one, which keeps this linear.
        let end = |text: &str| memchr3(b';', b'&', b'<', text.as_bytes()).unwrap_or(text.len());
        let is_mark = |text: &str| character(&text[..end(text)]) == Some(MARK);
        marks != 2 * self.texts.len() || references.any(is_mark)
    }

    /// Replaces each mark with its text.
    pub(super) fn put_back(mut self, feed: &mut Feed) {
        for text in feed.entries.iter_mut().flat_map(texts_of) {
            if let Some(whole) = self.whole(text) {
                *text = whole;
            }
        }
    }

    /// Returns `text` with the lifted text inserted; `None` if it has no mark.
    fn whole(&mut self, text: &str) -> Option<String> {
        let (before, behind) = text.split_once(MARK)?;
        let (number, after) = behind.split_once(MARK)?;
        let lifted = std::mem::take(self.texts.get_mut(number.parse::<usize>().ok()?)?);
        Some(if before.is_empty() && after.is_empty() {
            lifted.into_owned()
        } else {
            format!("{before}{lifted}{after}")
        })
    }
}

fn texts_of(entry: &mut Entry) -> impl Iterator<Item = &mut String> {
    let content = entry.content.iter_mut().filter_map(|content| content.body.as_mut());
    let media = entry.media.iter_mut().filter_map(|media| media.description.as_mut());
    content.chain(entry.summary.iter_mut().chain(media).map(|text| &mut text.content))
}

struct Lifter<'a> {
    text: &'a str,
    /// The text before this offset is already copied or lifted.
    copied: usize,
    lifted: Lifted<'a>,
    depth: usize,
    /// How many open elements, from the root, are frames or the item in them.
    framed: usize,
    in_item: bool,
}

impl Lifter<'_> {
    /// Visits all tags; `None` if one has no end.
    fn walk(&mut self) -> Option<()> {
        let mut at = 0;
        while let Some(found) = memchr(b'<', &self.text.as_bytes()[at..]) {
            self.leave_out(at, at + found);
            at += found;
            let tag = &self.text[at..];
            at += match tag.as_bytes().get(1)? {
                b'!' => declaration_bytes(tag)?,
                b'?' => end_of(tag, 2, "?>")?,
                b'/' => self.end(tag)?,
                _ => self.start(at, tag)?,
            };
        }
        Some(())
    }

    /// Drops white space between the elements of frames and items, which readers ignore.
    fn leave_out(&mut self, from: usize, to: usize) {
        let is_between = from < to && self.framed > 0 && self.framed == self.depth;
        if is_between && self.text[from..to].bytes().all(|byte| byte.is_ascii_whitespace()) {
            self.lifted.rest.push_str(&self.text[self.copied..from]);
            self.copied = to;
        }
    }

    /// Returns the length of the tag at `at`, including the text that is lifted after it.
    fn start(&mut self, at: usize, tag: &str) -> Option<usize> {
        let length = ElementParser::default().feed(tag.as_bytes())? + 1;
        let tag = &tag[1..length - 1];
        if tag.ends_with('/') {
            return Some(length);
        }
        let (name, attributes) = tag.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((tag, ""));
        let is_text = self.in_item && self.depth == self.framed && TEXTS.contains(&name) && is_plain(attributes);
        if self.depth == self.framed && !self.in_item {
            self.in_item = ITEMS.contains(&name);
            self.framed += usize::from(self.in_item || FRAMES.contains(&name));
        }
        self.depth += 1;
        let lifted = if is_text { self.lift(at + length) } else { None };
        Some(length + lifted.unwrap_or(0))
    }

    fn end(&mut self, tag: &str) -> Option<usize> {
        self.depth = self.depth.checked_sub(1)?;
        if self.framed > self.depth {
            self.framed = self.depth;
            self.in_item = false;
        }
        end_of(tag, 2, ">")
    }

    /// Lifts the text at `start` if it is the element's only content. Surrounding white space stays, since readers trim
    /// differently.
    fn lift(&mut self, start: usize) -> Option<usize> {
        let (found, length) = whole_text(&self.text[start..])?;
        let (from, to) = (found.len() - found.trim_start().len(), found.trim_end().len());
        if length < MIN_BYTES || from >= to {
            return None;
        }
        let Lifted { rest, texts } = &mut self.lifted;
        rest.push_str(&self.text[self.copied..start]);
        let _ = write!(rest, "{}{MARK}{}{MARK}{}", &found[..from], texts.len(), &found[to..]);
        texts.push(match found {
            Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
            Cow::Owned(mut text) => {
                text.truncate(to);
                text.drain(..from);
                Cow::Owned(text)
            }
        });
        self.copied = start + length;
        Some(length)
    }
}

/// Returns the text of an element that contains nothing else, with references resolved, and its length as written.
fn whole_text(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut found = Cow::Borrowed("");
    let mut at = 0;
    loop {
        let stop = at + memchr(b'<', &text.as_bytes()[at..])?;
        found += resolved(&text[at..stop])?;
        at = stop;
        let Some(data) = text[at..].strip_prefix(CDATA.0) else { break };
        let length = memmem::find(data.as_bytes(), CDATA.1.as_bytes())?;
        found += &data[..length];
        at += CDATA.0.len() + length + CDATA.1.len();
    }
    text[at..].starts_with("</").then_some((found, at))
}

/// Resolves references; unknown ones remain. `None` for a reference that readers reject.
fn resolved(text: &str) -> Option<Cow<'_, str>> {
    let Some(first) = memchr(b'&', text.as_bytes()) else { return Some(Cow::Borrowed(text)) };
    let mut out = String::with_capacity(text.len());
    let (before, mut rest) = text.split_at(first);
    out.push_str(before);
    while let Some(behind) = rest.strip_prefix('&') {
        let behind = match behind.as_bytes() {
            [b'l', b't', b';', ..] => push(&mut out, '<', &behind[3..]),
            [b'g', b't', b';', ..] => push(&mut out, '>', &behind[3..]),
            [b'a', b'm', b'p', b';', ..] => push(&mut out, '&', &behind[4..]),
            _ => resolve(&mut out, behind)?,
        };
        let next = memchr(b'&', behind.as_bytes()).unwrap_or(behind.len());
        out.push_str(&behind[..next]);
        rest = &behind[next..];
    }
    Some(Cow::Owned(out))
}

fn push<'a>(out: &mut String, character: char, behind: &'a str) -> &'a str {
    out.push(character);
    behind
}

/// Resolves the reference at the start of `text` and returns the text after it.
fn resolve<'a>(out: &mut String, text: &'a str) -> Option<&'a str> {
    let (name, behind) = text.split_at(memchr(b';', text.as_bytes())?);
    match resolve_predefined_entity(name) {
        Some(known) => out.push_str(known),
        None if name.starts_with('#') => out.push(character(name)?),
        None if name.contains('&') => return None,
        None => _ = write!(out, "&{name};"),
    }
    Some(&behind[1..])
}

/// Resolves a character reference such as `#233`.
fn character(name: &str) -> Option<char> {
    BytesRef::new(name).resolve_char_ref().ok().flatten()
}

/// Returns whether the attributes of a text leave its interpretation unchanged.
fn is_plain(attributes: &str) -> bool {
    let is_listed = |value: &str| {
        let value = value.strip_prefix('=').unwrap_or_default();
        TYPES.iter().any(|kind| {
            value
                .strip_prefix(['"', '\''])
                .is_some_and(|v| v.strip_prefix(kind).is_some_and(|v| v.starts_with(['"', '\''])))
        })
    };
    !attributes.contains("mode")
        && attributes.match_indices("type").all(|(at, name)| is_listed(&attributes[at + name.len()..]))
}

/// Returns the length of a construct that starts with `<!`. `None` for a document type with its own declarations, which
/// the readers handle.
fn declaration_bytes(text: &str) -> Option<usize> {
    if text.starts_with(CDATA.0) {
        end_of(text, CDATA.0.len(), CDATA.1)
    } else if text.starts_with("<!--") {
        end_of(text, 4, "-->")
    } else {
        end_of(text, 2, ">").filter(|end| !text[2..*end].contains(['[', '<']))
    }
}

/// Returns the offset just after the first `end` at or after the byte `from`.
fn end_of(text: &str, from: usize, end: &str) -> Option<usize> {
    memmem::find(text.as_bytes().get(from..)?, end.as_bytes()).map(|at| from + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::lift;

    const LONG: &str = "A text that is long enough to be lifted out of its document.";

    fn lifted(inner: &str) -> Vec<String> {
        let text = format!(
            "<?xml version='1.0'?><rss><channel><description>{LONG}</description><item>{inner}</item></channel></rss>"
        );
        lift(&text)
            .map_or_else(|| vec!["refused".to_owned()], |lifted| lifted.texts.into_iter().map(Into::into).collect())
    }

    #[test]
    fn whole_texts_of_items_are_lifted() {
        assert_eq!(lifted(&format!("<description> {LONG} </description>")), [LONG]);
        assert_eq!(
            lifted(&format!("<summary type='html'>\n<![CDATA[<p>]]>&lt;b&gt;&#233;&nbsp;{LONG}</summary>")),
            [format!("<p><b>é&nbsp;{LONG}")]
        );
        for kept in [
            "<title>T</title>",
            "<summary type='xhtml'>T</summary>",
            "<content mode='base64'>T</content>",
            "<a><summary>T</summary></a>",
            "<summary>T<b/></summary>",
            "<summary>T & </summary>",
            "<summary>T&#0;</summary>",
            "<!--<summary>T</summary>-->",
            "<a t='<summary>T</summary>'/>",
        ] {
            assert_eq!(lifted(&kept.replace('T', LONG)), [""; 0], "{kept}");
        }
    }

    #[test]
    fn marks_of_others_and_what_has_no_end_are_refused() {
        for inner in ["\u{10FFFD}", "&#x10fffd;", "&#01114109;", "<!-- ", "<a b='>", "</item></channel></rss></rss>"] {
            assert_eq!(lifted(inner), ["refused"], "{inner}");
        }
    }

    #[test]
    fn hostile_documents_cost_no_more_than_their_length() {
        for inner in ["&#", "<a>", "<!-", "<summary>&", "<summary><![CDATA[", "<summary>]]>", "</", "&#1;"] {
            let text = format!("<feed><entry>{}", inner.repeat(300_000));
            let start = std::time::Instant::now();
            let _ = lift(&text);
            assert!(start.elapsed() < std::time::Duration::from_secs(5), "{inner}");
        }
    }

    #[test]
    fn a_text_comes_back_once() {
        let mut lifted = lift("<feed><entry><summary>A text that is long enough to be lifted out of its document.</summary></entry></feed>").unwrap();
        assert_eq!(lifted.rest, "<feed><entry><summary>\u{10FFFD}0\u{10FFFD}</summary></entry></feed>");
        assert_eq!(lifted.whole(" \u{10FFFD}0\u{10FFFD}\n").unwrap(), format!(" {LONG}\n"));
        assert_eq!(lifted.whole("\u{10FFFD}0\u{10FFFD}").unwrap(), "");
        assert_eq!(lifted.whole("\u{10FFFD}1\u{10FFFD}"), None);
    }
}
