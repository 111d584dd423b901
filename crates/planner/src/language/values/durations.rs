//! Parses durations: "two hours", "45 min", "1h30", "an hour and a half", "half an hour".

use super::day_arithmetic::{Phrase, word};
use crate::language::text::numbers::{count, figures};
use crate::language::text::phrases;
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;

/// Words before a duration: "for two hours", "lasts two hours".
const DURATION_LEADS: &str = "for|lasts|lasting|last|taking|takes|duration|length|it takes|it lasts|it will take|\
    it'll take|it will last|\
    it'll last|it should take|it should last|which takes|which lasts|should take|should last|will take|will last|\
    it goes on for|\
    it runs for|runs for|goes on for|going on for|it's|it is|is";

/// Parses a duration of 1 to 1,439 minutes at the beginning of `tokens`. Returns the number of tokens and the minutes.
#[must_use]
pub fn minutes(tokens: &[Token]) -> Phrase<u16> {
    let (length, minutes) = special(tokens).or_else(|| joined(word(tokens, 0))).or_else(|| number_and_unit(tokens))?;
    u16::try_from(minutes).ok().filter(|minutes| *minutes > 0 && *minutes < 24 * 60).map(|minutes| (length, minutes))
}

/// Returns whether the words are a number of minutes or hours, also one that no event can last: "0 hours", "24 hours".
#[must_use]
pub fn is_length(tokens: &[Token]) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let is_unit = |text: &str| is_hour(text) || matches!(text, "minute" | "minutes" | "min" | "mins");
    match tokens {
        [one] => one
            .lower
            .find(char::is_alphabetic)
            .is_some_and(|at| !one.quoted && is_number(&one.lower[..at]) && is_unit(&one.lower[at..])),
        [number, unit] => {
            !number.quoted && (is_number(&number.lower) || count(&number.lower).is_some()) && is_unit(&unit.lower)
        }
        _ => false,
    }
}

/// Parses "half an hour", "half-hour", "three quarters of an hour", "a quarter of an hour".
fn special(tokens: &[Token]) -> Phrase<u32> {
    let phrases = [
        ("half an hour", 30),
        ("half a hour", 30),
        ("a half hour", 30),
        ("half hour", 30),
        ("a half-hour", 30),
        ("half-hour", 30),
        ("half of an hour", 30),
        ("a quarter of an hour", 15),
        ("quarter of an hour", 15),
        ("three quarters of an hour", 45),
    ];
    phrases
        .into_iter()
        .find_map(|(phrase, minutes)| phrases::after(tokens, phrase).map(|rest| (tokens.len() - rest.len(), minutes)))
}

/// Parses "90min", "2h", "1h30", "1h30m", "1.5h".
fn joined(text: &str) -> Phrase<u32> {
    let without_minutes = ["minutes", "mins", "min", "m"].iter().find_map(|unit| text.strip_suffix(unit));
    if let Some(minutes) = without_minutes.and_then(|number| figures(number, 3)) {
        return Some((1, minutes));
    }
    if let Some(number) = ["hours", "hrs", "hr", "h"].iter().find_map(|unit| text.strip_suffix(unit)) {
        return Some((1, tenths(number)?.checked_mul(60)? / 10));
    }
    let (hours, minutes) = without_minutes.unwrap_or(text).split_once('h')?;
    Some((1, figures(hours, 2)? * 60 + figures(minutes, 2)?))
}

/// Parses a number, in tenths: "1.5", "two".
fn tenths(number: &str) -> Option<u32> {
    match number.split_once(['.', ',']) {
        Some((whole, tenth)) => Some(figures(whole, 2)? * 10 + figures(tenth, 1)?),
        None => count(number)?.checked_mul(10),
    }
}

/// Parses "two hours", "an hour and a half", "two and a half hours", "1 hour 30 minutes", "an hour and 15 minutes".
fn number_and_unit(tokens: &[Token]) -> Phrase<u32> {
    if word(tokens, 0) == "a" && word(tokens, 1) == "couple" {
        return number_and_unit(&tokens[1..]).map(|(length, minutes)| (length + 1, minutes));
    }
    let number = tenths(word(tokens, 0))?;
    let couple = usize::from(word(tokens, 0) == "couple" && word(tokens, 1) == "of");
    let half = phrases::after(&tokens[1..], "and a half").is_some();
    let at = 1 + couple + if half { 3 } else { 0 };
    let number = number + if half { 5 } else { 0 };
    let unit = word(tokens, at);
    if matches!(unit, "minute" | "minutes" | "min" | "mins") {
        return Some((at + 1, number / 10));
    }
    if !is_hour(unit) {
        return None;
    }
    let hours = number.checked_mul(60)? / 10;
    if let Some(rest) = phrases::after_any(&tokens[at + 1..], "and a half|and half") {
        return Some((tokens.len() - rest.len(), hours + 30));
    }
    let and = usize::from(word(tokens, at + 1) == "and");
    let more = figures(word(tokens, at + 1 + and), 2)
        .filter(|_| matches!(word(tokens, at + 2 + and), "minute" | "minutes" | "min" | "mins"));
    Some(more.map_or((at + 1, hours), |more| (at + 3 + and, hours + more)))
}

fn is_hour(word: &str) -> bool {
    matches!(word, "hour" | "hours" | "h" | "hrs" | "hr")
}

/// Parses a duration before an event: "90-minute workshop", "30 min call".
#[must_use]
pub fn before_event(tokens: &[Token]) -> Phrase<u16> {
    let first = word(tokens, 0);
    let joined = first.split_once('-').filter(|(_, unit)| matches!(*unit, "minute" | "min" | "hour"));
    let (length, minutes) = match joined {
        Some(("half", "hour")) => (1, 30),
        Some((number, unit)) => {
            let number = tenths(number)?;
            (1, u16::try_from(if is_hour(unit) { number * 6 } else { number / 10 }).ok()?)
        }
        None => minutes(tokens)?,
    };
    let is_event = |at: usize| phrases::listed(&vocabulary::EVENTS, word(tokens, at));
    (is_event(length) || (is_event(length + 1) && word(tokens, length) != "to")).then_some((length, minutes))
}

/// Parses "for two hours", "lasting 45 minutes", "2 hours long".
#[must_use]
pub fn duration(tokens: &[Token]) -> Phrase<u16> {
    let about = |at: usize| usize::from(matches!(word(tokens, at), "about" | "around" | "roughly" | ":"));
    if let Some(rest) = phrases::after_any(tokens, DURATION_LEADS) {
        let lead = tokens.len() - rest.len();
        let lead = lead + about(lead);
        let (length, minutes) = minutes(tokens.get(lead..)?)?;
        let long = usize::from(word(tokens, lead + length) == "long");
        return Some((lead + length + long, minutes));
    }
    let (length, minutes) = minutes(tokens)?;
    (word(tokens, length) == "long").then_some((length + 1, minutes))
}

#[cfg(test)]
mod tests {
    use super::minutes;
    use crate::language::text::tokens::tokens;

    #[test]
    fn durations_are_read_to_the_minute() {
        for (text, expected) in [
            ("1h30", Some((1, 90))),
            ("1h30m", Some((1, 90))),
            ("1h30min", Some((1, 90))),
            ("45min", Some((1, 45))),
            ("a couple hours", Some((3, 120))),
            ("a couple of hours", Some((4, 120))),
            ("a couple of minutes", Some((4, 2))),
            ("couple of hours", Some((3, 120))),
            ("10pm", None),
            ("30 m", None),
            ("half-hour", Some((1, 30))),
            ("a half-hour", Some((2, 30))),
            ("an hour and half", Some((4, 90))),
            ("an hour and a half", Some((5, 90))),
        ] {
            assert_eq!(minutes(&tokens(text)), expected, "{text}");
        }
    }
}
