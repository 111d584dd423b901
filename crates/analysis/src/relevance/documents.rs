//! The texts of a run, as they are searched: words by number, field by field.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::lexicon::{LONGEST, Lexicon};
use super::word_vectors::{DIMENSIONS, Vector, WordVectors};
use super::words::{each_word, stem};

/// Title, opening of the text, what follows, the feed's own categories.
pub(super) const FIELDS: usize = 4;
const LEAD: usize = 1;
const BODY: usize = 2;

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

impl Word {
    fn of(text: Box<str>) -> Self {
        let stem = stem(&text);
        let begins_abbreviation = Lexicon::shipped().begins_abbreviation(&stem);
        let table = WordVectors::shipped();
        let rank = table.rank(&text);
        let vector_weight = rank.map_or(0.0, |rank| table.weight(rank));
        Self { text, stem: stem.into(), rank, vector_weight, begins_abbreviation }
    }
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
    ids: WordIds,
    pub(super) documents: Vec<Document>,
    lengths: [usize; FIELDS],
}

/// Texts that are read one after the other, at least: each such part numbers its words anew.
const LEAST_PART: usize = 64;

impl Corpus {
    /// A text's number is its place among those given.
    #[must_use]
    pub fn of(texts: &[TextParts<'_>]) -> Self {
        let part = texts.len().div_ceil(rayon::current_num_threads()).max(LEAST_PART);
        let parts: Vec<Part> = texts.par_chunks(part).map(Part::read).collect();
        let mut ids = WordIds::default();
        let mut numbered: Vec<(Vec<WordId>, Vec<WordsOfText>)> = Vec::with_capacity(parts.len());
        for part in parts {
            let numbers = part.ids.words.iter().map(|word| ids.number(word)).collect();
            numbered.push((numbers, part.texts));
        }
        // Texts get abbreviations of phrases that they spell out.
        Lexicon::shipped().abbreviations().for_each(|short| _ = ids.number(short));
        let words: Vec<Word> = std::mem::take(&mut ids.words).into_par_iter().map(Word::of).collect();
        let reader = Reader { words: &words, ids: &ids };
        let documents: Vec<Document> = numbered
            .into_par_iter()
            .zip(texts.par_chunks(part))
            .flat_map_iter(|((numbers, of_part), texts)| {
                of_part
                    .into_iter()
                    .zip(texts)
                    .map(move |(text, parts)| reader.document(text, &numbers, parts.is_english))
            })
            .collect();
        let lengths = std::array::from_fn(|field| documents.iter().map(|document| document.fields[field].len()).sum());
        Self { words, ids, documents, lengths }
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
        self.ids.get(word)
    }

    /// Mean words of a field, at least 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(super) fn mean_length(&self, field: usize) -> f64 {
        (self.lengths[field] as f64 / self.documents.len().max(1) as f64).max(1.0)
    }
}

/// The words of a text by the numbers of its part.
#[derive(Debug, Default)]
struct WordsOfText {
    title: Vec<WordId>,
    body: Vec<WordId>,
    categories: Vec<WordId>,
}

/// Texts that were read one after the other.
#[derive(Debug, Default)]
struct Part {
    ids: WordIds,
    texts: Vec<WordsOfText>,
}

impl Part {
    fn read(texts: &[TextParts<'_>]) -> Self {
        let mut ids = WordIds::default();
        let texts = texts.iter().map(|parts| {
            let mut text = WordsOfText::default();
            ids.read(parts.title, &mut text.title);
            ids.read(parts.body, &mut text.body);
            parts.categories.iter().for_each(|category| ids.read(category, &mut text.categories));
            text
        });
        let texts = texts.collect();
        Self { ids, texts }
    }
}

/// Words by number. Most words have few letters: these are compared as one number.
#[derive(Debug, Default)]
struct WordIds {
    words: Vec<Box<str>>,
    short: FxHashMap<u128, WordId>,
    long: FxHashMap<Box<str>, WordId>,
}

impl WordIds {
    /// The bytes of a word of at most 16 as a number; no word has a byte 0.
    fn packed(word: &str) -> Option<u128> {
        let mut bytes = [0; 16];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        Some(u128::from_le_bytes(bytes))
    }

    fn get(&self, word: &str) -> Option<WordId> {
        Self::packed(word).map_or_else(|| self.long.get(word), |packed| self.short.get(&packed)).copied()
    }

    fn number(&mut self, word: &str) -> WordId {
        if let Some(id) = self.get(word) {
            return id;
        }
        let id = WordId::try_from(self.words.len()).unwrap_or(WordId::MAX);
        self.words.push(word.into());
        match Self::packed(word) {
            Some(packed) => self.short.insert(packed, id),
            None => self.long.insert(word.into(), id),
        };
        id
    }

    fn read(&mut self, text: &str, into: &mut Vec<WordId>) {
        each_word(text, |word| {
            if into.len() < MAX_WORDS {
                into.push(self.number(word));
            }
        });
    }
}

/// What is known of the words, to make documents of texts.
#[derive(Debug, Clone, Copy)]
struct Reader<'a> {
    words: &'a [Word],
    ids: &'a WordIds,
}

impl Reader<'_> {
    /// `numbers`: those of the corpus by those of the text's part.
    fn document(self, text: WordsOfText, numbers: &[WordId], is_english: bool) -> Document {
        let mut fields = [text.title, text.body, Vec::new(), text.categories];
        for field in &mut fields {
            for id in field.iter_mut() {
                *id = numbers[*id as usize];
            }
            self.add_abbreviations(field);
        }
        if fields[LEAD].len() > LEAD_WORDS {
            fields[BODY] = fields[LEAD].split_off(LEAD_WORDS);
        }
        let vector = if is_english { self.vector(&fields) } else { [0.0; DIMENSIONS] };
        Document { fields, vector }
    }

    /// Behind the words of a field the abbreviations of phrases among them.
    fn add_abbreviations(self, field: &mut Vec<WordId>) {
        let word = |id: &WordId| &self.words[*id as usize];
        let mut found = Vec::new();
        for at in (0..field.len()).filter(|at| word(&field[*at]).begins_abbreviation) {
            let phrase = &field[at..field.len().min(at + LONGEST)];
            let stems: Vec<String> = phrase.iter().map(|id| word(id).stem.to_string()).collect();
            let short = (2..=stems.len()).filter_map(|length| Lexicon::shipped().abbreviation(&stems[..length]));
            found.extend(short.filter_map(|short| self.ids.get(short)));
        }
        field.append(&mut found);
    }

    fn vector(self, fields: &[Vec<WordId>; FIELDS]) -> Vector {
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
