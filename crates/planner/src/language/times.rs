//! Times of day in words: "at 3pm", "15:45", "noon", "half past three", "from 2 to 3pm", "in the evening".

use super::dates::Phrase;
use super::numbers::{count, figures};
use super::tokens::Token;
use super::vocabulary::begins_with_doing;
use crate::time_of_day::TimeOfDay;

/// When something begins, and where it was said when it ends.
pub type Times = (TimeOfDay, Option<TimeOfDay>);

const MORNING: u16 = 9;
const AFTERNOON: u16 = 12;
const EVENING: u16 = 19;
const NIGHT: u16 = 22;
const TONIGHT: u16 = 20;
/// An hour without "am" or "pm" below this one is meant after noon.
const EARLIEST_HOUR: u16 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Am,
    Pm,
}

/// A time written, before it is known which half of the day is meant.
#[derive(Debug, Clone, Copy)]
struct Written {
    hour: u16,
    minute: u16,
    half: Option<Half>,
    /// It says by itself that it is a time: by a colon, or by "am" or "pm".
    certain: bool,
}

impl Written {
    fn time(self) -> Option<TimeOfDay> {
        let hour = match self.half {
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(Half::Am) => self.hour % 12,
            Some(Half::Pm) => self.hour % 12 + 12,
            None if !self.certain && self.hour > 0 && self.hour < EARLIEST_HOUR => self.hour + 12,
            None => self.hour,
        };
        TimeOfDay::new(hour, self.minute)
    }
}

/// A time, or two, that `tokens` begin with.
#[must_use]
pub fn times(tokens: &[Token]) -> Phrase<Times> {
    [range(tokens), at_time(tokens), part_of_day(tokens)].into_iter().flatten().max_by_key(|(length, _)| *length)
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

/// "from 2pm to 3pm", "between 14:00 and 15:30", "4-5pm", "at 4-5pm".
fn range(tokens: &[Token]) -> Phrase<Times> {
    let skipped = usize::from(matches!(word(tokens, 0), "from" | "between" | "at"));
    let led = skipped == 1;
    if let Some((start, end)) = word(tokens, skipped).split_once(['-', '–'])
        && let Some((end, more)) = written_text(end, word(tokens, skipped + 1))
        && let Some((start, _)) = written_text(start, "")
        && (end.certain || led)
    {
        return Some((skipped + 1 + more, both(start, end)?));
    }
    let (first, start) = written(&tokens[skipped.min(tokens.len())..])?;
    let at = skipped + first;
    let joined = matches!(word(tokens, at), "to" | "until" | "till" | "and" | "-" | "–");
    let (second, end) = joined.then(|| written(&tokens[at + 1..])).flatten()?;
    // "at 9:30 until 1 May" and "from 9 to 12 March" go on with a day.
    let goes_on = tokens.get(at + 1 + second).is_some_and(|next| super::numbers::month(&next.lower).is_some());
    if goes_on || (matches!(word(tokens, at), "until" | "till") && !end.certain) {
        return None;
    }
    let certain = end.certain || (led && start.certain) || (led && word(tokens, 0) != "at");
    // "2 to 3" may count things.
    certain.then(|| Some((at + 1 + second, both(start, end)?))).flatten()
}

/// The first time takes its half of the day from the second, where that leaves it before it.
fn both(mut start: Written, end: Written) -> Option<Times> {
    let end_time = end.time()?;
    if start.half.is_none() && end.half.is_some() && start.hour <= 12 {
        let same = Written { half: end.half, certain: true, ..start };
        let other = Written { half: Some(if end.half == Some(Half::Pm) { Half::Am } else { Half::Pm }), ..same };
        start = if same.time().is_some_and(|time| time < end_time) { same } else { other };
    }
    let start_time = start.time()?;
    (start_time <= end_time).then_some((start_time, Some(end_time)))
}

/// "at 3pm", "3 pm", "at 15", "noon", "at half past 3", "at 7 in the evening".
fn at_time(tokens: &[Token]) -> Phrase<Times> {
    let lead = match (word(tokens, 0), word(tokens, 1)) {
        ("at", "about" | "around") => 2,
        ("at" | "around" | "by" | "@" | "from", _) => 1,
        _ => 0,
    };
    let (length, mut time) = written(&tokens[lead..])?;
    let calls_for_time = lead > 0 && !matches!(word(tokens, 0), "by" | "from");
    if !time.certain && !calls_for_time {
        return None;
    }
    let mut at = lead + length;
    if time.half.is_none()
        && time.hour <= 12
        && let Some((more, half)) = half_of_day(&tokens[at..])
    {
        time = Written { half: Some(half), ..time };
        at += more;
    }
    // "at 20 Main Street", "at 3 places": a number before a word is a time only where a new phrase begins.
    let next = tokens.get(at);
    let ends = next.is_none_or(|next| {
        next.is_mark()
            || begins_with_doing(std::slice::from_ref(next))
            || next.quoted
            || next.is_one_of(PHRASE_STARTS)
            || super::numbers::weekday(&next.lower, true).is_some()
            || super::numbers::month(&next.lower).is_some()
    });
    (time.certain || ends).then(|| Some((at, (time.time()?, None)))).flatten()
}

/// Words that may follow a time.
const PHRASE_STARTS: &str = "on|in|at|with|to|for|and|every|each|tomorrow|today|tonight|next|this|the|from|until|till|daily|weekly|or|by|\
    starting|o'clock|about|please|as|of";

fn half_of_day(tokens: &[Token]) -> Phrase<Half> {
    match (word(tokens, 0), word(tokens, 1), word(tokens, 2)) {
        ("in", "the", "morning") => Some((3, Half::Am)),
        ("in", "the", "afternoon" | "evening") => Some((3, Half::Pm)),
        ("at", "night", _) => Some((2, Half::Pm)),
        ("tonight" | "this", _, _) => {
            let this = word(tokens, 0) == "this" && matches!(word(tokens, 1), "evening" | "afternoon");
            // The day itself is read apart.
            (this || word(tokens, 0) == "tonight").then_some((0, Half::Pm))
        }
        _ => None,
    }
}

fn written(tokens: &[Token]) -> Phrase<Written> {
    let certain = |hour, minute| Some(Written { hour, minute, half: None, certain: true });
    match (word(tokens, 0), word(tokens, 1)) {
        ("noon" | "midday", _) => return Some((1, certain(12, 0)?)),
        ("midnight", _) => return Some((1, certain(0, 0)?)),
        ("half" | "quarter", "past" | "to") => {
            let (length, of) = written(&tokens[2..])?;
            let (half, to) = (word(tokens, 0) == "half", word(tokens, 1) == "to");
            let hour = if to { of.hour.checked_sub(1)? } else { of.hour };
            let minute = match (half, to) {
                (true, _) => 30,
                (false, true) => 45,
                (false, false) => 15,
            };
            return Some((2 + length, Written { hour, minute, ..of }));
        }
        _ => {}
    }
    let (time, more) = written_text(word(tokens, 0), word(tokens, 1))?;
    Some((1 + more, time))
}

/// A time of one word, with what the next may add: "pm", "o'clock". How many words that took.
fn written_text(text: &str, next: &str) -> Option<(Written, usize)> {
    let (figures_text, mut half) = split_half(text);
    let mut more = 0;
    if half.is_none() {
        half = exact_half(next);
        more = usize::from(half.is_some() || next == "o'clock");
    }
    let (hour, minute, colon) = match figures_text.split_once([':', '.', 'h']) {
        Some((hour, "")) if figures_text.ends_with('h') => (hour, "00", true),
        Some((hour, minute)) if minute.len() == 2 => (hour, minute, true),
        Some(_) => return None,
        None => (figures_text, "0", false),
    };
    let hour =
        figures(hour, 2).or_else(|| if colon { None } else { count(hour).filter(|n| *n <= 12 && hour.len() > 2) })?;
    let minute = figures(minute, 2).filter(|minute| *minute < 60)?;
    // "1.30" alone may be a version or a price.
    let certain = half.is_some() || (colon && !figures_text.contains('.')) || next == "o'clock";
    let (hour, minute) = (u16::try_from(hour).ok()?, u16::try_from(minute).ok()?);
    (hour < 24)
        .then_some((Written { hour, minute, half, certain: certain && !(next == "o'clock" && half.is_none()) }, more))
}

fn split_half(text: &str) -> (&str, Option<Half>) {
    let endings = [("a.m", Half::Am), ("p.m", Half::Pm), ("am", Half::Am), ("pm", Half::Pm)];
    for (ending, half) in endings {
        if let Some(rest) = text.strip_suffix(ending).filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit())) {
            return (rest, Some(half));
        }
    }
    (text, None)
}

fn exact_half(text: &str) -> Option<Half> {
    match text {
        "am" | "a.m" => Some(Half::Am),
        "pm" | "p.m" => Some(Half::Pm),
        _ => None,
    }
}

/// "in the morning", "morning" after a day, "tonight": as the tools that take tasks in one line have it.
fn part_of_day(tokens: &[Token]) -> Phrase<Times> {
    let at = |hour: u16| TimeOfDay::new(hour, 0).map(|time| (time, None));
    match (word(tokens, 0), word(tokens, 1), word(tokens, 2)) {
        ("in" | "during", "the", part) => Some((3, at(hour_of(part)?)?)),
        ("at", "night", _) => Some((2, at(NIGHT)?)),
        ("tonight", _, _) => Some((0, at(TONIGHT)?)),
        ("this", part, _) => Some((0, at(hour_of(part)?)?)),
        ("first", "thing", _) => {
            let more = if word(tokens, 2) == "in" { 3 } else { 0 };
            Some((2 + more, at(MORNING)?))
        }
        _ => None,
    }
}

/// The hour that a part of the day stands for.
fn hour_of(part: &str) -> Option<u16> {
    match part {
        "morning" => Some(MORNING),
        "afternoon" => Some(AFTERNOON),
        "evening" => Some(EVENING),
        "night" => Some(NIGHT),
        _ => None,
    }
}

/// "morning" right after a day: "tomorrow morning", "every evening".
#[must_use]
pub fn bare_part_of_day(token: Option<&Token>) -> Option<TimeOfDay> {
    let hour = hour_of(&token.filter(|token| !token.quoted)?.lower)?;
    TimeOfDay::new(hour, 0)
}

/// "for two hours", "for 30 minutes", "for an hour and a half": in minutes.
#[must_use]
pub fn duration(tokens: &[Token]) -> Phrase<u16> {
    if word(tokens, 0) != "for" {
        return None;
    }
    let number = word(tokens, 1);
    let half = number == "half" && matches!(word(tokens, 2), "an" | "a");
    let (at, tenths) = match number.split_once('.') {
        _ if half => (3, 5),
        Some((whole, tenth)) => (2, figures(whole, 2)? * 10 + figures(tenth, 1)?),
        None => (2, count(number)?.checked_mul(10)?),
    };
    let per_unit = match word(tokens, at) {
        "hour" | "hours" | "h" | "hrs" | "hr" => 60,
        "minute" | "minutes" | "min" | "mins" => 1,
        _ => return None,
    };
    u16::try_from(tenths.checked_mul(per_unit)? / 10)
        .ok()
        .filter(|minutes| *minutes > 0)
        .map(|minutes| (at + 1, minutes))
}
