//! Parses spans of days, weeks or months: "three days", "a couple of weeks", "two and a half weeks", "half a year".

use chrono::{Datelike as _, Days, Months, NaiveDate, Weekday};

use super::day_arithmetic::{Phrase, word};
use crate::language::text::numbers::{count, figures};
use crate::language::text::phrases::after;
use crate::language::text::tokens::Token;

/// A number of months plus a number of days. A half that is not a whole number of days is rounded down, so that nothing
/// is scheduled later than asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    months: u32,
    days: u32,
    /// Days from Monday to Friday. Public holidays are not known.
    working_days: u32,
}

/// They are counted one by one.
const MOST_WORKING_DAYS: u32 = 1_000;

/// Days in half a month.
const HALF_MONTH: u32 = 15;

impl Span {
    #[must_use]
    pub const fn days(days: u32) -> Self {
        Self { months: 0, days, working_days: 0 }
    }

    #[must_use]
    pub const fn months(months: u32) -> Self {
        Self { months, days: 0, working_days: 0 }
    }

    /// Returns whether the span is a number of whole weeks.
    #[must_use]
    pub const fn is_weeks(self) -> bool {
        self.months == 0 && self.working_days == 0 && self.days > 0 && self.days.is_multiple_of(7)
    }

    /// Returns the span of a number of half units.
    fn of_halves(halves: u32, unit: &str) -> Option<Self> {
        let unit = unit.trim_end_matches('\'').trim_end_matches("'s");
        match unit.strip_suffix('s').unwrap_or(unit) {
            "day" => Some(Self::days(halves / 2)),
            "week" | "wk" => Some(Self::days(halves.checked_mul(7)? / 2)),
            "fortnight" => Some(Self::days(halves.checked_mul(7)?)),
            "month" => Some(Self { months: halves / 2, days: halves % 2 * HALF_MONTH, working_days: 0 }),
            "year" => Some(Self::months(halves.checked_mul(6)?)),
            _ => None,
        }
    }

    pub fn of(number: u32, unit: &str) -> Option<Self> {
        Self::of_halves(number.checked_mul(2)?, unit)
    }

    #[must_use]
    pub fn after(self, day: NaiveDate) -> Option<NaiveDate> {
        let day = day.checked_add_months(Months::new(self.months))?.checked_add_days(Days::new(self.days.into()))?;
        self.past_working_days(day, NaiveDate::succ_opt)
    }

    #[must_use]
    pub fn before(self, day: NaiveDate) -> Option<NaiveDate> {
        let day = day.checked_sub_months(Months::new(self.months))?.checked_sub_days(Days::new(self.days.into()))?;
        self.past_working_days(day, NaiveDate::pred_opt)
    }

    /// Steps from `day` until as many working days are reached.
    fn past_working_days(self, day: NaiveDate, step: fn(&NaiveDate) -> Option<NaiveDate>) -> Option<NaiveDate> {
        let (mut day, mut left) = (day, self.working_days);
        while left > 0 {
            day = step(&day)?;
            left -= u32::from(!matches!(day.weekday(), Weekday::Sat | Weekday::Sun));
        }
        Some(day)
    }
}

/// Parses a span at the beginning of `tokens`.
#[must_use]
pub fn date_span(tokens: &[Token]) -> Phrase<Span> {
    halved(tokens).or_else(|| whole(tokens))
}

/// Parses "two and a half weeks", "a week and a half", "2.5 weeks", "half a year".
fn halved(tokens: &[Token]) -> Phrase<Span> {
    if let Some(rest) = after(tokens, "half a").or_else(|| after(tokens, "a half")) {
        return Some((3, Span::of_halves(1, word(rest, 0))?));
    }
    if let Some((whole, "5")) = word(tokens, 0).split_once(['.', ',']) {
        return Some((2, Span::of_halves(figures(whole, 3)?.checked_mul(2)? + 1, word(tokens, 1))?));
    }
    let halves = count(word(tokens, 0))?.checked_mul(2)?.checked_add(1)?;
    if let Some(rest) = tokens.get(1..).and_then(|rest| after(rest, "and a half")) {
        return Some((5, Span::of_halves(halves, word(rest, 0))?));
    }
    tokens.get(2..).and_then(|rest| after(rest, "and a half"))?;
    Some((5, Span::of_halves(halves, word(tokens, 1))?))
}

/// Parses "three days", "a couple of weeks", "one more month".
fn whole(tokens: &[Token]) -> Phrase<Span> {
    let article = usize::from(word(tokens, 0) == "a" && count(word(tokens, 1)) == Some(2));
    let number = count(word(tokens, article))?;
    let of = usize::from(word(tokens, article + 1) == "of");
    let more = usize::from(matches!(word(tokens, article + of + 1), "more" | "full" | "whole" | "further"));
    let at = article + of + more + 1;
    if matches!(word(tokens, at), "working" | "business" | "work" | "week")
        && matches!(word(tokens, at + 1), "day" | "days" | "days'")
        && number <= MOST_WORKING_DAYS
    {
        return Some((at + 2, Span { months: 0, days: 0, working_days: number }));
    }
    Some((at + 1, Span::of(number, word(tokens, at))?))
}
