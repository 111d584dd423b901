//! Limits on the cost of a document. Called by the parser.

use std::io::{Error, ErrorKind, Read};
use std::time::{Duration, Instant};

use memchr::{memchr, memchr2, memmem};

use super::error::ParseError;

/// No genuine feed has a tag with more attributes; readers take quadratic time for them.
const MAX_ATTRIBUTES: usize = 256;
/// A shorter tag cannot have that many attributes.
const MIN_SUSPECT_TAG_BYTES: usize = MAX_ATTRIBUTES * 4;

/// Of more items only the newest are kept.
pub const MAX_ITEMS: usize = 5_000;
/// Further items are not read, whatever their dates: each takes memory. Genuine feeds have fewer, in any order.
pub(super) const MAX_READ_ITEMS: usize = 4 * MAX_ITEMS;
/// A longer address is none: it would be copied into every file of a digest.
pub const MAX_ADDRESS_BYTES: usize = 4_096;
/// A longer base of relative URLs is ignored: it would be copied into each item and each of its links.
pub(super) const MAX_BASE_BYTES: usize = 4_096;

/// Maximum values of a JSON document: each takes many times its size in memory.
const MAX_VALUES: usize = 500_000;
/// Maximum character and entity references of a document: each is an event for the readers.
pub(super) const MAX_REFERENCES: usize = 4_000_000;

/// Returns why a broken document is refused before it is repaired; `None` if it is not. The repair turns each stray `<`
/// or `&` into a reference. With more than [`MAX_REFERENCES`] of them, the result would be refused only after much time
/// and several times the document's memory. Linear.
pub(super) fn too_many_strays(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut at, mut strays) = (0, 0_usize);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'<', b'&', rest)) {
        let rest = &bytes[at + found..];
        at += found + 1;
        if rest.starts_with(b"<![CDATA[") {
            at += memmem::find(rest, b"]]>").unwrap_or(rest.len());
            continue;
        }
        let next = rest.get(1).copied().unwrap_or(b' ');
        let may_be_markup = next.is_ascii_alphabetic()
            || if rest[0] == b'<' {
                matches!(next, b'/' | b'!' | b'?' | b'_') || !next.is_ascii()
            } else {
                next == b'#'
            };
        strays += usize::from(!may_be_markup);
        if strays > MAX_REFERENCES {
            return Some(format!("it has more than {MAX_REFERENCES} < or & that mean nothing"));
        }
    }
    None
}

pub(super) const TOO_SLOW: &str = "reading it took too long";

/// The time at which reading stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn after(duration: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(duration).unwrap_or(now))
    }

    pub(super) fn has_passed(self) -> bool {
        Instant::now() >= self.0
    }

    pub(super) fn check(self) -> Result<(), ParseError> {
        if self.has_passed() { Err(ParseError::Unparseable { reason: TOO_SLOW.to_owned() }) } else { Ok(()) }
    }

    /// Returns a reader of the bytes that fails once the deadline has passed.
    pub(super) fn over(self, bytes: &[u8]) -> impl Read {
        Portions { rest: bytes, deadline: self }
    }
}

struct Portions<'a> {
    rest: &'a [u8],
    deadline: Deadline,
}

impl Read for Portions<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.deadline.has_passed() {
            return Err(Error::new(ErrorKind::TimedOut, TOO_SLOW));
        }
        self.rest.read(buffer)
    }
}

/// Returns why a document is refused if one of its tags has too many attributes or namespaces. Linear.
pub(super) fn too_many_attributes(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        rest = &rest[at + 1..];
        if rest.starts_with("![CDATA[") {
            rest = memmem::find(rest.as_bytes(), b"]]>").map_or("", |at| &rest[at + 3..]);
            continue;
        }
        let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let is_tag = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_tag && end > MIN_SUSPECT_TAG_BYTES && attributes(&rest.as_bytes()[..end]) > MAX_ATTRIBUTES {
            return Some(format!("a tag has more than {MAX_ATTRIBUTES} attributes"));
        }
        rest = &rest[end..];
    }
    None
}

/// Returns why a JSON document is refused if it contains too many values. Linear.
pub(super) fn too_many_values(text: &str) -> Option<String> {
    let (mut in_string, mut escaped, mut values) = (false, false, 0_usize);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    (values > MAX_VALUES).then(|| format!("it holds more than {MAX_VALUES} values"))
}

/// Counts the equals signs outside quotes, up to the tag's end.
fn attributes(tag: &[u8]) -> usize {
    let mut quote = None;
    let mut count = 0;
    for byte in tag {
        match (quote, byte) {
            (None, b'>') => break,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'=') => count += 1,
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::Duration;

    use super::{Deadline, MAX_REFERENCES, too_many_attributes, too_many_strays, too_many_values};

    #[test]
    fn crowded_tags_are_found_and_long_values_are_none() {
        let crowded = (0..300).map(|n| format!(" a{n}='1'")).collect::<Vec<_>>().concat();
        assert!(too_many_attributes(&format!("<rss><channel{crowded}/></rss>")).is_some());
        let long = format!("<a href='{}'>{}</a>", "a=b&".repeat(5_000), "x = y ".repeat(5_000));
        assert_eq!(too_many_attributes(&long), None);
        assert_eq!(too_many_attributes(&format!("<![CDATA[{crowded}]]>")), None);
    }

    #[test]
    fn strays_are_counted_and_markup_and_references_are_none() {
        for stray in ["<", "& ", "< ", "&"] {
            assert!(too_many_strays(&stray.repeat(MAX_REFERENCES + 1)).is_some(), "{stray}");
            assert_eq!(too_many_strays(&stray.repeat(1_000)), None, "{stray}");
        }
        for meant in ["<b>", "</b>", "&#1;", "&amp;"] {
            assert_eq!(too_many_strays(&meant.repeat(MAX_REFERENCES + 1)), None, "{meant}");
        }
        let hidden = "<".repeat(MAX_REFERENCES + 1);
        assert_eq!(too_many_strays(&format!("<![CDATA[{hidden}]]>")), None);
        assert_eq!(too_many_strays(&format!("<![CDATA[{hidden}")), None);
        assert!(too_many_strays(&format!("<![CDATA[x]]>{hidden}")).is_some());
    }

    #[test]
    fn crowded_json_is_found_and_commas_in_strings_are_none() {
        assert!(too_many_values(&format!("[{}]", "1,".repeat(500_001))).is_some());
        assert_eq!(too_many_values(&format!("[\"\\\"{}\"]", ",".repeat(600_000))), None);
    }

    #[test]
    fn nothing_is_read_after_the_deadline() {
        let mut text = String::new();
        assert!(Deadline::after(Duration::ZERO).over(b"abc").read_to_string(&mut text).is_err());
        assert_eq!(Deadline::after(Duration::from_mins(1)).over(b"abc").read_to_string(&mut text).unwrap(), 3);
    }
}
