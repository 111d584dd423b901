//! By which words a text meets a clause, and where they stand: what a reason may say of a match.
//!
//! Input: a query, the number of a text, and a match. Output: [`Meeting`], or the words that count. Called where the
//! evidence of a run is gathered. It changes no score.

use std::iter;

use super::degree::ClauseMatch;
use super::documents::{Document, FIELDS};
use super::nearness::{Occurrence, occurrences};
use super::places::Places;
use super::score::{FIELD_WEIGHTS, RELATED_WEIGHT};
use super::terms::{Hit, Term};
use super::weighted_query::{Query, QueryClause, QueryWording};
use super::word_ids::WordId;
use super::words::{each_query_word, light_stem};

/// The field of the feed's own categories.
const CATEGORIES: usize = FIELDS - 1;
/// The field of a text's opening, after its title.
const OPENING: usize = 1;
/// Minimum weight of a word that names something of a clause.
const MIN_NAMING: f64 = 0.5;

/// Minimum weight of a word that a reason may name as one that counts: "africa" for “South Atlantic” has 0.12.
const MIN_COUNTING: f64 = 0.15;

/// A word or name of a text that meets a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingWord {
    /// In lower case and the form used for comparison (`usa`).
    pub text: String,
    /// Whether the clause has it, in this or another form, and not only a translation or another name of its place.
    pub is_own: bool,
    /// Whether it names a place of the clause.
    pub is_place: bool,
    /// Whether the title and the text lack it, so that only the feed's categories have it.
    pub is_of_categories: bool,
}

impl MeetingWord {
    /// Returns whether it names a town, which says more of a text than a country or a people.
    #[must_use]
    pub fn is_town(&self) -> bool {
        self.is_place && Places::shipped().is_town(&self.text.split(' ').collect::<Vec<_>>())
    }

    /// Returns whether both are forms of one word ("dog" and "dogs") or of the name of one place.
    #[must_use]
    pub fn is_form_of(&self, other: &Self) -> bool {
        light_stem(&self.text) == light_stem(&other.text)
            || self.is_place && other.is_place && begin_alike(&self.text, &other.text)
    }
}

/// How a text meets a clause.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meeting {
    /// Without duplicates, in the order of the text; those of the categories last.
    pub words: Vec<MeetingWord>,
    /// The matched share of the clause's weight, without terms that only the categories have.
    pub share_in_text: f64,
    /// The share of the clause's weight that the categories name.
    pub share_in_categories: f64,
    /// Whether the clause is about a subject in a place.
    pub has_place: bool,
    /// Whether the text names none of these places, or parts of them.
    pub lacks_place: bool,
    /// The number of words of the clause that are no places, and how many of them the text has.
    pub subject_words: usize,
    pub subject_words_met: usize,
    /// Whether its title or opening has such a word or, of a clause that is a place alone, names the place.
    pub is_prominent: bool,
}

impl Meeting {
    /// Returns the words of the title and the text.
    pub fn in_text(&self) -> impl Iterator<Item = &MeetingWord> {
        self.words.iter().filter(|word| !word.is_of_categories)
    }
}

/// A word or name of a text, with its hit and the field that has it first.
struct FoundWord<'q> {
    hit: &'q Hit,
    field: usize,
    words: Vec<&'q str>,
    text: String,
}

impl Query<'_> {
    /// Returns by which words a text, given its number, meets a clause.
    #[must_use]
    pub fn meeting(&self, document: usize, met: &ClauseMatch) -> Meeting {
        let clause = self.wanted.iter().chain(&self.denied).find(|clause| clause.number == met.clause);
        let (Some(clause), Some(document)) = (clause, self.corpus.documents.get(document)) else {
            return Meeting::default();
        };
        let found = occurrences(&self.hits, &self.long_names, document);
        let of_term = |term: usize| found.iter().filter(move |found| found.hit.term == term);
        let is_in_text = |term: usize| of_term(term).any(|found| found.field != CATEGORIES);
        let is_in_categories =
            |term: usize, min: f64| of_term(term).any(|found| found.field == CATEGORIES && found.hit.direct >= min);
        let share = |wording: &QueryWording, is_met: &dyn Fn(usize) -> bool| {
            let met = wording.terms.iter().filter(|term| is_met(**term)).map(|term| self.weights[*term]);
            if wording.weight > 0.0 { met.sum::<f64>() / wording.weight } else { 0.0 }
        };
        let is_found = |term: usize| is_in_text(term) || is_in_categories(term, 0.0);
        let best = clause.wordings.iter().max_by(|a, b| share(a, &is_found).total_cmp(&share(b, &is_found)));
        let best_share = |is_met: &dyn Fn(usize) -> bool| best.map_or(0.0, |wording| share(wording, is_met));
        let of_categories = best_share(&|term| is_in_categories(term, 0.0) && !is_in_text(term));
        let terms = || clause.wordings.iter().flat_map(|wording| &wording.terms).copied();
        let places: Vec<usize> =
            clause.scope.iter().copied().chain(terms().filter(|term| self.is_corrected_place(*term))).collect();
        let has_place = !places.is_empty() && terms().any(|term| !self.is_place(term));
        let is_named = |term: &usize| of_term(*term).any(|found| !found.hit.is_word || found.hit.direct >= MIN_NAMING);
        let (subject, is_prominent) = best.map_or((vec![], false), |wording| self.subject(wording, &found));
        let has =
            |term: &&usize| of_term(**term).any(|found| found.hit.direct >= MIN_NAMING && found.field != CATEGORIES);
        Meeting {
            subject_words: subject.len(),
            subject_words_met: subject.iter().filter(has).count(),
            is_prominent,
            words: self.meeting_words(clause, document),
            share_in_text: (met.share - of_categories).max(0.0),
            share_in_categories: best_share(&|term| is_in_categories(term, MIN_NAMING)),
            has_place,
            lacks_place: has_place && !places.iter().any(is_named),
        }
    }

    /// Returns the words of a wording that are no places, or the places if it has nothing else; and whether the title
    /// or opening of a text, given its occurrences, has one of them.
    fn subject(&self, wording: &QueryWording, found: &[Occurrence<'_>]) -> (Vec<usize>, bool) {
        let words: Vec<usize> = wording.terms.iter().copied().filter(|term| !self.is_place(*term)).collect();
        let searched = if words.is_empty() { &wording.terms } else { &words };
        let is_prominent = found.iter().any(|found| {
            let is_named = !found.hit.is_word || found.hit.direct >= MIN_NAMING;
            found.field <= OPENING && is_named && searched.contains(&found.hit.term)
        });
        (words, is_prominent)
    }

    /// Returns the words and names of a text that match terms of a clause directly.
    fn meeting_words(&self, clause: &QueryClause, document: &Document) -> Vec<MeetingWord> {
        let found = self.found_words(clause, document, |hit| hit.direct >= MIN_NAMING);
        found.into_iter().map(|found| self.meeting_word(clause, &found)).collect()
    }

    fn meeting_word(&self, clause: &QueryClause, found: &FoundWord<'_>) -> MeetingWord {
        MeetingWord {
            text: found.text.clone(),
            is_own: self.is_own(clause, found.hit, &found.words),
            is_place: self.is_place(found.hit.term),
            is_of_categories: found.field == CATEGORIES,
        }
    }

    /// Returns the words of a text that count for a clause, the one that counts most first, whether or not they name
    /// something of it: "nest" for “garden birds”. Without those of the categories.
    #[must_use]
    pub fn counting_words(&self, document: usize, met: &ClauseMatch) -> Vec<MeetingWord> {
        let clause = self.wanted.iter().find(|clause| clause.number == met.clause);
        let Some((clause, document)) = clause.zip(self.corpus.documents.get(document)) else { return Vec::new() };
        let weight = |found: &FoundWord<'_>| {
            let strength = found.hit.direct.max(RELATED_WEIGHT * found.hit.related);
            FIELD_WEIGHTS[found.field] * self.weights[found.hit.term] * strength
        };
        let is_related_or_near = |hit: &Hit| hit.related > 0.0 || hit.direct >= MIN_COUNTING;
        let mut found = self.found_words(clause, document, is_related_or_near);
        found.retain(|found| found.field != CATEGORIES);
        found.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        found.iter().map(|found| self.meeting_word(clause, found)).collect()
    }

    /// Returns the words and names of a text, without duplicates, that match terms of a clause by a hit that
    /// `is_meant`.
    fn found_words<'q>(
        &'q self,
        clause: &QueryClause,
        document: &Document,
        is_meant: impl Fn(&Hit) -> bool,
    ) -> Vec<FoundWord<'q>> {
        let meets = |term: usize| clause.wordings.iter().any(|wording| wording.terms.contains(&term));
        let is_met = |hit: &&Hit, after: &[WordId]| is_meant(hit) && meets(hit.term) && after.starts_with(&hit.rest);
        let mut found: Vec<FoundWord<'q>> = Vec::new();
        for (number, field) in document.fields.iter().enumerate() {
            let mut at = 0;
            while let Some((id, after)) = field.get(at..).and_then(<[WordId]>::split_first) {
                at += 1;
                let is_own = |hit: &&Hit| !self.long_names.contain(field, at - 1, 1 + hit.rest.len(), hit.is_word);
                let Some(hit) = self.hits.of_word(*id).iter().find(|hit| is_met(hit, after) && is_own(hit)) else {
                    continue;
                };
                at += hit.rest.len();
                let words: Vec<&str> = iter::once(id).chain(&hit.rest).map(|id| self.corpus.word(*id)).collect();
                let text = words.join(if hit.is_word { "-" } else { " " });
                if !found.iter().any(|known| known.text == text) {
                    found.push(FoundWord { hit, field: number, words, text });
                }
            }
        }
        found
    }

    /// Whether words that meet a clause are its own: of its first wording, which is as written, and for a place, as the
    /// clause names it.
    fn is_own(&self, clause: &QueryClause, hit: &Hit, words: &[&str]) -> bool {
        let is_of_first = clause.wordings.first().is_some_and(|wording| wording.terms.contains(&hit.term));
        let is_written = || {
            let mut written = Vec::new();
            each_query_word(&self.clauses[clause.number].written, |word| written.push(word.to_owned()));
            words.iter().all(|word| written.iter().any(|written| begin_alike(word, written)))
        };
        let is_form = match &self.terms[hit.term] {
            Term::Word(own) => words.iter().all(|word| begin_alike(word, own)),
            Term::Modifier(..) | Term::Place(_) => true,
        };
        is_of_first && (hit.is_word && is_form || hit.direct >= 1.0 && !hit.is_word && is_written())
    }

    fn is_place(&self, term: usize) -> bool {
        matches!(self.terms[term], Term::Place(_)) || self.is_corrected_place(term)
    }

    /// Whether a term is the name of a place that was written with a typing error, so that it is searched as a word.
    fn is_corrected_place(&self, term: usize) -> bool {
        let Term::Word(word) = &self.terms[term] else { return false };
        self.corrections().iter().any(|correction| correction.read_as == *word) && Places::shipped().is_named_by(word)
    }
}

/// Whether two words are equal, or forms of one name: "peru" and "peruvian".
fn begin_alike(one: &str, other: &str) -> bool {
    const MIN_ALIKE: usize = 4;
    one == other || one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= MIN_ALIKE
}

#[cfg(test)]
mod tests {
    use super::super::clauses::Interests;
    use super::super::documents::{Corpus, TextParts};
    use super::super::frequencies::NoFrequencies;
    use super::*;

    /// How a text (title, body) with a category meets the first clause.
    fn meeting(interests: &str, (title, body): (&str, &str), category: &str) -> Meeting {
        let categories = [category.to_owned()];
        let parts = [
            TextParts { title, body, categories: &categories, is_english: true },
            TextParts { title: "Soup", body: "Bread", categories: &[], is_english: true },
        ];
        let corpus = Corpus::of(&parts);
        let query = Query::new(&Interests::parse(interests), &corpus, &NoFrequencies);
        let degree = query.degrees().remove(0);
        let met = degree.clauses.iter().find(|met| met.clause == 0).unwrap();
        query.meeting(0, met)
    }

    fn words(meeting: &Meeting) -> Vec<(&str, bool)> {
        meeting.words.iter().map(|word| (word.text.as_str(), word.is_own)).collect()
    }

    #[test]
    fn another_name_of_a_place_and_a_translation_are_no_own_words() {
        let west_bank = meeting("Gaza", ("Land in the West Bank", "Palestinians wait"), "");
        assert_eq!(words(&west_bank), [("west bank", false), ("palestinians", false)]);
        assert_eq!(words(&meeting("Gaza", ("A night in Gaza", ""), "")), [("gaza", true)]);
        assert_eq!(words(&meeting("Peru", ("Peruvians vote", ""), "")), [("peruvians", true)]);
        assert_eq!(words(&meeting("Latin America", ("Peru votes", ""), "")), [("peru", false)]);
        let face = meeting("Ich interessiere mich für Gesichtserkennung", ("Facial recognition on the street", ""), "");
        assert_eq!(words(&face), [("facial", false), ("recognition", false)]);
        assert_eq!(words(&meeting("ferries", ("A ferry is late", ""), "")), [("ferry", true)]);
    }

    #[test]
    fn words_that_count_name_what_a_text_has_of_a_subject() {
        let counting = |interests: &str, text: (&str, &str)| {
            let (title, body) = text;
            let parts = [TextParts { title, body, categories: &["Birds".to_owned()], is_english: true }];
            let corpus = Corpus::of(&parts);
            let query = Query::new(&Interests::parse(interests), &corpus, &NoFrequencies);
            let degree = query.degrees().remove(0);
            let words = degree.clauses.iter().flat_map(|met| query.counting_words(0, met));
            words.map(|word| word.text).collect::<Vec<_>>()
        };
        let nests = counting("garden birds", ("Nest boxes: too late?", "Each species of the wetland needs its own"));
        assert!(nests.first().is_some_and(|word| word == "nest") && nests.len() > 1, "{nests:?}");
        assert!(!nests.contains(&"birds".to_owned()), "that of the categories");
        assert_eq!(counting("garden birds", ("The price of tea", "A shop")), [""; 0]);
    }

    #[test]
    fn what_only_the_categories_have_is_not_in_the_text() {
        let filed = meeting("science", ("The price of tea", "A shop."), "Science");
        assert!(filed.in_text().next().is_none() && filed.words.len() == 1, "{filed:?}");
        assert!(filed.share_in_text.abs() < 1e-9 && filed.share_in_categories > 0.99, "{filed:?}");
        let told = meeting("science", ("The science of tea", "A shop."), "Science");
        assert!(told.in_text().count() == 1 && told.share_in_text > 0.9, "{told:?}");
    }

    #[test]
    fn a_subject_without_its_place_lacks_it() {
        let lacks = |interests: &str, title: &str| {
            let found = meeting(interests, (title, ""), "");
            (found.has_place, found.lacks_place)
        };
        assert_eq!(lacks("housing prices in Australia", "Housing prices in America"), (true, true));
        assert_eq!(lacks("housing prices in Australia", "Housing prices in Sydney"), (true, false));
        assert_eq!(lacks("austrlian housing prices", "Housing prices in America"), (true, true));
        assert_eq!(lacks("austrlian housing prices", "Housing prices in Australia"), (true, false));
        assert_eq!(lacks("housing prices", "Housing prices in America"), (false, false));
        assert_eq!(lacks("Australia", "A summer in Australia"), (false, false));
    }

    #[test]
    fn forms_of_a_word_or_place_are_one() {
        let word = |text: &str, is_place| MeetingWord {
            text: text.to_owned(),
            is_own: true,
            is_place,
            is_of_categories: false,
        };
        assert!(word("dog", false).is_form_of(&word("dogs", false)));
        assert!(word("kenya", true).is_form_of(&word("kenyan", true)));
        assert!(!word("medicare", false).is_form_of(&word("medicaid", false)));
    }

    #[test]
    fn a_town_is_told_from_a_country_and_a_people() {
        let is_town = |interests: &str, title: &str| meeting(interests, (title, ""), "").words[0].is_town();
        assert!(is_town("Sydney theatre", "A summer in Sydney"));
        assert!(!is_town("Australian theatre", "Australians on their summer"));
    }
}
