//! Ids given by their first digits.

/// Minimum number of digits for the beginning of an id. Fewer could match another id by accident.
pub(crate) const MIN_DIGITS: usize = 4;

/// Returns the beginning of an id in lower case; `None` if it is too short or contains other characters.
pub(crate) fn id_prefix(given: &str) -> Option<String> {
    let prefix = given.trim().to_ascii_lowercase();
    let is_id = prefix.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (prefix.len() >= MIN_DIGITS && is_id).then_some(prefix)
}

/// Maximum number of ids named if the beginning of an id matches several.
pub(super) const NAMED: usize = 5;

/// Describes that several `what` have an id that begins with `prefix`, naming the first of them: a line each.
pub(super) fn ambiguous(what: &str, prefix: &str, lines: impl IntoIterator<Item = String>) -> String {
    format!("several {what} have an id that begins with {prefix}; give more of it:{}", named(lines))
}

/// Returns the first of the lines, each indented on a line of its own.
pub(super) fn named(lines: impl IntoIterator<Item = String>) -> String {
    let mut lines = lines.into_iter();
    let mut text = String::new();
    for line in lines.by_ref().take(NAMED) {
        text.push_str("\n  ");
        text.push_str(&line);
    }
    if lines.next().is_some() {
        text.push_str("\n  and more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_given_by_four_digits_or_more() {
        for given in ["", " ", "a", "abc", "abcg", "abc "] {
            assert_eq!(id_prefix(given), None, "{given:?}");
        }
        assert_eq!(id_prefix(" ABCD-1 ").as_deref(), Some("abcd-1"));
    }

    #[test]
    fn the_first_of_several_ids_are_named() {
        let text = |count: usize| ambiguous("calls", "abcd", (0..count).map(|n| format!("abcd{n}")));
        assert_eq!(text(2), "several calls have an id that begins with abcd; give more of it:\n  abcd0\n  abcd1");
        assert!(text(5).ends_with("abcd4") && text(6).ends_with("abcd4\n  and more"));
    }
}
