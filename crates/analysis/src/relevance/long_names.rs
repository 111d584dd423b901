//! Names of places of several words in a corpus: "bank" in "West Bank" is no bank, and "Mexico" in "New Mexico" is
//! another place.
//!
//! Input: a corpus. Output: whether words of a text are a part of such a name. Called by [`super::nearness`].

use rustc_hash::FxHashMap;

use super::documents::Corpus;
use super::places::{MAX_NAME_WORDS, Places};
use super::word_ids::WordId;

/// The names of which the corpus has all words, by their first word: the words that follow it.
#[derive(Debug, Default)]
pub(super) struct LongNames(FxHashMap<WordId, Vec<Vec<WordId>>>);

impl LongNames {
    pub(super) fn of(corpus: &Corpus) -> Self {
        let mut by_first: FxHashMap<WordId, Vec<Vec<WordId>>> = FxHashMap::default();
        for name in Places::shipped().long_names() {
            let ids: Option<Vec<WordId>> = name.iter().map(|word| corpus.id(word)).collect();
            if let Some((first, rest)) = ids.as_deref().and_then(<[WordId]>::split_first) {
                by_first.entry(*first).or_default().push(rest.to_vec());
            }
        }
        Self(by_first)
    }

    /// Whether `length` words at `at` are a part of a longer name. What begins with the name of a place is most often that
    /// place: "New York City".
    pub(super) fn contain(&self, field: &[WordId], at: usize, length: usize, is_word: bool) -> bool {
        let end = at + usize::from(is_word);
        (at.saturating_sub(MAX_NAME_WORDS - 1)..end).any(|start| {
            let names = field.get(start).and_then(|first| self.0.get(first));
            names.into_iter().flatten().any(|rest| {
                let is_longer = 1 + rest.len() > length && start + 1 + rest.len() >= at + length;
                is_longer && field[start + 1..].starts_with(rest)
            })
        })
    }
}
