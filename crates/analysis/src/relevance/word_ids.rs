//! Words by number: each word of the texts is looked up once, and compared as a number from then on.
//!
//! Comes in: texts. Goes out: the numbers of their words, in order. Called while a [`super::documents::Corpus`] is read.

use rustc_hash::FxHashMap;

use super::words::{Key, each_key};

pub(super) type WordId = u32;

/// A word that is kept: most have few letters, and need no memory of their own.
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

/// See the module. A word's number is its place among `words`.
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

    /// Adds the numbers of a text's words to those of a field, of which at most so many are kept.
    pub(super) fn read(&mut self, text: &str, most: usize, field: &mut Vec<WordId>) {
        if field.len() < most {
            each_key(text, |key| {
                field.push(self.number(key));
                field.len() < most
            });
        }
    }
}
