//! Finds days and times that do not exist or can be read in two ways, and says why and what to say instead: "30
//! February", "the 32nd", "25:00", "the fifth Monday in April", "4/5".

use chrono::{Months, NaiveDate};

use crate::language::text::numbers::figures;
use crate::language::text::tokens::Token;
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
    let lead = usize::from(rest[0].is_one_of("on|at|by|from|until|to|for|due") && rest.len() > 1);
    let phrase = &rest[lead..];
    let first = phrase.first().filter(|first| !first.quoted)?;
    if let Some(why) = two_days(&first.lower).or_else(|| missing_date(&first.lower)) {
        return Some((lead + 1, of_day(why)));
    }
    if let Some((length, why)) = missing_time(phrase, rest[0].is_one_of("at|by|from|until")) {
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
    let the = usize::from(first.is("the"));
    let (length, missing) = dates::impossible(&phrase[the..], the == 1)?;
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
/// ratio.
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
    let is_time =
        if has_colon { introduced || has_half || hour_text.len() == 2 } else { introduced && (has_half || has_suffix) };
    let is_missing = hour > 23 || minute > 59 || (has_half && !(1..=12).contains(&hour));
    if !is_time || !is_missing {
        return None;
    }
    let length = 1 + usize::from(has_suffix);
    let instead = if hour < 24 && minute < 60 {
        format!("Say \"{hour:02}:{minute:02}\" if that is meant.")
    } else {
        "A day has the times from 00:00 to 23:59; say, for example, \"23:30\", or \"midnight\" for its beginning."
            .to_owned()
    };
    Some((length, format!("\"{}\" is no time of day. {instead}", written(&phrase[..length]))))
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
