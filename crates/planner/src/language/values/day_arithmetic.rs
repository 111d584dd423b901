//! Date arithmetic and word tests shared by all parsers of dates.

use chrono::{Datelike as _, Days, NaiveDate, Weekday};

use crate::language::text::tokens::Token;

/// A phrase at the beginning of `tokens`: its number of tokens and its value (a day, a span, a time).
pub type Phrase<T> = Option<(usize, T)>;

pub fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

pub fn words(tokens: &[Token], expected: &str) -> bool {
    expected.split(' ').enumerate().all(|(at, expected)| word(tokens, at) == expected)
}

pub fn plus(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

pub fn minus(day: NaiveDate, days: u64) -> Option<NaiveDate> {
    day.checked_sub_days(Days::new(days))
}

/// Returns the Monday of the day's week; of the first days that there are, the day itself.
pub fn monday(day: NaiveDate) -> NaiveDate {
    minus(day, day.weekday().num_days_from_monday().into()).unwrap_or(day)
}

/// Returns the next date with this month and day, from today on. For 29 February that is in the next leap year.
pub fn next_date(today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
    (0..9).filter_map(|years| NaiveDate::from_ymd_opt(today.year() + years, month, day)).find(|date| *date >= today)
}

pub fn ends(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|token| token.is_mark() || token.is_one_of("at|from|to|and|for|by|in"))
}

/// Returns the next such day of the week after today.
#[must_use]
pub fn upcoming(today: NaiveDate, weekday: Weekday) -> NaiveDate {
    let ahead = (7 + weekday.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7;
    plus(today, if ahead == 0 { 7 } else { ahead.into() })
}
