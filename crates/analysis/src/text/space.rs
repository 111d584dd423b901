//! Vector spaces that are computed locally: word counts (`local`), or a folder of weights (`crate::static_model`).
//! `llm/embedder` computes those of providers.

use super::features::{Features, LOCAL_SPACE};

/// A conversion of texts to vectors.
pub trait Space: Send + Sync {
    /// Returns the name of the space: model, weights and text preparation. Only vectors with the same name can be
    /// compared.
    fn id(&self) -> &str;

    /// Returns the vector as stored, with its dimensions if it is dense; `None` for a text without a vector.
    fn vector(&self, title: Option<&str>, body: &str) -> Option<(Vec<u8>, Option<usize>)>;
}

/// Sparse word counts.
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

/// Returns the key of stored thresholds: the local space, and the dense space that is compared in addition.
#[must_use]
pub fn mixture(dense: Option<&str>) -> String {
    dense.map_or_else(|| LOCAL_SPACE.to_owned(), |dense| format!("{LOCAL_SPACE}+{dense}"))
}

/// Returns the text to embed: title, line break, body, cut to `max_chars`; `None` if both are empty.
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
