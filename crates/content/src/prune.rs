//! Reduces markup to well-nested, shallow markup with allowed elements and attributes and absolute URLs. Linear in any
//! input. Called before a tree is built: tree builders take quadratic time and memory for unlimited attributes and
//! unclosed formatting, and stack depth for unlimited nesting.

use url::Url;

use super::allowed_markup::{ADDED, ATTRIBUTES, GENERAL_ATTRIBUTES, TAGS};
use super::escapes::without_escapes;
use super::fold::is_invisible;
use super::html::decode_entities;
use super::markup::{Kind, Receiver, Tag, walk};

/// For markup that is displayed.
const SHOWN: Profile =
    Profile { more_tags: &[], general_attributes: &GENERAL_ATTRIBUTES, added: &ADDED, max_depth: 40 };
/// For a page whose article is extracted. The additional elements and attributes help to distinguish the article from
/// its surroundings.
const PAGE: Profile =
    Profile { more_tags: &["nav", "form"], general_attributes: &["class", "id", "role"], added: &[], max_depth: 120 };
/// Further attributes of a tag are ignored.
const MAX_ATTRIBUTES: usize = 24;
/// Longer attribute values are dropped.
const MAX_VALUE_BYTES: usize = 2_048;
/// The same limit before character references are decoded.
const MAX_RAW_VALUE_BYTES: usize = 8 * MAX_VALUE_BYTES;

/// Bytes compared at once.
const BLOCK_BYTES: usize = 32;

const VOID: [&str; 3] = ["br", "hr", "img"];
const ADDRESSES: [&str; 3] = ["href", "src", "cite"];

struct Profile {
    /// In addition to [`TAGS`].
    more_tags: &'static [&'static str],
    /// Allowed on any element.
    general_attributes: &'static [&'static str],
    /// Element, attribute and value to add.
    added: &'static [(&'static str, &'static str, &'static str)],
    /// Maximum number of open elements. The tags of deeper elements are dropped, but not their content.
    max_depth: usize,
}

/// Prunes markup for display; see the module. All text is escaped.
pub(super) fn prune(markup: &str, base: Option<&Url>) -> String {
    pruned(markup, base, &SHOWN)
}

/// Prunes a page whose article is extracted.
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
        let Some(name) = self.allowed_tag(tag.name) else {
            // Keeps words apart that a block separated.
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
        let mut seen = Vec::new();
        for (attribute, value) in tag.attributes(MAX_ATTRIBUTES) {
            self.attribute(name, attribute, value, &mut seen);
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
        if let Some(at) = self.allowed_tag(tag.name).and_then(|name| self.open.iter().rposition(|open| *open == name)) {
            self.close_to(at);
        }
    }
}

impl Pruner<'_> {
    /// Closes the elements that this start tag implicitly ends, and all elements open within them, so that none has to
    /// be reopened.
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

    fn allowed_tag(&self, name: &str) -> Option<&'static str> {
        TAGS.iter().chain(self.profile.more_tags).find(|allowed| allowed.eq_ignore_ascii_case(name)).copied()
    }

    fn close_to(&mut self, depth: usize) {
        for name in self.open.drain(depth..).rev() {
            self.out.extend(["</", name, ">"]);
        }
    }

    /// Writes an attribute, unless it is in `seen`: of attributes with the same name the first counts.
    fn attribute(&mut self, tag: &str, name: &str, value: &str, seen: &mut Vec<&'static str>) {
        let lower = name.to_ascii_lowercase();
        let own = ATTRIBUTES.iter().find(|(element, _)| *element == tag).map_or(&[][..], |(_, names)| names);
        let Some(name) = own.iter().chain(self.profile.general_attributes).find(|allowed| **allowed == lower) else {
            return;
        };
        if value.len() > MAX_RAW_VALUE_BYTES || seen.contains(name) {
            return;
        }
        seen.push(*name);
        let value = decode_entities(value);
        let value = if ADDRESSES.contains(name) { self.address(tag, &value) } else { Some(value.into_owned()) };
        if let Some(value) = value.filter(|value| value.len() <= MAX_VALUE_BYTES) {
            self.out.extend([" ", name, "=\""]);
            escape(&value, "&quot;", &mut self.out);
            self.out.push('"');
        }
    }

    /// Returns an absolute http(s) URL, or a mailto URL in a link; `None` for other URLs.
    fn address(&self, tag: &str, value: &str) -> Option<String> {
        let url = Url::options().base_url(self.base).parse(value.trim()).ok()?;
        let is_allowed = match url.scheme() {
            "http" | "https" => url.username().is_empty() && url.password().is_none(),
            "mailto" => tag == "a",
            _ => false,
        };
        is_allowed.then(|| url.into())
    }
}

/// Escapes `text` as in the HTML standard. A quotation mark, which needs escaping only in attributes, is written as
/// `quote`.
fn escape(text: &str, quote: &str, out: &mut String) {
    let text = without_escapes(text);
    let mut rest: &str = &text;
    loop {
        let (plain, after) = rest.split_at(plain_bytes(rest.as_bytes()));
        out.push_str(plain);
        let mut chars = after.chars();
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

/// Returns the number of leading bytes that need no escaping: visible ASCII and white space. Whole blocks are compared
/// at once.
fn plain_bytes(bytes: &[u8]) -> usize {
    let all_plain = |block: &&[u8]| block.iter().fold(true, |plain, byte| plain & is_plain(*byte));
    let blocks = bytes.chunks_exact(BLOCK_BYTES).take_while(all_plain).count() * BLOCK_BYTES;
    blocks + bytes[blocks..].iter().take_while(|byte| is_plain(**byte)).count()
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' '..=b'~') & !matches!(byte, b'&' | b'<' | b'>' | b'"')
}
