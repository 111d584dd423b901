//! Interests as a query over a corpus: weighted terms, and clauses of terms.

use std::iter;

use rayon::prelude::*;

use super::clauses::{Clause, Interests};
use super::documents::{Corpus, Document};
use super::frequencies::DocumentFrequencies;
use super::lexicon::{Lexicon, MAX_PHRASE_WORDS};
use super::long_names::LongNames;
use super::places::{PlaceId, Places};
use super::programming::{self, ProgrammingWords, Sense};
use super::spelling::{Correction, correct};
use super::terms::{Hits, Term};
use super::word_vectors::{DIMENSIONS, Vector, WordVectors};
use super::wordings::Wording;
use super::words::{NON, light_stem};

/// The number of documents that the built-in word frequencies count as, in addition to the stored items.
const PRIOR_DOCUMENTS: f64 = 200.0;
/// The assumed share of documents that name a place.
const PRIOR_OF_PLACE: f64 = 0.02;
/// What a word counts that names no subject by itself, beside one that does: "decide" of "decide on a heat pump". On 14
/// statements, nDCG@10 was 0.554 with 0.1, 0.552 with 0.25 and 0.533 with 1 (`docs/RANKING.md`).
const UNSPECIFIC: f64 = 0.25;
/// What a clause counts that is wanted less than others ("a bit of opera").
const MINOR_CLAUSE: f64 = 0.5;

/// A clause with its wordings, of which the best match in a text counts.
#[derive(Debug)]
pub(super) struct QueryClause {
    /// Its index in the interests.
    pub(super) number: usize,
    /// What its score is multiplied by.
    pub(super) factor: f64,
    /// As written, then in English if that is another language.
    pub(super) wordings: Vec<QueryWording>,
    pub(super) scope: Vec<usize>,
    /// Terms of which a text has to have one for the clause to count; empty if it always does.
    pub(super) only_with: Vec<usize>,
    pub(super) sense: Sense,
    /// The vector of its English wording, if there is one, otherwise of its own words.
    pub(super) vector: Vector,
    /// The same without its places, if it has other words.
    pub(super) subject: Vector,
    /// Of a clause of one word, the vector of its singular or plural if that is more frequent. It decides whether a text
    /// has the word in its sense, but not the order, in which it was no better on the 51 texts (0.717 for 0.719).
    pub(super) usual: Option<Vector>,
}

/// A wording of a clause, with the indexes of its terms.
#[derive(Debug)]
pub(super) struct QueryWording {
    pub(super) terms: Vec<usize>,
    /// The sum of its terms' weights.
    pub(super) weight: f64,
}

impl QueryClause {
    /// Returns the weight of the wording with the most frequent words: that one is in the language of the texts.
    fn weight(&self) -> f64 {
        let weights = self.wordings.iter().map(|wording| wording.weight).filter(|weight| *weight > 0.0);
        weights.min_by(f64::total_cmp).unwrap_or(0.0)
    }
}

/// A query over a corpus; see the module.
#[derive(Debug)]
pub struct Query<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) hits: Hits,
    pub(super) long_names: LongNames,
    /// ln(1 + (N − n + ½) / (n + ½)) of each term.
    pub(super) weights: Vec<f64>,
    pub(super) wanted: Vec<QueryClause>,
    /// The mean weight of the wanted clauses; 1 if they have no weight.
    pub(super) mean_weight: f64,
    pub(super) denied: Vec<QueryClause>,
    pub(super) terms: Vec<Term>,
    pub(super) clauses: Vec<Clause>,
    /// If a clause means a programming language.
    pub(super) programming: Option<ProgrammingWords>,
    corrections: Vec<Correction>,
}

impl<'a> Query<'a> {
    #[must_use]
    pub fn new(interests: &Interests, corpus: &'a Corpus, frequencies: &dyn DocumentFrequencies) -> Self {
        let mut clauses = interests.clauses.clone();
        let corrections = correct(&mut clauses, corpus, frequencies);
        let mut query_terms = QueryTerms::default();
        let terms: Vec<(Vec<Vec<usize>>, Vec<usize>)> =
            clauses.iter().map(|clause| (query_terms.terms_of(clause), query_terms.scope_of(clause))).collect();
        let only_with: Vec<Vec<usize>> = clauses.iter().map(|clause| query_terms.only_with(clause)).collect();
        let hits = Hits::of(corpus, &query_terms.terms, &query_terms.related);
        let weight = |(number, term): (usize, &Term)| match term {
            Term::Modifier(word, of) if word == NON => weight_of_word(of, frequencies),
            Term::Word(word) if query_terms.is_beside_subject[number] => UNSPECIFIC * weight_of_word(word, frequencies),
            Term::Word(word) | Term::Modifier(word, _) => weight_of_word(word, frequencies),
            Term::Place(_) => weight_of_place(number, corpus, &hits),
        };
        let weights: Vec<f64> = query_terms.terms.iter().enumerate().map(weight).collect();
        let (mut wanted, mut denied) = (Vec::new(), Vec::new());
        for (number, ((clause, (terms, scope)), only_with)) in clauses.iter().zip(terms).zip(only_with).enumerate() {
            let weighed = |terms: Vec<usize>| {
                let weight = terms.iter().map(|term| weights[*term]).sum();
                QueryWording { terms, weight }
            };
            let wordings = terms.into_iter().map(weighed).collect();
            let kind = if clause.denied { &mut denied } else { &mut wanted };
            let factor = if clause.is_minor { MINOR_CLAUSE } else { 1.0 };
            let (vector, subject, usual) = (vector(clause, true), vector(clause, false), usual_vector(clause));
            let sense = clause.sense;
            kind.push(QueryClause { number, factor, wordings, scope, only_with, sense, vector, subject, usual });
        }
        let mean_weight = mean(wanted.iter().map(QueryClause::weight));
        let terms = query_terms.terms;
        let long_names = LongNames::of(corpus, &terms);
        let means_language = clauses.iter().any(|clause| clause.sense == Sense::Programming);
        let programming = means_language.then(|| ProgrammingWords::of(corpus));
        Self {
            corpus,
            hits,
            long_names,
            weights,
            wanted,
            mean_weight,
            denied,
            terms,
            clauses,
            programming,
            corrections,
        }
    }

    /// Returns the corrections of typing errors.
    #[must_use]
    pub fn corrections(&self) -> &[Correction] {
        &self.corrections
    }

    /// Returns the clauses of the interests, with typing errors put right in their words.
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Returns a clause, given its number, as written but without its typing errors.
    #[must_use]
    pub fn written(&self, clause: usize) -> String {
        let Some(clause) = self.clauses.get(clause) else { return String::new() };
        let is_of_clause = |read_as: &str| read_as.split(' ').all(|word| clause.words.iter().any(|own| own == word));
        let of_clause = self.corrections.iter().filter(|correction| is_of_clause(&correction.read_as));
        of_clause.fold(clause.written.clone(), |text, correction| correction.apply(&text))
    }
}

/// The terms of all clauses, without duplicates.
#[derive(Default)]
struct QueryTerms {
    terms: Vec<Term>,
    related: Vec<Vec<String>>,
    /// Whether each only stands beside what names a subject, wherever it occurs.
    is_beside_subject: Vec<bool>,
}

impl QueryTerms {
    /// Returns the places that a text should name: the clause's own if it also has words, and those of its sentence.
    fn scope_of(&mut self, clause: &Clause) -> Vec<usize> {
        let own = if clause.words.is_empty() { &[][..] } else { &clause.places };
        let places: Vec<Term> = own.iter().chain(&clause.scope).cloned().map(Term::Place).collect();
        places.into_iter().map(|place| self.number(place)).collect()
    }

    /// Returns the terms of which a text has to have one for a clause to count; none if it always does.
    fn only_with(&mut self, clause: &Clause) -> Vec<usize> {
        let Some(Wording { words, places }) = &clause.only_with else { return Vec::new() };
        self.terms_of_wording(words, &[], places, &[])
    }

    /// Returns the terms of each wording of a clause.
    fn terms_of(&mut self, clause: &Clause) -> Vec<Vec<usize>> {
        let own = self.terms_of_wording(&clause.words, &clause.modifiers, &clause.places, &clause.beside_subject());
        // What a translation has is a subject.
        let english = clause.english.iter();
        let english = english.map(|Wording { words, places }| self.terms_of_wording(words, &[], places, &[]));
        iter::once(own).chain(english).collect()
    }

    /// `beside_subject`: the words that name no subject beside others that do.
    fn terms_of_wording(
        &mut self,
        words: &[String],
        modifiers: &[(String, String)],
        places: &[PlaceId],
        beside_subject: &[&String],
    ) -> Vec<usize> {
        let stems: Vec<String> = words.iter().map(|word| light_stem(word)).collect();
        let term = |(at, word): (usize, &String)| {
            let is_before = |(modifier, of): &(String, String)| modifier == word && words.get(at + 1) == Some(of);
            // "Non-fiction" is one word: without the other, neither of the two is met.
            let is_after_non =
                |(modifier, of): &(String, String)| modifier == NON && of == word && at > 0 && words[at - 1] == NON;
            let is_joined = |joined: &&(String, String)| is_before(joined) || is_after_non(joined);
            let joined = modifiers.iter().find(is_joined).cloned();
            joined.map_or_else(|| Term::Word(word.clone()), |(modifier, of)| Term::Modifier(modifier, of))
        };
        let mut terms: Vec<usize> = words.iter().enumerate().map(|word| self.number(term(word))).collect();
        let mut at = 0;
        while at < stems.len() {
            let subject = (1..=MAX_PHRASE_WORDS.min(stems.len() - at))
                .rev()
                .find_map(|length| Some((Lexicon::shipped().related(&stems[at..at + length])?, length)));
            let length = subject.map_or(1, |(_, length)| length);
            for term in terms.iter().skip(at).take(length) {
                self.related[*term].extend(subject.into_iter().flat_map(|(related, _)| related).cloned());
                // "Small" of "small business".
                self.is_beside_subject[*term] &= length == 1;
            }
            at += length;
        }
        let names_subject = |word: &String| !beside_subject.contains(&word);
        for (term, _) in terms.iter().zip(words).filter(|(_, word)| names_subject(word)) {
            self.is_beside_subject[*term] = false;
        }
        terms.dedup();
        terms.extend(places.iter().map(|place| self.number(Term::Place(place.clone()))));
        terms
    }

    fn number(&mut self, term: Term) -> usize {
        if let Some(known) = self.terms.iter().position(|known| *known == term) {
            return known;
        }
        self.terms.push(term);
        self.related.push(Vec::new());
        self.is_beside_subject.push(true);
        self.terms.len() - 1
    }
}

/// Returns the mean; 1 if the sum is 0.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    let sum: f64 = values.sum();
    if sum > 0.0 { sum / as_f64(count) } else { 1.0 }
}

fn weight_of_word(word: &str, frequencies: &dyn DocumentFrequencies) -> f64 {
    let prior = WordVectors::shipped().share_of_texts(word);
    weight(frequencies.documents_with(word), frequencies.documents(), prior)
}

/// Weights a place by the number of corpus texts that name it with a one-word name of sufficient weight.
fn weight_of_place(term: usize, corpus: &Corpus, hits: &Hits) -> f64 {
    let names: Vec<bool> = hits
        .by_word()
        .map(|hits| hits.iter().any(|hit| hit.term == term && hit.direct >= 0.5 && hit.rest.is_empty()))
        .collect();
    if !names.contains(&true) {
        return weight(0, corpus.len(), PRIOR_OF_PLACE);
    }
    let is_named = |document: &&Document| document.fields.iter().flatten().any(|word| names[*word as usize]);
    weight(corpus.documents.par_iter().filter(is_named).count(), corpus.len(), PRIOR_OF_PLACE)
}

/// Returns ln(1 + (N − n + ½) / (n + ½)), with [`PRIOR_DOCUMENTS`] added to the counts.
fn weight(with: usize, documents: usize, prior: f64) -> f64 {
    let documents = as_f64(documents) + PRIOR_DOCUMENTS;
    let with = as_f64(with) + PRIOR_DOCUMENTS * prior;
    (1.0 + (documents - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// Returns the sum of the vectors of the clause's words, weighted by rarity, with those of its places if it has no
/// other words or they are asked for; of the name of a programming language, the vector of programming.
fn vector(clause: &Clause, with_places: bool) -> Vector {
    if clause.sense == Sense::Programming {
        return programming::vector();
    }
    let table = WordVectors::shipped();
    let mut vector = [0.0; DIMENSIONS];
    let (words, places) =
        clause.english.first().map_or((&clause.words, &clause.places), |english| (&english.words, &english.places));
    let names: Vec<String> = places.iter().map(|place| Places::shipped().title(place)).collect();
    let names = if with_places || words.is_empty() { &names[..] } else { &[] };
    let words = words.iter().map(String::as_str).chain(names.iter().flat_map(|name| name.split(' ')));
    for rank in words.filter_map(|word| table.rank(word)) {
        table.add(rank, table.weight(rank), &mut vector);
    }
    vector
}

/// Returns the vector of the singular or plural of a clause's only word, if that is more frequent.
fn usual_vector(clause: &Clause) -> Option<Vector> {
    let table = WordVectors::shipped();
    if clause.sense == Sense::Programming {
        return None;
    }
    let [word] = &clause.english.first().map_or(&clause.words, |english| &english.words)[..] else { return None };
    let rank = table.usual_rank(word).filter(|rank| Some(*rank) != table.rank(word))?;
    let mut vector = [0.0; DIMENSIONS];
    table.add(rank, 1.0, &mut vector);
    Some(vector)
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}
