//! Names of places of several words in a corpus: "bank" in "West Bank" is no bank, and "Mexico" in "New Mexico" is
//! another place.
//!
//! Input: a corpus. Output: whether words of a text are a part of such a name. Called by [`super::nearness`].

use rustc_hash::FxHashMap;

use super::documents::Corpus;
use super::places::{MAX_NAME_WORDS, Places};
use super::word_ids::WordId;

/// A name without its first word.
#[derive(Debug)]
struct Rest {
    words: Vec<WordId>,
    /// Whether its last word names the region that the place is in.
    names_outer: bool,
}

/// The names of which the corpus has all words, by their first word.
#[derive(Debug, Default)]
pub(super) struct LongNames(FxHashMap<WordId, Vec<Rest>>);

impl LongNames {
    pub(super) fn of(corpus: &Corpus) -> Self {
        let mut by_first: FxHashMap<WordId, Vec<Rest>> = FxHashMap::default();
        for (name, names_outer) in Places::shipped().long_names() {
            let ids: Option<Vec<WordId>> = name.iter().map(|word| corpus.id(word)).collect();
            if let Some((first, rest)) = ids.as_deref().and_then(<[WordId]>::split_first) {
                by_first.entry(*first).or_default().push(Rest { words: rest.to_vec(), names_outer });
            }
        }
        Self(by_first)
    }

    /// Whether `length` words at `at` are a part of a longer name. What begins with the name of a place is most often that
    /// place ("New York City"), and a place is named in one that it contains ("Africa" in "West Africa").
    pub(super) fn contain(&self, field: &[WordId], at: usize, length: usize, is_word: bool) -> bool {
        let end = at + usize::from(is_word);
        (at.saturating_sub(MAX_NAME_WORDS - 1)..end).any(|start| {
            let names = field.get(start).and_then(|first| self.0.get(first));
            names.into_iter().flatten().filter(|name| is_word || !name.names_outer).any(|Rest { words, .. }| {
                let is_longer = 1 + words.len() > length && start + 1 + words.len() >= at + length;
                is_longer && field[start + 1..].starts_with(words)
            })
        })
    }
}
