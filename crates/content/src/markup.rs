//! Markup to tags and text. Called by what makes text of it and by what keeps some of it.
//!
//! A tokenizer of our own, in front of all that builds trees: it keeps no stack of open elements, so that an unclosed `<svg>` or
//! `<head>` hides nothing behind it, and is linear in any input, which those are not in attributes and unclosed formatting.

use std::sync::LazyLock;

use memchr::memchr;

/// What becomes of the parts, in their order.
pub(super) trait Receiver {
    /// Text as written: its references are not resolved.
    fn text(&mut self, raw: &str);
    /// Text without references.
    fn literal(&mut self, text: &str);
    fn start(&mut self, tag: &Tag<'_>);
    fn end(&mut self, tag: &Tag<'_>);
    /// Whether what a hidden element holds is wanted all the same; its own tags are not handed on.
    fn wants_hidden(&self, _name: &str) -> bool {
        false
    }
}

/// A tag; none of a hidden element gets here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    /// `None` for an element that HTML does not know.
    pub(super) kind: Option<Kind>,
    /// What stands between the name and the `>`.
    pub(super) attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The attributes' names and raw values, the first `limit` of them.
    pub(super) fn attributes(&self, limit: usize) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || next_attribute(&mut rest)).take(limit)
    }
}

fn next_attribute<'a>(rest: &mut &'a str) -> Option<(&'a str, &'a str)> {
    let is_gap = |c: char| c.is_ascii_whitespace() || c == '/';
    let text = rest.trim_start_matches(is_gap);
    let first = text.chars().next()?.len_utf8();
    let end = text[first..].find(|c: char| is_gap(c) || c == '=').map_or(text.len(), |at| first + at);
    let (name, behind) = text.split_at(end);
    let Some(value) = behind.trim_start().strip_prefix('=').map(str::trim_start) else {
        *rest = behind;
        return Some((name, ""));
    };
    let (value, behind) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        _ => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
    };
    *rest = behind;
    Some((name, value))
}

/// Hands the parts of `markup` to `receiver`.
pub(super) fn walk(markup: &str, receiver: &mut impl Receiver) {
    Walker { rest: markup, receiver, unclosed: [false; HIDDEN.len()] }.walk();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Inline,
    Cell,
    Block,
    /// Dropped with all it holds.
    Hidden(usize),
}

/// Longer than any name that matters; a limit keeps the walk linear.
const MAX_NAME_BYTES: usize = 16;

/// Elements whose content nobody reads. The first [`RAW`] of them hold text without tags: unclosed, they swallow the rest.
const HIDDEN: [&str; 11] =
    ["script", "style", "noscript", "iframe", "svg", "head", "template", "textarea", "select", "object", "math"];
const RAW: usize = 2;

const BLOCK: [&str; 46] = [
    "p",
    "div",
    "br",
    "li",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "tr",
    "table",
    "blockquote",
    "pre",
    "section",
    "article",
    "header",
    "footer",
    "figure",
    "figcaption",
    "hr",
    "dt",
    "dd",
    "dl",
    "address",
    "aside",
    "nav",
    "main",
    "form",
    "fieldset",
    "details",
    "summary",
    "center",
    "body",
    "html",
    "thead",
    "tbody",
    "tfoot",
    "caption",
    "legend",
    "menu",
    "dir",
    "option",
    "title",
];

const INLINE: [&str; 48] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins",
    "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr", "label", "input", "button", "audio", "video", "source", "picture", "embed", "param", "ruby", "rt", "rp",
    "nobr", "blink", "link", "meta",
];

pub(super) fn kind_of(name: &str) -> Option<Kind> {
    let packed = packed(name)?;
    let at = KINDS.binary_search_by_key(&packed, |(name, _)| *name).ok()?;
    KINDS.get(at).map(|(_, kind)| *kind)
}

/// All names in order, so that one is found in a few steps: this is asked for every tag.
static KINDS: LazyLock<Vec<(u128, Kind)>> = LazyLock::new(|| {
    let hidden = HIDDEN.iter().enumerate().map(|(index, name)| (*name, Kind::Hidden(index)));
    let cells = ["td", "th"].into_iter().map(|name| (name, Kind::Cell));
    let blocks = BLOCK.iter().map(|name| (*name, Kind::Block));
    let inline = INLINE.iter().map(|name| (*name, Kind::Inline));
    let named = hidden.chain(cells).chain(blocks).chain(inline);
    let mut kinds: Vec<_> = named.filter_map(|(name, kind)| Some((packed(name)?, kind))).collect();
    kinds.sort_unstable_by_key(|(name, _)| *name);
    kinds
});

/// A name in lower case, and its length, as a number; `None` for one that is longer than any that is known.
fn packed(name: &str) -> Option<u128> {
    let mut bytes = [0_u8; MAX_NAME_BYTES];
    let (length, rest) = bytes.split_first_mut()?;
    *length = u8::try_from(name.len()).ok()?;
    rest.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    rest.make_ascii_lowercase();
    Some(u128::from_be_bytes(bytes))
}

/// The name after `<` or `</`, and whether it is an end tag; empty when no tag starts here.
pub(super) fn tag_name(text: &str) -> (&str, bool) {
    let closing = text.as_bytes().get(1) == Some(&b'/');
    let start = if closing { 2 } else { 1 };
    let rest = text.get(start..).unwrap_or_default();
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return ("", closing);
    }
    let is_name = |b: &&u8| !(b.is_ascii_whitespace() || matches!(b, b'>' | b'/'));
    let end = rest.bytes().take(MAX_NAME_BYTES).take_while(|b| is_name(&b)).count();
    // A longer or a strange name is no element's: cut anywhere it stays unknown.
    (rest.get(..end).unwrap_or("?"), closing)
}

/// Just behind the `>` that ends the tag at the start of `text`; a `>` within a quoted value does not end it.
fn tag_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let mut after_equals = false;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return Some(at + 1),
            quote @ (b'"' | b'\'') if after_equals => at += 1 + memchr(quote, &bytes[at + 1..])?,
            _ => {}
        }
        after_equals = bytes[at] == b'=' || (after_equals && bytes[at].is_ascii_whitespace());
        at += 1;
    }
    None
}

struct Walker<'a, 'r, R> {
    rest: &'a str,
    receiver: &'r mut R,
    /// Hidden elements whose end tag does not occur any more: not searched for again, which keeps the walk linear.
    unclosed: [bool; HIDDEN.len()],
}

impl<R: Receiver> Walker<'_, '_, R> {
    fn walk(&mut self) {
        while let Some(at) = memchr(b'<', self.rest.as_bytes()) {
            self.receiver.text(&self.rest[..at]);
            self.rest = &self.rest[at..];
            match self.rest.as_bytes().get(1) {
                Some(b'!') => self.declaration(),
                Some(b'?') => self.skip_past(">"),
                Some(b'/' | b'a'..=b'z' | b'A'..=b'Z') => self.tag(),
                _ => self.literal(),
            }
        }
        self.receiver.text(self.rest);
    }

    /// A `<` that starts no tag.
    fn literal(&mut self) {
        self.receiver.literal("<");
        self.rest = &self.rest[1..];
    }

    fn declaration(&mut self) {
        if let Some(inside) = self.rest.strip_prefix("<![CDATA[") {
            let (text, rest) = inside.split_once("]]>").unwrap_or((inside, ""));
            self.receiver.literal(text);
            self.rest = rest;
        } else if self.rest.starts_with("<!--") {
            self.rest = &self.rest[2..];
            self.skip_past("-->");
        } else {
            self.skip_past(">");
        }
    }

    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }

    fn tag(&mut self) {
        let (name, closing) = tag_name(self.rest);
        if name.is_empty() {
            return if closing { self.skip_past(">") } else { self.literal() };
        }
        let Some(end) = tag_end(self.rest) else {
            self.rest = "";
            return;
        };
        let (tag, rest) = self.rest.split_at(end);
        self.rest = rest;
        let kind = kind_of(name);
        if let Some(Kind::Hidden(index)) = kind {
            let is_skipped = !closing && !self.receiver.wants_hidden(HIDDEN[index]);
            if is_skipped && (!tag.ends_with("/>") || index < RAW) {
                self.skip_element(index);
            }
            return;
        }
        let before = name.len() + if closing { 2 } else { 1 };
        let tag = Tag { name, kind, attributes: tag.get(before..end - 1).unwrap_or_default() };
        if closing { self.receiver.end(&tag) } else { self.receiver.start(&tag) }
    }

    fn skip_element(&mut self, index: usize) {
        if self.unclosed[index] {
            return;
        }
        let name = HIDDEN[index];
        let mut from = 0;
        while let Some(at) = self.rest[from..].find("</").map(|at| from + at) {
            let (found, _) = tag_name(&self.rest[at..]);
            if found.eq_ignore_ascii_case(name) {
                self.rest = &self.rest[at..];
                return self.skip_past(">");
            }
            from = at + 2;
        }
        self.unclosed[index] = true;
        if index < RAW {
            self.rest = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn attributes_are_read_however_they_are_quoted() {
        let tag = Tag { name: "a", kind: None, attributes: " href='a>b' title = \"x y\" checked width=3 /x=/y ='z'" };
        let found: Vec<_> = tag.attributes(9).collect();
        let expected =
            [("href", "a>b"), ("title", "x y"), ("checked", ""), ("width", "3"), ("x", "/y"), ("=", ""), ("'z'", "")];
        assert_eq!(found[..5], expected[..5]);
        assert_eq!(tag.attributes(2).count(), 2);
    }
}
