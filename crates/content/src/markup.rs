//! Tokenises markup into tags and text. Called by the conversion to text and by the pruning of markup.
//!
//! Runs before any tree builder. It keeps no stack of open elements, so an unclosed `<svg>` or `<head>` hides nothing
//! after it. It is linear in any input, while tree builders are not for many attributes and unclosed formatting.

use std::sync::LazyLock;

use memchr::memchr;

/// Receives the parts of a document in order.
pub(super) trait Receiver {
    /// Text as written, with character references.
    fn text(&mut self, raw: &str);
    /// Text without character references.
    fn literal(&mut self, text: &str);
    fn start(&mut self, tag: &Tag<'_>);
    fn end(&mut self, tag: &Tag<'_>);
    /// Returns whether the content of a hidden element is passed on nevertheless. The element's own tags are not.
    fn includes_hidden(&self, _name: &str) -> bool {
        false
    }
}

/// A tag. Tags of hidden elements are never passed on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    /// `None` for an unknown element.
    pub(super) kind: Option<Kind>,
    /// The text between the name and the `>`.
    pub(super) attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// Returns the names and raw values of the first `limit` attributes.
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
    let (name, after) = text.split_at(end);
    let Some(value) = after.trim_start().strip_prefix('=').map(str::trim_start) else {
        *rest = after;
        return Some((name, ""));
    };
    let (value, after) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        _ => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
    };
    *rest = after;
    Some((name, value))
}

/// Passes the parts of `markup` to `receiver`.
pub(super) fn walk(markup: &str, receiver: &mut impl Receiver) {
    Walker { rest: markup, receiver, unclosed: [false; HIDDEN.len()] }.walk();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Inline,
    Cell,
    Block,
    /// Dropped with its content. The number is the index in [`HIDDEN`].
    Hidden(usize),
}

/// Longer than any known name. The limit keeps the walk linear.
const MAX_NAME_BYTES: usize = 16;

/// Elements whose content is not displayed. The first [`RAW`] contain text without tags: unclosed, they hide the rest
/// of the document.
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

/// All names, sorted for binary search, because this is looked up for every tag.
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

/// Packs a lower-case name and its length into a number; `None` if it is longer than any known name.
fn packed(name: &str) -> Option<u128> {
    let mut bytes = [0_u8; MAX_NAME_BYTES];
    let (length, rest) = bytes.split_first_mut()?;
    *length = u8::try_from(name.len()).ok()?;
    rest.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    rest.make_ascii_lowercase();
    Some(u128::from_be_bytes(bytes))
}

/// Returns the name after `<` or `</`, and whether it is an end tag. The name is empty if no tag starts here.
pub(super) fn tag_name(text: &str) -> (&str, bool) {
    let closing = text.as_bytes().get(1) == Some(&b'/');
    let start = if closing { 2 } else { 1 };
    let rest = text.get(start..).unwrap_or_default();
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return ("", closing);
    }
    let is_name = |b: &&u8| !(b.is_ascii_whitespace() || matches!(b, b'>' | b'/'));
    let end = rest.bytes().take(MAX_NAME_BYTES).take_while(|b| is_name(&b)).count();
    // A name that is longer or cut within a character is not a known element.
    (rest.get(..end).unwrap_or("?"), closing)
}

/// Returns the offset just after the `>` that ends the tag at the start of `text`. A `>` within a quoted value does not
/// end it. `None` if the tag has no end.
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
    /// Hidden elements without a further end tag. They are not searched for again, which keeps the walk linear.
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

    /// Passes on a `<` that starts no tag.
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
            let is_skipped = !closing && !self.receiver.includes_hidden(HIDDEN[index]);
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
