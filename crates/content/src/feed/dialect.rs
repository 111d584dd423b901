//! Rewrites a well-formed feed in an old or incorrect dialect into one that feed-rs reads. It handles Atom 0.3,
//! undeclared prefixes, unusual namespaces, names in the wrong case, unescaped markup in texts, and base64. Called by
//! the parser if the survey finds that it is needed.

use std::fmt::Write;

use html_escape::encode_text;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

use super::limits::MAX_BASE_BYTES;
use super::survey::{ItemExtras, Rewriting, attribute, reader};
use super::vocabulary::{
    ATOM, Dialect, PREFIXES, Position, RSS1, Space, Tracker, is_person, is_text_construct, spelling,
};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// The link written for an item without one. It is not an http(s) URL, so it is dropped later.
const NO_LINK: &str = "about:blank";

/// Returns the rewritten document, cut at its first syntax error. `items` are its items as surveyed.
pub(super) fn rewrite(text: &str, items: &[ItemExtras]) -> String {
    let mut writer = Rewriter {
        out: String::with_capacity(text.len() + 1024),
        tracker: Tracker::new(),
        open: Vec::new(),
        construct: None,
        items: items.iter(),
        item: None,
        link: None,
        has_summary: false,
    };
    let mut reader = reader(text);
    loop {
        match reader.read_resolved_event() {
            Ok((namespace, Event::Start(start))) => writer.start(&start, &namespace),
            Ok((_, Event::End(_))) => writer.end(),
            Ok((_, Event::Text(text))) => writer.text(&text),
            Ok((_, Event::CData(data))) => writer.cdata(&data),
            Ok((_, Event::GeneralRef(reference))) => writer.reference(&reference),
            Ok((_, Event::Eof)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    while !writer.open.is_empty() {
        writer.end();
    }
    writer.out
}

/// An open text construct: its declared type and its actual content.
struct Construct {
    depth: usize,
    name: String,
    kind: String,
    base64: bool,
    attributes: String,
    inner: String,
    has_markup: bool,
}

struct Rewriter<'a> {
    out: String,
    tracker: Tracker,
    /// The end tags to write; `None` for an element whose tags are omitted.
    open: Vec<Option<String>>,
    construct: Option<Construct>,
    items: std::slice::Iter<'a, ItemExtras>,
    /// The most recently opened item.
    item: Option<&'a ItemExtras>,
    /// The address of the open RSS 1.0 item, which is written as its last link: that of an Atom link, otherwise its
    /// `rdf:about`. The item's own links precede it.
    link: Option<String>,
    /// Whether the open item already has a summary. Of `summary` and `description`, the first becomes the summary and
    /// the second the content.
    has_summary: bool,
}

impl Rewriter<'_> {
    fn start(&mut self, start: &BytesStart<'_>, namespace: &ResolveResult<'_>) {
        let local = start.local_name();
        let name = spelling(local.as_ref());
        let position = self.tracker.enter(start, namespace, name);
        if position.starts_item {
            self.item = self.items.next();
        }
        if self.construct.is_some() {
            return self.inner_start(start);
        }
        if self.tracker.depth == 1 {
            return self.root(start, name);
        }
        // Only one channel is written; it opens and closes with the root.
        if self.tracker.dialect == Dialect::Rss
            && position.space == Space::Own
            && name == "channel"
            && self.tracker.depth == 2
        {
            return self.open.push(None);
        }
        if position.starts_item && self.tracker.dialect == Dialect::Rdf {
            let about = || attribute(start, "rdf:about").filter(|about| !about.trim().is_empty());
            let linked = self.item.and_then(|item| item.link.clone());
            self.link = Some(linked.or_else(about).unwrap_or_else(|| NO_LINK.to_owned()));
        }
        self.has_summary &= !position.starts_item;
        match self.rewriting(name, position) {
            Rewriting::As(text) => return self.open_construct(start, text.element().to_owned()),
            Rewriting::Dropped => return self.open_construct(start, String::new()),
            Rewriting::AsUsual => {}
        }
        let written = self.written_name(start, name, position);
        if position.structural && is_text_construct(self.tracker.dialect, position.space, name) {
            return self.open_construct(start, written);
        }
        let _ = write!(self.out, "<{written}{}>", copied_attributes(start, &[]));
        self.open.push(Some(written));
    }

    /// Returns how to rewrite an item's text that occurs only in an extension element.
    fn rewriting(&self, name: &str, position: Position) -> Rewriting {
        let is_child = position.structural && !position.starts_item && self.tracker.item.is_some();
        match self.item {
            Some(item) if is_child && self.tracker.dialect != Dialect::Atom => {
                item.texts.rewriting(position.space, name)
            }
            _ => Rewriting::AsUsual,
        }
    }

    fn root(&mut self, start: &BytesStart<'_>, name: &str) {
        let prefixes =
            PREFIXES.iter().fold(String::new(), |all, (prefix, uri)| format!("{all} xmlns:{prefix}=\"{uri}\""));
        let attributes = copied_attributes(start, &["version"]);
        let (name, own, after) = match self.tracker.dialect {
            Dialect::Rss => ("rss", " version=\"2.0\"".to_owned(), "<channel>"),
            Dialect::Rdf => ("rdf:RDF", format!(" xmlns=\"{RSS1}\" xmlns:rdf=\"{RDF}\""), ""),
            Dialect::Atom => (name, format!(" xmlns=\"{ATOM}\""), ""),
            Dialect::Unknown => (name, String::new(), ""),
        };
        let attributes = attributes.replace(&format!(" xmlns:rdf=\"{RDF}\""), "");
        let _ = write!(self.out, "<{name}{own}{prefixes}{attributes}>{after}");
        self.open.push(Some(name.to_owned()));
    }

    fn written_name(&mut self, start: &BytesStart<'_>, name: &str, position: Position) -> String {
        let atom = self.tracker.dialect == Dialect::Atom;
        match position.space {
            Space::Own if !position.structural => name.to_owned(),
            Space::Own => match name {
                "issued" if atom => "published",
                "modified" if atom => "updated",
                "tagline" if atom => "subtitle",
                "copyright" if atom => "rights",
                "body" | "fullitem" if !atom && self.tracker.item.is_some() => "content:encoded",
                "summary" | "description" if !atom && self.tracker.item.is_some() => {
                    if std::mem::replace(&mut self.has_summary, true) { "content:encoded" } else { "description" }
                }
                _ => name,
            }
            .to_owned(),
            Space::Extension("xhtml") if !atom && name == "body" => "content:encoded".to_owned(),
            Space::Extension(prefix) => format!("{prefix}:{}", start.local_name().as_ref()),
            Space::Foreign => {
                let qualified = start.name();
                let qualified: &str = qualified.as_ref();
                qualified.to_owned()
            }
        }
    }

    fn open_construct(&mut self, start: &BytesStart<'_>, name: String) {
        let kind = attribute(start, "type").unwrap_or_default().trim().to_ascii_lowercase();
        let mode = attribute(start, "mode").unwrap_or_default();
        let kind = match kind.as_str() {
            "xhtml" | "application/xhtml+xml" => "xhtml",
            "html" | "text/html" => "html",
            _ if mode == "escaped" => "html",
            "" | "text" | "text/plain" => "text",
            other if mode.is_empty() && is_binary(other) => "base64",
            // XML types contain elements; all others are text.
            _ => "text",
        };
        self.construct = Some(Construct {
            depth: self.tracker.depth,
            name,
            base64: mode == "base64" || kind == "base64",
            kind: kind.to_owned(),
            attributes: copied_attributes(start, &["type", "mode", "src"]),
            inner: String::new(),
            has_markup: false,
        });
        self.open.push(None);
    }

    fn inner_start(&mut self, start: &BytesStart<'_>) {
        let local = start.local_name();
        let local: &str = local.as_ref();
        if let Some(construct) = &mut self.construct {
            construct.has_markup = true;
            let _ = write!(construct.inner, "<{local}{}>", copied_attributes(start, &[]));
        }
        self.open.push(Some(local.to_owned()));
    }

    fn end(&mut self) {
        if self.construct.as_ref().is_some_and(|c| c.depth == self.tracker.depth) {
            self.close_construct();
        }
        if self.tracker.item == Some(self.tracker.depth)
            && let Some(link) = self.link.take()
        {
            let _ = write!(self.out, "<link>{}</link>", encode_text(&link));
        }
        let is_root = self.open.len() == 1;
        if let Some(Some(name)) = self.open.pop() {
            let target = self.construct.as_mut().map_or(&mut self.out, |c| &mut c.inner);
            let channel = if is_root && self.tracker.dialect == Dialect::Rss { "</channel>" } else { "" };
            let _ = write!(target, "{channel}</{name}>");
        }
        self.tracker.leave();
    }

    fn close_construct(&mut self) {
        let Some(construct) = self.construct.take() else { return };
        let Construct { name, mut kind, base64, attributes, inner, has_markup, .. } = construct;
        // An empty element must not replace another with the same name.
        if name.is_empty() || (inner.is_empty() && self.tracker.dialect != Dialect::Atom) {
            return;
        }
        // The type attribute has a meaning only in Atom.
        let is_xhtml = kind == "xhtml" && self.tracker.dialect == Dialect::Atom;
        let decoded = if base64 && !has_markup { decode_base64(&inner) } else { None };
        let inner = if let Some(text) = decoded {
            "html".clone_into(&mut kind);
            encode_text(&text).into_owned()
        } else if let Some(escaped) = within_div(&inner).filter(|_| kind == "html") {
            escaped.to_owned()
        } else if has_markup && !is_xhtml {
            "html".clone_into(&mut kind);
            encode_text(&inner).into_owned()
        } else {
            inner
        };
        let kind = match self.tracker.dialect {
            Dialect::Atom if kind == "base64" => " type=\"text\"".to_owned(),
            Dialect::Atom => format!(" type=\"{kind}\""),
            _ => String::new(),
        };
        let _ = write!(self.out, "<{name}{kind}{attributes}>{inner}</{name}>");
    }

    fn text(&mut self, text: &str) {
        let is_person = self.in_person();
        match &mut self.construct {
            Some(construct) => construct.inner.push_str(text),
            None if is_person => self.out.push_str(&spaced_addresses(text)),
            None => self.out.push_str(text),
        }
    }

    fn cdata(&mut self, text: &str) {
        // Escaped rather than kept as CDATA: if the construct turns out to contain markup, this must be text in that
        // markup.
        self.text(&encode_text(text));
    }

    fn reference(&mut self, name: &str) {
        let target = self.construct.as_mut().map_or(&mut self.out, |c| &mut c.inner);
        let _ = write!(target, "&{name};");
    }

    fn in_person(&self) -> bool {
        let name = self.open.last().and_then(Option::as_deref).unwrap_or_default();
        is_person(name.rsplit(':').next().unwrap_or_default())
    }
}

/// Returns the attributes as written, except namespaces that the root now declares, bases that are invalid or too
/// long, and those in `dropped`.
fn copied_attributes(start: &BytesStart<'_>, dropped: &[&str]) -> String {
    let mut out = String::new();
    for attribute in start.attributes().with_checks(false).filter_map(Result::ok) {
        let key: &str = attribute.key.as_ref();
        let is_known_prefix = key.strip_prefix("xmlns:").is_some_and(|p| PREFIXES.iter().any(|(known, _)| *known == p));
        let bad_base = key == "xml:base"
            && (attribute.value.len() > MAX_BASE_BYTES
                || !matches!(url::Url::parse(&attribute.value), Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase)));
        if key != "xmlns" && !is_known_prefix && !bad_base && !dropped.contains(&key) {
            let _ = write!(out, " {key}=\"{}\"", attribute.value.replace('"', "&quot;"));
        }
    }
    out
}

/// Returns the content of a single `<div>` if that is escaped markup.
fn within_div(inner: &str) -> Option<&str> {
    let (tag, rest) = inner.trim().strip_prefix("<div")?.split_once('>')?;
    let text = rest.strip_suffix("</div>")?;
    (!tag.contains('<') && !text.contains('<') && text.contains("&lt;")).then_some(text)
}

fn is_binary(kind: &str) -> bool {
    kind.contains('/') && !kind.starts_with("text/") && !kind.ends_with("/xml") && !kind.ends_with("+xml")
}

/// Inserts a space between an email address and non-ASCII characters: feed-rs 3.0 splits there and would split within a
/// character.
pub(super) fn spaced_addresses(text: &str) -> String {
    if !text.contains('@') || text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 4);
    let mut last_is_ascii = true;
    for ch in text.chars() {
        if ch.is_ascii() != last_is_ascii && !out.is_empty() {
            out.push(' ');
        }
        out.push(ch);
        last_is_ascii = ch.is_ascii();
    }
    out
}

fn decode_base64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode_base64, rewrite, spaced_addresses};

    #[test]
    fn base64_and_addresses() {
        assert_eq!(decode_base64(" RXhhbXBsZSA8Yj5BdG9tPC9iPg==\n").as_deref(), Some("Example <b>Atom</b>"));
        assert_eq!(decode_base64("not base64!"), None);
        assert_eq!(spaced_addresses("张三（a@b.com）"), "张三（ a@b.com ）");
    }

    #[test]
    fn a_dialect_becomes_the_standard() {
        let atom = rewrite(
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title mode='escaped'>a &amp;lt; b</title>\
            <entry><issued>2003</issued><content type='text/html'>x <b>y</b></content></entry></feed>",
            &[],
        );
        assert!(atom.starts_with("<feed xmlns=\"http://www.w3.org/2005/Atom\""), "{atom}");
        assert!(
            atom.ends_with(
                "<title type=\"html\">a &amp;lt; b</title><entry><published>2003</published>\
            <content type=\"html\">x &lt;b&gt;y&lt;/b&gt;</content></entry></feed>"
            ),
            "{atom}"
        );
        let rss = rewrite("<RSS><Channel><TITLE>t</TITLE></Channel><item><dc:date>d</dc:date></item></RSS>", &[]);
        assert!(rss.ends_with("><channel><title>t</title><item><dc:date>d</dc:date></item></channel></rss>"), "{rss}");
    }
}
