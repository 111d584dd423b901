//! Parses times of day: "at 3pm", "15:45", "noon", "half past three", "from 2 to 3pm", "in the evening".

use super::clock::{Half, ParsedTime, end_of_day, written, written_end, written_text};
use super::day_arithmetic::Phrase;
use super::zones::zone;
use crate::language::text::numbers;
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;
use crate::language::text::words::{WordList, word_list};
use crate::time_of_day::TimeOfDay;

/// A start, and the end if it is given.
pub type Times = (TimeOfDay, Option<TimeOfDay>);

/// The hours that parts of a day stand for.
const MORNING: u16 = 9;
const AFTERNOON: u16 = 12;
const EVENING: u16 = 19;
const NIGHT: u16 = 22;
const TONIGHT: u16 = 20;

/// The hour at which the night ends.
pub const NIGHT_TO: u16 = 5;

/// Parses one or two times at the beginning of `tokens`.
#[must_use]
pub fn times(tokens: &[Token]) -> Phrase<Times> {
    times_after(tokens, false)
}

/// Parses one or two times at the beginning of `tokens`. With `after_day`, directly after a day, "8.30" and "9-12" are
/// times too.
#[must_use]
pub fn times_after(tokens: &[Token], after_day: bool) -> Phrase<Times> {
    [at_time(tokens, after_day), part_of_day(tokens), range(tokens, after_day)]
        .into_iter()
        .flatten()
        .max_by_key(|(length, _)| *length)
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

/// Parses "from 2pm to 3pm", "between 14:00 and 15:30", "4-5pm", "at 4-5pm", "noon until 3". With `after_day` a day
/// precedes, so that plain numbers are times.
fn range(tokens: &[Token], after_day: bool) -> Phrase<Times> {
    let skipped = usize::from(matches!(word(tokens, 0), "from" | "between" | "at"));
    let is_introduced = skipped == 1 || after_day;
    if let Some((start, end)) = word(tokens, skipped).split_once(['-', '–'])
        && let Some((end, more)) = end_of_day(end)
            .filter(|end| end.certain)
            .map(|end| (end, 0))
            .or_else(|| written_text(end, word(tokens, skipped + 1)))
        && let Some((start, _)) = written_text(start, "")
        && (end.certain || is_introduced || (start.minutes && end.minutes))
    {
        return Some((skipped + 1 + more, resolve_range(start, end)?));
    }
    // "From 5 to 6pm" does not contain "five to six".
    let figures =
        (skipped == 1 && !matches!(word(tokens, 0), "at")).then(|| written_text(word(tokens, 1), word(tokens, 2)));
    let figures =
        figures.flatten().map(|(time, more)| (1 + more, time)).filter(|(length, _)| word(tokens, 1 + length) == "to");
    let (first, start) = figures.or_else(|| written(&tokens[skipped.min(tokens.len())..]))?;
    let at = skipped + first;
    let joined = matches!(word(tokens, at), "to" | "until" | "till" | "til" | "and" | "-" | "–" | "through");
    let (second, end) = joined.then(|| written_end(&tokens[at + 1..])).flatten()?;
    // "at 9:30 until 1 May", "from 9 to 12 March" and "at 3pm until 2 days before" continue with a day.
    let continues = tokens.get(at + 1 + second).is_some_and(|next| {
        numbers::month(&next.lower).is_some() || next.is_one_of("day|days|week|weeks|month|months|times")
    });
    // "At 8:15 and 15:15" is two times.
    if word(tokens, at) == "and" && word(tokens, 0) != "between" {
        return None;
    }
    let until = matches!(word(tokens, at), "until" | "till" | "til" | "through");
    if continues || (until && !end.certain && !start.certain && !is_introduced) {
        return None;
    }
    // "From 5 to 10 km" counts.
    let counts = !end.certain && !end.minutes && end.minute == 0 && !ends_phrase(tokens, at + 1 + second);
    if counts && skipped == 1 {
        return None;
    }
    let certain = end.certain
        || ((is_introduced || until) && start.certain)
        || (skipped == 1 && word(tokens, 0) != "at")
        || (is_introduced && !matches!(word(tokens, at), "and"));
    // "2 to 3" may be a count.
    certain.then(|| Some((at + 1 + second, resolve_range(start, end)?))).flatten()
}

/// Gives the start the am or pm of the end, unless it would then be after the end.
fn resolve_range(mut start: ParsedTime, end: ParsedTime) -> Option<Times> {
    let end_time = end.time()?;
    if start.half.is_none() && end.half.is_some() && start.hour <= 12 {
        let same = ParsedTime { half: end.half, certain: true, ..start };
        let other = ParsedTime { half: Some(if end.half == Some(Half::Pm) { Half::Am } else { Half::Pm }), ..same };
        start = if same.time().is_some_and(|time| time < end_time) { same } else { other };
    }
    let start_time = start.time()?;
    // "7 to 9" in the evening, "3 to 4.30": the end is in the same half of the day.
    let end_in_afternoon =
        ParsedTime { half: Some(Half::Pm), ..end }.time().filter(|_| end.half.is_none() && !end.is_24_hour);
    let end_time = if end_time < start_time { end_in_afternoon.unwrap_or(end_time) } else { end_time };
    if start_time <= end_time {
        return Some((start_time, Some(end_time)));
    }
    across_noon(start, end).map(|(start, end)| (start, Some(end)))
}

/// Resolves "7 to half past 11", of which the start alone would be in the evening and the end in the morning: an early
/// start is in the morning, and "2 to half past 10" ends in the evening.
fn across_noon(start: ParsedTime, end: ParsedTime) -> Option<(TimeOfDay, TimeOfDay)> {
    const EARLIEST_MORNING: u16 = 6;
    let is_open = |time: ParsedTime| time.half.is_none() && (1..=12).contains(&time.hour);
    let in_half = |time: ParsedTime, half| ParsedTime { half: Some(half), ..time }.time();
    let in_morning = || {
        let is_early = start.hour >= EARLIEST_MORNING || end.certain;
        let first = in_half(start, Half::Am).filter(|_| is_open(start) && !start.is_24_hour && is_early)?;
        Some((first, end.time()?))
    };
    // "2026-11" is a month.
    let until_evening = || {
        let end = in_half(end, Half::Pm).filter(|_| is_open(end) && !is_noon(end) && !start.is_24_hour)?;
        Some((start.time()?, end))
    };
    let by_hour =
        if start.hour > EARLIEST_MORNING { [in_morning(), until_evening()] } else { [until_evening(), in_morning()] };
    by_hour.into_iter().flatten().find(|(start, end)| start < end)
}

fn is_noon(time: ParsedTime) -> bool {
    time.certain && (time.hour, time.minute) == (12, 0)
}

/// Parses "at 3pm", "3 pm", "at 15", "noon", "at half past 3", "at 7 in the evening".
fn at_time(tokens: &[Token], after_day: bool) -> Phrase<Times> {
    let lead = lead(tokens);
    let (length, mut time) = written(&tokens[lead..])?;
    let named = tokens[lead..lead + length].iter().any(|word| word.is_one_of("past|to"));
    let spoken = length > 1 && tokens[lead].is_one_of("half|quarter|a");
    let on_day = named || (after_day && (spoken || (time.minutes && (!time.is_24_hour || time.minute > 12))));
    let by_after_day = after_day && lead > 0 && matches!(word(tokens, 0), "by" | "before");
    let calls_for_time = by_after_day || (lead > 0 && !matches!(word(tokens, 0), "by" | "from" | "before")) || on_day;
    if !time.certain && !calls_for_time {
        return None;
    }
    let mut at = lead + length;
    if time.half.is_none()
        && time.hour <= 12
        && let Some((more, half)) = half_of_day(&tokens[at..])
    {
        let at_night = matches!((word(tokens, at), word(tokens, at + 1)), ("tonight", _) | ("at", "night"));
        let after_midnight = at_night && (time.hour == 12 || time.hour < NIGHT_TO);
        let half = if after_midnight { Half::Am } else { half };
        time = ParsedTime { half: Some(half), ..time };
        at += more;
    }
    // "at 20 Main Street", "at 3 places": a number before a word is a time only if a new phrase begins there.
    let next = tokens.get(at);
    // "Starting 21 March" continues with a month.
    let of_month = next.is_some_and(|next| numbers::month(&next.lower).is_some());
    if of_month && !time.certain && !tokens[..lead].iter().any(|word| word.is_one_of("at|@")) {
        return None;
    }
    (time.certain || ends_phrase(tokens, at)).then(|| Some((at, (time.time()?, None)))).flatten()
}

/// Returns whether a phrase ends before `at`, so that the number there counts nothing.
fn ends_phrase(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|next| {
        next.is_mark()
            || vocabulary::begins_with_task_verb(std::slice::from_ref(next))
            || next.quoted
            || zone(&tokens[at..]).is_some()
            || next.is_one_of(&PHRASE_STARTS)
            || numbers::weekday(&next.lower, true).is_some()
            || numbers::month(&next.lower).is_some()
    })
}

/// Returns the number of words before a time that introduce one: "at about", "starting at".
fn lead(tokens: &[Token]) -> usize {
    let starts = usize::from(matches!(
        word(tokens, 0),
        "doors" | "starts" | "starting" | "start" | "begins" | "beginning" | "commencing" | "kick-off" | "time"
    ));
    let mark = usize::from(starts > 0 && matches!(word(tokens, 1), ":" | "time"));
    let starts = starts + mark;
    let about = usize::from(matches!(word(tokens, starts + 1), "about" | "around" | "roughly" | "exactly"));
    match word(tokens, starts) {
        "at" => starts + 1 + about,
        "around" | "by" | "@" | "from" | "about" | "before" => starts + 1,
        _ => starts,
    }
}

/// Words that may follow a time.
pub(super) static PHRASE_STARTS: WordList = WordList::new(|| word_list(include_str!("../words/phrase_starts.txt")));

fn half_of_day(tokens: &[Token]) -> Phrase<Half> {
    match (word(tokens, 0), word(tokens, 1), word(tokens, 2)) {
        ("in", "the", "morning" | "mornings") => Some((3, Half::Am)),
        ("in", "the", "afternoon" | "evening" | "afternoons" | "evenings") => Some((3, Half::Pm)),
        ("at", "night", _) => Some((2, Half::Pm)),
        ("tonight" | "this", _, _) => {
            let this = word(tokens, 0) == "this" && matches!(word(tokens, 1), "evening" | "afternoon");
            // The day itself is parsed separately.
            (this || word(tokens, 0) == "tonight").then_some((0, Half::Pm))
        }
        _ => None,
    }
}

/// Parses "in the morning", "tonight", "morning" after a day. The hours are those of common todo programs.
fn part_of_day(tokens: &[Token]) -> Phrase<Times> {
    let at = |hour: u16| TimeOfDay::new(hour, 0).map(|time| (time, None));
    match (word(tokens, 0), word(tokens, 1), word(tokens, 2)) {
        ("in" | "during" | "over", "the", part) => Some((3, at(hour_of(part)?)?)),
        ("at", "night", _) => Some((2, at(NIGHT)?)),
        ("lunchtime" | "midday", _, _) => Some((1, at(AFTERNOON)?)),
        ("at" | "around" | "over", "lunchtime" | "lunch-time", _) => Some((2, at(AFTERNOON)?)),
        ("tonight", _, _) => Some((0, at(TONIGHT)?)),
        ("this", part, _) => Some((0, at(hour_of(part)?)?)),
        ("last", "thing", part) => Some((2 + usize::from(matches!(part, "at" | "on")), at(NIGHT)?)),
        ("first", "thing", _) => {
            let more = if word(tokens, 2) == "in" { 3 } else { 0 };
            Some((2 + more, at(MORNING)?))
        }
        _ => None,
    }
}

/// Returns the hour used for a part of the day.
fn hour_of(part: &str) -> Option<u16> {
    match part {
        "morning" | "mornings" => Some(MORNING),
        "afternoon" | "afternoons" => Some(AFTERNOON),
        "evening" | "evenings" => Some(EVENING),
        "night" | "nights" => Some(NIGHT),
        _ => None,
    }
}

/// Parses "morning" directly after a day: "tomorrow morning", "every evening".
#[must_use]
pub fn bare_part_of_day(token: Option<&Token>) -> Option<TimeOfDay> {
    let hour = hour_of(&token.filter(|token| !token.quoted)?.lower)?;
    TimeOfDay::new(hour, 0)
}
