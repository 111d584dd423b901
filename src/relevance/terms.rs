//! A term of a query, and by which words of the texts it is met.

use rustc_hash::FxHashMap;

use super::documents::{Corpus, Word, WordId};
use super::places::{PlaceId, Places};
use super::word_vectors::WordVectors;
use super::words::stem;

/// Words that share a long beginning count in part: at least so many letters, and so much of the longer one.
const SHARED_LETTERS: usize = 5;
const SHARED_PART: f64 = 0.6;
const SHARED_WEIGHT: f64 = 0.5;
/// From this cosine of their vectors on such a part counts in full; below it less, as `physics` and `physical` share a beginning alone.
const SHARED_LIKENESS: f64 = 0.5;

/// Words of like meaning: how many, how like (cosine), and what one counts that means the very same.
const SYNONYMS: usize = 8;
const SYNONYM_LIKENESS: f64 = 0.6;
const SYNONYM_WEIGHT: f64 = 0.5;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Word(String),
    Place(PlaceId),
}

/// What a word of the corpus counts for a term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) term: usize,
    /// By itself, or by what means nearly the same.
    pub(super) direct: f64,
    /// As one of the things that the subject covers.
    pub(super) related: f64,
    /// Whether the term is a word, not a place.
    pub(super) is_word: bool,
    /// The words that have to follow it.
    pub(super) rest: Vec<WordId>,
}

/// By the words of a corpus, what they count for which terms.
#[derive(Debug)]
pub(super) struct Hits(Vec<Vec<Hit>>);

impl Hits {
    /// `related`: for each term the stems of the things that its subject covers.
    pub(super) fn of(corpus: &Corpus, terms: &[Term], related: &[Vec<String>]) -> Self {
        let mut hits = Self(vec![Vec::new(); corpus.words.len()]);
        for (number, term) in terms.iter().enumerate() {
            match term {
                Term::Word(word) => hits.add_word(corpus, number, &Variants::of(word), &related[number]),
                Term::Place(place) => hits.add_place(corpus, number, place),
            }
        }
        hits
    }

    pub(super) fn of_word(&self, word: WordId) -> &[Hit] {
        self.0.get(word as usize).map_or(&[], Vec::as_slice)
    }

    fn add_word(&mut self, corpus: &Corpus, term: usize, variants: &Variants, related: &[String]) {
        for (hits, word) in self.0.iter_mut().zip(&corpus.words) {
            let direct = variants.weight(word);
            let is_related = direct <= 0.0 && related.iter().any(|stem| **stem == *word.stem);
            if direct > 0.0 || is_related {
                hits.push(Hit {
                    term,
                    direct,
                    related: f64::from(u8::from(is_related)),
                    is_word: true,
                    rest: Vec::new(),
                });
            }
        }
    }

    fn add_place(&mut self, corpus: &Corpus, term: usize, place: &PlaceId) {
        let mut names = Places::shipped().names(place);
        // The longest name at a place of a text is the one that counts.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, direct) in names {
            let Some((first, rest)) = name.split_first() else { continue };
            let rest: Option<Vec<WordId>> = rest.iter().map(|word| corpus.id(word)).collect();
            let Some(rest) = rest else { continue };
            let plural = if rest.is_empty() { corpus.id(&format!("{first}s")) } else { None };
            for id in corpus.id(first).into_iter().chain(plural) {
                self.0[id as usize].push(Hit { term, direct, related: 0.0, is_word: false, rest: rest.clone() });
            }
        }
    }
}

/// By which other words a word of the interests is met.
#[derive(Debug)]
pub(super) struct Variants {
    stem: String,
    rank: Option<usize>,
    /// By their stems.
    synonyms: FxHashMap<String, f64>,
    /// The same words as they are written.
    near: Vec<(&'static str, f64)>,
}

impl Variants {
    pub(super) fn of(word: &str) -> Self {
        let table = WordVectors::shipped();
        let rank = table.rank(word);
        let near = rank.map(|rank| table.nearest(rank, SYNONYMS, SYNONYM_LIKENESS)).unwrap_or_default();
        let weight = |likeness: f64| SYNONYM_WEIGHT * (likeness - SYNONYM_LIKENESS) / (1.0 - SYNONYM_LIKENESS);
        let near: Vec<(&'static str, f64)> =
            near.into_iter().map(|(word, likeness)| (word, weight(likeness))).collect();
        let mut synonyms = FxHashMap::default();
        for (near, weight) in &near {
            let known: &mut f64 = synonyms.entry(stem(near)).or_insert(*weight);
            *known = known.max(*weight);
        }
        Self { stem: stem(word), rank, synonyms, near }
    }

    /// What a word counts: 1 for another form of the same, 0 for a stranger.
    fn weight(&self, word: &Word) -> f64 {
        if *self.stem == *word.stem {
            return 1.0;
        }
        let synonym = self.synonyms.get(&*word.stem).copied().unwrap_or(0.0);
        synonym.max(self.shared_beginning(word))
    }

    fn shared_beginning(&self, word: &Word) -> f64 {
        let shared = self.stem.bytes().zip(word.stem.bytes()).take_while(|(a, b)| a == b).count();
        let longer = self.stem.len().max(word.stem.len());
        if shared < SHARED_LETTERS || as_f64(shared) < SHARED_PART * as_f64(longer) {
            return 0.0;
        }
        let likeness = match (self.rank, word.rank) {
            (Some(one), Some(other)) => {
                (WordVectors::shipped().likeness(one, other).max(0.0) / SHARED_LIKENESS).min(1.0)
            }
            _ => 1.0,
        };
        SHARED_WEIGHT * likeness
    }

    /// Words of like meaning, with what they count.
    pub(super) fn near(&self) -> &[(&'static str, f64)] {
        &self.near
    }
}

#[expect(clippy::cast_precision_loss, reason = "letters of a word")]
const fn as_f64(letters: usize) -> f64 {
    letters as f64
}
