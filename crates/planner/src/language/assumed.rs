//! Finds the days that were taken for phrases that name none: "next week" is its Monday.
//!
//! Input: a sentence and the operations that it was read as. Output: a sentence on each such day. Called by the
//! assistant, which shows them with the operations.

use chrono::NaiveDate;

use super::Today;
use super::text::compounds;
use super::text::numbers::weekday;
use super::text::phrases::after_any;
use super::text::tokens::{Token, tokens};
use super::values::dates;
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
        let found = period_alone(&tokens, at, today);
        if let Some((length, day)) = found.filter(|(_, day)| is_taken(*day)) {
            let words: Vec<&str> = tokens[at..at + length].iter().map(|token| token.text.as_str()).collect();
            said.push(format!(
                "\"{}\" names no day: {} was taken. Name a day if another is meant.",
                words.join(" "),
                day.format("%A, %Y-%m-%d")
            ));
        }
        at += found.map_or(1, |(length, _)| length);
    }
    said.dedup();
    said
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
