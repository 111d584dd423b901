//! Word ids: each word of the texts is looked up once and compared as a number afterwards.
//!
//! Input: texts. Output: the ids of their words, in order. Called while a [`super::documents::Corpus`] is built.

use rustc_hash::FxHashMap;

use super::words::{Key, each_key};

pub(super) type WordId = u32;

/// An owned word. Most are short and need no separate allocation.
#[derive(Debug, Clone)]
pub(super) enum OwnedKey {
    Short(u128),
    Long(Box<str>),
}

impl OwnedKey {
    pub(super) fn as_key(&self) -> Key<'_> {
        match self {
            Self::Short(packed) => Key::Short(*packed),
            Self::Long(word) => Key::Long(word),
        }
    }
}

/// The words and their ids; see the module. A word's id is its index in `words`.
#[derive(Debug, Default)]
pub(super) struct WordIds {
    pub(super) words: Vec<OwnedKey>,
    short: FxHashMap<u128, WordId>,
    long: FxHashMap<Box<str>, WordId>,
}

impl WordIds {
    pub(super) fn with_capacity(words: usize) -> Self {
        let short = FxHashMap::with_capacity_and_hasher(words, rustc_hash::FxBuildHasher);
        Self { words: Vec::with_capacity(words), short, long: FxHashMap::default() }
    }

    pub(super) fn get(&self, key: Key<'_>) -> Option<WordId> {
        match key {
            Key::Short(packed) => self.short.get(&packed).copied(),
            Key::Long(word) => self.long.get(word).copied(),
        }
    }

    pub(super) fn number(&mut self, key: Key<'_>) -> WordId {
        let next = WordId::try_from(self.words.len()).unwrap_or(WordId::MAX);
        match key {
            Key::Short(packed) => {
                let id = *self.short.entry(packed).or_insert(next);
                if id == next {
                    self.words.push(OwnedKey::Short(packed));
                }
                id
            }
            Key::Long(word) => {
                if let Some(id) = self.long.get(word) {
                    return *id;
                }
                self.words.push(OwnedKey::Long(word.into()));
                self.long.insert(word.into(), next);
                next
            }
        }
    }

    /// Appends the ids of a text's words to a field, up to a total of `max` ids.
    pub(super) fn read(&mut self, text: &str, max: usize, field: &mut Vec<WordId>) {
        if field.len() < max {
            each_key(text, |key| {
                field.push(self.number(key));
                field.len() < max
            });
        }
    }
}
