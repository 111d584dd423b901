//! The vectors of items by the table of word vectors, whatever words the items use.

use aha_analysis::relevance::{CenteredVectors, Corpus, TextParts};
use aha_core::item::Item;

/// Maximum number of characters read of a body.
const READ_CHARS: usize = 16_000;

/// Copies an item with as much of its text as is read.
pub(super) fn readable(item: &Item) -> Item {
    let body_text = item.body_text.chars().take(READ_CHARS).collect();
    Item { body_text, ..item.clone() }
}

/// Returns the items' vectors, in their order. Takes milliseconds for each hundred items: call it on the blocking pool.
pub(super) fn centered_vectors(items: &[&Item]) -> CenteredVectors {
    let titles: Vec<String> = items.iter().map(|item| item.display_title()).collect();
    let parts = items.iter().zip(&titles).map(|(item, title)| TextParts {
        title,
        body: &item.body_text,
        categories: &item.metadata.categories,
        is_english: item.is_english(),
    });
    CenteredVectors::of(&Corpus::of(&parts.collect::<Vec<_>>()))
}
