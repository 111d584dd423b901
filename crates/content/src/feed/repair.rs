//! Makes a broken XML feed well-formed. Input: text; output: text and the names of the repairs. Called by the parser if
//! a document cannot be read as it is.

use std::collections::BTreeSet;
use std::fmt::Write;

use html_escape::{decode_html_entities, encode_double_quoted_attribute, encode_text};

use crate::escapes::without_escapes;

/// Elements with text content, in which a bare `<` must be text too.
const TEXT_ELEMENTS: [&str; 9] = [
    "title",
    "description",
    "content:encoded",
    "summary",
    "content",
    "subtitle",
    "rights",
    "itunes:summary",
    "media:description",
];

const ESCAPES: [&str; 4] = ["&#27;", "&#x1b;", "&#x1B;", "&#027;"];

/// Repairs control characters, bare ampersands, HTML entities, stray `<` and unescaped HTML, character by character.
#[must_use]
pub fn repair(text: &str) -> (String, BTreeSet<&'static str>) {
    let mut repairer = Repairer {
        out: String::with_capacity(text.len() + text.len() / 16),
        done: BTreeSet::new(),
        budget: text.len().saturating_mul(4),
    };
    // Decoded first, an escape character is removed with the terminal sequence that it opens.
    if ESCAPES.iter().any(|escape| text.contains(escape)) {
        repairer.markup(&ESCAPES.iter().fold(text.to_owned(), |text, escape| text.replace(escape, "\u{1b}")));
    } else {
        repairer.markup(text);
    }
    (repairer.out, repairer.done)
}

struct Repairer {
    out: String,
    done: BTreeSet<&'static str>,
    /// Bytes that may still be searched for end tags: bounds the work on hostile documents, which would otherwise be
    /// quadratic.
    budget: usize,
}

impl Repairer {
    fn markup(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            self.text(&rest[..at]);
            rest = &rest[at..];
            rest = self.tag(rest);
        }
        self.text(rest);
    }

    /// Copies the construct that starts with `<` and returns the text after it.
    fn tag<'a>(&mut self, text: &'a str) -> &'a str {
        for (open, close) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")] {
            if text.starts_with(open) {
                let end = text.find(close).map_or(text.len(), |at| at + close.len());
                if open != "<!--" {
                    self.clean(&text[..end]);
                }
                return &text[end..];
            }
        }
        if text.starts_with("<!") {
            // An internal subset is searched for only once, since a document type precedes the root.
            let end = doctype_end(text, self.done.insert("left out a document type"));
            return &text[end..];
        }
        let is_name = |c: char| c.is_alphabetic() || c == '_';
        let after = &text[1..];
        let starts_tag = after.starts_with(is_name) || after.strip_prefix('/').is_some_and(|r| r.starts_with(is_name));
        let end = tag_end(text).filter(|_| starts_tag);
        let Some(end) = end else {
            self.done.insert("escaped a stray <");
            self.out.push_str("&lt;");
            return after;
        };
        self.attributes(&text[..end]);
        let rest = &text[end..];
        match text_element(&text[..end]).and_then(|name| self.split_at_close(rest, name)) {
            Some((inner, rest)) => {
                self.text_content(inner);
                rest
            }
            None => rest,
        }
    }

    /// Splits before the end tag of `name`, which must precede the end of the item. End tags within CDATA do not count.
    fn split_at_close<'a>(&mut self, text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
        let mut from = 0;
        while self.budget > 0 {
            let found = text[from..].find("</");
            self.budget = self.budget.saturating_sub(found.unwrap_or(text.len() - from) + 1);
            let at = from + found?;
            if let Some(open) = text[from..at].rfind("<![CDATA[").map(|open| from + open)
                && !text[open..at].contains("]]>")
            {
                from = at + text[at..].find("]]>")?;
                continue;
            }
            let end_tag = &text[at + 2..];
            if end_tag.strip_prefix(name).is_some_and(|r| r.trim_start().starts_with('>')) {
                return Some(text.split_at(at));
            }
            if ["item", "entry", "channel", "feed"].iter().any(|n| end_tag.starts_with(n)) {
                return None;
            }
            from = at + 2;
        }
        None
    }

    /// Writes the content of a text element. If it contains tags, all of it is escaped.
    fn text_content(&mut self, inner: &str) {
        if !has_bare_tag(inner) {
            return self.markup(inner);
        }
        self.done.insert("escaped HTML in a text");
        let mut rest = inner;
        while let Some((before, after)) = rest.split_once("<![CDATA[") {
            self.escape(before);
            let (data, behind) = after.split_once("]]>").unwrap_or((after, ""));
            self.escape(data);
            rest = behind;
        }
        self.escape(rest);
    }

    fn escape(&mut self, text: &str) {
        // A character reference remains one, now of the escaped HTML.
        self.clean(&encode_text(text));
    }

    fn attributes(&mut self, tag: &str) {
        if tag.contains('&') { self.text(tag) } else { self.clean(tag) }
    }

    /// Writes text outside CDATA with references resolved or escaped.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            self.clean(&rest[..at]);
            rest = &rest[at..];
            let name_end =
                rest[1..].bytes().take(40).take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count() + 1;
            let name = &rest[1..name_end];
            if rest[name_end..].starts_with(';') && !name.is_empty() {
                let reference = &rest[..=name_end];
                self.reference(reference, name);
                rest = &rest[name_end + 1..];
            } else {
                self.done.insert("escaped a bare &");
                self.out.push_str("&amp;");
                rest = &rest[1..];
            }
        }
        self.clean(rest);
    }

    fn reference(&mut self, reference: &str, name: &str) {
        if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
            return self.out.push_str(reference);
        }
        let decoded = decode_html_entities(reference);
        let usable = decoded != reference && decoded.chars().all(|c| !is_illegal(c));
        if usable {
            self.done.insert("resolved an HTML entity");
            self.out.push_str(&encode_double_quoted_attribute(&decoded));
        } else if name.starts_with('#') {
            self.done.insert("left out a reference to no character");
            self.out.push('\u{FFFD}');
        } else {
            self.done.insert("escaped a bare &");
            let _ = write!(self.out, "&amp;{name};");
        }
    }

    fn clean(&mut self, text: &str) {
        if text.contains(is_illegal) {
            self.done.insert("left out control characters");
            self.out.extend(without_escapes(text).chars().filter(|c| !is_illegal(*c)));
        } else {
            self.out.push_str(text);
        }
    }
}

/// Whether XML 1.0 forbids the character.
const fn is_illegal(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// A longer tag is treated as text. The limit keeps the walk linear.
const MAX_TAG_BYTES: usize = 64 * 1024;

fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(MAX_TAG_BYTES).skip(1) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'<') => return None,
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn doctype_end(text: &str, may_have_subset: bool) -> usize {
    let close = text.find('>');
    let head = &text[..close.unwrap_or(text.len())];
    let subset = head.find('[').filter(|_| may_have_subset).and_then(|open| text[open..].find(']').map(|at| open + at));
    match subset {
        Some(at) => text[at..].find('>').map_or(text.len(), |end| at + end + 1),
        None => close.map_or(text.len(), |close| close + 1),
    }
}

fn text_element(tag: &str) -> Option<&'static str> {
    if tag.ends_with("/>") || tag.contains("xhtml") {
        return None;
    }
    let name = tag[1..].split(|c: char| c.is_ascii_whitespace() || c == '>').next()?;
    TEXT_ELEMENTS.iter().find(|n| **n == name).copied()
}

fn has_bare_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let Some(data) = rest[at..].strip_prefix("<![CDATA[") else { return true };
        rest = data.split_once("]]>").map_or("", |(_, after)| after);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::repair;

    fn repaired(text: &str) -> String {
        repair(text).0
    }

    #[test]
    fn characters_are_repaired_where_they_are_broken() {
        assert_eq!(
            repaired("<a b='x&y'>1 & 2 &amp; &eacute;&nbsp;&bogus; &#0;\u{1}</a>"),
            "<a b='x&amp;y'>1 &amp; 2 &amp; é\u{a0}&amp;bogus; \u{fffd}</a>"
        );
        assert_eq!(repaired("<a><![CDATA[x & <b> \u{b}]]></a>"), "<a><![CDATA[x & <b> ]]></a>");
        assert_eq!(repaired("<a>1 < 2</a>"), "<a>1 &lt; 2</a>");
    }

    #[test]
    fn terminal_sequences_go_whole() {
        assert_eq!(
            repaired("<a>\u{1b}[31mred &#27;[0m&amp; <![CDATA[\u{1b}]0;t\u{7}x]]></a>"),
            "<a>red &amp; <![CDATA[x]]></a>"
        );
    }

    #[test]
    fn unescaped_html_becomes_text() {
        assert_eq!(
            repaired("<item><description>a<br>b &amp; <p>c</description></item>"),
            "<item><description>a&lt;br&gt;b &amp;amp; &lt;p&gt;c</description></item>"
        );
        assert_eq!(repaired("<title>a <![CDATA[<b>]]></title>"), "<title>a <![CDATA[<b>]]></title>");
    }

    #[test]
    fn a_declaration_without_an_end_takes_the_rest() {
        for text in ["<!en t¾", "<![Cž", "<!DOCTYPE é", "<!DOCTYPE [é", "<!DOCTYPE [é]ž", "<!", "<!é"] {
            assert!(repaired(&format!("<a>1</a>{text}")).starts_with("<a>1</a>"), "{text}");
        }
    }
}
