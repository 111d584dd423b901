//! Parses days: "tomorrow", "next Tuesday", "in three days", "on 5 May", "the 28th", "end of the month".

use chrono::{Datelike as _, NaiveDate, Weekday};

use super::day_arithmetic::{Phrase, ends, minus, monday, next_date, plus, upcoming, word, words};
use super::holidays::holiday;
use super::periods::{by_figures, by_period, by_place, month_from};
use super::spans::{Span, date_span};
use crate::language::text::numbers::{self, day_number, figures, month, weekday};
use crate::language::text::phrases;
use crate::language::text::tokens::Token;

/// Parses a day at the beginning of `tokens`. With `after_preposition`, a preposition such as "on", "by" or "until"
/// precedes it, so that ambiguous words count as a day.
#[must_use]
pub fn day(tokens: &[Token], today: NaiveDate, after_preposition: bool) -> Phrase<NaiveDate> {
    let dated = named_and_dated(tokens, today);
    [
        near(tokens, today),
        in_future(tokens, today),
        by_weekday(tokens, today, after_preposition),
        by_month(tokens, today, after_preposition),
    ]
    .into_iter()
    .chain([
        by_period(tokens, today),
        by_figures(tokens, today, after_preposition),
        dated,
        by_place(tokens, today),
        holiday(tokens, today, after_preposition),
    ])
    .flatten()
    .max_by_key(|(length, _)| *length)
}

fn near(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    if let Some(found) = end_of_day(tokens, today) {
        return Some(found);
    }
    match word(tokens, 0) {
        "tomorrow" | "today" if word(tokens, 1) == "week" => {
            Some((2, plus(today, 7 + u64::from(word(tokens, 0) == "tomorrow"))))
        }
        "tomorrow" | "today" if word(tokens, 1) == "fortnight" => {
            Some((2, plus(today, 14 + u64::from(word(tokens, 0) == "tomorrow"))))
        }
        "later" if matches!(word(tokens, 1), "today" | "tonight") => Some((2, today)),

        "this" if words(tokens, "this day week") => Some((3, plus(today, 7))),
        "this" if words(tokens, "this time tomorrow") => Some((3, plus(today, 1))),
        "this" if words(tokens, "this time next week") => Some((4, plus(today, 7))),
        "today" | "tod" | "now" | "tonight" => Some((1, today)),
        "tomorrow" => Some((1, plus(today, 1))),
        "yesterday" => Some((1, today.pred_opt()?)),
        "last" if weekday(word(tokens, 1), true).is_some() => {
            let named = weekday(word(tokens, 1), true)?;
            Some((2, upcoming(minus(today, 8)?, named)))
        }
        "the" if words(tokens, "the day before yesterday") => Some((4, minus(today, 2)?)),
        "last" if words(tokens, "last night") => Some((2, today.pred_opt()?)),
        "this" if matches!(word(tokens, 1), "morning" | "afternoon" | "evening") => Some((1, today)),
        "the" if words(tokens, "the day after tomorrow") => Some((4, plus(today, 2))),
        "day" if words(tokens, "day after tomorrow") => Some((3, plus(today, 2))),
        "the" if matches!(word(tokens, 2), "after" | "before") => relative_day(tokens, today),
        _ => None,
    }
}

/// Parses "close of business Friday", "end of day tomorrow", "eod".
fn end_of_day(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let following = phrases::after_any(
        tokens,
        "close of business|close of play|end of business|end of play|end of day|the end of the day|end of the day|eod|\
            cob",
    )?;
    let at = tokens.len() - following.len();
    let on = usize::from(matches!(word(following, 0), "on" | "of"));
    Some(match word(following, on) {
        "tomorrow" => (at + on + 1, plus(today, 1)),
        "today" => (at + on + 1, today),
        name => weekday(name, true).map_or((at, today), |named| (at + on + 1, upcoming(today, named))),
    })
}

/// Parses "the day before Easter", "the Monday after Easter", "the Monday after next".
fn relative_day(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let Some((length, reached)) = day(tokens.get(3..)?, today, true) else {
        let after_next = word(tokens, 3) == "next" && weekday(word(tokens, 1), false).is_some();
        return by_weekday(&tokens[1..], today, true).filter(|_| after_next).map(|(length, day)| (length + 1, day));
    };
    let before = word(tokens, 2) == "before";
    let found = match weekday(word(tokens, 1), false) {
        Some(named) if before => upcoming(minus(reached, 8)?, named),
        Some(named) => upcoming(reached, named),
        None if word(tokens, 1) != "day" => return None,
        None if before => reached.pred_opt()?,
        None => plus(reached, 1),
    };
    Some((3 + length, found))
}

/// Parses "in three days", "two weeks from now", "a week from Friday", "+3 days".
fn in_future(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    if matches!(word(tokens, 0), "in" | "within") {
        let after_qualifier =
            phrases::after_any(&tokens[1..], "exactly|about|roughly|around|just over|the next|the coming");
        if let Some(following) = after_qualifier {
            let (length, span) = date_span(following)?;
            return Some((tokens.len() - following.len() + length, span.after(today)?));
        }
        let (length, span) = date_span(&tokens[1..])?;
        let from_now = usize::from(word(tokens, length + 1) == "time" || word(tokens, length + 1) == "time's");
        let reached = span.after(today)?;
        return Some(
            weekday_after_span(tokens, 1 + length + from_now, span, reached)
                .unwrap_or((1 + length + from_now, reached)),
        );
    }
    if let Some(number) = word(tokens, 0).strip_prefix('+').and_then(|n| figures(n, 3)) {
        return Some((2, Span::of(number, word(tokens, 1))?.after(today)?));
    }
    let (length, span) = date_span(tokens)?;
    match (word(tokens, length), word(tokens, length + 1)) {
        ("from", "now" | "today") => Some((length + 2, span.after(today)?)),
        ("today" | "hence", _) => Some((length + 1, span.after(today)?)),
        ("ago", _) => Some((length + 1, span.before(today)?)),
        ("tomorrow", _) => Some((length + 1, span.after(plus(today, 1))?)),
        ("from", "tomorrow") => Some((length + 2, span.after(plus(today, 1))?)),
        ("from" | "on" | "after", _) => {
            let (more, start) = day(&tokens[length + 1..], today, true)?;
            Some((length + 1 + more, span.after(start)?))
        }
        ("before", _) => {
            let (more, start) = day(&tokens[length + 1..], today, true)?;
            Some((length + 1 + more, span.before(start)?))
        }
        (name, _) if span.is_weeks() => {
            // "A week Friday".
            Some((length + 1, span.after(upcoming(today, weekday(name, false)?))?))
        }
        _ => None,
    }
}

/// Parses "in two weeks on Tuesday": that day of the week in the week that is reached.
fn weekday_after_span(tokens: &[Token], at: usize, span: Span, reached: NaiveDate) -> Phrase<NaiveDate> {
    let on = usize::from(word(tokens, at) == "on");
    let named = weekday(word(tokens, at + on), on == 1).filter(|_| span.is_weeks())?;
    Some((at + on + 1, plus(monday(reached), named.num_days_from_monday().into())))
}

/// Parses "Tuesday in two weeks", "Friday in a fortnight's time".
fn weekday_in_weeks(tokens: &[Token], at: usize, named: Weekday, today: NaiveDate) -> Phrase<NaiveDate> {
    let (length, span) = (word(tokens, at) == "in").then(|| date_span(tokens.get(at + 1..)?)).flatten()?;
    let time = usize::from(word(tokens, at + 1 + length) == "time");
    let reached = span.after(today).filter(|_| span.is_weeks())?;
    Some((at + 1 + length + time, plus(monday(reached), named.num_days_from_monday().into())))
}

/// Parses "Friday", "next Tuesday", "this coming Monday", "Tuesday next week".
fn by_weekday(tokens: &[Token], today: NaiveDate, after_preposition: bool) -> Phrase<NaiveDate> {
    let skipped = match (word(tokens, 0), word(tokens, 1)) {
        ("this", "coming") => 2,
        ("next" | "this" | "coming", _) => 1,
        _ => 0,
    };
    let named = tokens.get(skipped).filter(|token| !token.quoted)?;
    // "Sat" and "sun" are also ordinary words. They are days if they are capitalised or follow a preposition.
    let short =
        after_preposition || skipped > 0 || (named.text.starts_with(char::is_uppercase) && tokens.len() == skipped + 1);
    let weekday = weekday(&named.lower, short)?;
    let of_week = |start: NaiveDate| plus(start, weekday.num_days_from_monday().into());
    if let Some(found) = weekday_in_weeks(tokens, skipped + 1, weekday, today).filter(|_| skipped == 0) {
        return Some(found);
    }
    let next_week = plus(monday(today), 7);
    let after = |at: usize| (word(tokens, skipped + at), word(tokens, skipped + at + 1));
    Some(match (word(tokens, 0), after(1)) {
        (_, ("next", "week")) => (skipped + 3, of_week(next_week)),
        (_, ("of" | "in", "next")) if word(tokens, skipped + 3) == "week" => (skipped + 4, of_week(next_week)),
        (_, ("this", "week")) => (skipped + 3, of_week(monday(today))),
        ("next", ("week", _)) if skipped == 1 => (3, plus(upcoming(today, weekday), 7)),
        (_, ("week", _)) if skipped == 0 => (2, plus(upcoming(today, weekday), 7)),
        (_, ("fortnight", _)) if skipped == 0 => (2, plus(upcoming(today, weekday), 14)),
        (_, ("after", "next")) => (skipped + 3, plus(of_week(next_week), 7)),
        (_, ("coming", _)) if skipped == 0 => (2, upcoming(today, weekday)),
        (_, ("next", _)) if skipped == 0 && ends(tokens, 2) => (2, upcoming(today, weekday)),
        ("next", _) => (skipped + 1, of_week(next_week)),
        ("this", _) if skipped == 1 && of_week(monday(today)) >= today => (skipped + 1, of_week(monday(today))),
        _ => (skipped + 1, upcoming(today, weekday)),
    })
}

/// Parses "Saturday 11 July", "Fri, 3/27", "Monday the 16th": one day, given twice. If the two differ, they are parsed
/// as two days.
fn named_and_dated(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let named = tokens.first().filter(|token| !token.quoted).and_then(|token| weekday(&token.lower, true))?;
    let comma = usize::from(word(tokens, 1) == "," || word(tokens, 1) == ".");
    let rest = tokens.get(1 + comma..)?;
    let (length, day) = by_month(rest, today, false).or_else(|| by_figures(rest, today, true))?;
    (day.weekday() == named).then_some((1 + comma + length, day))
}

/// Parses "5 May", "5th of May", "May 5th", "the 5th of May 2027"; with `after_preposition` also "April".
fn by_month(tokens: &[Token], today: NaiveDate, after_preposition: bool) -> Phrase<NaiveDate> {
    let the = usize::from(word(tokens, 0) == "the");
    let number = |at: usize| day_number(word(tokens, at));
    let day_first = number(the).and_then(|day| {
        let of = usize::from(word(tokens, the + 1) == "of");
        // "5. May" contains a full stop.
        let stop = usize::from(word(tokens, the + 1) == ".");
        Some((the + 2 + of + stop, day, month(word(tokens, the + 1 + of + stop))?))
    });
    let month_first = month(word(tokens, 0)).and_then(|month| {
        let the = usize::from(word(tokens, 1) == "the");
        Some((2 + the, number(1 + the)?, month))
    });
    let (length, day, month_number) = match day_first.or(month_first) {
        Some(found) => found,
        None if after_preposition => {
            // "by next May" means the same as "by May".
            let (at, name) = if word(tokens, 0) == "next" { (2, word(tokens, 1)) } else { (1, word(tokens, 0)) };
            (at, 1, month(name)?)
        }
        None => return None,
    };
    let comma = usize::from(word(tokens, length) == ",");
    let year = figures(word(tokens, length + comma), 4).filter(|year| (1900..3000).contains(year));
    let short_year = || {
        let written = word(tokens, length).trim_start_matches('\'');
        let near = figures(written, 2).map(|year| i32::try_from(year).unwrap_or(0) + 2000);
        near.filter(|year| {
            written.len() == 2 && (today.year()..today.year() + 6).contains(year) && ends(tokens, length + 1)
        })
    };
    match year.and_then(|year| i32::try_from(year).ok()).or_else(short_year) {
        Some(year) => Some((length + comma + 1, NaiveDate::from_ymd_opt(year, month_number, day)?)),
        None => Some((length, next_date(today, month_number, day)?)),
    }
}

/// Returns the number of words of a range of days, which no record can have: "3 to 10 August", "4-6 May".
pub fn day_range(tokens: &[Token]) -> Option<usize> {
    let is_day = |text: &str| day_number(text).is_some_and(|day| (1..=31).contains(&day));
    if let Some((first, last)) = word(tokens, 0).split_once(['-', '–']) {
        let of = usize::from(word(tokens, 1) == "of");
        return (is_day(first) && is_day(last) && month(word(tokens, 1 + of)).is_some()).then_some(2 + of);
    }
    let the = usize::from(word(tokens, 0) == "the");
    let joined = matches!(word(tokens, the + 1), "to" | "until" | "till" | "-" | "–" | "through");
    let second = the + 2 + usize::from(word(tokens, the + 2) == "the");
    let of = usize::from(word(tokens, second + 1) == "of");
    let whole = joined && is_day(word(tokens, the)) && is_day(word(tokens, second));
    (whole && month(word(tokens, second + 1 + of)).is_some()).then_some(second + 2 + of)
}

/// A day of a month that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingDay {
    pub day: u32,
    /// `None` if no month has the day.
    pub month: Option<u32>,
    pub year: Option<i32>,
}

/// Parses a day that does not exist: "30 February", "April 31st", "29 February 2027", "31st of next month"; with `the`
/// also "32nd".
pub fn impossible(tokens: &[Token], the: bool, today: NaiveDate) -> Phrase<MissingDay> {
    let number = |at: usize| {
        let text = word(tokens, at).trim_end_matches(|c: char| c.is_alphabetic());
        figures(text, 2).or_else(|| numbers::day_ordinal(word(tokens, at)))
    };
    if let Some((length, start)) = month_from(tokens, 1, today) {
        let day = number(0)?;
        let missing = MissingDay { day, month: Some(start.month()), year: Some(start.year()) };
        return start.with_day(day).is_none().then_some((1 + length, missing));
    }
    let of = usize::from(word(tokens, 1) == "of");
    let day_first = number(0).zip(month(word(tokens, 1 + of))).map(|(day, month)| (2 + of, day, month));
    let month_first = month(word(tokens, 0)).zip(number(1)).map(|(month, day)| (2, day, month));
    if let Some((length, day, month)) = day_first.or(month_first) {
        let leap_year = 2000;
        let is_year = length == 2
            && day_first.is_none()
            && word(tokens, 1).len() > 2
            && !word(tokens, 1).ends_with(char::is_alphabetic);
        let comma = usize::from(word(tokens, length) == ",");
        let year = figures(word(tokens, length + comma), 4).filter(|year| (1900..3000).contains(year));
        let year = year.and_then(|year| i32::try_from(year).ok());
        let is_missing = !is_year && NaiveDate::from_ymd_opt(year.unwrap_or(leap_year), month, day).is_none();
        let length = if year.is_some() { length + comma + 1 } else { length };
        return is_missing.then_some((length, MissingDay { day, month: Some(month), year }));
    }
    let ordinal = numbers::ordinal_figures(word(tokens, 0))?;
    let is_missing = the && (ordinal > 31 || ordinal == 0) && ends(tokens, 1);
    is_missing.then_some((1, MissingDay { day: ordinal, month: None, year: None }))
}
