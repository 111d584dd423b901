//! How often, in words: "every weekday", "daily", "every 3 days", "every Monday and Thursday", "weekly".

use chrono::Weekday;

use super::dates::Phrase;
use super::numbers::{count, month, ordinal, weekday, weekdays_plural};
use super::tokens::Token;
use crate::recurrence::Rule;

/// What was said of repeating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    Rule(Rule),
    /// Weekly on each of these days.
    On(Vec<Weekday>),
    /// On this day of each so many weeks, from the next one on.
    OnEach(Weekday, u32),
    /// Said, but no rule that can be kept: "every month".
    Unsupported(String),
}

/// A repetition that `tokens` begin with. Parts of the day are read by the caller: "every morning" is one token, `every`, daily.
#[must_use]
pub fn repeat(tokens: &[Token]) -> Phrase<Repeat> {
    let rule = |length, rule| Some((length, Repeat::Rule(rule)));
    match (word(tokens, 0), word(tokens, 1)) {
        ("daily" | "everyday", _) => rule(1, Rule::Daily),
        ("weekly", _) => rule(1, Rule::Weekly),
        ("biweekly" | "bi-weekly" | "fortnightly", _) => rule(1, Rule::EveryNDays(14)),
        ("alternate", _) => {
            let day = weekday(word(tokens, 1), true).or_else(|| weekdays_plural(word(tokens, 1)))?;
            Some((2, Repeat::OnEach(day, 2)))
        }
        ("weekdays" | "workdays", _) => rule(1, Rule::Weekdays),
        ("on", "weekdays" | "workdays") => rule(2, Rule::Weekdays),
        ("on", _) => {
            let (length, days) = plural_days(&tokens[1..])?;
            Some((length + 1, Repeat::On(days)))
        }
        ("once" | "twice", "a" | "per" | "every") => {
            let once = word(tokens, 0) == "once";
            match word(tokens, 2) {
                "day" if once => rule(3, Rule::Daily),
                "week" if once => rule(3, Rule::Weekly),
                "day" | "week" | "month" | "year" => Some(unsupported(tokens, 3)),
                _ => None,
            }
        }
        ("monthly" | "yearly" | "annually" | "quarterly" | "hourly", _) => Some(unsupported(tokens, 1)),
        ("every" | "each" | "ev" | "every!", _) => every(tokens),
        (_, "times") if count(word(tokens, 0)).is_some() && matches!(word(tokens, 2), "a" | "per") => {
            Some(unsupported(tokens, 4))
        }
        _ => plural_days(tokens)
            .filter(|(length, _)| *length == tokens.len())
            .map(|(length, days)| (length, Repeat::On(days))),
    }
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

fn unsupported(tokens: &[Token], length: usize) -> (usize, Repeat) {
    let words: Vec<&str> = (0..length).map(|at| word(tokens, at)).collect();
    (length, Repeat::Unsupported(words.join(" ")))
}

fn every(tokens: &[Token]) -> Phrase<Repeat> {
    let single = usize::from(word(tokens, 1) == "single");
    let second = word(tokens, 1 + single);
    let rule = |length, rule| Some((length + single, Repeat::Rule(rule)));
    match second {
        "day" => return rule(2, Rule::Daily),
        "weekday" | "workday" | "weekdays" | "workdays" => return rule(2, Rule::Weekdays),
        "working" | "work" | "business" if word(tokens, 2 + single) == "day" => return rule(3, Rule::Weekdays),
        "week" => return rule(2, Rule::Weekly),
        "fortnight" => return rule(2, Rule::EveryNDays(14)),
        // The time of it is read apart.
        "morning" | "afternoon" | "evening" | "night" => return rule(1, Rule::Daily),
        "weekend" => return Some((2 + single, Repeat::On(vec![Weekday::Sat, Weekday::Sun]))),
        "month" | "year" | "quarter" | "hour" | "minute" => return Some(unsupported(tokens, 2 + single)),
        _ => {}
    }
    if let Some((length, days)) = listed_days(&tokens[1..]) {
        return Some((length + 1, Repeat::On(days)));
    }
    let number = count(second).or_else(|| ordinal(second))?;
    let unit = word(tokens, 2);
    if let Some(day) = weekday(unit, true).filter(|_| second != "other" && ordinal(second).is_some()) {
        // "every third Friday" is of a month, or of three weeks.
        return Some(unsupported(tokens, 3)).filter(|_| day.num_days_from_monday() < 7);
    }
    match unit {
        "day" | "days" => Some((3, Repeat::Rule(if number == 1 { Rule::Daily } else { Rule::EveryNDays(number) }))),
        "week" | "weeks" if number == 1 => Some((3, Repeat::Rule(Rule::Weekly))),
        "week" | "weeks" => Some((3, Repeat::Rule(Rule::EveryNDays(number.checked_mul(7)?)))),
        "fortnight" | "fortnights" => Some((3, Repeat::Rule(Rule::EveryNDays(number.checked_mul(14)?)))),
        "month" | "months" | "year" | "years" | "hour" | "hours" | "minute" | "minutes" | "quarter" => {
            Some(unsupported(tokens, 3))
        }
        _ if month(unit).is_some() || ordinal(second).is_some_and(|_| unit.is_empty() || unit == "of") => {
            Some(unsupported(tokens, 2))
        }
        _ => match weekday(unit, true) {
            // "every other Friday": which of the two is said by the day it begins.
            // Which of the weeks is said by the day it begins.
            Some(day) if second == "other" => Some((3, Repeat::OnEach(day, 2))),
            _ => None,
        },
    }
    .filter(|(_, repeat)| *repeat != Repeat::Rule(Rule::EveryNDays(0)))
}

/// "Monday", "Mon, Wed and Fri".
fn listed_days(tokens: &[Token]) -> Phrase<Vec<Weekday>> {
    days_by(tokens, |word| weekday(word, true).or_else(|| weekdays_plural(word)))
}

/// "Mondays", "Mondays and Thursdays".
fn plural_days(tokens: &[Token]) -> Phrase<Vec<Weekday>> {
    days_by(tokens, weekdays_plural)
}

fn days_by(tokens: &[Token], read: impl Fn(&str) -> Option<Weekday>) -> Phrase<Vec<Weekday>> {
    let mut days = vec![read(word(tokens, 0))?];
    let mut length = 1;
    loop {
        let mut at = length;
        while matches!(word(tokens, at), "," | "and" | "&" | "+") {
            at += 1;
        }
        match read(word(tokens, at)).filter(|_| at > length) {
            Some(day) => {
                days.push(day);
                length = at + 1;
            }
            None => return Some((length, days)),
        }
    }
}
