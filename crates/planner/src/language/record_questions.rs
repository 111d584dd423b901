//! Recognises questions about one record: "when is the dentist", "did I pay the rent", "is the party on Saturday or
//! Sunday".
//!
//! Input: the words of a question. Output: the words that name the record, and the records they may mean. Called by
//! [`super::questions`] and by the assistant for its answer.

use chrono::NaiveDate;

use super::Today;
use super::asked_days::period;
use super::text::past_forms::presents;
use super::text::phrases::{after_any, before_end, listed, without_marks};
use super::text::tokens::Token;
use super::values::when::When;
use crate::matching::{Candidate, matches, matches_by_meaning};
use crate::record::{Item, Kind};
use crate::state::State;

/// Beginnings of questions about one record.
const OF_RECORD: &str = "when is|when's|whens|when are|when was|when do i|when do i have to|when does|where is|\
    where's|what time is|what time does|what day is|did i|did we|have i|have we|do i have to|do i need to|\
    do i still have to|should i|is there a|do i have|do i have a|do i have the|do we have|do we have a|do we have the";

/// Nouns that add nothing to the name of a record: "the dentist appointment".
const GENERIC_NOUNS: &str = "appointment|lesson|class|meeting|session|event";

/// Verbs at the end of "when does piano start".
const STATES: &str = "start|starts|begin|begins|end|ends|finish|open";

/// Words after which no name of a record follows: "do I have time".
const NO_NAMES: &str = "time|enough|any|much|many|more|to";

/// Parses a question about one record. A day at its end is no part of the title. In "is there a stand-up? If not, add
/// one" more than a question follows.
pub(super) fn of_record(words: &[Token], today: Today) -> Option<String> {
    if let Some(named) = stated(words, today) {
        return Some(named);
    }
    let rest = after_any(words, OF_RECORD).filter(|rest| !rest.iter().any(Token::is_mark))?;
    let rest = match period(rest, today.date, false) {
        Some((start, end, _)) if start > 0 && end == rest.len() => &rest[..start],
        _ => rest,
    };
    let rest = before_end(rest, "due|on|at|again|already|yet|scheduled|planned|happening").unwrap_or(rest);
    let rest = after_any(rest, "my next|the next|next|my|the|our").unwrap_or(rest);
    if rest.first().is_some_and(|first| first.is_one_of(NO_NAMES)) {
        return None;
    }
    record(without_marks(rest))
}

fn record(named: &[Token]) -> Option<String> {
    let named: Vec<&str> = named.iter().map(|word| word.lower.as_str()).collect();
    (!named.is_empty()).then(|| named.join(" "))
}

/// Parses "is Lena's party on Saturday or Sunday", "is the rent paid".
fn stated(words: &[Token], today: Today) -> Option<String> {
    let rest = after_any(words, "is|are|was|were").filter(|rest| !rest.iter().any(Token::is_mark))?;
    let rest = before_end(rest, "already|yet|now").unwrap_or(rest);
    let is_when = |when: &[Token]| {
        let days = after_any(when, "on|in|at").unwrap_or(when);
        let is_period = period(days, today.date, false).is_some_and(|(start, end, _)| (start, end) == (0, days.len()));
        is_period || When::read_after("at", when, today).covers_all(when)
    };
    if let Some(at) = (1..rest.len()).find(|at| is_when(&rest[*at..])).filter(|at| names_one(&rest[..*at])) {
        let named = before_end(&rest[..at], "due|on|at").unwrap_or(&rest[..at]);
        return record(after_any(named, "my|the|our").unwrap_or(named));
    }
    let (state, named) = rest.split_last().filter(|(state, named)| !state.quoted && names_one(named))?;
    if state.is("due") {
        return record(named);
    }
    let is_done = !presents(&state.lower).is_empty();
    is_done.then(|| record(&[std::slice::from_ref(state), named].concat())).flatten()
}

/// Returns whether the words can be the name of a record.
fn names_one(words: &[Token]) -> bool {
    words.first().is_some_and(|first| {
        !first.is_one_of(
            "not|no|there|it|that|this|he|she|they|we|you|anything|something|everything|everyone|anyone|nothing",
        )
    })
}

/// Returns the items that the words of a question may mean. "Paid the rent" is about "Pay the rent", and "the dentist
/// appointment" about "dentist".
#[must_use]
pub fn asked_records<'a>(state: &'a State, words: &str, today: NaiveDate) -> Vec<&'a Item> {
    let named = named_records(state, words, today);
    let shorter = || {
        let kept: Vec<&str> = words.split(' ').collect();
        let end = kept.len() - usize::from(kept.len() > 1 && kept.last().is_some_and(|last| listed(STATES, last)));
        let is_name = |word: &&&str| !listed(GENERIC_NOUNS, word);
        kept[..end].iter().filter(is_name).copied().collect::<Vec<_>>().join(" ")
    };
    if named.is_empty() { named_records(state, &shorter(), today) } else { named }
}

fn named_records<'a>(state: &'a State, words: &str, today: NaiveDate) -> Vec<&'a Item> {
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    let in_present = presents(first).into_iter().map(|verb| format!("{verb} {rest}"));
    let texts: Vec<String> = std::iter::once(words.to_owned()).chain(in_present).chain([rest.to_owned()]).collect();
    let found = |include_done: bool| {
        let items = || state.candidates(today, include_done).filter(|one| one.kind != Kind::Goal);
        let by_words = texts.iter().map(|text| matches(text, items()));
        let by_meaning = texts.iter().map(|text| matches_by_meaning(text, items()));
        by_words.chain(by_meaning).find(|found| !found.is_empty()).unwrap_or_default()
    };
    let open = found(false);
    let found = if open.is_empty() { found(true) } else { open };
    found.iter().filter_map(|one: &Candidate<'_>| state.item(one.kind, one.id)).collect()
}
