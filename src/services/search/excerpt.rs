//! Excerpts of texts with the words of a query marked.

use std::collections::BTreeSet;

use aha_content::search_terms::query_stems;
use serde::Serialize;

/// Maximum length of an excerpt, in bytes.
const EXCERPT_BYTES: usize = 240;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcerptPart {
    pub text: String,
    /// Whether it is one of the query's words.
    pub is_match: bool,
}

/// Returns the text around the first match, with all matches marked.
pub(super) fn excerpt(text: &str, stems: &BTreeSet<String>) -> Vec<ExcerptPart> {
    // No stemmer changes an ASCII first letter, so most words can be ruled out without stemming them in all languages.
    let may_match = |word: &str| {
        let first = word.chars().next().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_alphanumeric);
        first.is_none_or(|first| stems.iter().any(|stem| stem.starts_with(first)))
    };
    let is_wanted = |word: &str| may_match(word) && query_stems(word).iter().any(|stem| stems.contains(stem));
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#');
    let words: Vec<(usize, &str)> = text
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .take(5_000)
        .collect();
    let first = words.iter().find(|(_, word)| is_wanted(word)).map_or(0, |(at, _)| *at);
    let start = text.floor_char_boundary(first.saturating_sub(EXCERPT_BYTES / 3));
    let start = text[..start].rfind(char::is_whitespace).map_or(0, |at| at + 1).min(first);
    let start = text.ceil_char_boundary(start);
    let end = text.floor_char_boundary((start + EXCERPT_BYTES).min(text.len()));
    // Not within a word, unless it is longer than the excerpt.
    let last_space = || text[start..end].rfind(char::is_whitespace).map(|at| start + at).filter(|at| *at > first);
    let end = if end < text.len() { last_space().unwrap_or(end) } else { end };
    let mut parts: Vec<ExcerptPart> = Vec::new();
    let mut push = |text: &str, is_match: bool| {
        if !text.is_empty() {
            parts.push(ExcerptPart { text: text.replace('\n', " "), is_match });
        }
    };
    if start > 0 {
        push("… ", false);
    }
    let mut at = start;
    for (from, word) in words.into_iter().filter(|(from, word)| *from >= start && from + word.len() <= end) {
        if is_wanted(word) {
            push(&text[at..from], false);
            push(word, true);
            at = from + word.len();
        }
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(" …", false);
    }
    parts
}

#[cfg(test)]
mod tests {
    use aha_content::search_terms::text_stems;

    use super::*;

    #[test]
    fn an_excerpt_marks_the_words_in_all_their_forms() {
        let text =
            format!("{} The engines of the ferry fail. An engine is old.", "Filler of no use at all. ".repeat(20));
        let parts = excerpt(&text, &text_stems("engine"));
        let marked: Vec<&str> = parts.iter().filter(|part| part.is_match).map(|part| part.text.as_str()).collect();
        assert_eq!(marked, ["engines", "engine"]);
        assert!(parts[0].text.starts_with('…'));
        let long = format!("The engines {}", "hesitate ".repeat(60));
        let shown: String = excerpt(&long, &text_stems("engine")).into_iter().map(|part| part.text).collect();
        assert!(shown.ends_with("hesitate …"), "{shown}");
        let whole: String = excerpt("é ü", &text_stems("x")).into_iter().map(|part| part.text).collect();
        assert_eq!(whole, "é ü");
    }
}
