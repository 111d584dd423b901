//! Document frequencies of words in the stored items.

use crate::text::similarity::Frequencies;

/// The number of stored items, and the number of those that contain a word in lower case.
pub trait DocumentFrequencies {
    fn documents(&self) -> usize;
    fn documents_with(&self, word: &str) -> usize;
}

impl DocumentFrequencies for Frequencies {
    fn documents(&self) -> usize {
        self.documents()
    }

    fn documents_with(&self, word: &str) -> usize {
        usize::try_from(self.documents_with_word(word)).unwrap_or(0)
    }
}

/// Used if no items are stored.
#[derive(Debug, Clone, Copy)]
pub struct NoFrequencies;

impl DocumentFrequencies for NoFrequencies {
    fn documents(&self) -> usize {
        0
    }

    fn documents_with(&self, _: &str) -> usize {
        0
    }
}
