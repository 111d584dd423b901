//! Handles syntax that models add to JSON although JSON does not allow it, and that carries no meaning: comments,
//! trailing commas, and unescaped control characters (line breaks, tabs) in strings.

/// What a byte of an object belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Syntax,
    /// Part of a string, including its quotes.
    Text,
    /// The byte of a string after a backslash.
    Escaped,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Syntax,
    Text,
    Escape,
    LineComment,
    /// `true` if the last byte was a star.
    BlockComment(bool),
}

/// Returns the length in bytes of the object that the text begins with; `None` when it does not end. Braces in strings
/// and comments do not count.
pub(super) fn object_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, byte, part) in parts(text) {
        match byte {
            b'{' if part == Part::Syntax => depth += 1,
            b'}' if part == Part::Syntax => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the object as valid JSON, without comments and trailing commas; `None` where a comment indicates that
/// something was left out ("...").
pub(super) fn strip_noise(object: &str) -> Option<String> {
    let (mut clean, mut comments) = (Vec::with_capacity(object.len()), Vec::new());
    for (_, byte, part) in parts(object) {
        match (part, byte) {
            (Part::Comment, _) => {
                comments.push(byte);
                if clean.last() != Some(&b' ') {
                    clean.push(b' ');
                }
            }
            (Part::Syntax, b'}' | b']') => {
                drop_trailing_comma(&mut clean);
                clean.push(byte);
            }
            (Part::Text, b'\n') => clean.extend_from_slice(b"\\n"),
            (Part::Text, b'\r') => clean.extend_from_slice(b"\\r"),
            (Part::Text, b'\t') => clean.extend_from_slice(b"\\t"),
            (Part::Syntax | Part::Text | Part::Escaped, _) => clean.push(byte),
        }
    }
    let comments = String::from_utf8_lossy(&comments);
    if comments.contains("...") || comments.contains('…') {
        return None;
    }
    String::from_utf8(clean).ok()
}

/// Removes one comma that follows a value and precedes the end of the list or the object.
fn drop_trailing_comma(clean: &mut Vec<u8>) {
    if let Some(before) = clean.trim_ascii_end().strip_suffix(b",")
        && !before.trim_ascii_end().ends_with(b",")
        && !before.trim_ascii_end().ends_with(b"{")
        && !before.trim_ascii_end().ends_with(b"[")
    {
        clean.truncate(before.len());
    }
}

/// Returns each byte with its index and what it belongs to. The second byte of a comment's opening is left out.
fn parts(text: &str) -> impl Iterator<Item = (usize, u8, Part)> {
    let mut bytes = text.bytes().enumerate().peekable();
    let mut inside = Inside::Syntax;
    std::iter::from_fn(move || {
        let (index, byte) = bytes.next()?;
        let (part, next) = match (inside, byte) {
            (Inside::Syntax, b'"') => (Part::Text, Inside::Text),
            (Inside::Syntax, b'/') => match bytes.next_if(|(_, next)| matches!(next, b'/' | b'*')) {
                Some((_, b'/')) => (Part::Comment, Inside::LineComment),
                Some(_) => (Part::Comment, Inside::BlockComment(false)),
                None => (Part::Syntax, Inside::Syntax),
            },
            (Inside::Syntax, _) => (Part::Syntax, Inside::Syntax),
            (Inside::Text, b'"') => (Part::Text, Inside::Syntax),
            (Inside::Text, b'\\') => (Part::Text, Inside::Escape),
            (Inside::Text, _) => (Part::Text, Inside::Text),
            (Inside::Escape, _) => (Part::Escaped, Inside::Text),
            (Inside::LineComment, b'\n' | b'\r') | (Inside::BlockComment(true), b'/') => {
                (Part::Comment, Inside::Syntax)
            }
            (Inside::LineComment, _) => (Part::Comment, Inside::LineComment),
            (Inside::BlockComment(_), _) => (Part::Comment, Inside::BlockComment(byte == b'*')),
        };
        inside = next;
        Some((index, byte, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_noise_is_left_out() {
        for (object, clean) in [
            ("{\"a\": 1,}", "{\"a\": 1}"),
            ("{\"a\": [1, 2 , ], }", "{\"a\": [1, 2 ]}"),
            ("{\"a\": 1 /* } */, // ]\n \"b\": \"// no, ]\"}", "{\"a\": 1 ,  \"b\": \"// no, ]\"}"),
            ("{\"a\": \"one\ntwo\\\"\t\"}", "{\"a\": \"one\\ntwo\\\"\\t\"}"),
        ] {
            assert_eq!(strip_noise(object).as_deref(), Some(clean));
        }
        // A comma with no value before it is not a trailing comma, and JSON has no escape for a raw line break.
        for object in ["{,}", "[,]", "{\"a\": [1,,]}", "{\"a\": \"one\\\ntwo\"}"] {
            let clean = strip_noise(object).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&clean).is_err(), "{clean}");
        }
        assert_eq!(strip_noise("{\"a\": [1, // ... and so on\n]}"), None);
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        for object in ["{}", "{\"}\": \"\\\"}\"}", "{/*}*/}", "{// }\n}", "{/*/}*/}", "{\"a\": {\"b\": {}}}"] {
            assert_eq!(object_length(&format!("{object} }}")), Some(object.len()), "{object}");
        }
        for text in ["{", "{\"}", "{/*}", "{//}", "{{}"] {
            assert_eq!(object_length(text), None, "{text}");
        }
    }
}
