//! Finds the numbered clauses of a printed text: "4. Deposit. …", "2.1 Keys", "§ 3 …". Called by [`super::printed`].

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::dates::dates;
use crate::sentences::sentences;

/// How much of a text is searched for its number, in bytes.
const START_BYTES: usize = 80;
/// Maximum number of words of a heading.
const MAX_HEADING_WORDS: usize = 6;
/// How much of a clause is searched for its heading, in bytes.
const HEADED_BYTES: usize = 200;
/// Minimum number of numbered paragraphs that are clauses.
const MIN_CLAUSES: usize = 2;

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?P<sign>(?:§{1,2}|Art(?:icle|ikel|\.)|Section|Clause|Abschnitt|Ziffer)\s*)?
        (?P<number>\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?)(?P<end>[.):]?)\s+",
    )
    .ok()
});

/// A numbered paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause<'t> {
    /// Its number with its sign: "4", "2.1", "§ 3".
    label: &'t str,
    has_sign: bool,
    /// The parts of its number; of "2.1" two.
    numbers: Vec<u32>,
    /// What follows the number.
    pub(super) text: &'t str,
}

impl<'t> Clause<'t> {
    /// Reads the number at the beginning of a text; `None` if it has none, or that of a date.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let start = &text[..text.floor_char_boundary(START_BYTES)];
        let found = NUMBER.as_ref()?.captures(start)?;
        let (sign, number, end) = (found.name("sign"), found.name("number")?, found.name("end")?);
        let place = found.get(0)?.end();
        let is_alone = sign.is_none() && end.is_empty() && !number.as_str().contains('.');
        let begins = start[place..].trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase);
        if is_alone || !begins || dates(start).first().is_some_and(|date| date.place.start == 0) {
            return None;
        }
        Some(Self {
            label: start[..number.end()].trim(),
            has_sign: sign.is_some(),
            numbers: numbers(number.as_str()),
            text: &text[place..],
        })
    }

    /// Returns whether its number is the one after that of another.
    pub(super) fn is_next_of(&self, other: &Clause<'_>) -> bool {
        match (other.numbers.split_last(), self.numbers.split_last()) {
            (Some((last, level)), Some((next, own_level))) => level == own_level && *next == last + 1,
            _ => false,
        }
    }

    /// Returns whether there is nothing but a heading.
    pub(super) fn is_heading(&self) -> bool {
        self.text.split_whitespace().count() <= MAX_HEADING_WORDS && self.text.ends_with(char::is_alphanumeric)
    }

    /// Returns what the clause is cited by: its number, and its heading if it has one.
    pub(super) fn name(&self) -> String {
        let beginning = &self.text[..self.text.floor_char_boundary(HEADED_BYTES)];
        let first = sentences(beginning).first().copied().unwrap_or_default();
        let is_short = first.split_whitespace().count() <= MAX_HEADING_WORDS;
        let is_heading = is_short && (first.len() < self.text.trim().len() || !first.ends_with('.'));
        let heading = first.trim_end_matches(['.', ':']);
        let is_plain = !self.has_sign && self.numbers.len() == 1;
        match (is_heading, is_plain) {
            (true, true) => format!("{}. {heading}", self.label),
            (true, false) => format!("{} {heading}", self.label),
            (false, true) => format!("No. {}", self.label),
            (false, false) => self.label.to_owned(),
        }
    }
}

/// Returns the parts of a number such as "2.1" or "3a".
fn numbers(text: &str) -> Vec<u32> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let letter = text[digits.len()..].chars().next().map(|c| u32::from(c) - u32::from('a') + 1);
    digits.split('.').filter_map(|part| part.parse().ok()).chain(letter).collect()
}

/// Returns the clauses among paragraphs, by their place: those whose numbers go on from the one before, with at most
/// one missing. If there are some with a sign, numbers alone are those of lists in them. `None`: the entry of a list.
pub(super) fn clauses<'t>(paragraphs: &[Option<&'t str>]) -> HashMap<usize, Clause<'t>> {
    for has_sign in [true, false] {
        let mut found = HashMap::new();
        let mut last: Vec<u32> = Vec::new();
        for (at, text) in paragraphs.iter().enumerate() {
            let clause = text.and_then(Clause::of).filter(|clause| clause.has_sign == has_sign);
            let Some(clause) = clause.filter(|clause| follows(&clause.numbers, &last, has_sign)) else { continue };
            last.clone_from(&clause.numbers);
            found.insert(at, clause);
        }
        if found.len() >= MIN_CLAUSES {
            return found;
        }
    }
    HashMap::new()
}

/// Returns whether a clause's number follows that of another, of which a part of a law may lack those before.
fn follows(numbers: &[u32], last: &[u32], has_sign: bool) -> bool {
    let limit = last.first().copied().unwrap_or_default() + 2;
    numbers > last && (has_sign || numbers.first().is_some_and(|first| *first <= limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_cited_by_its_number_and_its_heading() {
        for (text, name) in [
            ("4. Cancellation. Up to 60 days before, it is free.", "4. Cancellation"),
            ("4) Cancellation", "4. Cancellation"),
            ("2.1 Keys", "2.1 Keys"),
            ("§ 3a Mooring", "§ 3a Mooring"),
            ("Art. 5. It opens at nine.", "Art. 5"),
            ("6. It opens at nine.", "No. 6"),
        ] {
            assert_eq!(Clause::of(text).unwrap().name(), name, "{text}");
        }
        assert_eq!(Clause::of("8.2 m wide"), None);
    }

    #[test]
    fn numbers_go_on_from_each_other() {
        let places = |texts: &[&str]| {
            let texts: Vec<Option<&str>> = texts.iter().copied().map(Some).collect();
            let mut places: Vec<usize> = clauses(&texts).into_keys().collect();
            places.sort_unstable();
            places
        };
        assert_eq!(places(&["1. One.", "2. Two.", "4. Four.", "9. Nine.", "4.1 More.", "5. Five."]), [0, 1, 2, 4, 5]);
        assert_eq!(places(&["§ 7 Seven.", "1. One.", "2. Two.", "§ 9 Nine."]), [0, 3]);
        assert!(places(&["7. Seven.", "8. Eight."]).is_empty() && places(&["1. One."]).is_empty());
    }
}
