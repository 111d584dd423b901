//! The terms of a query, and which words of the texts match them.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::documents::{Corpus, Word};
use super::lexicon::Lexicon;
use super::places::{PlaceId, Places};
use super::programming::other_names;
use super::word_ids::WordId;
use super::word_vectors::WordVectors;
use super::words::{NON, light_stem};

/// Words with a common prefix match partially: its minimum letters, its minimum share of the longer stem, and the
/// weight of the match.
const SHARED_LETTERS: usize = 5;
const SHARED_PART: f64 = 0.6;
const SHARED_WEIGHT: f64 = 0.5;
/// Minimum cosine of their vectors for this weight; below it the weight is reduced, because `physics` and `physical`
/// share only a prefix.
const SHARED_SIMILARITY: f64 = 0.5;

/// Synonyms: maximum number, minimum cosine, and the weight of one at cosine 1.
const SYNONYMS: usize = 8;
const SYNONYM_SIMILARITY: f64 = 0.6;
const SYNONYM_WEIGHT: f64 = 0.5;
/// The weight of a synonym by the table of synonyms.
const LISTED_SYNONYM_WEIGHT: f64 = 0.8;

/// For related words of a subject: the −ln of the share of texts with the word at which its weight is 1, and the
/// maximum weight.
const SPECIFICITY_SCALE: f64 = 4.0;
const MAX_SPECIFICITY: f64 = 1.5;

/// A search term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Word(String),
    /// A word that counts only before a form of another: ("self", "hosting").
    Modifier(String, String),
    Place(PlaceId),
}

/// The weight of a corpus word for a term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) term: usize,
    /// As the word itself, a variant or a synonym.
    pub(super) direct: f64,
    /// As a related word of the subject.
    pub(super) related: f64,
    /// Whether the term is a word, not a place.
    pub(super) is_word: bool,
    /// The words that must follow it.
    pub(super) rest: Vec<WordId>,
}

/// The hits of each word of a corpus.
#[derive(Debug)]
pub(super) struct Hits {
    /// Indexes in `lists`. Most words have no hits, and this is looked up for each word of a text.
    by_word: Vec<u32>,
    /// The first list is empty.
    lists: Vec<Vec<Hit>>,
}

impl Hits {
    /// Finds the hits of all corpus words. `related`: the stems of the related words of each term's subject.
    pub(super) fn of(corpus: &Corpus, terms: &[Term], related: &[Vec<String>]) -> Self {
        let index = TermIndex::of(terms, related);
        let mut hits: Vec<Vec<Hit>> = corpus.words.par_iter().map(|word| index.hits_of(word)).collect();
        for (number, term) in terms.iter().enumerate() {
            let of_phrases = match term {
                Term::Word(_) => continue,
                Term::Modifier(word, of) => hits_of_modifier(corpus, number, word, of),
                Term::Place(place) => hits_of_place(corpus, number, place),
            };
            for (word, hit) in of_phrases {
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

    /// Returns the hits in the order of the corpus's words.
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

/// The terms that are words, indexed by the stems and stem prefixes that may match them.
struct TermIndex<'a> {
    variants: Vec<Option<Variants>>,
    related: &'a [Vec<String>],
    by_stem: FxHashMap<String, Vec<usize>>,
    by_prefix: FxHashMap<[u8; SHARED_LETTERS], Vec<usize>>,
}

impl<'a> TermIndex<'a> {
    fn of(terms: &[Term], related: &'a [Vec<String>]) -> Self {
        let variants = |term: &Term| match term {
            Term::Word(word) => Some(Variants::of(word)),
            Term::Modifier(..) | Term::Place(_) => None,
        };
        let variants: Vec<Option<Variants>> = terms.par_iter().map(variants).collect();
        let mut by_stem: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let mut by_prefix: FxHashMap<[u8; SHARED_LETTERS], Vec<usize>> = FxHashMap::default();
        for (number, variants) in variants.iter().enumerate() {
            let own = variants.iter().flat_map(|variants| variants.synonyms.keys().chain([&variants.stem]));
            for stem in own.chain(&related[number]) {
                by_stem.entry(stem.clone()).or_default().push(number);
            }
            let stem = variants.as_ref().map(|variants| variants.stem.as_bytes());
            if let Some(prefix) = stem.and_then(<[u8]>::first_chunk) {
                by_prefix.entry(*prefix).or_default().push(number);
            }
        }
        Self { variants, related, by_stem, by_prefix }
    }

    /// Returns the hits of a word, at most one per term.
    fn hits_of(&self, word: &Word) -> Vec<Hit> {
        let same = self.by_stem.get(&*word.stem);
        let same_prefix = word.stem.as_bytes().first_chunk().and_then(|prefix| self.by_prefix.get(prefix));
        let mut terms: Vec<usize> = same.into_iter().chain(same_prefix).flatten().copied().collect();
        terms.sort_unstable();
        terms.dedup();
        terms.into_iter().filter_map(|term| self.hit(term, word)).collect()
    }

    fn hit(&self, term: usize, word: &Word) -> Option<Hit> {
        let direct = self.variants.get(term)?.as_ref().map_or(0.0, |variants| variants.weight(word));
        let is_related = direct <= 0.0 && self.related[term].iter().any(|stem| **stem == *word.stem);
        let related = if is_related { specificity(word) } else { 0.0 };
        (direct > 0.0 || is_related).then(|| Hit { term, direct, related, is_word: true, rest: Vec::new() })
    }
}

/// Returns the weight of a related word: 1 if one text in fifty contains it, more if it is rarer and so more specific.
fn specificity(word: &Word) -> f64 {
    (-WordVectors::shipped().share_of_texts(&word.text).ln() / SPECIFICITY_SCALE).min(MAX_SPECIFICITY)
}

/// Returns the hits of a modifier: before each word of the corpus that has the stem of `of`; of "non" also those of both
/// in one word ("nonfiction").
fn hits_of_modifier(corpus: &Corpus, term: usize, word: &str, of: &str) -> Vec<(WordId, Hit)> {
    let hit = |rest| Hit { term, direct: 1.0, related: 0.0, is_word: true, rest };
    let forms = |stem: String| (0..).zip(&corpus.words).filter(move |(_, word)| *word.stem == *stem).map(|(id, _)| id);
    let mut found = Vec::new();
    if let Some(id) = corpus.id(word) {
        found.extend(forms(light_stem(of)).map(|form| (id, hit(vec![form]))));
    }
    if word == NON {
        found.extend(forms(light_stem(&format!("{word}{of}"))).map(|id| (id, hit(Vec::new()))));
    }
    found
}

fn hits_of_place(corpus: &Corpus, term: usize, place: &PlaceId) -> Vec<(WordId, Hit)> {
    let mut names = Places::shipped().names(place);
    // The longest name at a position counts.
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

/// The other words that match a word of the interests.
#[derive(Debug)]
pub(super) struct Variants {
    stem: String,
    rank: Option<usize>,
    is_activity: bool,
    /// By stem.
    synonyms: FxHashMap<String, f64>,
    /// The same words as written.
    near: Vec<(&'static str, f64)>,
}

impl Variants {
    pub(super) fn of(word: &str) -> Self {
        let table = WordVectors::shipped();
        let rank = table.rank(word);
        let near = rank.map(|rank| table.nearest(rank, SYNONYMS, SYNONYM_SIMILARITY)).unwrap_or_default();
        let weight = |similarity: f64| SYNONYM_WEIGHT * (similarity - SYNONYM_SIMILARITY) / (1.0 - SYNONYM_SIMILARITY);
        let stem = light_stem(word);
        let listed = Lexicon::shipped().synonyms(&stem).iter().map(|word| (*word, LISTED_SYNONYM_WEIGHT));
        let near: Vec<(&'static str, f64)> =
            listed.chain(near.into_iter().map(|(word, similarity)| (word, weight(similarity)))).collect();
        let mut synonyms = FxHashMap::default();
        for (near, weight) in &near {
            let known: &mut f64 = synonyms.entry(light_stem(near)).or_insert(*weight);
            *known = known.max(*weight);
        }
        let names = other_names(word).iter().copied().chain((word == "go").then_some("Go"));
        synonyms.extend(names.map(|name| (light_stem(name), 1.0)));
        let is_activity = is_activity(word, &stem);
        Self { stem, rank, is_activity, synonyms, near }
    }

    /// Returns the weight of a word: 1 for another form of the same word, 0 if unrelated. A word in -ing and the word
    /// that it is formed from are one word only if their vectors are alike: "farming" and "farm", not "tracking" and
    /// "track".
    fn weight(&self, word: &Word) -> f64 {
        if *self.stem == *word.stem {
            let is_same = self.is_activity == is_activity(&word.text, &word.stem) || self.likeness(word) >= 1.0;
            return if is_same { 1.0 } else { SHARED_WEIGHT * self.likeness(word) };
        }
        let synonym = self.synonyms.get(&*word.stem).copied().unwrap_or(0.0);
        synonym.max(self.shared_prefix(word))
    }

    fn shared_prefix(&self, word: &Word) -> f64 {
        let shared = self.stem.bytes().zip(word.stem.bytes()).take_while(|(a, b)| a == b).count();
        let longer = self.stem.len().max(word.stem.len());
        if shared < SHARED_LETTERS || as_f64(shared) < SHARED_PART * as_f64(longer) {
            return 0.0;
        }
        SHARED_WEIGHT * self.likeness(word)
    }

    /// Returns 1 if the vectors of two words that begin alike are alike, less below [`SHARED_SIMILARITY`]; 1 without
    /// vectors.
    fn likeness(&self, word: &Word) -> f64 {
        match (self.rank, word.rank) {
            (Some(one), Some(other)) => {
                (WordVectors::shipped().similarity(one, other).max(0.0) / SHARED_SIMILARITY).min(1.0)
            }
            _ => 1.0,
        }
    }

    /// Returns the synonyms with their weights.
    pub(super) fn near(&self) -> &[(&'static str, f64)] {
        &self.near
    }
}

/// Whether a word, given its stem, ends in an -ing that is no part of the stem, as in "king".
fn is_activity(word: &str, stem: &str) -> bool {
    word.strip_suffix('s').unwrap_or(word).ends_with("ing") && !stem.ends_with("ing")
}

#[expect(clippy::cast_precision_loss, reason = "letters of a word")]
const fn as_f64(letters: usize) -> f64 {
    letters as f64
}
