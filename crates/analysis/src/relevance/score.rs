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
        for clause in &self.wanted {
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
        for clause in &self.denied {
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

    /// Computes the degrees of texts (title, body) for interests.
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
    fn what_is_denied_counts_less_in_passing_than_in_a_text_of_its_subject() {
        assert!(denying_share(0.4, 0.1) < 1e-9, "in passing");
        assert!((denying_share(0.4, 0.6) - 0.4).abs() < 1e-9, "in its sense");
        assert!((denying_share(1.0, 0.0) - 1.0).abs() < 1e-9, "all of it");
        assert!(denying_share(0.7, 0.0) < denying_share(0.7, 0.3));
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
    fn a_subject_in_a_place_needs_both() {
        let texts = [
            ("Protests in Iran grow", "Iranians march"),
            ("Iran sells pistachios", "The harvest was good in Iran"),
            ("Protests in Bangladesh grow", "A march"),
        ];
        let found = degrees("protests in Iran, the dollar", &texts);
        assert!(found[0].lexical > 3.0 * found[1].lexical && found[0].dense > found[1].dense, "{found:?}");
        assert!(found[0].lexical > 1.5 * found[2].lexical, "{found:?}");
    }

    #[test]
    fn a_sentence_model_tells_near_texts_from_others() {
        let with = |cosine| Degree { lexical: 1.0, allowed: 0.5, sentence: cosine, ..Degree::default() }.total(0.0);
        assert!((with(None) - 0.5).abs() < 1e-9);
        assert!(with(Some(0.4)) > 1.5 * with(Some(0.1)) && (with(Some(-0.2)) - with(Some(0.0))).abs() < 1e-9);
    }

    #[test]
    fn a_part_of_a_longer_name_of_a_place_is_another_thing() {
        let texts = [("The West Bank after the vote", ""), ("A bank raises its rates", ""), ("Soup", "Bread")];
        let found = degrees("banks", &texts);
        assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
        let texts = [("A mine in New Mexico", ""), ("A mine in Mexico", ""), ("Soup", "Bread")];
        let found = degrees("Mexico", &texts);
        assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
    }

    #[test]
    fn what_names_no_subject_counts_little_beside_what_does() {
        let texts = [("They decide to wait", "A meeting"), ("Heat pumps are quiet", "A test"), ("Soup", "Bread")];
        let found = degrees("decide on a heat pump", &texts);
        assert!(found[1].lexical > 4.0 * found[0].lexical, "{found:?}");
        let found = degrees("decide", &texts);
        assert!(found[0].lexical > 0.5, "alone it counts in full: {found:?}");
    }

    #[test]
    fn what_follows_non_is_not_met_unless_it_is_asked_for() {
        let texts = [("Some non-comics shelves", ""), ("Some comics", ""), ("Soup", "Bread")];
        let found = degrees("comics", &texts);
        assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
        let texts = [("The best non-fiction", ""), ("The best fiction", ""), ("Soup", "Bread")];
        let found = degrees("non-fiction", &texts);
        assert!(found[0].lexical > 1.5 * found[1].lexical, "{found:?}");
    }

    #[test]
    fn non_and_its_word_are_one_word() {
        let texts = [("A shelf of nonfiction", ""), ("A shelf of fiction", ""), ("Soup", "Bread")];
        let found = degrees("non-fiction", &texts);
        assert!(!found[0].clauses.is_empty() && found[1].clauses.is_empty(), "{found:?}");
        let found = degrees("non-military uses of robots", &[("Military bands", ""), ("Robots", ""), ("Soup", "")]);
        assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
    }

    #[test]
    fn an_activity_is_not_what_its_word_is_formed_from() {
        let share = |interests: &str, title: &str| {
            let found = degrees(interests, &[(title, ""), ("Soup", "Bread")]).remove(0);
            found.clauses.first().map_or(0.0, |met| met.share)
        };
        let apart = [
            ("housing", "A house"),
            ("training", "A train"),
            ("tracking", "The track"),
            ("trafficking", "Traffic"),
            ("boxing", "A box"),
            ("rowing", "A row"),
            ("market", "Marketing"),
        ];
        for (interests, title) in apart {
            assert!(share(interests, title) < 0.5, "{interests}: {title}");
        }
        let alike = [
            ("farming", "A farm"),
            ("trading", "Trade"),
            ("banking", "The banks"),
            ("running", "A run"),
            ("cooking", "A cook"),
            ("meeting", "Meetings"),
            ("kings", "A king"),
            ("wing", "Two wings"),
            ("housing", "Housing"),
        ];
        for (interests, title) in alike {
            assert!(share(interests, title) > 0.9, "{interests}: {title}");
        }
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
    fn a_modifier_counts_only_before_the_word_that_it_is_joined_to() {
        let texts = [("A course in self-defense", ""), ("Ways to self host a wiki", ""), ("Hosting a wiki", "")];
        let found = degrees("self-hosting", &texts);
        assert!(found[0].clauses.is_empty(), "{found:?}");
        assert!(found[1].lexical > 1.5 * found[2].lexical && found[2].lexical > 0.0, "{found:?}");
    }

    #[test]
    fn an_ambiguous_word_is_met_in_the_sense_of_the_clause() {
        let boat = "The navy seized a vessel with cocaine off the coast; the army says its crew were drug smugglers";
        let race = "Athletes of the marathon train for races of ten miles with sprints and jogging, and a coach";
        let found = degrees("running", &[("Drug-running boat", boat), ("Running in winter", race), ("Soup", "Bread")]);
        // A text that mentions the word in passing.
        let in_passing = |number: usize| ClauseMatch { score: 0.3, ..found[number].clauses[0] };
        let is_met = |number: usize| in_passing(number).is_met(found[number].allowed);
        assert!(is_met(1) && !is_met(0), "{found:?}");
    }

    #[test]
    fn a_match_says_by_which_words() {
        let meeting_words = |interests: &str, body: &str| {
            let corpus = corpus(&[("Soup", body)]);
            let interests = Interests::parse(interests);
            let query = Query::new(&interests, &corpus, &NoFrequencies);
            let meeting = query.meeting(0, &query.degrees()[0].clauses[0]);
            meeting.words.into_iter().map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(meeting_words("ferries, tidal energy", "Tidal energy for Skerrow"), ["tidal", "energy"]);
        assert_eq!(meeting_words("self-hosting", "Self defense. A self-hosted wiki"), ["self-hosted"]);
        assert_eq!(meeting_words("South Africa", "A mine in the south. South Africa"), ["south africa"]);
    }
}
