//! Truncates texts to the limits.

/// Returns the first `chars` characters.
#[must_use]
pub fn clip(text: &str, chars: usize) -> String {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text).to_owned()
}
