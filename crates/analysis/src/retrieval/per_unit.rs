//! The unit of time of which a question asks how much it is: "What does an hour at the lathe cost?" is answered by what
//! is said of an hour, not by another price.

use super::kinds::Kind;
use super::question::Question;
use super::vocabulary::{Vocabulary, words};

/// Units of time, each with the forms in which a text has it.
const UNITS: [&[&str]; 6] = [
    &["hour", "hours", "hourly"],
    &["day", "days", "daily"],
    &["night", "nights", "nightly", "overnight"],
    &["week", "weeks", "weekly"],
    &["month", "months", "monthly"],
    &["year", "years", "yearly", "annual", "annually"],
];
/// Words before the unit.
const BEFORE: [&str; 3] = ["a", "an", "per"];
/// Words after a unit that is a distance in time: "a year ago", "a day before".
const DISTANCES: [&str; 9] = ["after", "ago", "ahead", "before", "earlier", "from", "in", "later", "prior"];

/// Returns the forms of the unit of time that an English question for an amount names; `None` if it names none.
fn unit_asked(question: &str) -> Option<&'static [&'static str]> {
    let all = words(question);
    let word = |at: usize| all.get(at).map_or("", String::as_str);
    let unit = |at: usize| {
        let is_part = at > 0 && ["half", "of"].contains(&word(at - 1));
        let is_distance = DISTANCES.contains(&word(at + 2));
        let is_named = BEFORE.contains(&word(at)) && !is_part && !is_distance;
        UNITS.into_iter().find(|forms| is_named && forms[0] == word(at + 1))
    };
    (0..all.len()).find_map(unit)
}

/// Returns whether a question asks how much there is in a unit of time of which a sentence, its block, its heading and
/// the title say nothing.
pub(super) fn lacks_unit(question: &Question, number: usize, all: &Vocabulary<'_>) -> bool {
    let is_amount = matches!(question.wanted, Some(Kind::Money | Kind::Number)) && question.language.is_none();
    let Some(forms) = unit_asked(&question.text).filter(|_| is_amount) else { return false };
    let unit = &all.units[number];
    let part = &all.parts[unit.passage];
    let of_block = all.units[part.units.clone()].iter().filter(|one| one.block == unit.block);
    let mut near = of_block.flat_map(|one| &one.words).chain(&part.heading).chain(&part.title);
    !near.any(|word| forms.contains(&all.words[*word].as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::{Block, CandidatePassage};
    use super::*;

    #[test]
    fn only_an_amount_of_the_unit_answers() {
        let texts = ["The course takes 90 minutes for 6 euros.", "It costs 9 euros an hour.", "Hourly rate: 9 euros"];
        let block = |text| Block { text, sentences: vec![text] };
        let candidate = CandidatePassage {
            document: "lathe.md",
            title: None,
            section: "Lathe",
            blocks: texts.into_iter().map(block).collect(),
            dated: 0,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        };
        let candidates = [candidate];
        let all = Vocabulary::of(&candidates, None);
        let lacks = |question: &str| {
            let question = Question::new(question);
            (0..texts.len()).map(|number| lacks_unit(&question, number, &all)).collect::<Vec<_>>()
        };
        assert_eq!(lacks("How much does an hour at the lathe cost?"), [true, false, false]);
        for question in [
            "How much does the lathe cost?",
            "How much did the lathe cost a year ago?",
            "How much does half an hour at the lathe cost?",
            "When is the lathe free for an hour?",
        ] {
            assert_eq!(lacks(question), [false; 3], "{question}");
        }
    }
}
