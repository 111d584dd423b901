//! Words of shell commands, which messages suggest.

/// Returns a word for a shell, in quotes if it needs them.
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+' | ',');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the command that sets an option of a topic.
#[must_use]
pub fn topic_set(topic: &str, option: &str) -> String {
    // It would be read as an option.
    if topic.starts_with('-') {
        return format!("aha-radar topic set {option} -- {}", word(topic));
    }
    format!("aha-radar topic set {} {option}", word(topic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_if_it_needs_it() {
        assert_eq!(word("https://example.org/a_b"), "https://example.org/a_b");
        assert_eq!(word("a & b"), "'a & b'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(""), "''");
        assert_eq!(topic_set("my topic", "--read-from now"), "aha-radar topic set 'my topic' --read-from now");
        assert_eq!(topic_set("-x", "--tier low"), "aha-radar topic set --tier low -- -x");
    }
}
