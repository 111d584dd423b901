//! Parses days given by periods and numbers: "the end of the month", "next week", "the first Monday in April", "26.3.",
//! "the 3rd".

use chrono::{Datelike as _, Months, NaiveDate};

use super::day_arithmetic::{Phrase, ends, minus, monday, next_date, plus, upcoming, word};
use crate::language::text::numbers::{self, day_ordinal, figures, month, weekday};
use crate::language::text::phrases;
use crate::language::text::tokens::Token;
use crate::validate::parse_date;

/// Parses "the first Monday in April", "the last Friday of the month".
pub(super) fn by_place(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let (length, day) = weekday_of_month(tokens, today)?;
    Some((length, day?))
}

/// Returns the number of words of a day of the week that the month does not have: "the fifth Monday in April".
pub(super) fn missing_weekday(tokens: &[Token], today: NaiveDate) -> Option<usize> {
    weekday_of_month(tokens, today).filter(|(_, day)| day.is_none()).map(|(length, _)| length)
}

/// Parses a numbered day of the week of a month. The day is `None` if the month does not have it.
fn weekday_of_month(tokens: &[Token], today: NaiveDate) -> Phrase<Option<NaiveDate>> {
    let the = usize::from(word(tokens, 0) == "the");
    let place = word(tokens, the);
    let number = numbers::ordinal(place).filter(|number| (1..=5).contains(number) && place != "other");
    let named = weekday(word(tokens, the + 1), true).filter(|_| number.is_some() || place == "last")?;
    let joined = matches!(word(tokens, the + 2), "of" | "in").then_some(the + 3)?;
    let the_month = usize::from(matches!(word(tokens, joined), "the" | "this" | "next"));
    let first = first_of_month(today)?;
    let start = match (word(tokens, joined), word(tokens, joined + the_month)) {
        ("next", "month") => first.checked_add_months(Months::new(1))?,
        (_, "month") if the_month == 1 => first,
        (_, name) => next_date(first, month(name).filter(|_| the_month == 0)?, 1)?,
    };
    let day = if let Some(number) = number {
        plus(upcoming(start.pred_opt()?, named), u64::from(number - 1) * 7)
    } else {
        let end = start.checked_add_months(Months::new(1))?.pred_opt()?;
        upcoming(minus(end, 7)?, named)
    };
    Some((joined + the_month + 1, Some(day).filter(|day| day.month() == start.month())))
}

/// Parses "next week", "this weekend", "end of the month", "mid June", "beginning of next month".
pub(super) fn by_period(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let next_month = || first_of_month(today)?.checked_add_months(Months::new(1));
    let saturday = plus(monday(today), 5);
    match (word(tokens, 0), word(tokens, 1)) {
        ("mid" | "mid-", _) | ("next" | "this", "week") => of_week_or_month(tokens, today),
        ("early", "next") if word(tokens, 2) == "week" => Some((3, plus(monday(today), 7))),
        ("week", "after") if word(tokens, 2) == "next" => Some((3, plus(monday(today), 14))),
        ("weekend", "after") if word(tokens, 2) == "next" => Some((3, plus(saturday, 14))),
        ("week" | "month" | "year", "end") if ends(tokens, 2) => {
            part_of_period(&joined_end(tokens), today, "end").map(|(_, day)| (2, day))
        }
        ("next", "weekend") => Some((2, plus(saturday, 7))),
        ("the", "weekend") if word(tokens, 2) == "after" && word(tokens, 3) == "next" => Some((4, plus(saturday, 14))),
        ("this" | "the", "weekend") => Some((2, saturday.max(today))),
        ("next", "month") => Some((2, next_month()?)),
        ("next", "year") => Some((2, NaiveDate::from_ymd_opt(today.year() + 1, 1, 1)?)),
        ("eom", _) => Some((1, next_month()?.pred_opt()?)),
        ("eow", _) => Some((1, plus(monday(today), 6))),
        (name, _) if name.starts_with("mid-") => Some((1, next_date(today, month(&name[4..])?, 15)?)),
        ("last" | "first", "day") if word(tokens, 2) == "of" => {
            let part = if word(tokens, 0) == "last" { "end" } else { "beginning" };
            let (length, day) = part_of_period(&tokens[1..], today, part)?;
            Some((length + 1, day))
        }
        ("the", "end" | "beginning" | "start" | "middle" | "last" | "first" | "week") => {
            let (length, day) = by_period(&tokens[1..], today)?;
            Some((length + 1, day))
        }
        (part @ ("end" | "beginning" | "start" | "middle"), "of") => part_of_period(tokens, today, part),
        _ => None,
    }
}

/// Parses "mid June", "next week", "next week on Tuesday", "this week Friday".
fn of_week_or_month(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    if word(tokens, 0).starts_with("mid") {
        return Some((2, next_date(today, month(word(tokens, 1))?, 15)?));
    }
    let next = word(tokens, 0) == "next";
    let start = plus(monday(today), if next { 7 } else { 0 });
    let on = usize::from(matches!(word(tokens, 2), "on" | ","));
    match weekday(word(tokens, 2 + on), false) {
        Some(day) => Some((3 + on, plus(start, day.num_days_from_monday().into()))),
        None => next.then_some((2, start)),
    }
}

/// Rewrites "month end" as "end of month".
fn joined_end(tokens: &[Token]) -> Vec<Token> {
    vec![tokens[1].clone(), Token::made("of"), tokens[0].clone()]
}

fn first_of_month(day: NaiveDate) -> Option<NaiveDate> {
    day.with_day(1)
}

/// Returns the `part` of the period after "of", which is the second token.
fn part_of_period(tokens: &[Token], today: NaiveDate, part: &str) -> Phrase<NaiveDate> {
    let (skipped, next) = match (word(tokens, 2), word(tokens, 3)) {
        ("next", name) if month(name).is_some() => (1, false),
        ("next", _) => (1, true),
        ("the" | "this", _) => (1, false),
        _ => (0, false),
    };
    let at = 2 + skipped;
    let month_start = first_of_month(today)?;
    let ahead = u32::from(next);
    let (first, last) = match word(tokens, at) {
        "day" => (today, today),
        "week" => {
            let start = plus(monday(today), 7 * u64::from(ahead));
            (start, plus(start, 6))
        }
        "month" => {
            let start = month_start.checked_add_months(Months::new(ahead))?;
            (start, start.checked_add_months(Months::new(1))?.pred_opt()?)
        }
        "year" => {
            let year = today.year() + i32::from(next);
            (NaiveDate::from_ymd_opt(year, 1, 1)?, NaiveDate::from_ymd_opt(year, 12, 31)?)
        }
        name => {
            let number = month(name)?;
            let here = NaiveDate::from_ymd_opt(today.year(), number, 1)?;
            let start = if here < month_start { here.checked_add_months(Months::new(12))? } else { here };
            (start, start.checked_add_months(Months::new(1))?.pred_opt()?)
        }
    };
    let day = match part {
        "end" => last,
        "middle" => plus(first, u64::try_from((last - first).num_days()).ok()? / 2),
        _ => first,
    };
    Some((at + 1, day))
}

/// Parses "2026-04-15", "15.4.2026", "15.04.", "the 28th"; "4/15/2026" if only one reading is a date.
pub(super) fn by_figures(tokens: &[Token], today: NaiveDate, after_preposition: bool) -> Phrase<NaiveDate> {
    let text = word(tokens, 0);
    if let Some(date) = parse_date(text) {
        return Some((1, date));
    }
    let by_mark = |mark| dotted(text, mark, today);
    if let Some(date) = by_mark('.').or_else(|| by_mark('/')).or_else(|| by_mark('-')) {
        return Some((1, date));
    }
    // "on 26.3": without a final full stop it is a day only after a preposition.
    if let Some(date) = dotted(&format!("{text}."), '.', today).filter(|_| after_preposition && text.contains('.')) {
        return Some((1, date));
    }
    let the = usize::from(text == "the");
    let day = day_ordinal(word(tokens, the))?;
    if let Some((length, start)) = month_from(tokens, the + 1, today) {
        // "The 3rd of the month" is the next one; "of this month" names the month.
        let is_next = word(tokens, the + 2) == "the";
        let found = if is_next { next_day_of_month(today, day)? } else { start.with_day(day)? };
        return Some((the + 1 + length, found));
    }
    // "The 31st of April" does not exist.
    let of = usize::from(word(tokens, the + 1) == "of");
    if month(word(tokens, the + 1 + of)).is_some() {
        return None;
    }
    let (named, after) = (word(tokens, the), word(tokens, the + 1));
    let in_words = named.starts_with(char::is_alphabetic);
    if (in_words && (the == 0 || !ends(tokens, the + 1))) || phrases::listed(COUNTED, after) {
        return None;
    }
    let alone = ends(tokens, the + 1) || after_preposition;
    // "31st: TV licence", "phone bill 25th".
    let continues = matches!(after, ":" | "," | "at" | "from") || after.starts_with(|c: char| c.is_ascii_digit());
    let by_itself = !in_words && (tokens.len() == 1 || continues);
    ((alone && (the == 1 || after_preposition)) || by_itself)
        .then(|| next_day_of_month(today, day))
        .flatten()
        .map(|date| (the + 1, date))
}

/// Nouns that follow ordinals, so that "on the 3rd floor" is not a day.
const COUNTED: &str = "floor|attempt|try|time|edition|chapter|week|day|month|quarter|year|street|avenue|century|\
    grade|anniversary|\
    birthday|page|row|line|draft|version|round|class|half|place|team|part";

/// Parses "of next month", "of this month" at an index; returns its first day.
pub(super) fn month_from(tokens: &[Token], at: usize, today: NaiveDate) -> Phrase<NaiveDate> {
    let ahead = match (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) {
        ("of", "next", "month") => 1,
        ("of", "this" | "the", "month") => 0,
        _ => return None,
    };
    Some((3, first_of_month(today)?.checked_add_months(Months::new(ahead))?))
}

/// Returns the next date with this day of the month: in this month, or in a following one if it has passed or does not
/// exist.
fn next_day_of_month(today: NaiveDate, day: u32) -> Option<NaiveDate> {
    let start = first_of_month(today)?;
    (0..3).filter_map(|ahead| start.checked_add_months(Months::new(ahead))?.with_day(day)).find(|date| *date >= today)
}

fn dotted(text: &str, mark: char, today: NaiveDate) -> Option<NaiveDate> {
    let short = mark == '.' && text.ends_with('.') && text.matches('.').count() == 2;
    let text = if short { text.trim_end_matches('.') } else { text };
    let parts: Vec<u32> = text.split(mark).map(|part| figures(part, 4)).collect::<Option<_>>()?;
    let (first, second, year) = match parts[..] {
        [first, second] if mark == '/' || short => (first, second, None),
        [year, month, day] if year > 31 && mark != '.' => (day, month, Some(year)),
        [first, second, year] => (first, second, Some(if year < 100 { 2000 + year } else { year })),
        _ => return None,
    };
    let (day, month) = match (mark, first, second) {
        ('/', 1..=12, 13..) => (second, first),
        ('/', 1..=12, 1..=12) if first != second => return None,
        _ => (first, second),
    };
    match year {
        Some(year) => NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day),
        None => next_date(today, month, day),
    }
}

/// Returns whether the text could be two different dates: "4/5" is in April or in May.
#[must_use]
pub fn is_ambiguous(text: &str) -> bool {
    let mut parts = text.split('/').map(|part| figures(part, 4));
    let pair = (parts.next().flatten(), parts.next().flatten());
    matches!(pair, (Some(first @ 1..=12), Some(second @ 1..=12)) if first != second)
}
