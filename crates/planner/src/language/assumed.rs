//! Finds the days that were taken for phrases that name none: "next week" is its Monday, and "29 February" is in the
//! next year that has it.
//!
//! Input: a sentence and the operations that it was read as. Output: a sentence on each such day. Called by the
//! assistant, which shows them with the operations.

use chrono::{Datelike as _, NaiveDate};

use super::Today;
use super::text::compounds;
use super::text::numbers::weekday;
use super::text::phrases::after_any;
use super::text::tokens::{Token, tokens};
use super::values::dates;
use super::values::day_arithmetic::next_date;
use crate::operation::Operation;
use crate::recurrence::Recurrence;

/// Phrases for several days.
const PERIODS: &str = "next week|early next week|the week after next|this weekend|the weekend|next weekend|\
    the weekend after next|next month|next year";

/// Returns what to tell the user about the days that were taken.
#[must_use]
pub fn assumed_days(sentence: &str, operations: &[Operation], today: Today) -> Vec<String> {
    let tokens = compounds::normalised(&tokens(sentence));
    let is_taken = |day: NaiveDate| {
        let repeats = |one: &Operation| one.recurrence.as_ref().is_some_and(Recurrence::repeats);
        operations.iter().any(|one| one.scheduled_for == Some(Some(day)) && !repeats(one))
    };
    let mut said: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let period = period_alone(&tokens, at, today).map(|(length, day)| (length, day, None));
        let found = period.or_else(|| leap_day(&tokens[at..], today));
        if let Some((length, day, year)) = found.filter(|(_, day, _)| is_taken(*day)) {
            let words: Vec<&str> = tokens[at..at + length].iter().map(|token| token.text.as_str()).collect();
            said.push(note(&words.join(" "), day, year));
        }
        at += found.map_or(1, |(length, ..)| length);
    }
    said.dedup();
    said
}

/// Returns what to say about a day. `without_day` is the earlier year that does not have it, if that is why.
fn note(words: &str, day: NaiveDate, without_day: Option<i32>) -> String {
    let written = day.format("%A, %Y-%m-%d");
    match without_day {
        Some(year) => {
            format!("\"{words}\" does not exist in {year}: {written} was taken. Name another day if that is not meant.")
        }
        None => format!("\"{words}\" names no day: {written} was taken. Name a day if another is meant."),
    }
}

/// Parses 29 February without its year, if the next February does not have the day. Returns also that February's year.
fn leap_day(rest: &[Token], today: Today) -> Option<(usize, NaiveDate, Option<i32>)> {
    let (length, day) = dates::day(rest, today.date, true)?;
    let next_february = next_date(today.date, 2, 28)?.year();
    let is_later = (day.month(), day.day()) == (2, 29) && day.year() > next_february;
    let (year, last_figures) = (day.year().to_string(), format!("{:02}", day.year() % 100));
    let names_year = rest[..length].iter().any(|word| word.text.contains(&year) || word.text.ends_with(&last_figures));
    (is_later && !names_year).then_some((length, day, Some(next_february)))
}

/// Parses a phrase for several days that is not the rest of a day, as in "Tuesday next week" or "next week on Tuesday".
fn period_alone(tokens: &[Token], at: usize, today: Today) -> Option<(usize, NaiveDate)> {
    let rest = &tokens[at..];
    let length = rest.len() - after_any(rest, PERIODS)?.len();
    let before = tokens[..at].iter().rev().find(|token| !token.is_mark());
    let continues = before.is_some_and(|word| {
        !word.quoted && (word.is_one_of("of|in|the|early") || weekday(&word.lower, true).is_some())
    });
    let (whole, day) = dates::day(rest, today.date, true)?;
    (whole == length && !continues).then_some((length, day))
}
