//! How a reason names a clause of the interests that a story meets.
//!
//! Input: a clause, its match, and the words by which the story's text meets it. Output: [`Naming`]. Called by
//! [`super::relevance`]. It decides the wording of a reason, not the story's rank.

use aha_analysis::relevance::{Clause, ClauseMatch, Degree, MET_SHARE, Meeting, MeetingWord, Query, WEAK, light_stem};

/// The numbers of the clauses that a reason names.
#[derive(Debug, Default)]
pub struct NamedClauses {
    pub matched: Vec<usize>,
    /// Matched in part.
    pub touched: Vec<usize>,
}

impl NamedClauses {
    /// Returns the clauses that a reason would name of the text with this number in the query's corpus, best first.
    #[must_use]
    pub fn of(query: &Query<'_>, number: usize, degree: &Degree) -> Self {
        let meetings = meetings(query, number, degree);
        let named = |wanted: Naming| {
            let is_wanted = |(met, meeting): &&(&ClauseMatch, Meeting)| {
                Naming::of(&query.clauses()[met.clause], met, meeting, degree.allowed) == Some(wanted)
            };
            meetings.iter().filter(is_wanted).map(|(met, _)| met.clause).collect::<Vec<_>>()
        };
        let (matched, touched) = (named(Naming::Matched), named(Naming::Touched));
        let is_named = !matched.is_empty() || !touched.is_empty();
        Self { matched, touched: if is_named { touched } else { named(Naming::Filed) } }
    }
}

/// Returns the clauses that a text meets by a word, each with these words. What a text says in other words alone is
/// near to a clause, but names nothing of it.
pub(super) fn meetings<'d>(query: &Query<'_>, number: usize, degree: &'d Degree) -> Vec<(&'d ClauseMatch, Meeting)> {
    let met = degree.clauses.iter().filter(|met| met.score * degree.allowed >= WEAK);
    met.map(|met| (met, query.meeting(number, met))).filter(|(_, meeting)| !meeting.words.is_empty()).collect()
}

/// How a reason names a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Matched,
    Touched,
    /// Touched by the source's categories alone.
    Filed,
}

impl Naming {
    /// Returns how a reason may name a clause; `None` if the text has nothing of it. A clause of a subject and a place
    /// needs both. What only the rest of a text after its opening has must be in the clause's sense, and so must one of
    /// several words; the source's categories alone are no match. `allowed`: what negated clauses leave of the text.
    pub(super) fn of(clause: &Clause, met: &ClauseMatch, meeting: &Meeting, allowed: f64) -> Option<Self> {
        if meeting.lacks_place {
            return None;
        }
        let is_of_subject = |word: &MeetingWord| !meeting.has_place || !word.is_place;
        let has_subject = meeting.in_text().any(is_of_subject);
        let is_told = has_subject && (meeting.is_prominent || met.is_in_sense());
        // Beside a place, a single word has no other words that tell its sense.
        let is_sole_word = meeting.has_place && meeting.subject_words == 1;
        let is_match = met.is_met(allowed) && meeting.share_in_text >= MET_SHARE;
        if is_told && is_match && (met.is_in_sense() || !is_sole_word) {
            return Some(Self::Matched);
        }
        let in_text: Vec<String> = meeting.in_text().map(|word| word.text.clone()).collect();
        let is_enough = meeting.share_in_text >= min_touched_share(&in_text) && clause.is_named_by(&in_text);
        let has_one_of_several = meeting.subject_words > 1 && meeting.subject_words_met <= 1;
        if is_told && is_enough && (met.is_in_sense() || !has_one_of_several) {
            return Some(Self::Touched);
        }
        let all: Vec<String> = meeting.words.iter().map(|word| word.text.clone()).collect();
        let is_filed = meeting.share_in_categories >= MET_SHARE && meeting.words.iter().any(is_of_subject);
        (is_filed && clause.is_named_by(&all)).then_some(Self::Filed)
    }
}

/// Minimum share of a clause's term weight for it to be named as a partial match: of "US Supreme Court", a text about
/// the United States matches only the country.
const TOUCHED_SHARE: f64 = 0.3;
/// The same if only one of its words is met: “research” alone is not what “physics research” is about. Below it, 21 of 102
/// such stories were of interest to the readers of the development labels, above it 23 of 44.
const TOUCHED_SHARE_BY_ONE_WORD: f64 = 0.55;

/// `words`: those of the text that meet the clause, in all their forms.
fn min_touched_share(words: &[String]) -> f64 {
    let mut stems = words.iter().map(|word| light_stem(&word.to_lowercase()));
    let first = stems.next();
    if stems.all(|stem| Some(stem) == first) { TOUCHED_SHARE_BY_ONE_WORD } else { TOUCHED_SHARE }
}

#[cfg(test)]
mod tests {
    use aha_analysis::relevance::Interests;

    use super::*;

    fn word(text: &str, is_place: bool, is_of_categories: bool) -> MeetingWord {
        MeetingWord { text: text.to_owned(), is_own: true, is_place, is_of_categories }
    }

    /// How a clause is named that the text meets with this share, including that of its categories.
    fn named_near(clause: &str, share: f64, nearness: f64, meeting: &Meeting) -> Option<Naming> {
        let met = ClauseMatch { clause: 0, score: 0.9, share, is_together: true, similarity: None, nearness };
        Naming::of(&Interests::parse(clause).clauses[0], &met, meeting, 1.0)
    }

    fn named(clause: &str, share: f64, meeting: &Meeting) -> Option<Naming> {
        named_near(clause, share, 0.5, meeting)
    }

    #[test]
    fn a_subject_is_matched_where_its_place_is_named() {
        let of = |words: &[&MeetingWord], lacks_place| {
            let words = words.iter().map(|word| (*word).clone()).collect();
            let meeting = Meeting { words, share_in_text: 0.7, has_place: true, lacks_place, ..Meeting::default() };
            named("housing in Peru", 0.7, &meeting)
        };
        let (housing, peru) = (word("housing", false, false), word("peruvian", true, false));
        assert_eq!(of(&[&housing, &peru], false), Some(Naming::Matched));
        assert_eq!(of(&[&housing], true), None, "the place is not in the text");
        assert_eq!(of(&[&peru], false), None, "a people is not the subject");
        let lima = word("lima", true, false);
        assert_eq!(of(&[&lima], false), None, "nor is a town");
    }

    #[test]
    fn what_a_text_has_in_passing_or_in_part_must_be_in_the_clauses_sense() {
        let met = |subject_words_met, is_prominent| Meeting {
            words: vec![word("panels", false, false)],
            share_in_text: 0.8,
            subject_words: 2,
            subject_words_met,
            is_prominent,
            ..Meeting::default()
        };
        let near = |nearness, meeting| named_near("solar panels", 0.8, nearness, &meeting);
        assert_eq!(near(0.2, met(2, true)), Some(Naming::Matched), "both words, one in the title or opening");
        assert_eq!(near(0.2, met(2, false)), None, "in passing, of another subject");
        assert_eq!(near(0.4, met(2, false)), Some(Naming::Matched), "not in passing");
        let touched = |nearness| {
            let meeting = met(1, true);
            let met = ClauseMatch { clause: 0, score: 0.9, share: 0.8, is_together: false, similarity: None, nearness };
            Naming::of(&Interests::parse("solar panels").clauses[0], &met, &meeting, 1.0)
        };
        assert_eq!(touched(0.2), None, "a panel of the senate");
        assert_eq!(touched(0.4), Some(Naming::Touched));
        assert_eq!(touched(0.0), Some(Naming::Touched), "words without vectors");
    }

    #[test]
    fn beside_a_place_a_single_word_must_be_in_its_sense() {
        let meeting = Meeting {
            words: vec![word("economic", false, false), word("argentine", true, false)],
            share_in_text: 0.7,
            has_place: true,
            subject_words: 1,
            subject_words_met: 1,
            is_prominent: true,
            ..Meeting::default()
        };
        assert_eq!(named_near("economy of Argentina", 0.7, 0.2, &meeting), Some(Naming::Touched));
        assert_eq!(named_near("economy of Argentina", 0.7, 0.4, &meeting), Some(Naming::Matched));
    }

    #[test]
    fn what_only_the_categories_have_is_no_match() {
        let filed =
            |share_in_text, words| Meeting { words, share_in_text, share_in_categories: 1.0, ..Meeting::default() };
        let of_categories = || word("science", false, true);
        assert_eq!(named("science", 1.0, &filed(0.0, vec![of_categories()])), Some(Naming::Filed));
        assert_eq!(named("science", 1.0, &filed(1.0, vec![word("science", false, false)])), Some(Naming::Matched));
        let figure = vec![word("figure", false, false), word("skating", false, true)];
        assert_eq!(named("figure skating", 1.0, &filed(0.4, figure)), Some(Naming::Filed));
        let not_named = Meeting { share_in_categories: 0.4, ..filed(0.0, vec![of_categories()]) };
        assert_eq!(named("science fiction", 0.4, &not_named), None);
    }
}
