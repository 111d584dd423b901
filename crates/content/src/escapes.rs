//! Removes whole terminal sequences from external text: without the escape character alone, a remainder such as `[31m`
//! would be left. Called wherever control characters are dropped.

use std::borrow::Cow;

/// Terminators of control strings (ECMA-48 OSC, DCS, SOS, PM and APC).
const STRING_ENDS: [&str; 3] = ["\u{7}", "\u{1b}\\", "\u{9c}"];

/// Returns `text` without terminal sequences (ECMA-48). Of an unterminated control string only the opener is removed.
/// Linear in any input.
#[must_use]
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    // The C1 controls are two bytes, of which the first is C2. Blocks of 64 bytes allow vectorised comparison.
    let may_open = |block: &[u8]| block.iter().fold(false, |found, byte| found | matches!(byte, 0x1b | 0xc2));
    if !text.as_bytes().chunks(64).any(may_open) {
        return Cow::Borrowed(text);
    }
    let Some(first) = text.find(is_opener) else { return Cow::Borrowed(text) };
    let last_end = STRING_ENDS.iter().filter_map(|end| text.rfind(end)).max();
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..first]);
    let mut at = first;
    while at < text.len() {
        at += sequence_bytes(&text[at..], last_end.is_some_and(|end| end >= at));
        let next = text[at..].find(is_opener).map_or(text.len(), |found| at + found);
        kept.push_str(&text[at..next]);
        at = next;
    }
    Cow::Owned(kept)
}

const fn is_opener(c: char) -> bool {
    matches!(c, '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}')
}

/// Returns the length in bytes of the sequence at the start of `text`, which begins with an opener ([`is_opener`]).
/// `has_end`: a terminator of a control string follows somewhere.
fn sequence_bytes(text: &str, has_end: bool) -> usize {
    let (kind, opener) = match text.strip_prefix('\u{1b}') {
        Some(rest) => (rest.chars().next(), 1 + rest.chars().next().map_or(0, char::len_utf8)),
        None => (text.chars().next(), 2),
    };
    let body = &text[opener..];
    match kind {
        Some('[' | '\u{9b}') => opener + control_end(body),
        Some(']' | 'P' | 'X' | '^' | '_' | '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => {
            opener + if has_end { string_end(body) } else { 0 }
        }
        // Intermediate characters and a final one: `ESC ( B` and `ESC $ ( C` select a character set.
        Some(' '..='/') => {
            let end = body.find(|c: char| !(' '..='/').contains(&c)).unwrap_or(body.len());
            opener + if body[end..].starts_with(|c: char| ('0'..='~').contains(&c)) { end + 1 } else { 0 }
        }
        Some('0'..='~') => opener,
        // An escape before any other character is dropped alone.
        _ => 1,
    }
}

fn control_end(body: &str) -> usize {
    let parameters = body.find(|c: char| !(' '..='?').contains(&c)).unwrap_or(body.len());
    let has_final = body[parameters..].starts_with(|c: char| ('@'..='~').contains(&c));
    if has_final { parameters + 1 } else { 0 }
}

/// Returns the offset just after the nearest terminator. Linear overall: the bytes before it are scanned once and then
/// removed.
fn string_end(body: &str) -> usize {
    let ends = body.match_indices(['\u{7}', '\u{9c}', '\u{1b}']);
    let end_offset = |at: usize| STRING_ENDS.iter().find(|end| body[at..].starts_with(**end)).map(|end| at + end.len());
    ends.map(|(at, _)| at).find_map(end_offset).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::without_escapes;

    #[test]
    fn sequences_go_whole() {
        for (text, kept) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;5;196mx\u{1b}[K", "x"),
            ("a\u{1b}]8;;http://evil\u{7}b\u{1b}]8;;\u{1b}\\c", "abc"),
            ("a\u{1b}Pq#0\u{9c}b\u{1b}_x\u{1b}\\c", "abc"),
            ("\u{9b}2Jx\u{9d}0;title\u{7}y", "xy"),
            ("\u{1b}(Bx\u{1b}cy\u{1b}7z", "xyz"),
            ("\u{1b}$(Ctext\u{1b}$(", "text("),
            ("\u{1b}]never closed", "never closed"),
            ("end\u{1b}[", "end"),
            ("\u{1b}[31é", "31é"),
            ("\u{1b}é\u{1b}", "é"),
            ("\u{c2}gone \u{a0}", "\u{c2}gone \u{a0}"),
        ] {
            assert_eq!(without_escapes(text), kept, "{text:?}");
        }
        assert!(matches!(without_escapes("plain é [31m"), Cow::Borrowed(_)));
    }

    #[test]
    fn openers_without_end_cost_no_more_than_their_number() {
        for opener in ["\u{1b}]", "\u{9d}", "\u{1b}[", "\u{1b}"] {
            let ended = format!("{opener}\u{9c}").repeat(300_000);
            assert_eq!(without_escapes(&ended).trim_matches(['[', '\u{9c}']), "", "{opener:?}");
            assert_eq!(without_escapes(&opener.repeat(300_000)).trim_start_matches(['[', ']']), "", "{opener:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_opens_a_sequence_remains(text in "[\u{1b}\u{9b}\u{9d}\u{7}\u{9c}\\[\\]m0-9;é\\\\]{0,40}") {
            let kept = without_escapes(&text);
            prop_assert!(!kept.contains(['\u{1b}', '\u{9b}', '\u{9d}']), "{kept:?}");
        }
    }
}
