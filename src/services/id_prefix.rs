//! Ids given by their first digits.

/// Minimum number of digits for the beginning of an id. Fewer could match another id by accident.
pub(super) const MIN_DIGITS: usize = 4;

/// Returns the beginning of an id in lower case; `None` if it is too short or contains other characters.
pub(super) fn id_prefix(given: &str) -> Option<String> {
    let prefix = given.trim().to_ascii_lowercase();
    let is_id = prefix.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (prefix.len() >= MIN_DIGITS && is_id).then_some(prefix)
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
}
