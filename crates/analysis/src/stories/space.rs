//! Spaces that this machine makes vectors of: words counted (`local`), or a folder of weights (`crate::static_model`). A provider's are
//! made by `llm/embedder`.

use super::features::{Features, LOCAL_SPACE};

/// How a text becomes a vector.
pub trait Space: Send + Sync {
    /// What names all that decides whether two vectors can be compared: model, weights and what is made of a text before.
    fn id(&self) -> &str;

    /// As stored, with its length where it is dense; `None` for a text that has no vector.
    fn vector(&self, title: Option<&str>, body: &str) -> Option<(Vec<u8>, Option<usize>)>;
}

/// Sparse counts of words.
#[derive(Debug, Clone, Copy)]
pub struct Words;

impl Space for Words {
    fn id(&self) -> &str {
        LOCAL_SPACE
    }

    fn vector(&self, title: Option<&str>, body: &str) -> Option<(Vec<u8>, Option<usize>)> {
        Some((Features::of(title, body).to_bytes(), None))
    }
}

/// What thresholds are kept by: words, and what they are compared with besides.
#[must_use]
pub fn mixture(dense: Option<&str>) -> String {
    dense.map_or_else(|| LOCAL_SPACE.to_owned(), |dense| format!("{LOCAL_SPACE}+{dense}"))
}

/// Title, line break, body, clipped: what a dense vector is made of; `None` where there is nothing to read.
#[must_use]
pub fn dense_text(title: Option<&str>, body: &str, max_chars: usize) -> Option<String> {
    let parts = [title.unwrap_or_default().trim(), body.trim()];
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    let clipped: String = text.chars().take(max_chars).collect();
    (!clipped.is_empty()).then_some(clipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_is_named_by_both() {
        assert_eq!(mixture(None), LOCAL_SPACE);
        assert_eq!(mixture(Some("static/0a#b")), format!("{LOCAL_SPACE}+static/0a#b"));
    }

    #[test]
    fn what_is_empty_has_no_text() {
        assert_eq!(dense_text(Some(" "), "\n", 9), None);
        assert_eq!(dense_text(Some("Title "), " body", 9).as_deref(), Some("Title\nbod"));
        assert_eq!(dense_text(None, "body", 9).as_deref(), Some("body"));
    }
}
