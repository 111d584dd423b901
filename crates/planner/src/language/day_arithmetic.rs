//! Arithmetic of days, and the tests of words that all parsers of dates share.

use chrono::{Datelike as _, Days, NaiveDate, Weekday};

use super::tokens::Token;

/// The phrase at the beginning of `tokens`: how many tokens it has, and what it means (a day, a span, a time).
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

/// The Monday of its week.
pub fn monday(day: NaiveDate) -> NaiveDate {
    day.week(Weekday::Mon).first_day()
}

/// That day of the year, this year or where it has passed the next; 29 February in the next year that has one.
pub fn next_date(today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
    (0..9).filter_map(|years| NaiveDate::from_ymd_opt(today.year() + years, month, day)).find(|date| *date >= today)
}

pub fn ends(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|token| token.is_mark() || token.is_one_of("at|from|to|and|for|by|in"))
}

/// The next such day after today.
#[must_use]
pub fn upcoming(today: NaiveDate, weekday: Weekday) -> NaiveDate {
    let ahead = (7 + weekday.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7;
    plus(today, if ahead == 0 { 7 } else { ahead.into() })
}
