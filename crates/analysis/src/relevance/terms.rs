//! A term of a query, and by which words of the texts it is met.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::documents::{Corpus, Word};
use super::places::{PlaceId, Places};
use super::word_ids::WordId;
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

/// Of a subject's things: −ln of the share of texts that have one which counts in full, and what the rarest ones count.
const TELLING: f64 = 4.0;
const MOST_TELLING: f64 = 1.5;

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
pub(super) struct Hits {
    /// Places in `lists`: most words count for nothing, and of each word of a text this is asked.
    by_word: Vec<u32>,
    /// The first is empty.
    lists: Vec<Vec<Hit>>,
}

impl Hits {
    /// `related`: for each term the stems of the things that its subject covers.
    pub(super) fn of(corpus: &Corpus, terms: &[Term], related: &[Vec<String>]) -> Self {
        let asked = AskedWords::of(terms, related);
        let mut hits: Vec<Vec<Hit>> = corpus.words.par_iter().map(|word| asked.met_by(word)).collect();
        for (number, term) in terms.iter().enumerate() {
            let Term::Place(place) = term else { continue };
            for (word, hit) in met_by_place(corpus, number, place) {
                hits[word as usize].push(hit);
            }
        }
        let mut lists = vec![Vec::new()];
        let by_word = hits.into_iter().map(|hits| {
            if hits.is_empty() {
                return 0;
            }
            lists.push(hits);
            u32::try_from(lists.len() - 1).unwrap_or(0)
        });
        Self { by_word: by_word.collect(), lists }
    }

    /// In the order of the corpus's words.
    pub(super) fn by_word(&self) -> impl Iterator<Item = &[Hit]> {
        self.by_word.iter().map(|list| &*self.lists[*list as usize])
    }

    pub(super) fn of_word(&self, word: WordId) -> &[Hit] {
        match self.by_word.get(word as usize) {
            None | Some(0) => &[],
            Some(list) => &self.lists[*list as usize],
        }
    }
}

/// The terms that are words, by the stems and the beginnings of stems that may meet them.
struct AskedWords<'a> {
    variants: Vec<Option<Variants>>,
    related: &'a [Vec<String>],
    by_stem: FxHashMap<String, Vec<usize>>,
    by_beginning: FxHashMap<[u8; SHARED_LETTERS], Vec<usize>>,
}

impl<'a> AskedWords<'a> {
    fn of(terms: &[Term], related: &'a [Vec<String>]) -> Self {
        let variants = |term: &Term| match term {
            Term::Word(word) => Some(Variants::of(word)),
            Term::Place(_) => None,
        };
        let variants: Vec<Option<Variants>> = terms.par_iter().map(variants).collect();
        let mut by_stem: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let mut by_beginning: FxHashMap<[u8; SHARED_LETTERS], Vec<usize>> = FxHashMap::default();
        for (number, variants) in variants.iter().enumerate() {
            let Some(variants) = variants else { continue };
            for stem in variants.synonyms.keys().chain(&related[number]).chain([&variants.stem]) {
                by_stem.entry(stem.clone()).or_default().push(number);
            }
            if let Some(beginning) = variants.stem.as_bytes().first_chunk() {
                by_beginning.entry(*beginning).or_default().push(number);
            }
        }
        Self { variants, related, by_stem, by_beginning }
    }

    /// By term, each once.
    fn met_by(&self, word: &Word) -> Vec<Hit> {
        let same = self.by_stem.get(&*word.stem);
        let alike = word.stem.as_bytes().first_chunk().and_then(|beginning| self.by_beginning.get(beginning));
        let mut terms: Vec<usize> = same.into_iter().chain(alike).flatten().copied().collect();
        terms.sort_unstable();
        terms.dedup();
        terms.into_iter().filter_map(|term| self.hit(term, word)).collect()
    }

    fn hit(&self, term: usize, word: &Word) -> Option<Hit> {
        let direct = self.variants.get(term)?.as_ref()?.weight(word);
        let is_related = direct <= 0.0 && self.related[term].iter().any(|stem| **stem == *word.stem);
        let related = if is_related { specificity(word) } else { 0.0 };
        (direct > 0.0 || is_related).then(|| Hit { term, direct, related, is_word: true, rest: Vec::new() })
    }
}

/// What one of a subject's things counts: 1 where one text in fifty has it, more where it is rarer and so says more.
fn specificity(word: &Word) -> f64 {
    (-WordVectors::shipped().share_of_texts(&word.text).ln() / TELLING).min(MOST_TELLING)
}

fn met_by_place(corpus: &Corpus, term: usize, place: &PlaceId) -> Vec<(WordId, Hit)> {
    let mut names = Places::shipped().names(place);
    // The longest name at a place of a text is the one that counts.
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let mut found = Vec::new();
    for (name, direct) in names {
        let Some((first, rest)) = name.split_first() else { continue };
        let rest: Option<Vec<WordId>> = rest.iter().map(|word| corpus.id(word)).collect();
        let Some(rest) = rest else { continue };
        let plural = if rest.is_empty() { corpus.id(&format!("{first}s")) } else { None };
        for id in corpus.id(first).into_iter().chain(plural) {
            found.push((id, Hit { term, direct, related: 0.0, is_word: false, rest: rest.clone() }));
        }
    }
    found
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
