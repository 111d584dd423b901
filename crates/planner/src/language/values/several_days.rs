//! Parses phrases for several days: "this week", "next month", "in December", "the next three days".

use chrono::{Datelike as _, NaiveDate};

use super::day_arithmetic::{Phrase, minus, monday, next_date, plus, word};
use super::spans::{Span, date_span};
use crate::language::text::numbers::{day_number, month};
use crate::language::text::phrases::{after, after_any};
use crate::language::text::tokens::Token;

/// The first and the last day.
pub type Period = (NaiveDate, NaiveDate);

/// Parses such a phrase at the beginning of `words`.
#[must_use]
pub fn several_days(words: &[Token], today: NaiveDate) -> Phrase<Period> {
    named_period(words, today).or_else(|| month_named(words, today)).or_else(|| days_ahead(words, today))
}

/// Parses "this week", "next weekend", "last month", "the whole week".
fn named_period(words: &[Token], today: NaiveDate) -> Phrase<Period> {
    let skipped = usize::from(word(words, 0) == "the" || word(words, 0) == "my");
    let rest_of = after_any(&words[skipped..], "rest of the|rest of this|whole|entire|all|all this");
    let (at, which) = match rest_of {
        Some(rest) => (words.len() - rest.len(), "this"),
        None if skipped == 1 => (1, "this"),
        None => (1, word(words, 0)),
    };
    let this_month = today.with_day(1)?;
    let (monday, first) = match which {
        "this" => (monday(today), this_month),
        "next" => (plus(monday(today), 7), Span::months(1).after(this_month)?),
        "last" => (monday(minus(today, 7)?), Span::months(1).before(this_month)?),
        _ => return None,
    };
    let part = |from: u64, days: u64| (plus(monday, from), plus(monday, from + days));
    match word(words, at) {
        "week" => Some((at + 1, part(0, 6))),
        "weekend" => Some((at + 1, part(5, 1))),
        "month" => Some((at + 1, (first, Span::months(1).after(first)?.pred_opt()?))),
        _ => None,
    }
}

/// Parses "in December", "during May".
fn month_named(words: &[Token], today: NaiveDate) -> Phrase<Period> {
    if !matches!(word(words, 0), "in" | "during" | "for") {
        return None;
    }
    let number = month(word(words, 1))?;
    // In "for May 5" a day follows.
    if day_number(word(words, 2)).is_some() {
        return None;
    }
    let first = if number == today.month() { today.with_day(1)? } else { next_date(today, number, 1)? };
    Some((2, (first, Span::months(1).after(first)?.pred_opt()?)))
}

/// Parses "the next three days", "the coming week", "the next few days".
fn days_ahead(words: &[Token], today: NaiveDate) -> Phrase<Period> {
    let rest = after_any(words, "in the next|the next|next|over the next|the coming|in the coming")?;
    let before = words.len() - rest.len();
    if after(rest, "few days").is_some() {
        return Some((before + 2, (today, plus(today, 2))));
    }
    let (length, span) = date_span(rest)?;
    Some((before + length, (today, span.after(today)?.pred_opt()?)))
}
