//! The texts of a run, as they are searched: words by number, field by field.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::lexicon::{LONGEST, Lexicon};
use super::word_vectors::{DIMENSIONS, Vector, WordVectors};
use super::words::{each_word, stem};

/// Title, opening of the text, what follows, the feed's own categories.
pub(super) const FIELDS: usize = 4;
pub(super) const TITLE: usize = 0;
pub(super) const LEAD: usize = 1;
pub(super) const BODY: usize = 2;
pub(super) const CATEGORIES: usize = 3;

/// Words of a text that are its opening, and words that are read at all.
const LEAD_WORDS: usize = 60;
const MAX_WORDS: usize = 2_000;

/// What a field counts in the vector of a text.
const VECTOR_WEIGHTS: [f32; FIELDS] = [2.0, 1.0, 1.0, 1.0];

/// What is searched of an item.
#[derive(Debug, Clone, Copy)]
pub struct TextParts<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub categories: &'a [String],
    /// Whether its meaning may be told by vectors of English words.
    pub is_english: bool,
}

pub(super) type WordId = u32;

/// A word of the corpus.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: Box<str>,
    pub(super) stem: Box<str>,
    /// In the table of vectors, and what it weighs there.
    pub(super) rank: Option<usize>,
    vector_weight: f32,
    begins_abbreviation: bool,
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) fields: [Vec<WordId>; FIELDS],
    /// All zero where its words have no vector or are not English.
    pub(super) vector: Vector,
}

/// Texts with the words they consist of.
#[derive(Debug, Default)]
pub struct Corpus {
    pub(super) words: Vec<Word>,
    ids: FxHashMap<Box<str>, WordId>,
    pub(super) documents: Vec<Document>,
    lengths: [usize; FIELDS],
}

/// Texts that are read one after the other, at least: each such part finds its words anew.
const LEAST_PART: usize = 64;

impl Corpus {
    /// A text's number is its place among those given.
    #[must_use]
    pub fn of(texts: &[TextParts<'_>]) -> Self {
        let read = |texts: &[TextParts<'_>]| {
            let mut part = Self::default();
            for text in texts {
                part.add(*text);
            }
            part
        };
        let part = texts.len().div_ceil(rayon::current_num_threads()).max(LEAST_PART);
        let parts: Vec<Self> = texts.par_chunks(part).map(read).collect();
        let mut corpus = Self::default();
        for part in parts {
            corpus.append(part);
        }
        corpus
    }

    /// Adds the texts of another, whose words get the numbers that they have here.
    fn append(&mut self, part: Self) {
        let numbers: Vec<WordId> = part.words.into_iter().map(|word| self.number_of(word)).collect();
        for mut document in part.documents {
            document.fields.iter_mut().flatten().for_each(|id| *id = numbers[*id as usize]);
            self.documents.push(document);
        }
        for (sum, length) in self.lengths.iter_mut().zip(part.lengths) {
            *sum += length;
        }
    }

    fn add(&mut self, parts: TextParts<'_>) {
        let mut fields: [Vec<WordId>; FIELDS] = Default::default();
        self.read(parts.title, MAX_WORDS, &mut fields[TITLE]);
        self.read(parts.body, MAX_WORDS, &mut fields[LEAD]);
        if fields[LEAD].len() > LEAD_WORDS {
            fields[BODY] = fields[LEAD].split_off(LEAD_WORDS);
        }
        for category in parts.categories {
            self.read(category, MAX_WORDS, &mut fields[CATEGORIES]);
        }
        for (sum, field) in self.lengths.iter_mut().zip(&fields) {
            *sum += field.len();
        }
        let vector = if parts.is_english { self.vector(&fields) } else { [0.0; DIMENSIONS] };
        self.documents.push(Document { fields, vector });
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub(super) fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// Mean words of a field, at least 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(super) fn mean_length(&self, field: usize) -> f64 {
        (self.lengths[field] as f64 / self.documents.len().max(1) as f64).max(1.0)
    }

    fn read(&mut self, text: &str, most: usize, into: &mut Vec<WordId>) {
        each_word(text, |word| {
            if into.len() < most {
                into.push(self.number(word));
            }
        });
        self.add_abbreviations(into);
    }

    fn number(&mut self, word: &str) -> WordId {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let stem = stem(word);
        let begins_abbreviation = Lexicon::shipped().begins_abbreviation(&stem);
        let table = WordVectors::shipped();
        let rank = table.rank(word);
        let vector_weight = rank.map_or(0.0, |rank| table.weight(rank));
        self.number_of(Word { text: word.into(), stem: stem.into(), rank, vector_weight, begins_abbreviation })
    }

    fn number_of(&mut self, word: Word) -> WordId {
        if let Some(id) = self.ids.get(&word.text) {
            return *id;
        }
        let id = WordId::try_from(self.words.len()).unwrap_or(WordId::MAX);
        self.ids.insert(word.text.clone(), id);
        self.words.push(word);
        id
    }

    /// Behind the words of a field the abbreviations of phrases among them.
    fn add_abbreviations(&mut self, field: &mut Vec<WordId>) {
        let mut found = Vec::new();
        for at in 0..field.len() {
            if !self.words[field[at] as usize].begins_abbreviation {
                continue;
            }
            let phrase = &field[at..field.len().min(at + LONGEST)];
            let stems: Vec<String> = phrase.iter().map(|id| self.words[*id as usize].stem.to_string()).collect();
            found.extend((2..=stems.len()).filter_map(|length| Lexicon::shipped().abbreviation(&stems[..length])));
        }
        for abbreviation in found {
            let id = self.number(abbreviation);
            field.push(id);
        }
    }

    fn vector(&self, fields: &[Vec<WordId>; FIELDS]) -> Vector {
        let mut vector = [0.0; DIMENSIONS];
        let table = WordVectors::shipped();
        for (field, weight) in fields.iter().zip(VECTOR_WEIGHTS) {
            for word in field.iter().map(|id| &self.words[*id as usize]) {
                word.rank.into_iter().for_each(|rank| table.add(rank, weight * word.vector_weight, &mut vector));
            }
        }
        vector
    }
}
