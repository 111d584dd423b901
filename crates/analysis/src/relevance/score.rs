//! Scores texts with BM25F over clauses (Robertson et al. 2004), reduced by negated clauses, and computes the vector
//! similarity separately.
//!
//! `docs/RANKING.md` describes how the constants were determined.

use rayon::prelude::*;

use super::degree::{ClauseMatch, Degree};
use super::documents::{Document, FIELDS};
use super::nearness::{Occurrence, Together, occurrences};
use super::programming::Sense;
use super::terms::{Hit, Term};
use super::weighted_query::{Query, QueryClause, QueryWording};
use super::word_vectors::cosine;

/// The weight of a word in each field (title, opening, rest, categories).
pub(super) const FIELD_WEIGHTS: [f64; FIELDS] = [3.0, 1.0, 0.4, 1.0];
/// BM25F length normalisation of each field.
const FIELD_B: [f64; FIELDS] = [0.75, 0.75, 0.75, 0.3];
/// BM25 saturation of repeated occurrences.
const K1: f64 = 0.9;
/// Maximum weight of all related words together, relative to the subject's name.
pub(super) const RELATED_WEIGHT: f64 = 0.8;
/// The factor for a clause if a text names none of the places of its sentence.
const WITHOUT_PLACE: f64 = 0.5;
/// The factor for a clause of a subject and a place if a text has nothing of the subject, and the same for its
/// similarity.
const WITHOUT_SUBJECT: f64 = 0.3;
/// The share of a subject's words from which on a text has it in full, and the cosines between which its other words
/// may stand for it: of the stories with the place alone, 12 % were wanted below the first, half above the second.
const SUBJECT_SHARE: f64 = 0.5;
const SUBJECT_SIMILARITY: [f64; 2] = [0.1, 0.3];
/// The weight of vector similarity relative to words.
const DENSE_WEIGHT: f64 = 1.0;
/// The weight of the cosine by a sentence model.
const SENTENCE_WEIGHT: f64 = 3.0;
/// The factor of a degree with that cosine: about as many stories are worth reading as without one (`docs/RANKING.md`).
const SENTENCE_FACTOR: f64 = 0.68;
/// The weight of the share of the source's other items that matched.
const PRIOR_WEIGHT: f64 = 1.0;

impl Degree {
    /// Returns the total relevance. `source_prior` is the share of the source's other items that matched.
    #[must_use]
    pub fn total(&self, source_prior: f64) -> f64 {
        self.allowed * self.wanted(source_prior)
    }

    /// Returns the same, whatever negated clauses deny.
    #[must_use]
    pub fn wanted(&self, source_prior: f64) -> f64 {
        let without = self.lexical + DENSE_WEIGHT * self.dense + PRIOR_WEIGHT * source_prior;
        let with = |cosine: f64| SENTENCE_FACTOR * (without + SENTENCE_WEIGHT * cosine.max(0.0));
        self.sentence.map_or(without, with)
    }

    /// Returns the lexical relevance, reduced by negated clauses.
    #[must_use]
    pub fn matched(&self) -> f64 {
        self.allowed * self.lexical
    }
}

/// Full and partial occurrences of a term, and the highest weight of a partial one: a word with only a common prefix
/// never counts as much as the word itself, however often it occurs.
#[derive(Clone, Copy, Default)]
struct Met {
    full: f64,
    part: f64,
    weight: f64,
    related: f64,
}

/// Maximum count of partial matches if there is no full match.
const MAX_PARTIAL: f64 = 1.0;

impl Met {
    fn add(&mut self, weight: f64, hit: &Hit) {
        if hit.direct >= 1.0 || !hit.is_word {
            self.full += weight * hit.direct;
        } else if hit.direct > 0.0 {
            self.part += weight;
            self.weight = self.weight.max(hit.direct);
        }
        self.related += weight * hit.related;
    }

    fn frequency(self) -> f64 {
        let part = if self.full > 0.0 { self.part } else { self.part.min(MAX_PARTIAL) };
        self.full + self.weight * part + RELATED_WEIGHT * self.related / (1.0 + self.related)
    }
}

impl Query<'_> {
    /// Returns the degree of each text of the corpus, in order.
    #[must_use]
    pub fn degrees(&self) -> Vec<Degree> {
        self.corpus.documents.par_iter().map(|document| self.degree(document)).collect()
    }

    fn degree(&self, document: &Document) -> Degree {
        let occurrences = occurrences(&self.hits, &self.long_names, document);
        let found = self.frequencies(document, &occurrences);
        let (mut clauses, mut dense) = (Vec::new(), 0.0);
        let counts = |clause: &&QueryClause| {
            clause.only_with.is_empty() || clause.only_with.iter().any(|term| found[*term] > 0.0)
        };
        for clause in self.wanted.iter().filter(counts) {
            let similarity = cosine(&clause.vector, &document.vector);
            let nearness = cosine(&clause.subject, &document.vector);
            let (wording, score, share) = self.clause(clause, &found);
            let has_subject = self.subject_factor(clause, wording, nearness, &found);
            dense += similarity * has_subject;
            let in_sense = self.share_in_sense(clause, document, nearness);
            let score = score * has_subject * place_factor(clause, &found) * in_sense.unwrap_or(1.0);
            if let Some(wording) = wording.filter(|_| score > 0.0) {
                let score = clause.factor * score / self.mean_weight;
                let usual = clause.usual.as_ref().map_or(0.0, |usual| cosine(usual, &document.vector));
                let (share, is_together, similarity) = self.met(wording, share, similarity.max(usual), &occurrences);
                // What a text is about decides, whatever its vector is.
                let (similarity, nearness) = in_sense.map_or((similarity, nearness), |share| (Some(share), share));
                clauses.push(ClauseMatch { clause: clause.number, score, share, is_together, similarity, nearness });
            }
        }
        clauses.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.clause.cmp(&b.clause)));
        let (mut allowed, mut denied) = (1.0, Vec::new());
        for clause in self.denied.iter().filter(counts) {
            let (_, _, share) = self.clause(clause, &found);
            let nearness = cosine(&clause.subject, &document.vector);
            let score = denying_share(share.min(1.0), nearness);
            allowed *= 1.0 - score;
            if score > 0.0 {
                let clause = clause.number;
                denied.push(ClauseMatch { clause, score, share, is_together: true, similarity: None, nearness });
            }
        }
        let count = u32::try_from(self.wanted.len().max(1)).unwrap_or(u32::MAX);
        Degree {
            lexical: clauses.iter().map(|clause| clause.score).sum(),
            dense: dense / f64::from(count).sqrt(),
            sentence: None,
            allowed,
            clauses,
            denied,
        }
    }

    /// Returns the share of a wording that matches in proximity, whether its terms are close together, and for one word
    /// the cosine.
    fn met(
        &self,
        wording: &QueryWording,
        share: f64,
        similarity: f64,
        occurrences: &[Occurrence<'_>],
    ) -> (f64, bool, Option<f64>) {
        if let [term] = wording.terms[..] {
            // A zero vector has a cosine of 0.
            let has_sense = similarity.abs() > f64::EPSILON && matches!(self.terms[term], Term::Word(_));
            return (share, true, has_sense.then_some(similarity));
        }
        let together = Together::of(&wording.terms, &self.weights, occurrences);
        (share * together.part, together.terms > 1, None)
    }

    /// Returns the best-matching wording of a clause, its score and its matched share. `found`: the weighted frequency
    /// of each term.
    pub(super) fn clause<'c>(&self, clause: &'c QueryClause, found: &[f64]) -> (Option<&'c QueryWording>, f64, f64) {
        let scored = clause.wordings.iter().map(|wording| {
            let (score, share) = self.wording(wording, found);
            (Some(wording), score, share)
        });
        // Of equal wordings the first, which is as written.
        scored.fold((None, 0.0, 0.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    /// Returns how far a text has the sense in which a clause means a programming language; `None` for other clauses.
    fn share_in_sense(&self, clause: &QueryClause, document: &Document, nearness: f64) -> Option<f64> {
        let words = self.programming.as_ref().filter(|_| clause.sense == Sense::Programming)?;
        Some(words.share(document, nearness))
    }

    /// Returns the factor for a clause of a subject and a place by whether the text has the subject; 1 for other
    /// clauses. `nearness`: the cosine of the subject and the text.
    fn subject_factor(
        &self,
        clause: &QueryClause,
        wording: Option<&QueryWording>,
        nearness: f64,
        found: &[f64],
    ) -> f64 {
        if clause.scope.is_empty() {
            return 1.0;
        }
        let by_words = wording.map_or(0.0, |wording| self.subject_share(wording, found)) / SUBJECT_SHARE;
        let [from, to] = SUBJECT_SIMILARITY;
        let subject = by_words.max((nearness - from) / (to - from)).clamp(0.0, 1.0);
        WITHOUT_SUBJECT + (1.0 - WITHOUT_SUBJECT) * subject
    }

    /// Returns the matched share of a wording's words other than places.
    fn subject_share(&self, wording: &QueryWording, found: &[f64]) -> f64 {
        let words = || wording.terms.iter().filter(|term| !matches!(self.terms[**term], Term::Place(_)));
        let weight: f64 = words().map(|term| self.weights[*term]).sum();
        let met: f64 = words().map(|term| self.weights[*term] * found[*term].min(1.0)).sum();
        if weight > 0.0 { met / weight } else { 1.0 }
    }

    fn wording(&self, wording: &QueryWording, found: &[f64]) -> (f64, f64) {
        let (mut score, mut met) = (0.0, 0.0);
        for term in &wording.terms {
            let (frequency, weight) = (found[*term], self.weights[*term]);
            score += weight * frequency * (K1 + 1.0) / (frequency + K1);
            met += weight * frequency.min(1.0);
        }
        if score <= 0.0 || wording.weight <= 0.0 {
            return (0.0, 0.0);
        }
        let share = met / wording.weight;
        // The score is multiplied by the square root of the matched share.
        (score * share.sqrt(), share)
    }

    /// Returns the frequency of each term, weighted by fields and their lengths.
    fn frequencies(&self, document: &Document, occurrences: &[Occurrence<'_>]) -> Vec<f64> {
        let weights: [f64; FIELDS] = std::array::from_fn(|number| {
            let length = as_f64(document.fields[number].len()) / self.corpus.mean_length(number);
            FIELD_WEIGHTS[number] / (1.0 - FIELD_B[number] + FIELD_B[number] * length)
        });
        let mut found = vec![Met::default(); self.terms.len()];
        for occurrence in occurrences {
            found[occurrence.hit.term].add(weights[occurrence.field], occurrence.hit);
        }
        found.into_iter().map(Met::frequency).collect()
    }
}

/// Returns the factor for a clause by whether the places of its sentence are named.
fn place_factor(clause: &QueryClause, found: &[f64]) -> f64 {
    let named = clause.scope.iter().map(|place| found[*place].min(1.0)).fold(0.0, f64::max);
    if clause.scope.is_empty() { 1.0 } else { WITHOUT_PLACE + (1.0 - WITHOUT_PLACE) * named }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Share of a denied clause up to which a text has it in passing only.
const IN_PASSING: f64 = 0.4;
/// The cosines of a denied clause's subject and a text from and to which its words are taken in its sense. All three
/// were chosen on 44 statements of interests, 24 of them with denials, and the 51 texts (`docs/RANKING.md`, "Denials").
const DENIED_SENSE: [f64; 2] = [0.2, 0.5];

/// Returns the part of a text's degree that a denied clause takes, 0 to 1, by the share of the clause that the text
/// has. What is mentioned in passing, in a text of another subject, takes nothing: "no sport" is not meant against
/// measles before a World Cup. `nearness`: the cosine of the clause's subject and the text.
fn denying_share(share: f64, nearness: f64) -> f64 {
    let [from, to] = DENIED_SENSE;
    let in_sense = ((nearness - from) / (to - from)).clamp(0.0, 1.0);
    let least = IN_PASSING * (1.0 - in_sense);
    ((share - least) / (1.0 - least)).max(0.0)
}

#[cfg(test)]
mod tests;
