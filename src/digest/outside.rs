//! Text and links from outside, made safe to show: no control sequence, no direction trick, no link that runs code.
//!
//! In: what feeds and models wrote. Out: one line of plain text, or a checked link. Called by `view`, so that every
//! rendering but the JSON sees cleaned text only; each rendering still escapes for its own syntax.

use url::Url;

use crate::domain::item::first_words;

/// `raw` as one line: terminal sequences, control and direction characters gone, runs of white space one space.
pub(super) fn text(raw: &str) -> String {
    let without_sequences = strip_sequences(raw);
    let shown: String = without_sequences
        .chars()
        .filter(|c| c.is_whitespace() || !is_hidden(*c))
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Like [`text`], cut at a word when it is longer than `max_chars`.
pub(super) fn short_text(raw: &str, max_chars: usize) -> String {
    first_words(&text(raw), max_chars)
}

/// Characters that steer a terminal or a reader's eye instead of being read, and those XML can't hold.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Drops whole terminal sequences (ECMA-48 CSI and OSC): without its escape, `[31m` would be left as litter.
fn strip_sequences(raw: &str) -> String {
    let mut kept = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}', '\u{9d}']) {
        kept.push_str(&rest[..at]);
        rest = after_sequence(&rest[at..]);
    }
    kept.push_str(rest);
    kept
}

fn after_sequence(text: &str) -> &str {
    for (openers, end) in
        [(["\u{1b}[", "\u{9b}"], csi_end as fn(&str) -> Option<usize>), (["\u{1b}]", "\u{9d}"], osc_end)]
    {
        if let Some(body) = openers.iter().find_map(|opener| text.strip_prefix(opener)) {
            return end(body).map_or(body, |end| &body[end..]);
        }
    }
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

fn csi_end(body: &str) -> Option<usize> {
    let last = body.find(|c: char| !(' '..='?').contains(&c))?;
    body[last..].starts_with(|c: char| ('@'..='~').contains(&c)).then_some(last + 1)
}

fn osc_end(body: &str) -> Option<usize> {
    ["\u{7}", "\u{1b}\\", "\u{9c}"].iter().filter_map(|end| body.find(end).map(|at| at + end.len())).min()
}

/// A link as published, judged by whether a person may follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    /// `http` or `https`, normalised; `host` is what to call it.
    Web {
        href: String,
        host: String,
    },
    /// Anything else: shown as text at most, never as a link.
    Other(String),
    Missing,
}

impl Link {
    pub(super) fn of(raw: Option<&str>) -> Self {
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

    pub(super) fn href(&self) -> Option<&str> {
        if let Self::Web { href, .. } = self { Some(href) } else { None }
    }

    pub(super) fn host(&self) -> &str {
        if let Self::Web { host, .. } = self { host } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_go_as_a_whole() {
        for (raw, shown) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]8;;http://evil\u{7}b\u{1b}]8;;\u{1b}\\c", "abc"),
            ("\u{9b}2Jx", "x"),
            ("\u{1b}]never closed", "never closed"),
            ("\u{1b}", ""),
            ("end\u{1b}[", "end"),
            ("\u{1b}[31é", "31é"),
        ] {
            assert_eq!(text(raw), shown, "{raw:?}");
        }
    }

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
