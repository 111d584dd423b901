//! Names of places of several words in a corpus: "bank" in "West Bank" is no bank, and "Mexico" in "New Mexico" is
//! another place. In the same way "comics" in "non-comics" are none.
//!
//! Input: a corpus, and the terms of a query. Output: whether words of a text are a part of such a name. Called by
//! [`super::nearness`] and [`super::naming`].

use rustc_hash::FxHashMap;

use super::documents::Corpus;
use super::places::{MAX_NAME_WORDS, Places};
use super::terms::Term;
use super::word_ids::WordId;
use super::words::{NON, light_stem};

/// A name without its first word.
#[derive(Debug)]
struct Rest {
    words: Vec<WordId>,
    /// Whether its last word names the region that the place is in.
    names_outer: bool,
}

/// The names of which the corpus has all words.
#[derive(Debug, Default)]
pub(super) struct LongNames {
    by_first: FxHashMap<WordId, Vec<Rest>>,
    /// "Non", after which a word is not meant.
    non: Option<WordId>,
    /// The words that are wanted after it: "non-fiction".
    wanted_after_non: Vec<WordId>,
}

impl LongNames {
    pub(super) fn of(corpus: &Corpus, terms: &[Term]) -> Self {
        let mut by_first: FxHashMap<WordId, Vec<Rest>> = FxHashMap::default();
        for (name, names_outer) in Places::shipped().long_names() {
            let ids: Option<Vec<WordId>> = name.iter().map(|word| corpus.id(word)).collect();
            if let Some((first, rest)) = ids.as_deref().and_then(<[WordId]>::split_first) {
                by_first.entry(*first).or_default().push(Rest { words: rest.to_vec(), names_outer });
            }
        }
        let stems: Vec<String> = terms
            .iter()
            .filter_map(|term| match term {
                Term::Modifier(word, of) if word == NON => Some(light_stem(of)),
                Term::Modifier(..) | Term::Word(_) | Term::Place(_) => None,
            })
            .collect();
        let words = (0..).zip(&corpus.words).filter(|(_, word)| stems.iter().any(|stem| **stem == *word.stem));
        let wanted_after_non = words.map(|(id, _)| id).collect();
        Self { by_first, non: corpus.id(NON), wanted_after_non }
    }

    /// Whether `length` words at `at` are a part of a longer name, or a word that "non" precedes. What begins with the
    /// name of a place is most often that place ("New York City"), and a place is named in one that it contains
    /// ("Africa" in "West Africa").
    pub(super) fn contain(&self, field: &[WordId], at: usize, length: usize, is_word: bool) -> bool {
        if is_word && self.follows_non(field, at) {
            return true;
        }
        let end = at + usize::from(is_word);
        (at.saturating_sub(MAX_NAME_WORDS - 1)..end).any(|start| {
            let names = field.get(start).and_then(|first| self.by_first.get(first));
            names.into_iter().flatten().filter(|name| is_word || !name.names_outer).any(|Rest { words, .. }| {
                let is_longer = 1 + words.len() > length && start + 1 + words.len() >= at + length;
                is_longer && field[start + 1..].starts_with(words)
            })
        })
    }

    fn follows_non(&self, field: &[WordId], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| field.get(before));
        before.is_some_and(|before| Some(*before) == self.non)
            && field.get(at).is_some_and(|word| !self.wanted_after_non.contains(word))
    }
}
