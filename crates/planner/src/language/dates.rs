//! Days in words: "tomorrow", "next Tuesday", "in three days", "on 5 May", "the 28th", "end of the month".

use chrono::{Datelike as _, Days, Months, NaiveDate, Weekday};

use super::numbers::{count, figures, month, ordinal_figures, weekday};
use super::tokens::Token;
use crate::validate::parse_date;

/// The phrase at the beginning of `tokens`: how many tokens it is, and its day.
pub type Phrase<T> = Option<(usize, T)>;

/// A day that `tokens` begin with. `led` says that a word stands before that calls for one ("on", "by", "until"), so that less is needed to
/// know it for a day.
#[must_use]
pub fn day(tokens: &[Token], today: NaiveDate, led: bool) -> Phrase<NaiveDate> {
    [near(tokens, today), in_future(tokens, today), by_weekday(tokens, today, led), by_month(tokens, today, led)]
        .into_iter()
        .chain([by_period(tokens, today), by_figures(tokens, today, led)])
        .flatten()
        .max_by_key(|(length, _)| *length)
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

fn words(tokens: &[Token], expected: &str) -> bool {
    expected.split(' ').enumerate().all(|(at, expected)| word(tokens, at) == expected)
}

fn plus(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

/// The Monday of its week.
fn monday(day: NaiveDate) -> NaiveDate {
    day.week(Weekday::Mon).first_day()
}

fn near(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    match word(tokens, 0) {
        "today" | "tod" | "now" | "tonight" => Some((1, today)),
        "tomorrow" | "tmr" | "tmrw" | "tomorow" | "tommorow" | "tommorrow" => Some((1, plus(today, 1))),
        "yesterday" => Some((1, today - Days::new(1))),
        "this" if matches!(word(tokens, 1), "morning" | "afternoon" | "evening") => Some((1, today)),
        "the" if words(tokens, "the day after tomorrow") => Some((4, plus(today, 2))),
        "day" if words(tokens, "day after tomorrow") => Some((3, plus(today, 2))),
        _ => None,
    }
}

/// "in three days", "two weeks from now", "a week from Friday", "+3 days".
fn in_future(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    if word(tokens, 0) == "in" {
        let (length, span) = span(&tokens[1..])?;
        let from_now = usize::from(word(tokens, length + 1) == "time" || word(tokens, length + 1) == "time's");
        return Some((1 + length + from_now, span.after(today)?));
    }
    if let Some(number) = word(tokens, 0).strip_prefix('+').and_then(|n| figures(n, 3)) {
        return Some((2, Span::of(number, word(tokens, 1))?.after(today)?));
    }
    let (length, span) = span(tokens)?;
    match (word(tokens, length), word(tokens, length + 1)) {
        ("from", "now" | "today") => Some((length + 2, span.after(today)?)),
        ("from", "tomorrow") => Some((length + 2, span.after(plus(today, 1))?)),
        ("from", _) => {
            let (more, start) = day(&tokens[length + 1..], today, true)?;
            Some((length + 1 + more, span.after(start)?))
        }
        _ => None,
    }
}

/// So many days or months.
#[derive(Debug, Clone, Copy)]
pub enum Span {
    Days(u32),
    Months(u32),
}

impl Span {
    fn of(number: u32, unit: &str) -> Option<Self> {
        match unit.strip_suffix('s').unwrap_or(unit) {
            "day" => Some(Self::Days(number)),
            "week" => Some(Self::Days(number.checked_mul(7)?)),
            "fortnight" => Some(Self::Days(number.checked_mul(14)?)),
            "month" => Some(Self::Months(number)),
            "year" => Some(Self::Months(number.checked_mul(12)?)),
            _ => None,
        }
    }

    #[must_use]
    pub fn after(self, day: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Days(days) => day.checked_add_days(Days::new(days.into())),
            Self::Months(months) => day.checked_add_months(Months::new(months)),
        }
    }

    #[must_use]
    pub fn before(self, day: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Days(days) => day.checked_sub_days(Days::new(days.into())),
            Self::Months(months) => day.checked_sub_months(Months::new(months)),
        }
    }
}

/// "three days", "a couple of weeks", "one month".
#[must_use]
pub fn span(tokens: &[Token]) -> Phrase<Span> {
    let article = usize::from(word(tokens, 0) == "a" && count(word(tokens, 1)) == Some(2));
    let number = count(word(tokens, article))?;
    let of = usize::from(word(tokens, article + 1) == "of");
    let more = usize::from(word(tokens, article + of + 1) == "more");
    let at = article + of + more + 1;
    Some((at + 1, Span::of(number, word(tokens, at))?))
}

/// "Friday", "next Tuesday", "this coming Monday", "Tuesday next week".
fn by_weekday(tokens: &[Token], today: NaiveDate, led: bool) -> Phrase<NaiveDate> {
    let skipped = match (word(tokens, 0), word(tokens, 1)) {
        ("this", "coming") => 2,
        ("next" | "this" | "coming", _) => 1,
        _ => 0,
    };
    let named = tokens.get(skipped).filter(|token| !token.quoted)?;
    // "Sat" and "sun" are words too; written as a name, or called for, they are days.
    let short = led || skipped > 0 || (named.text.starts_with(char::is_uppercase) && tokens.len() == skipped + 1);
    let weekday = weekday(&named.lower, short)?;
    let of_week = |start: NaiveDate| plus(start, weekday.num_days_from_monday().into());
    let next_week = plus(monday(today), 7);
    let after = |at: usize| (word(tokens, skipped + at), word(tokens, skipped + at + 1));
    Some(match (word(tokens, 0), after(1)) {
        (_, ("next", "week")) => (skipped + 3, of_week(next_week)),
        (_, ("of" | "in", "next")) if word(tokens, skipped + 3) == "week" => (skipped + 4, of_week(next_week)),
        (_, ("this", "week")) => (skipped + 3, of_week(monday(today))),
        (_, ("week", _)) if skipped == 0 => (2, plus(upcoming(today, weekday), 7)),
        ("next", _) => (skipped + 1, of_week(next_week)),
        ("this", _) if skipped == 1 && of_week(monday(today)) >= today => (skipped + 1, of_week(monday(today))),
        _ => (skipped + 1, upcoming(today, weekday)),
    })
}

/// The next such day after today.
#[must_use]
pub fn upcoming(today: NaiveDate, weekday: Weekday) -> NaiveDate {
    let ahead = (7 + weekday.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7;
    plus(today, if ahead == 0 { 7 } else { ahead.into() })
}

/// "5 May", "5th of May", "May 5th", "the 5th of May 2027", and with `led` "April".
fn by_month(tokens: &[Token], today: NaiveDate, led: bool) -> Phrase<NaiveDate> {
    let the = usize::from(word(tokens, 0) == "the");
    let number = |at: usize| {
        let text = word(tokens, at);
        figures(text, 2).or_else(|| ordinal_figures(text))
    };
    let day_first = number(the).and_then(|day| {
        let of = usize::from(word(tokens, the + 1) == "of");
        // "5. May" has a full stop between.
        let stop = usize::from(word(tokens, the + 1) == ".");
        Some((the + 2 + of + stop, day, month(word(tokens, the + 1 + of + stop))?))
    });
    let month_first = month(word(tokens, 0)).and_then(|month| {
        let the = usize::from(word(tokens, 1) == "the");
        Some((2 + the, number(1 + the)?, month))
    });
    let (length, day, month_number) = match day_first.or(month_first) {
        Some(found) => found,
        None if led => {
            // "by next May" is no more than "by May".
            let (at, name) = if word(tokens, 0) == "next" { (2, word(tokens, 1)) } else { (1, word(tokens, 0)) };
            (at, 1, month(name)?)
        }
        None => return None,
    };
    let comma = usize::from(word(tokens, length) == ",");
    let year = figures(word(tokens, length + comma), 4).filter(|year| (1900..3000).contains(year));
    match year.and_then(|year| i32::try_from(year).ok()) {
        Some(year) => Some((length + comma + 1, NaiveDate::from_ymd_opt(year, month_number, day)?)),
        None => Some((length, next_date(today, month_number, day)?)),
    }
}

/// That day of the year, this year or where it has passed the next; 29 February in the next year that has one.
fn next_date(today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
    (0..9).filter_map(|years| NaiveDate::from_ymd_opt(today.year() + years, month, day)).find(|date| *date >= today)
}

/// "next week", "this weekend", "end of the month", "mid June", "beginning of next month".
fn by_period(tokens: &[Token], today: NaiveDate) -> Phrase<NaiveDate> {
    let next_month = || first_of_month(today)?.checked_add_months(Months::new(1));
    let saturday = plus(monday(today), 5);
    match (word(tokens, 0), word(tokens, 1)) {
        ("next", "week") => Some((2, plus(monday(today), 7))),
        ("next", "weekend") => Some((2, plus(saturday, 7))),
        ("this" | "the", "weekend") => Some((2, saturday.max(today))),
        ("next", "month") => Some((2, next_month()?)),
        ("next", "year") => Some((2, NaiveDate::from_ymd_opt(today.year() + 1, 1, 1)?)),
        ("eom", _) => Some((1, next_month()?.pred_opt()?)),
        ("eow", _) => Some((1, plus(monday(today), 6))),
        ("mid" | "mid-", _) => {
            let month_number = month(word(tokens, 1))?;
            Some((2, next_date(today, month_number, 15)?))
        }
        ("last" | "first", "day") if word(tokens, 2) == "of" => {
            let part = if word(tokens, 0) == "last" { "end" } else { "beginning" };
            let (length, day) = part_of_period(&tokens[1..], today, part)?;
            Some((length + 1, day))
        }
        ("the", "end" | "beginning" | "start" | "middle" | "last" | "first") => {
            let (length, day) = by_period(&tokens[1..], today)?;
            Some((length + 1, day))
        }
        (part @ ("end" | "beginning" | "start" | "middle"), "of") => part_of_period(tokens, today, part),
        _ => None,
    }
}

fn first_of_month(day: NaiveDate) -> Option<NaiveDate> {
    day.with_day(1)
}

/// `part` of the period that stands after "of", the second token.
fn part_of_period(tokens: &[Token], today: NaiveDate, part: &str) -> Phrase<NaiveDate> {
    let (skipped, next) = match word(tokens, 2) {
        "next" => (1, true),
        "the" | "this" => (1, false),
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

/// "2026-04-15", "15.4.2026", "15.04.", "4/15/2026" where only one reading is a date, "the 28th".
fn by_figures(tokens: &[Token], today: NaiveDate, led: bool) -> Phrase<NaiveDate> {
    let text = word(tokens, 0);
    if let Some(date) = parse_date(text) {
        return Some((1, date));
    }
    if let Some(date) = dotted(text, '.', today).or_else(|| dotted(text, '/', today)) {
        return Some((1, date));
    }
    let the = usize::from(text == "the");
    let day = ordinal_figures(word(tokens, the))?;
    let (_, after) = (word(tokens, the), word(tokens, the + 1));
    let alone = after.is_empty() || tokens.get(the + 1).is_some_and(Token::is_mark) || led;
    (alone && (the == 1 || led)).then(|| next_day_of_month(today, day)).flatten().map(|date| (the + 1, date))
}

/// Such a day of this month or, where it has passed or there is none, of one of the next.
fn next_day_of_month(today: NaiveDate, day: u32) -> Option<NaiveDate> {
    let start = first_of_month(today)?;
    (0..3).filter_map(|ahead| start.checked_add_months(Months::new(ahead))?.with_day(day)).find(|date| *date >= today)
}

fn dotted(text: &str, mark: char, today: NaiveDate) -> Option<NaiveDate> {
    let parts: Vec<u32> = text.split(mark).map(|part| figures(part, 4)).collect::<Option<_>>()?;
    let (first, second, year) = match parts[..] {
        [first, second] if mark == '/' => (first, second, None),
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

/// "4/5": a day of April or of May.
#[must_use]
pub fn is_ambiguous(text: &str) -> bool {
    let mut parts = text.split('/').map(|part| figures(part, 4));
    let pair = (parts.next().flatten(), parts.next().flatten());
    matches!(pair, (Some(first @ 1..=12), Some(second @ 1..=12)) if first != second)
}
