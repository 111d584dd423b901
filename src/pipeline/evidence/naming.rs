//! How a reason names a clause of the interests that a story meets.
//!
//! Input: a clause, its match, and the words by which the story's text meets it. Output: [`Naming`]. Called by
//! [`super::relevance`]. It decides the wording of a reason, not the story's rank.

use aha_analysis::relevance::{Clause, ClauseMatch, MET_SHARE, Meeting, MeetingWord, light_stem};

/// How a reason names a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Matched,
    Touched,
    /// Touched by the source's categories alone.
    Filed,
}

impl Naming {
    /// Returns how a reason may name a clause; `None` if the text has nothing of it. The source's categories alone are
    /// no match, nor is a subject without its place; and a country or a people says nothing of a subject. `allowed`:
    /// what negated clauses leave of the text.
    pub(super) fn of(clause: &Clause, met: &ClauseMatch, meeting: &Meeting, allowed: f64) -> Option<Self> {
        let is_of_subject = |word: &MeetingWord| !meeting.has_place || !word.is_place;
        let has_subject = meeting.in_text().any(is_of_subject);
        if has_subject && !meeting.lacks_place && met.is_met(allowed) && meeting.share_in_text >= MET_SHARE {
            return Some(Self::Matched);
        }
        let in_text: Vec<String> = meeting.in_text().map(|word| word.text.clone()).collect();
        let is_enough = meeting.share_in_text >= min_touched_share(&in_text) && clause.is_named_by(&in_text);
        if is_enough && (has_subject || meeting.in_text().any(MeetingWord::is_town)) {
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
    fn named(clause: &str, share: f64, meeting: &Meeting) -> Option<Naming> {
        let met = ClauseMatch { clause: 0, score: 0.9, share, is_together: true, similarity: None };
        Naming::of(&Interests::parse(clause).clauses[0], &met, meeting, 1.0)
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
        assert_eq!(of(&[&housing], true), Some(Naming::Touched), "the place is not in the text");
        assert_eq!(of(&[&peru], false), None, "a people is not the subject");
        let lima = word("lima", true, false);
        assert_eq!(of(&[&lima], false), Some(Naming::Touched), "a town is specific");
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
