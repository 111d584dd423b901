//! Markup cut down to well-nested, shallow markup of the listed elements and attributes, its addresses absolute. Linear in any
//! input. Called before a tree is built of it: trees take quadratic time and memory for attributes without number and for
//! formatting that is never closed, and stack depth for nesting without end.

use url::Url;

use super::allowed_markup::{ADDED, ATTRIBUTES, GENERAL_ATTRIBUTES, TAGS};
use super::escapes::without_escapes;
use super::fold::is_invisible;
use super::html::decode_entities;
use super::markup::{Kind, Receiver, Tag, walk};

/// What is left of markup that is shown.
const SHOWN: Profile =
    Profile { more_tags: &[], general_attributes: &GENERAL_ATTRIBUTES, added: &ADDED, max_depth: 40 };
/// What is left of a page whose article is looked for: also what tells the article from what surrounds it.
const PAGE: Profile =
    Profile { more_tags: &["nav", "form"], general_attributes: &["class", "id", "role"], added: &[], max_depth: 120 };
/// Attributes looked at on one tag.
const MAX_ATTRIBUTES: usize = 24;
/// A longer value is no address and no title.
const MAX_VALUE_BYTES: usize = 2_048;
/// The same as it may stand in markup, with references for characters.
const MAX_RAW_VALUE_BYTES: usize = 8 * MAX_VALUE_BYTES;

/// Bytes compared at once.
const BLOCK_BYTES: usize = 32;

const VOID: [&str; 3] = ["br", "hr", "img"];
const ADDRESSES: [&str; 3] = ["href", "src", "cite"];

struct Profile {
    /// Besides those that may be shown.
    more_tags: &'static [&'static str],
    /// On any element.
    general_attributes: &'static [&'static str],
    /// Elements, and the attribute and value that each gets.
    added: &'static [(&'static str, &'static str, &'static str)],
    /// Elements that are open at once; further ones leave what they hold.
    max_depth: usize,
}

/// See the module. All text is escaped.
pub(super) fn prune(markup: &str, base: Option<&Url>) -> String {
    pruned(markup, base, &SHOWN)
}

/// The same for a page whose article is looked for.
#[must_use]
pub fn prune_page(html: &str, base: Option<&Url>) -> String {
    pruned(html, base, &PAGE)
}

fn pruned(markup: &str, base: Option<&Url>, profile: &'static Profile) -> String {
    let out = String::with_capacity(markup.len());
    let mut pruner = Pruner { out, open: Vec::new(), base, profile };
    walk(markup, &mut pruner);
    pruner.close_to(0);
    pruner.out
}

struct Pruner<'b> {
    out: String,
    open: Vec<&'static str>,
    base: Option<&'b Url>,
    profile: &'static Profile,
}

impl Receiver for Pruner<'_> {
    fn text(&mut self, raw: &str) {
        self.literal(&decode_entities(raw));
    }

    fn literal(&mut self, text: &str) {
        escape(text, "\"", &mut self.out);
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let Some(name) = self.listed(tag.name) else {
            // Words that a block held apart stay apart.
            if matches!(tag.kind, Some(Kind::Block | Kind::Cell)) {
                self.out.push(' ');
            }
            return;
        };
        self.close_implied(name, tag.kind == Some(Kind::Block));
        let is_void = VOID.contains(&name);
        if !is_void && self.open.len() >= self.profile.max_depth {
            return;
        }
        self.out.extend(["<", name]);
        let mut given = Vec::new();
        for (attribute, value) in tag.attributes(MAX_ATTRIBUTES) {
            self.attribute(name, attribute, value, &mut given);
        }
        for (_, attribute, value) in self.profile.added.iter().filter(|(element, ..)| *element == name) {
            self.out.extend([" ", attribute, "=\"", value, "\""]);
        }
        self.out.push('>');
        if !is_void {
            self.open.push(name);
        }
    }

    fn end(&mut self, tag: &Tag<'_>) {
        if let Some(at) = self.listed(tag.name).and_then(|name| self.open.iter().rposition(|open| *open == name)) {
            self.close_to(at);
        }
    }
}

impl Pruner<'_> {
    /// Closes what a start tag closes by itself, with all that stands open in it, so that nothing is left to be opened again.
    fn close_implied(&mut self, name: &str, is_block: bool) {
        let (closed, within): (&[&str], &[&str]) = match name {
            "a" => (&["a"], &[]),
            "li" => (&["li"], &["ul", "ol"]),
            "dd" | "dt" => (&["dd", "dt"], &["dl"]),
            "td" | "th" => (&["td", "th"], &["table"]),
            "tr" => (&["tr"], &["table"]),
            "tbody" | "thead" | "tfoot" => (&["tbody", "thead", "tfoot"], &["table"]),
            _ if is_block && name != "br" => (&["p"], &["td", "th"]),
            _ => return,
        };
        let at = self.open.iter().rposition(|open| closed.contains(open));
        let barrier = self.open.iter().rposition(|open| within.contains(open));
        if let Some(at) = at.filter(|at| barrier.is_none_or(|barrier| barrier < *at)) {
            self.close_to(at);
        }
    }

    fn listed(&self, name: &str) -> Option<&'static str> {
        TAGS.iter().chain(self.profile.more_tags).find(|listed| listed.eq_ignore_ascii_case(name)).copied()
    }

    fn close_to(&mut self, depth: usize) {
        for name in self.open.drain(depth..).rev() {
            self.out.extend(["</", name, ">"]);
        }
    }

    /// Writes an attribute unless it is among those that were `given` before, of which the first counts.
    fn attribute(&mut self, tag: &str, name: &str, value: &str, given: &mut Vec<&'static str>) {
        let lower = name.to_ascii_lowercase();
        let own = ATTRIBUTES.iter().find(|(element, _)| *element == tag).map_or(&[][..], |(_, names)| names);
        let Some(name) = own.iter().chain(self.profile.general_attributes).find(|listed| **listed == lower) else {
            return;
        };
        if value.len() > MAX_RAW_VALUE_BYTES || given.contains(name) {
            return;
        }
        given.push(*name);
        let value = decode_entities(value);
        let value = if ADDRESSES.contains(name) { self.address(tag, &value) } else { Some(value.into_owned()) };
        if let Some(value) = value.filter(|value| value.len() <= MAX_VALUE_BYTES) {
            self.out.extend([" ", name, "=\""]);
            escape(&value, "&quot;", &mut self.out);
            self.out.push('"');
        }
    }

    /// An absolute address of the web; a link may also write a mail.
    fn address(&self, tag: &str, value: &str) -> Option<String> {
        let url = Url::options().base_url(self.base).parse(value.trim()).ok()?;
        let is_fit = match url.scheme() {
            "http" | "https" => url.username().is_empty() && url.password().is_none(),
            "mailto" => tag == "a",
            _ => false,
        };
        is_fit.then(|| url.into())
    }
}

/// Writes `text` as the HTML standard has it written; a quotation mark, which is escaped in attributes alone, as `quote`.
fn escape(text: &str, quote: &str, out: &mut String) {
    let text = without_escapes(text);
    let mut rest: &str = &text;
    loop {
        let (plain, behind) = rest.split_at(plain_bytes(rest.as_bytes()));
        out.push_str(plain);
        let mut chars = behind.chars();
        match chars.next() {
            None => return,
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some('"') => out.push_str(quote),
            Some('\u{a0}') => out.push_str("&nbsp;"),
            Some(ch) if is_invisible(ch) => {}
            Some(ch) => out.push(ch),
        }
        rest = chars.as_str();
    }
}

/// How many bytes at the start stand for themselves: visible ASCII and white space. Whole blocks are compared at once.
fn plain_bytes(bytes: &[u8]) -> usize {
    let all_plain = |block: &&[u8]| block.iter().fold(true, |plain, byte| plain & is_plain(*byte));
    let blocks = bytes.chunks_exact(BLOCK_BYTES).take_while(all_plain).count() * BLOCK_BYTES;
    blocks + bytes[blocks..].iter().take_while(|byte| is_plain(**byte)).count()
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' '..=b'~') & !matches!(byte, b'&' | b'<' | b'>' | b'"')
}
