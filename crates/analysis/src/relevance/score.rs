//! The degree to which a text is what was asked for: BM25F over clauses (Robertson et al. 2004), less what was denied, with its meaning beside.
//!
//! The constants were found as `docs/RANKING.md` says.

use rayon::prelude::*;

use super::degree::{ClauseMatch, Degree};
use super::documents::{Document, FIELDS};
use super::nearness::{Occurrence, Together, occurrences};
use super::terms::{Hit, Term};
use super::weighted_query::{AskedClause, AskedWording, Query};
use super::word_vectors::cosine;

/// What a word counts in each field (title, opening, rest, categories).
const FIELD_WEIGHTS: [f64; FIELDS] = [3.0, 1.0, 0.4, 1.0];
/// How much a field's length is held against it.
const FIELD_B: [f64; FIELDS] = [0.75, 0.75, 0.75, 0.3];
/// Where further occurrences of a word stop counting.
const K1: f64 = 0.9;
/// What all things that a subject covers count together, of the subject's own name.
const RELATED_WEIGHT: f64 = 0.8;
/// What is left of a clause where a text names none of the places of its sentence.
const OUT_OF_PLACE: f64 = 0.5;
/// What the meaning counts beside the words.
const DENSE_WEIGHT: f64 = 1.0;
/// What a source counts whose other items matched.
const PRIOR_WEIGHT: f64 = 1.0;

impl Degree {
    /// The whole degree, given the share of the source's other items that matched.
    #[must_use]
    pub fn total(&self, source_prior: f64) -> f64 {
        self.allowed * (self.lexical + DENSE_WEIGHT * self.dense + PRIOR_WEIGHT * source_prior)
    }

    /// By words, less what is denied.
    #[must_use]
    pub fn matched(&self) -> f64 {
        self.allowed * self.lexical
    }
}

/// How often a term is met in full, how often in part, and by how much at most in part: a word that shares a beginning alone is never as good
/// as the word itself, however often it is there.
#[derive(Clone, Copy, Default)]
struct Met {
    full: f64,
    part: f64,
    weight: f64,
    related: f64,
}

/// Where further words that meet a term in part stop counting.
const MOST_IN_PART: f64 = 1.0;

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
        let part = if self.full > 0.0 { self.part } else { self.part.min(MOST_IN_PART) };
        self.full + self.weight * part + RELATED_WEIGHT * self.related / (1.0 + self.related)
    }
}

impl Query<'_> {
    /// The degree of each text of the corpus, in its order.
    #[must_use]
    pub fn degrees(&self) -> Vec<Degree> {
        self.corpus.documents.par_iter().map(|document| self.degree(document)).collect()
    }

    fn degree(&self, document: &Document) -> Degree {
        let occurrences = occurrences(&self.hits, document);
        let found = self.frequencies(document, &occurrences);
        let likenesses: Vec<f64> = self.wanted.iter().map(|clause| cosine(&clause.vector, &document.vector)).collect();
        let mut clauses = Vec::new();
        for (clause, likeness) in self.wanted.iter().zip(&likenesses) {
            let (wording, score, share) = self.clause(clause, &found);
            let score = score * in_place(clause, &found);
            if let Some(wording) = wording.filter(|_| score > 0.0) {
                let score = score / self.mean_weight;
                let (share, is_together, likeness) = self.met(wording, share, *likeness, &occurrences);
                clauses.push(ClauseMatch { clause: clause.number, score, share, is_together, likeness });
            }
        }
        clauses.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.clause.cmp(&b.clause)));
        let (mut allowed, mut denied) = (1.0, Vec::new());
        for clause in &self.denied {
            let (_, _, share) = self.clause(clause, &found);
            allowed *= 1.0 - share.min(1.0);
            if share > 0.0 {
                let clause = clause.number;
                denied.push(ClauseMatch { clause, score: share, share, is_together: true, likeness: None });
            }
        }
        let dense: f64 = likenesses.iter().sum();
        let count = u32::try_from(self.wanted.len().max(1)).unwrap_or(u32::MAX);
        Degree {
            lexical: clauses.iter().map(|clause| clause.score).sum(),
            dense: dense / f64::from(count).sqrt(),
            allowed,
            clauses,
            denied,
        }
    }

    /// Of a wording the share that is met together, whether it stands together, and the cosine of one word.
    fn met(
        &self,
        wording: &AskedWording,
        share: f64,
        likeness: f64,
        occurrences: &[Occurrence<'_>],
    ) -> (f64, bool, Option<f64>) {
        if let [term] = wording.terms[..] {
            // A vector without a direction has a cosine of 0.
            let has_sense = likeness.abs() > f64::EPSILON && matches!(self.terms[term], Term::Word(_));
            return (share, true, has_sense.then_some(likeness));
        }
        let together = Together::of(&wording.terms, &self.weights, occurrences);
        (share * together.part, together.terms > 1, None)
    }

    /// Of a clause's wordings the one that is met best, its score and the share of it that is met, by how often each term is found.
    pub(super) fn clause<'c>(&self, clause: &'c AskedClause, found: &[f64]) -> (Option<&'c AskedWording>, f64, f64) {
        let scored = clause.wordings.iter().map(|wording| {
            let (score, share) = self.wording(wording, found);
            (Some(wording), score, share)
        });
        // Of equal ones the first, which is as it was written.
        scored.fold((None, 0.0, 0.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    fn wording(&self, wording: &AskedWording, found: &[f64]) -> (f64, f64) {
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
        // A clause's score is multiplied by the root of its met share.
        (score * share.sqrt(), share)
    }

    /// How often each term is there, weighted by fields and their lengths.
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

/// What a clause counts for whether the places of its sentence are named.
fn in_place(clause: &AskedClause, found: &[f64]) -> f64 {
    let named = clause.scope.iter().map(|place| found[*place].min(1.0)).fold(0.0, f64::max);
    if clause.scope.is_empty() { 1.0 } else { OUT_OF_PLACE + (1.0 - OUT_OF_PLACE) * named }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::clauses::Interests;
    use super::super::degree::STRONG;
    use super::super::documents::{Corpus, TextParts};
    use super::super::frequencies::NoFrequencies;
    use super::*;

    fn corpus(texts: &[(&str, &str)]) -> Corpus {
        let parts = texts.iter().map(|(title, body)| TextParts { title, body, categories: &[], is_english: true });
        Corpus::of(&parts.collect::<Vec<_>>())
    }

    /// The degrees of texts (title, body) for interests.
    fn degrees(interests: &str, texts: &[(&str, &str)]) -> Vec<Degree> {
        let corpus = corpus(texts);
        let interests = Interests::parse(interests);
        Query::new(&interests, &corpus, &NoFrequencies).degrees()
    }

    fn order(interests: &str, texts: &[(&str, &str)]) -> Vec<usize> {
        let found = degrees(interests, texts);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|a, b| found[*b].total(0.0).total_cmp(&found[*a].total(0.0)));
        order
    }

    #[test]
    fn a_title_says_more_than_a_mention() {
        let body = "A long report on harbours and the people who work there. ".repeat(20);
        let mention = format!("{body} A ferry passed.");
        assert_eq!(
            order("ferries", &[("Harbour work", &mention), ("A ferry is adrift", &body), ("Soup", "Lentils")]),
            [1, 0, 2]
        );
    }

    #[test]
    fn what_is_denied_sinks() {
        let texts = [("Release notes for libcrumple 1.9", "What changed"), ("How libcrumple decodes", "An essay")];
        assert_eq!(order("libcrumple. I don't care about release notes", &texts), [1, 0]);
        let found = degrees("libcrumple. I don't care about release notes", &texts);
        assert!(found[0].allowed < 0.5 && (found[1].allowed - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_sense_of_a_word_is_not_another() {
        let found = degrees(
            "physics",
            &[("Physical fitness in winter", "Ten exercises"), ("New physics at the collider", "Quarks")],
        );
        assert!(found[0].lexical < STRONG && found[0].lexical < 0.5 * found[1].lexical, "{found:?}");
    }

    #[test]
    fn a_region_is_met_by_its_countries() {
        let found = degrees("Latin America: elections", &[("Elections in Peru", ""), ("Elections in Norway", "")]);
        assert!(found[0].lexical > 1.5 * found[1].lexical, "{found:?}");
    }

    #[test]
    fn words_that_belong_together_are_met_where_they_stand_together() {
        let filler = "The council spoke of harbours and the people who work there, and of bread. ".repeat(3);
        let is_met = |interests: &str, title: &str, body: &str| {
            let degree = degrees(interests, &[(title, body), ("Soup", &filler)]).remove(0);
            degree.clauses[0].is_met(degree.allowed)
        };
        assert!(is_met("interest rates", "Rates of interest rise", "The bank raised them"));
        assert!(!is_met("interest rates", "Unemployment rate falls", "The rate is lower"));
        assert!(!is_met("interest rates", "Unemployment rate falls", &format!("The rate. {filler} It is of interest")));
        assert!(is_met("elections in Peru", "Elections are held", &format!("{filler} So it was in Peru")));
    }

    #[test]
    fn an_ambiguous_word_is_met_in_the_sense_of_the_clause() {
        let boat = "The navy seized a vessel with cocaine off the coast; the army says its crew were drug smugglers";
        let race = "Athletes of the marathon train for races of ten miles with sprints and jogging, and a coach";
        let found = degrees("running", &[("Drug-running boat", boat), ("Running in winter", race), ("Soup", "Bread")]);
        // As a text has it that names the word in passing.
        let in_passing = |number: usize| ClauseMatch { score: 0.3, ..found[number].clauses[0] };
        let is_met = |number: usize| in_passing(number).is_met(found[number].allowed);
        assert!(is_met(1) && !is_met(0), "{found:?}");
    }

    #[test]
    fn a_match_says_by_which_words() {
        let corpus = corpus(&[("Tides turn a turbine", "Tidal energy for Skerrow")]);
        let interests = Interests::parse("tidal energy, ferries");
        let query = Query::new(&interests, &corpus, &NoFrequencies);
        let degree = query.degrees().remove(0);
        assert_eq!(interests.clauses[degree.clauses[0].clause].written, "tidal energy");
        assert!(query.meeting_words(0, &degree.clauses[0]).contains(&"tidal"), "{degree:?}");
    }
}
