//! The texts of a run prepared for search: word ids by field.

use rayon::prelude::*;

use super::lexicon::{Lexicon, MAX_PHRASE_WORDS};
use super::word_ids::{WordId, WordIds};
use super::word_vectors::{DIMENSIONS, Vector, WordVectors};
use super::words::{Key, light_stem};

/// Title, opening of the text, rest of the text, the feed's own categories.
pub(super) const FIELDS: usize = 4;
const LEAD: usize = 1;
const BODY: usize = 2;

/// Number of words in a text's opening, and maximum number of words per text.
pub(super) const LEAD_WORDS: usize = 60;
const MAX_WORDS: usize = 2_000;

/// The weight of each field in a text's vector.
const VECTOR_WEIGHTS: [f32; FIELDS] = [2.0, 1.0, 1.0, 1.0];

/// The searched parts of an item.
#[derive(Debug, Clone, Copy)]
pub struct TextParts<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub categories: &'a [String],
    /// Whether vectors of English words apply to it.
    pub is_english: bool,
}

/// A word of the corpus.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: Box<str>,
    pub(super) stem: Box<str>,
    /// Its rank in the table of vectors.
    pub(super) rank: Option<usize>,
}

impl Word {
    fn of(key: Key<'_>) -> Self {
        let text = key.text();
        let stem = light_stem(&text).into();
        let rank = WordVectors::shipped().rank(&text);
        Self { text, stem, rank }
    }
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) fields: [Vec<WordId>; FIELDS],
    /// All zero if none of its words has a vector, or it is not English.
    pub(super) vector: Vector,
}

/// Texts and their words.
#[derive(Debug, Default)]
pub struct Corpus {
    pub(super) words: Vec<Word>,
    ids: WordIds,
    pub(super) documents: Vec<Document>,
    lengths: [usize; FIELDS],
}

/// Minimum number of texts that one task reads in sequence: each part numbers its words separately.
const MIN_PART_TEXTS: usize = 64;

impl Corpus {
    /// Indexes the texts. A text's number is its index in `texts`.
    #[must_use]
    pub fn of(texts: &[TextParts<'_>]) -> Self {
        let part = texts.len().div_ceil(rayon::current_num_threads()).max(MIN_PART_TEXTS);
        let parts: Vec<Part> = texts.par_chunks(part).map(Part::read).collect();
        let mut ids = WordIds::with_capacity(parts.iter().map(|part| part.ids.words.len()).sum());
        let mut numbered: Vec<(Vec<WordId>, Vec<WordsOfText>)> = Vec::with_capacity(parts.len());
        for part in parts {
            let numbers = part.ids.words.iter().map(|word| ids.number(word.as_key())).collect();
            numbered.push((numbers, part.texts));
        }
        // Abbreviations are added to texts that spell them out.
        Lexicon::shipped().abbreviations().for_each(|short| _ = ids.number(Key::of(short)));
        let words: Vec<Word> = ids.words.par_iter().map(|key| Word::of(key.as_key())).collect();
        let reader = Reader::of(&words, &ids);
        let reader = &reader;
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
        self.ids.get(Key::of(word))
    }

    /// Returns whether a text has two words side by side.
    pub(super) fn has_pair(&self, one: &str, other: &str) -> bool {
        let Some(pair) = self.id(one).zip(self.id(other)) else { return false };
        let is_pair = |words: &Vec<WordId>| words.windows(2).any(|two| (two[0], two[1]) == pair);
        self.documents.iter().any(|document| document.fields.iter().any(is_pair))
    }

    pub(super) fn word(&self, id: WordId) -> &str {
        &self.words[id as usize].text
    }

    /// Returns the mean number of words of a field, at least 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(super) fn mean_length(&self, field: usize) -> f64 {
        (self.lengths[field] as f64 / self.documents.len().max(1) as f64).max(1.0)
    }
}

/// The words of a text, with the ids of its part.
#[derive(Debug, Default)]
struct WordsOfText {
    title: Vec<WordId>,
    body: Vec<WordId>,
    categories: Vec<WordId>,
}

/// Bytes of an average word and the space after it, to estimate the number of words.
const BYTES_PER_WORD: usize = 6;

/// Texts that were read in sequence by one task.
#[derive(Debug, Default)]
struct Part {
    ids: WordIds,
    texts: Vec<WordsOfText>,
}

impl Part {
    fn read(texts: &[TextParts<'_>]) -> Self {
        let mut ids = WordIds::default();
        let texts = texts.iter().map(|parts| {
            let mut text = WordsOfText {
                title: Vec::with_capacity(parts.title.len() / BYTES_PER_WORD),
                body: Vec::with_capacity((parts.body.len() / BYTES_PER_WORD).min(MAX_WORDS)),
                categories: Vec::new(),
            };
            ids.read(parts.title, MAX_WORDS, &mut text.title);
            ids.read(parts.body, MAX_WORDS, &mut text.body);
            for category in parts.categories {
                ids.read(category, MAX_WORDS, &mut text.categories);
            }
            text
        });
        let texts = texts.collect();
        Self { ids, texts }
    }
}

/// Word data for building documents.
#[derive(Debug)]
struct Reader<'a> {
    words: &'a [Word],
    ids: &'a WordIds,
    begins_abbreviation: Vec<bool>,
    /// The weighted vector of each word that has one; indexed by `row_of_word`.
    rows: Vec<Vector>,
    /// [`NO_ROW`] for a word without a vector.
    row_of_word: Vec<u32>,
}

const NO_ROW: u32 = u32::MAX;

impl<'a> Reader<'a> {
    fn of(words: &'a [Word], ids: &'a WordIds) -> Self {
        let table = WordVectors::shipped();
        let row = |rank: usize| {
            let mut row = [0.0; DIMENSIONS];
            table.add(rank, table.weight(rank), &mut row);
            row
        };
        let rows: Vec<Vector> = words.par_iter().filter_map(|word| Some(row(word.rank?))).collect();
        let mut next = 0;
        let row_of_word = words.iter().map(|word| {
            next += u32::from(word.rank.is_some());
            if word.rank.is_some() { next - 1 } else { NO_ROW }
        });
        let row_of_word = row_of_word.collect();
        let lexicon = Lexicon::shipped();
        let begins_abbreviation = words.iter().map(|word| lexicon.begins_abbreviation(&word.stem)).collect();
        Self { words, ids, begins_abbreviation, rows, row_of_word }
    }

    /// Builds a document. `numbers` maps the ids of the text's part to those of the corpus.
    fn document(&self, text: WordsOfText, numbers: &[WordId], is_english: bool) -> Document {
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

    /// Appends the abbreviations of phrases in a field.
    fn add_abbreviations(&self, field: &mut Vec<WordId>) {
        let mut found = Vec::new();
        for at in (0..field.len()).filter(|at| self.begins_abbreviation[field[*at] as usize]) {
            let phrase = &field[at..field.len().min(at + MAX_PHRASE_WORDS)];
            let stems: Vec<&str> = phrase.iter().map(|id| &*self.words[*id as usize].stem).collect();
            let short = (2..=stems.len()).filter_map(|length| Lexicon::shipped().abbreviation(&stems[..length]));
            found.extend(short.filter_map(|short| self.ids.get(Key::of(short))));
        }
        field.append(&mut found);
    }

    fn vector(&self, fields: &[Vec<WordId>; FIELDS]) -> Vector {
        let mut vector = [0.0; DIMENSIONS];
        for (field, weight) in fields.iter().zip(VECTOR_WEIGHTS) {
            for id in field {
                // `NO_ROW` is out of range.
                if let Some(row) = self.rows.get(self.row_of_word[*id as usize] as usize) {
                    vector.iter_mut().zip(row).for_each(|(sum, number)| *sum += weight * number);
                }
            }
        }
        vector
    }
}
