//! Makes text and links from outside safe to show: no control sequences, no direction controls, no links that run code.
//!
//! Input: text from feeds and models. Output: one line of plain text, or a checked link. Called by `view`, so that
//! every rendering except the JSON gets clean text only; each rendering still escapes for its own syntax.

use std::fmt::Write as _;

use aha_content::escapes::without_escapes;
use aha_core::item::first_words;
use url::Url;

/// Returns `raw` as one line, without terminal sequences, control and direction characters; runs of white space become
/// one space.
pub(crate) fn text(raw: &str) -> String {
    let without_sequences = without_escapes(raw);
    let shown: String = without_sequences
        .chars()
        .filter(|c| c.is_whitespace() || !is_hidden(*c))
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Like [`text`], but truncated at a word boundary if longer than `max_chars`.
pub(crate) fn short_text(raw: &str, max_chars: usize) -> String {
    first_words(&text(raw), max_chars)
}

/// Characters that control a terminal or the direction of text, and those that XML cannot contain.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Escapes in JSON what could control a terminal (C1, direction controls) as `\uXXXX`, which leaves the value unchanged.
pub(crate) fn escape_hidden(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        // serde_json has escaped C0 characters already, except its own line breaks.
        if c == '\n' || !is_hidden(c) {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    escaped
}

/// A published link, classified by whether a reader may follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    /// `http` or `https`, normalised; `host` is the text to show.
    Web {
        href: String,
        host: String,
    },
    /// Anything else: shown as text only, never as a link.
    Other(String),
    Missing,
}

impl Link {
    pub(crate) fn of(raw: Option<&str>) -> Self {
        let Some(raw) = raw.map(text).filter(|raw| !raw.is_empty()) else { return Self::Missing };
        match Url::parse(&raw) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                let host = url.host_str().unwrap_or_default();
                let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
                Self::Web { href: url.into(), host }
            }
            _ => Self::Other(first_words(&raw, 200)),
        }
    }

    pub(crate) fn href(&self) -> Option<&str> {
        if let Self::Web { href, .. } = self { Some(href) } else { None }
    }

    pub(crate) fn host(&self) -> &str {
        if let Self::Web { host, .. } = self { host } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_not_shown() {
        assert_eq!(text("a\u{202e}b\u{2066}c\u{0}d\u{85}e\nf\t g\u{2028}h"), "abcd e f g h");
        assert_eq!(text("family 👨‍👩‍👧 stays"), "family 👨‍👩‍👧 stays");
    }

    #[test]
    fn only_the_web_is_linked() {
        assert_eq!(Link::of(Some("https://www.Example.org/a b")).href(), Some("https://www.example.org/a%20b"));
        assert_eq!(Link::of(Some("https://www.example.org/")).host(), "example.org");
        for other in ["javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "/relative", "//host/x"] {
            assert_eq!(Link::of(Some(other)).href(), None, "{other}");
        }
        assert_eq!(Link::of(Some(" \u{202e}")), Link::Missing);
    }
}
