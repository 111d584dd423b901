//! HTML to plain text. Markup from feeds goes in, text without tags, scripts and invisible characters comes out. Called by
//! the feed connector for bodies and titles.
//!
//! A tokenizer of our own: it keeps no stack of open elements, so that an unclosed `<svg>` or `<head>` hides nothing behind
//! it, and folds and decodes in the same walk. Linear in any input.

use std::borrow::Cow;

use super::fold::{Folded, fold_line};

/// The text of `markup`: block ends become line feeds, entities characters, white space is folded.
#[must_use]
pub fn html_to_text(markup: &str) -> String {
    if !markup.contains(['<', '&']) {
        return fold_line(markup);
    }
    let mut walker = Walker::new(markup);
    walker.walk();
    walker.out.finish()
}

/// One line of text from a title: tags that HTML knows are dropped (`Vec<T>` stays), entities decoded, white space folded.
#[must_use]
pub fn clean_line(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return fold_line(text);
    }
    let mut out = Folded::with_capacity(text.len());
    // Behind the last `>` no tag ends, so none is looked for.
    let (mut rest, tail) = text.split_at(text.rfind('>').map_or(0, |last| last + 1));
    while let Some(at) = rest.find('<') {
        out.push(&decode_entities(&rest[..at]));
        rest = &rest[at..];
        if let Some((end, kind)) = known_tag_end(rest) {
            if kind != Kind::Inline {
                out.space();
            }
            rest = &rest[end..];
        } else {
            out.push("<");
            rest = &rest[1..];
        }
    }
    out.push(&decode_entities(rest));
    out.push(&decode_entities(tail));
    out.finish()
}

/// Whether plain-looking text is markup after all: a known end tag, a line break or a character reference in it.
#[must_use]
pub fn looks_like_html(text: &str) -> bool {
    if !text.contains(['<', '&']) {
        return false;
    }
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let (name, closing) = tag_name(rest);
        let kind = kind_of(name);
        if kind.is_some() && (closing || ["br", "p", "img", "hr"].iter().any(|t| name.eq_ignore_ascii_case(t))) {
            return true;
        }
        rest = &rest[1..];
    }
    text.contains('&') && matches!(decode_entities(text), Cow::Owned(decoded) if decoded != text)
}

/// Named and numeric references become the characters they stand for.
#[must_use]
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    if text.contains('&') { html_escape::decode_html_entities(text) } else { Cow::Borrowed(text) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inline,
    Cell,
    Block,
    /// Dropped with all it holds.
    Hidden(usize),
}

/// Longer than any name that matters; a limit keeps the walk linear.
const MAX_NAME_BYTES: usize = 16;
/// A tag in a title that is longer is taken for text.
const MAX_TITLE_TAG_BYTES: usize = 512;

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

fn kind_of(name: &str) -> Option<Kind> {
    let mut lower = [0_u8; 12];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let name = std::str::from_utf8(lower).ok()?;
    if let Some(index) = HIDDEN.iter().position(|n| *n == name) {
        return Some(Kind::Hidden(index));
    }
    match name {
        "td" | "th" => Some(Kind::Cell),
        _ if BLOCK.contains(&name) => Some(Kind::Block),
        _ if INLINE.contains(&name) => Some(Kind::Inline),
        _ => None,
    }
}

/// The name after `<` or `</`, and whether it is an end tag; empty when no tag starts here.
fn tag_name(text: &str) -> (&str, bool) {
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

fn known_tag_end(text: &str) -> Option<(usize, Kind)> {
    let kind = kind_of(tag_name(text).0)?;
    text.bytes().take(MAX_TITLE_TAG_BYTES).position(|b| b == b'>').map(|end| (end + 1, kind))
}

/// Just behind the `>` that ends the tag at the start of `text`; a `>` within a quoted value does not end it.
fn tag_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let mut after_equals = false;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return Some(at + 1),
            quote @ (b'"' | b'\'') if after_equals => at += 1 + text[at + 1..].find(char::from(quote))?,
            _ => {}
        }
        after_equals = bytes[at] == b'=' || (after_equals && bytes[at].is_ascii_whitespace());
        at += 1;
    }
    None
}

struct Walker<'a> {
    rest: &'a str,
    out: Folded,
    /// Hidden elements whose end tag does not occur any more: not searched for again, which keeps the walk linear.
    unclosed: [bool; HIDDEN.len()],
}

impl<'a> Walker<'a> {
    fn new(markup: &'a str) -> Self {
        Self { rest: markup, out: Folded::with_capacity(markup.len() / 2), unclosed: [false; HIDDEN.len()] }
    }

    fn walk(&mut self) {
        while let Some(at) = self.rest.find('<') {
            self.out.push(&decode_entities(&self.rest[..at]));
            self.rest = &self.rest[at..];
            match self.rest.as_bytes().get(1) {
                Some(b'!') => self.declaration(),
                Some(b'?') => self.skip_past(">"),
                Some(b'/' | b'a'..=b'z' | b'A'..=b'Z') => self.tag(),
                _ => self.literal(),
            }
        }
        self.out.push(&decode_entities(self.rest));
    }

    /// A `<` that starts no tag.
    fn literal(&mut self) {
        self.out.push("<");
        self.rest = &self.rest[1..];
    }

    fn declaration(&mut self) {
        if let Some(inside) = self.rest.strip_prefix("<![CDATA[") {
            let (text, rest) = inside.split_once("]]>").unwrap_or((inside, ""));
            self.out.push(text);
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
        let empty = self.rest[..end].ends_with("/>");
        self.rest = &self.rest[end..];
        match kind_of(name) {
            Some(Kind::Block) => self.out.line(),
            Some(Kind::Cell) => self.out.space(),
            Some(Kind::Hidden(index)) if !closing && (!empty || index < RAW) => self.skip_element(index),
            Some(Kind::Hidden(_) | Kind::Inline) | None => {}
        }
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
    use proptest::prelude::*;

    use super::{clean_line, html_to_text, looks_like_html};

    #[test]
    fn blocks_become_lines_and_scripts_go() {
        let markup = "<head><title>x</title></head><h1>A &amp; B</h1><p>One<br/>two <b>three</b></p>\
                      <script>if (a < b) { alert('<p>') }</script><style>p{}</style><ul><li>x</li><li>y</li></ul>";
        assert_eq!(html_to_text(markup), "A & B\nOne\ntwo three\nx\ny");
    }

    #[test]
    fn quoted_brackets_do_not_end_a_tag() {
        assert_eq!(html_to_text(r#"<a title="a > b" href='x>y'>text</a> 1 < 2 &lt;b&gt;"#), "text 1 < 2 <b>");
    }

    #[test]
    fn broken_markup_costs_no_more_than_its_text() {
        assert_eq!(html_to_text("kept <!-- never closed <p>gone"), "kept");
        assert_eq!(html_to_text("kept <script> gone"), "kept");
        assert_eq!(html_to_text("<svg><p>kept"), "kept");
        assert_eq!(html_to_text("kept <a href=\"gone"), "kept");
        assert_eq!(html_to_text("a <3 b </> c"), "a <3 b c");
    }

    #[test]
    fn hostile_nesting_is_linear() {
        let nested = "<b>".repeat(100_000) + "deep" + &"</i>".repeat(100_000);
        assert_eq!(html_to_text(&nested), "deep");
        assert_eq!(html_to_text(&("<svg><head>".repeat(50_000) + "end")), "end");
        assert_eq!(clean_line(&"<".repeat(100_000)).len(), 100_000);
    }

    #[test]
    fn titles_lose_tags_but_not_generics() {
        assert_eq!(clean_line("Fish &amp;amp; <b>chips</b>\n &#8217;n "), "Fish &amp; chips ’n");
        assert_eq!(clean_line("Why Vec<T> is <i>not</i> a <br> list, 1 < 2"), "Why Vec<T> is not a list, 1 < 2");
    }

    #[test]
    fn markup_is_told_from_text() {
        assert!(looks_like_html("a <b>bold</b> word") && looks_like_html("it&#8217;s") && looks_like_html("a<br>b"));
        assert!(!looks_like_html("the <blink tag & 1 < 2") && !looks_like_html("plain"));
    }

    proptest! {
        #[test]
        fn never_panics_and_never_shows_controls(markup in ".{0,200}|[<>/!\\-a-z\"'= &;#x0-9é]{0,200}") {
            let text = html_to_text(&markup);
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
            let line = clean_line(&markup);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
