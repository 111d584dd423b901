//! Finds days and times that do not exist or can be read in two ways, and says why and what to say instead: "30
//! February", "the 32nd", "25:00", "from 9 to 25", "the fifth Monday in April", "4/5".

use chrono::{Months, NaiveDate};

use crate::language::text::numbers::{figures, weekday};
use crate::language::text::tokens::Token;
use crate::language::values::clock;
use crate::language::values::dates::{self, MissingDay};
use crate::language::values::day_arithmetic::{Phrase, word};
use crate::language::values::periods;

/// A day or time that is written and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impossible {
    /// Why, and what to say instead.
    pub why: String,
    pub is_time: bool,
}

/// February has its 29th in this year.
const LEAP_YEAR: i32 = 2000;

/// Finds such a day or time at the beginning of `rest`.
pub(super) fn impossible(rest: &[Token], today: NaiveDate) -> Phrase<Impossible> {
    let of_day = |why: String| Impossible { why, is_time: false };
    let lead = usize::from(rest[0].is_one_of("on|at|by|from|until|to|for|due|-|–") && rest.len() > 1);
    let phrase = &rest[lead..];
    let first = phrase.first().filter(|first| !first.quoted)?;
    let the = usize::from(first.is("the"));
    let date = word(phrase, the);
    let missing = || missing_date(date).or_else(|| missing_day_and_month(date, word(rest, 0)));
    if let Some(why) = two_days(date).or_else(missing) {
        return Some((lead + the + 1, of_day(why)));
    }
    let is_introduced = rest[0].is_one_of("at|by|from|until|-|–");
    let missing = missing_time(phrase, is_introduced)
        .or_else(|| missing_in_range(word(phrase, 0)))
        .or_else(|| missing_by_hour(phrase, rest[0].is_one_of("at|by|from|until")))
        .or_else(|| missing_by_point(phrase).filter(|_| rest[0].is("at")))
        .or_else(|| missing_end(phrase).filter(|_| rest[0].is("from")));
    if let Some((length, why)) = missing {
        return Some((lead + length, Impossible { why, is_time: true }));
    }
    if let Some(length) = periods::missing_weekday(phrase, today) {
        let why = format!(
            "There is no \"{}\": that month has only four of this day of the week. The last one is, for example, \
             \"the last Friday of the month\".",
            written(&phrase[..length])
        );
        return Some((lead + length, of_day(why)));
    }
    let (length, missing) = dates::impossible(&phrase[the..], the == 1, today)?;
    Some((lead + the + length, of_day(missing_day(&written(&phrase[..the + length]), missing))))
}

fn written(words: &[Token]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Matches "4/5", which is in April or in May.
fn two_days(text: &str) -> Option<String> {
    if !periods::is_ambiguous(text) {
        return None;
    }
    let mut parts = text.split('/').map(|part| figures(part, 4));
    let (first, second) = (parts.next().flatten()?, parts.next().flatten()?);
    let day = |month: u32, day: u32| Some(NaiveDate::from_ymd_opt(LEAP_YEAR, month, day)?.format("%-d %B").to_string());
    Some(format!("\"{text}\" can be {} or {}. Say the month by its name.", day(second, first)?, day(first, second)?))
}

/// Matches "25:00", "3:75pm", "13pm", "27 o'clock". With `introduced`, "at" or the like precedes, so that "4:75" is no
/// ratio, and "89:15" no verse.
fn missing_time(phrase: &[Token], introduced: bool) -> Phrase<String> {
    let (text, next) = (word(phrase, 0), word(phrase, 1));
    let halves = ["a.m", "p.m", "am", "pm"];
    let without_half = halves.iter().find_map(|half| text.strip_suffix(half));
    let number = without_half.unwrap_or(text);
    let has_suffix = without_half.is_none() && (halves.contains(&next) || matches!(next, "o'clock" | "oclock"));
    let has_half = without_half.is_some() || halves.contains(&next);
    let has_colon = number.contains(':');
    let (hour_text, minute_text) = number.split_once(':').unwrap_or((number, "00"));
    let (hour, minute) = (figures(hour_text, 2)?, figures(minute_text, 2).filter(|_| minute_text.len() == 2)?);
    let is_time = if has_colon {
        introduced || has_half || (hour_text.len() == 2 && hour < 30)
    } else {
        introduced && (has_half || has_suffix)
    };
    let is_missing = hour > 23 || minute > 59 || (has_half && !(1..=12).contains(&hour));
    if !is_time || !is_missing {
        return None;
    }
    let length = 1 + usize::from(has_suffix);
    Some((length, no_time(&written(&phrase[..length]), hour, minute)))
}

/// Says that there is no such time of day, and what to say instead.
fn no_time(said: &str, hour: u32, minute: u32) -> String {
    let instead = if hour < 24 && minute < 60 {
        format!("Say \"{hour:02}:{minute:02}\" if that is meant.")
    } else {
        "A day has the times from 00:00 to 23:59; say, for example, \"23:30\", or \"midnight\" for its beginning."
            .to_owned()
    };
    format!("\"{said}\" is no time of day. {instead}")
}

/// Matches "25h", "25h30", "2400 hours". With `introduced`, "at" or the like precedes; without it only midnight is
/// written so.
fn missing_by_hour(phrase: &[Token], introduced: bool) -> Phrase<String> {
    let (text, next) = (word(phrase, 0), word(phrase, 1));
    let names_hours = matches!(next, "hours" | "hrs" | "h");
    let (hour_text, minute_text) = match text.split_once('h') {
        Some((hour, "")) => (hour, "00"),
        Some(parts) => parts,
        None if text.len() == 4 && text.is_ascii() && names_hours => text.split_at(2),
        None => return None,
    };
    let (hour, minute) = (figures(hour_text, 2)?, figures(minute_text, 2).filter(|_| minute_text.len() == 2)?);
    let is_missing = (introduced || text == "2400") && (hour > 23 || minute > 59);
    let length = 1 + usize::from(names_hours);
    is_missing.then(|| (length, no_time(&written(&phrase[..length]), hour, minute)))
}

/// Matches "25.30" after "at". "Sell at 25.30 euros" and "at 10.70" are prices.
fn missing_by_point(phrase: &[Token]) -> Phrase<String> {
    let (hour, minute) = word(phrase, 0).split_once('.').filter(|(_, minute)| minute.len() == 2)?;
    let (hour, minute) = (figures(hour, 2)?, figures(minute, 2)?);
    let is_missing = (24..30).contains(&hour) && begins_phrase(phrase.get(1));
    is_missing.then(|| (1, no_time(word(phrase, 0), hour, minute)))
}

/// Matches "9 to 25" after "from". In "from 9 to 25 March" a month follows.
fn missing_end(phrase: &[Token]) -> Phrase<String> {
    let start = clock::written_text(word(phrase, 0), "").filter(|(start, _)| start.time().is_some());
    let joined = matches!(word(phrase, 1), "to" | "until" | "till" | "til" | "-" | "–");
    let hour = figures(word(phrase, 2), 2).filter(|hour| *hour > 24)?;
    let is_missing = start.is_some() && joined && begins_phrase(phrase.get(3));
    is_missing.then(|| (3, no_time(word(phrase, 2), hour, 0)))
}

/// Returns whether nothing follows, or a word that continues no number.
fn begins_phrase(next: Option<&Token>) -> bool {
    const BEGINNINGS: &str = "on|tomorrow|today|tonight|every|each|and|or|with|at|in|for|to|until|next|this|please";
    next.is_none_or(|next| next.is_mark() || next.is_one_of(BEGINNINGS) || weekday(&next.lower, true).is_some())
}

/// Matches "9:00-25:00", a range with a time that does not exist, and "22:00-02:00", which ends on the next day.
fn missing_in_range(text: &str) -> Phrase<String> {
    let (start, end) = text.split_once(['-', '–'])?;
    let missing = || [start, end].into_iter().find_map(|time| missing_time(&[Token::made(time)], true));
    if let Some(found) = missing().filter(|_| text.contains(':')) {
        return Some(found);
    }
    let time = |text: &str| clock::written_text(text, "").filter(|(time, _)| time.certain)?.0.time();
    let (start, end) = (time(start)?, time(end)?);
    let why = format!(
        "\"{text}\" ends before it begins. An event ends on its day: if it lasts past midnight, say \"from {start} to \
         midnight\", and add the rest to the next day."
    );
    (end < start).then_some((1, why))
}

/// Matches "31/4", "4/31", "31.4.": a day and a month in figures. `before` is the word before them: without a day's
/// preposition "31.4" is a number, and only after "on" are figures meant as a day that no month has.
fn missing_day_and_month(text: &str, before: &str) -> Option<String> {
    let follows_preposition = matches!(before, "on" | "by" | "from" | "until" | "due");
    let dotted = text.strip_suffix('.').or_else(|| follows_preposition.then_some(text));
    let (first, second) = text.split_once('/').or_else(|| dotted?.split_once('.'))?;
    let (first, second) = (figures(first, 2)?, figures(second, 2)?);
    let month_first = text.contains('/') && (1..=12).contains(&first) && second > 12;
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    let may_be_date = (1..=12).contains(&month) && ((1..=31).contains(&day) || (day > 31 && before == "on"));
    let is_missing = NaiveDate::from_ymd_opt(LEAP_YEAR, month, day).is_none();
    (may_be_date && is_missing).then(|| missing_day(text, MissingDay { day, month: Some(month), year: None }))
}

/// Matches "2026-02-30", "30.02.2027": a date in figures that was not parsed as one.
fn missing_date(text: &str) -> Option<String> {
    let by = |mark: char| {
        let parts: Vec<u32> = text.split(mark).map(|part| figures(part, 4)).collect::<Option<_>>()?;
        match parts[..] {
            [year, month, day] if year > 999 && mark == '-' => Some((day, month, year)),
            [month, day, year] if (1900..2200).contains(&year) && month < 13 && day > 12 => Some((day, month, year)),
            [day, month, year] if (1900..2200).contains(&year) => Some((day, month, year)),
            _ => None,
        }
    };
    let (day, month, year) = by('-').or_else(|| by('.')).or_else(|| by('/'))?;
    let year = i32::try_from(year).ok()?;
    let is_missing = NaiveDate::from_ymd_opt(year, month, day).is_none();
    is_missing.then(|| missing_day(text, MissingDay { day, month: Some(month), year: Some(year) }))
}

/// Says that a day does not exist, and which ones are next to it.
fn missing_day(said: &str, missing: MissingDay) -> String {
    let MissingDay { day, month, year } = missing;
    let Some(month) = month else {
        return format!("There is no \"{said}\": a month has at most 31 days. Say, for example, \"the 28th\".");
    };
    // Without a year, the last day that every year has.
    let first = NaiveDate::from_ymd_opt(year.unwrap_or(LEAP_YEAR + 1), month, 1);
    let next = first.and_then(|first| first.checked_add_months(Months::new(1)));
    let last = next.and_then(|next| next.pred_opt());
    let (Some(last), Some(next), 1..) = (last, next, day) else {
        return format!("\"{said}\" is no date. Say, for example, \"28 April\".");
    };
    let pattern = if year.is_some() { "%-d %B %Y" } else { "%-d %B" };
    format!("\"{said}\" does not exist. Say \"{}\" or \"{}\".", last.format(pattern), next.format(pattern))
}
