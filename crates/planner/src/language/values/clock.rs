//! Parses one time of day as it is written or spoken: "3pm", "15:45", "half past two", "ten to nine", "noon".

use super::day_arithmetic::Phrase;
use crate::language::text::numbers::{count, figures};
use crate::language::text::tokens::Token;
use crate::time_of_day::TimeOfDay;

/// An hour below this, without minutes and without "am" or "pm", is in the afternoon.
const EARLIEST_HOUR: u16 = 8;
/// A time with minutes, such as "7.45", is taken as written from this hour on.
const EARLIEST_WITH_MINUTES: u16 = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Am,
    Pm,
}

/// A parsed time that may still be ambiguous between morning and afternoon.
#[derive(Debug, Clone, Copy)]
pub struct ParsedTime {
    pub hour: u16,
    pub minute: u16,
    pub half: Option<Half>,
    /// Whether it is unambiguously a time, because of a colon or "am" or "pm".
    pub certain: bool,
    /// Whether the minutes are written in digits.
    pub minutes: bool,
    /// Whether the hour has two digits, so that it is on the 24-hour clock.
    pub is_24_hour: bool,
}

impl ParsedTime {
    pub fn time(self) -> Option<TimeOfDay> {
        let earliest = if self.minutes { EARLIEST_WITH_MINUTES } else { EARLIEST_HOUR };
        let literal = self.is_24_hour || self.hour == 0;
        let hour = match self.half {
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(Half::Am) => self.hour % 12,
            Some(Half::Pm) => self.hour % 12 + 12,
            None if !literal && self.hour < earliest => self.hour + 12,
            None => self.hour,
        };
        TimeOfDay::new(hour, self.minute)
    }

    fn exactly(hour: u16, minute: u16) -> Self {
        Self { hour, minute, half: None, certain: true, minutes: false, is_24_hour: true }
    }
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

/// Parses a time at the beginning of `tokens`.
#[must_use]
pub fn written(tokens: &[Token]) -> Phrase<ParsedTime> {
    match (word(tokens, 0), word(tokens, 1)) {
        ("12", "noon" | "midday") => return Some((2, ParsedTime::exactly(12, 0))),
        ("12", "midnight") => return Some((2, ParsedTime::exactly(0, 0))),
        ("noon" | "midday", _) => return Some((1, ParsedTime::exactly(12, 0))),
        ("midnight", _) => return Some((1, ParsedTime::exactly(0, 0))),
        _ => {}
    }
    if let Some(found) = spoken(tokens).or_else(|| hour_and_minutes(tokens)) {
        return Some(found);
    }
    let (time, more) = written_text(word(tokens, 0), word(tokens, 1))?;
    Some((1 + more, time))
}

/// Parses the end of a period. "24:00" and "midnight" end the day, whose last minute they are.
#[must_use]
pub fn written_end(tokens: &[Token]) -> Phrase<ParsedTime> {
    let end_of_day = end_of_day(word(tokens, 0));
    let hours = usize::from(matches!(word(tokens, 1), "hours" | "hrs" | "h" | "o'clock"));
    end_of_day.map(|end| (1 + hours, end)).or_else(|| written(tokens))
}

/// Parses "24:00" as the last minute of the day. "24" alone may be a count.
#[must_use]
pub fn end_of_day(text: &str) -> Option<ParsedTime> {
    let certain = match text {
        "24:00" | "24h" | "24.00" | "2400" | "midnight" => true,
        "24" => false,
        _ => return None,
    };
    Some(ParsedTime { certain, ..ParsedTime::exactly(23, 59) })
}

/// Parses "ten thirty", "nine fifteen".
fn hour_and_minutes(tokens: &[Token]) -> Phrase<ParsedTime> {
    let hour = u16::try_from(count(word(tokens, 0)).filter(|hour| (1..=12).contains(hour))?).ok()?;
    let in_words = word(tokens, 0).len() > 2;
    let minute = match word(tokens, 1) {
        "fifteen" => 15,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "forty-five" => 45,
        "fifty" => 50,
        _ => return None,
    };
    // "At ten twenty people meet" contains a count, not minutes.
    let half = exact_half(word(tokens, 2));
    let ends = tokens.get(2).is_none_or(|next| {
        next.is_mark()
            || half.is_some()
            || next.is_one_of("in|on|at|to|until|till|and|with|tomorrow|today|tonight|this|for|o'clock|sharp")
    });
    let time = ParsedTime { hour, minute, half, certain: half.is_some(), minutes: true, is_24_hour: false };
    (in_words && ends).then_some((2 + usize::from(half.is_some()), time))
}

/// Parses "half past three", "a quarter to nine", "ten past six", "half two".
fn spoken(tokens: &[Token]) -> Phrase<ParsedTime> {
    let article = usize::from(word(tokens, 0) == "a" && word(tokens, 1) == "quarter");
    let first = word(tokens, article);
    if let Some(direction) = first.strip_prefix("half-").or_else(|| first.strip_prefix("quarter-")) {
        let minute = if first.starts_with("half") { 30 } else { 15 };
        return towards(tokens, article + 1, minute, direction);
    }
    let minute = match first {
        "half" => 30,
        "quarter" => 15,
        "five" | "ten" | "twenty" | "twenty-five" | "5" | "10" | "20" | "25" => u16::try_from(count(first)?).ok()?,
        _ => return None,
    };
    let unit = usize::from(matches!(word(tokens, article + 1), "minutes" | "mins" | "min"));
    let at = article + 1 + unit;
    if first == "half"
        && let Some((length, of)) = tokens.get(at..).and_then(hour_alone)
    {
        return Some((at + length, ParsedTime { minute: 30, ..of }));
    }
    towards(tokens, at + 1, minute, word(tokens, at))
}

/// Parses minutes past or to the hour, which is at the index `at`.
fn towards(tokens: &[Token], at: usize, minute: u16, direction: &str) -> Phrase<ParsedTime> {
    let (length, of) = tokens.get(at..).and_then(|rest| match word(rest, 0) {
        "noon" | "midday" => Some((1, ParsedTime::exactly(12, 0))),
        "midnight" => Some((1, ParsedTime::exactly(24, 0))),
        _ => hour_alone(rest),
    })?;
    let written = match direction {
        "past" | "after" => ParsedTime { minute, hour: of.hour % 24, ..of },
        "to" | "before" => {
            let hour = if of.hour == 1 && of.half.is_none() { 12 } else { of.hour.checked_sub(1)? };
            ParsedTime { hour, minute: 60 - minute, ..of }
        }
        _ => return None,
    };
    Some((at + length, written))
}

fn hour_alone(tokens: &[Token]) -> Phrase<ParsedTime> {
    let (time, more) = written_text(word(tokens, 0), word(tokens, 1))?;
    (!time.minutes && time.minute == 0).then_some((1 + more, time))
}

/// Parses a time of one word and its suffix in `next`, such as "pm" or "o'clock". Returns the time and the number of
/// words.
pub fn written_text(text: &str, next: &str) -> Option<(ParsedTime, usize)> {
    let about = text.strip_suffix("-ish").or_else(|| text.strip_suffix("ish"));
    let (figures_text, mut half) = split_half(about.unwrap_or(text));
    let mut more = 0;
    if half.is_none() {
        half = exact_half(next);
        more = usize::from(half.is_some() || matches!(next, "o'clock" | "oclock" | "sharp" | "hrs"));
    }
    let marks: &[char] =
        if figures_text.starts_with(|c: char| c.is_ascii_digit()) { &[':', '.', 'h'] } else { &[':', '.'] };
    let (hour, minute, colon) = match figures_text.split_once(marks) {
        Some((hour, "")) if figures_text.ends_with('h') => (hour, "00", true),
        Some((hour, minute)) if minute.len() == 2 => (hour, minute, true),
        Some(_) => return None,
        None if figures(figures_text, 4).is_some() && figures_text.len() == 4 => {
            (&figures_text[..2], &figures_text[2..], false)
        }
        None => (figures_text, "0", false),
    };
    let (minutes, is_24_hour) = (minute.len() == 2, hour.len() == 2 && !hour.starts_with(char::is_alphabetic));
    let spoken = || count(hour).filter(|n| *n <= 12 && hour.len() > 2);
    let hour = figures(hour, 2).or_else(|| if colon { None } else { spoken() })?;
    let minute = figures(minute, 2).filter(|minute| *minute < 60)?;
    // "1.30" without a suffix may be a version or a price.
    let certain = half.is_some() || about.is_some() || (colon && !figures_text.contains('.')) || more > 0;
    let (hour, minute) = (u16::try_from(hour).ok()?, u16::try_from(minute).ok()?);
    (hour < 24).then_some((ParsedTime { hour, minute, half, certain, minutes, is_24_hour }, more))
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
