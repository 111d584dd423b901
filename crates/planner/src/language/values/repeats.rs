//! Parses repetitions: "every weekday", "daily", "every 3 days", "every Monday and Thursday", "weekly".

use chrono::Weekday;

use super::day_arithmetic::Phrase;
use crate::language::text::numbers::{self, count, day_number, month, ordinal, weekday, weekdays_plural};
use crate::language::text::phrases::listed;
use crate::language::text::tokens::Token;
use crate::recurrence::Rule;

/// A parsed repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    Rule(Rule),
    /// Weekly on each of these days.
    On(Vec<Weekday>),
    /// On this day of the week every given number of weeks, from the next such day on.
    OnEach(Weekday, u32),
    /// A repetition that no rule can express: "every month".
    Unsupported(String),
}

/// Parses a repetition at the beginning of `tokens`. Parts of the day are left to the caller: of "every morning" only
/// `every` is consumed, as a daily rule.
#[must_use]
pub fn repeat(tokens: &[Token]) -> Phrase<Repeat> {
    let first = tokens.first().filter(|first| !first.quoted)?;
    unsupported_phrase(tokens).or_else(|| by_one_word(first)).or_else(|| by_phrase(tokens)).or_else(|| {
        let (length, days) = plural_days(tokens)?;
        let continues = |next: &Token| {
            next.is_mark()
                || next.text.starts_with(|c: char| c.is_ascii_digit())
                || next.is_one_of(CONTINUES)
                || is_part(&next.lower)
        };
        tokens.get(length).is_none_or(continues).then_some((length, Repeat::On(days)))
    })
}

/// Parses a repetition at `at`. In "in 3 working days" there is none.
#[must_use]
pub fn repeat_at(tokens: &[Token], at: usize) -> Phrase<Repeat> {
    let follows_count = at > 0 && count(word(tokens, at - 1)).is_some();
    let is_every = at > 1 && matches!(word(tokens, at - 2), "every" | "each");
    let counted = follows_count && !is_every && matches!(word(tokens, at), "working" | "business" | "work" | "week");
    repeat(&tokens[at..]).filter(|_| !counted)
}

/// Names of times that return once a year.
pub const YEARLY: &str = "christmas|xmas|easter|halloween|thanksgiving|spring|summer|autumn|winter|season";

/// Parses repetitions that no rule can express: "twice a day", "every now and then", "monthly".
fn unsupported_phrase(tokens: &[Token]) -> Phrase<Repeat> {
    let length = match (word(tokens, 0), word(tokens, 1)) {
        ("twice" | "thrice", "a" | "per" | "every")
            if matches!(word(tokens, 2), "day" | "week" | "month" | "year" | "fortnight") =>
        {
            3
        }
        (first, "a" | "per" | "each")
            if is_multiple(first) && matches!(word(tokens, 2), "day" | "week" | "month" | "year") =>
        {
            3
        }
        ("once", "a" | "per" | "every") if matches!(word(tokens, 2), "month" | "year") => 3,
        ("on" | "in" | "every" | "each", "odd" | "even" | "uneven")
            if matches!(word(tokens, 2), "day" | "days" | "date" | "dates" | "week" | "weeks") =>
        {
            3
        }
        ("once" | "twice" | "thrice", "daily" | "weekly" | "monthly" | "yearly")
        | ("every" | "each", "so" | "now" | "few") => 2,
        ("from", "time") if word(tokens, 2) == "to" && word(tokens, 3) == "time" => 4,
        ("now", "and") if matches!(word(tokens, 2), "then" | "again") => 3,
        ("regularly" | "occasionally", _) if tokens.len() == 1 => 1,
        ("every" | "each", "last") => 3.min(tokens.len()) + of_period(tokens, 3),
        ("monthly" | "bimonthly" | "bi-monthly" | "yearly" | "annually" | "biannually" | "quarterly" | "hourly", _) => {
            1
        }
        // "Watch every season of Friends" names no time.
        ("every" | "each", name)
            if listed(YEARLY, name) && tokens.get(2).is_none_or(|next| next.is_mark() || next.is_one_of(CONTINUES)) =>
        {
            2
        }
        ("every", name) if month(name).is_some() => 2 + usize::from(day_number(word(tokens, 2)).is_some()),
        (first, "times")
            if matches!(word(tokens, 2), "a" | "per")
                && (matches!(first, "several" | "many") || count(first).is_some()) =>
        {
            4.min(tokens.len())
        }
        ("a", "few" | "couple") => {
            let at = tokens.iter().take(6).position(|token| token.is("times"))?;
            if !matches!(word(tokens, at + 1), "a" | "per") {
                return None;
            }
            (at + 3).min(tokens.len())
        }
        _ => return None,
    };
    Some(unsupported(tokens, length))
}

/// Matches "3x".
fn is_multiple(word: &str) -> bool {
    word.strip_suffix(['x', '×']).is_some_and(|number| numbers::figures(number, 2).is_some())
}

fn by_one_word(first: &Token) -> Phrase<Repeat> {
    let repeat = match first.lower.as_str() {
        "daily" | "everyday" | "nightly" => Repeat::Rule(Rule::Daily),
        "weekly" => Repeat::Rule(Rule::Weekly),
        "biweekly" | "bi-weekly" | "fortnightly" => Repeat::Rule(Rule::EveryNDays(14)),
        "mon-fri" | "mon–fri" | "monday-friday" | "mo-fr" | "weekdays" | "workdays" => Repeat::Rule(Rule::Weekdays),
        // The part of the day is parsed separately.
        "mornings" | "evenings" | "afternoons" => return Some((0, Repeat::Rule(Rule::Daily))),
        "weekends" => Repeat::On(vec![Weekday::Sat, Weekday::Sun]),
        _ => return None,
    };
    Some((1, repeat))
}

fn by_phrase(tokens: &[Token]) -> Phrase<Repeat> {
    let rule = |length, rule| Some((length, Repeat::Rule(rule)));
    match (word(tokens, 0), word(tokens, 1)) {
        ("monday" | "mon" | "mondays", "to" | "through" | "till" | "until" | "-" | "thru" | "–")
            if matches!(word(tokens, 2), "friday" | "fri" | "fridays") =>
        {
            rule(3, Rule::Weekdays)
        }
        ("week" | "working" | "business" | "work", "days") | ("on", "weekdays" | "workdays") => rule(2, Rule::Weekdays),
        ("on" | "at" | "over", "weekends") => Some((2, Repeat::On(vec![Weekday::Sat, Weekday::Sun]))),
        ("once", "every") => every(&tokens[1..]).map(|(length, repeat)| (length + 1, repeat)),
        ("once", "a" | "per") => match word(tokens, 2) {
            "day" => rule(3, Rule::Daily),
            "week" => rule(3, Rule::Weekly),
            "fortnight" => rule(3, Rule::EveryNDays(14)),
            _ => None,
        },
        ("on" | "only", "alternate") if matches!(word(tokens, 2), "day" | "days") => rule(3, Rule::EveryNDays(2)),
        ("on", "alternate" | "every" | "each" | "working" | "work" | "week" | "business") => {
            repeat(&tokens[1..]).map(|(length, repeat)| (length + 1, repeat))
        }
        ("alternate", "day" | "days") => rule(2, Rule::EveryNDays(2)),
        ("alternate", "week" | "weeks") => rule(2, Rule::EveryNDays(14)),
        ("alternate", day) => Some((2, Repeat::OnEach(weekday(day, true).or_else(|| weekdays_plural(day))?, 2))),
        ("on", "weekday" | "workday") if is_part(word(tokens, 2)) => rule(2, Rule::Weekdays),
        ("weekday", part) if is_part(part) => rule(1, Rule::Weekdays),
        ("on", _) => {
            let (length, days) = plural_days(&tokens[1..])?;
            Some((length + 1, Repeat::On(days)))
        }
        ("every" | "each" | "ev" | "every!", _) => every(tokens),
        _ => None,
    }
}

/// Words that may follow "Mondays" if it is a repetition.
const CONTINUES: &str = "at|from|until|till|starting|beginning|for|in|through|only|between|@|noon|please";

fn is_part(word: &str) -> bool {
    matches!(word, "morning" | "mornings" | "afternoon" | "afternoons" | "evening" | "evenings" | "night" | "nights")
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| &token.lower)
}

fn unsupported(tokens: &[Token], length: usize) -> (usize, Repeat) {
    let words: Vec<&str> = (0..length).map(|at| word(tokens, at)).collect();
    (length, Repeat::Unsupported(words.join(" ")))
}

fn every(tokens: &[Token]) -> Phrase<Repeat> {
    if word(tokens, 1) == "single" {
        let without = [&tokens[..1], tokens.get(2..)?].concat();
        return every(&without).map(|(length, repeat)| (length + 1, repeat));
    }
    let second = word(tokens, 1);
    let rule = |length, rule| Some((length, Repeat::Rule(rule)));
    match second {
        "day" => return rule(2, Rule::Daily),
        "weekday" | "workday" | "weekdays" | "workdays" => return rule(2, Rule::Weekdays),
        "working" | "work" | "business" if word(tokens, 2) == "day" => return rule(3, Rule::Weekdays),
        "week" => return rule(2, Rule::Weekly),
        "fortnight" => return rule(2, Rule::EveryNDays(14)),
        // Its time is parsed separately.
        "morning" | "afternoon" | "evening" | "night" => return rule(1, Rule::Daily),
        "weekend" => return Some((2, Repeat::On(vec![Weekday::Sat, Weekday::Sun]))),
        "month" | "year" | "quarter" | "hour" | "minute" => return Some(unsupported(tokens, 2)),
        _ => {}
    }
    if second == "couple" && word(tokens, 2) == "of" {
        let by_two = [&[Token::made("every"), Token::made("two")], tokens.get(3..)?].concat();
        return every(&by_two).map(|(length, repeat)| (length + 1, repeat));
    }
    if second == "alternate" {
        let alternate = [&[Token::made("every"), Token::made("other")], tokens.get(2..)?].concat();
        return every(&alternate);
    }
    if let Some((length, days)) = listed_days(&tokens[1..]) {
        return Some((length + 1, Repeat::On(days)));
    }
    let number = count(second).or_else(|| ordinal(second))?;
    let unit = word(tokens, 2);
    let is_of_period = matches!((word(tokens, 3), word(tokens, 4)), ("of" | "in", "the" | "each" | "every" | "a"));
    let is_second = number == 2 && !is_of_period;
    if weekday(unit, true).is_some() && !is_second && ordinal(second).is_some() {
        // "every third Friday" refers to a month or to three weeks.
        return Some(unsupported(tokens, 3 + of_period(tokens, 3)));
    }
    match unit {
        "weekend" | "weekends" if is_second => Some((3, Repeat::OnEach(Weekday::Sat, 2))),
        "day" | "days" => Some((3, Repeat::Rule(if number == 1 { Rule::Daily } else { Rule::EveryNDays(number) }))),
        "week" | "weeks" if number == 1 => Some((3, Repeat::Rule(Rule::Weekly))),
        "week" | "weeks" => Some((3, Repeat::Rule(Rule::EveryNDays(number.checked_mul(7)?)))),
        "fortnight" | "fortnights" => Some((3, Repeat::Rule(Rule::EveryNDays(number.checked_mul(14)?)))),
        "month" | "months" | "year" | "years" | "hour" | "hours" | "minute" | "minutes" | "quarter" => {
            Some(unsupported(tokens, 3))
        }
        _ if month(unit).is_some() => Some(unsupported(tokens, 3)),
        _ if ordinal(second).is_some_and(|_| unit.is_empty() || unit == "of") => {
            Some(unsupported(tokens, 2 + of_period(tokens, 2)))
        }
        _ => match weekday(unit, true) {
            // "every other Friday": the start date determines which of the weeks.
            Some(day) if is_second => Some((3, Repeat::OnEach(day, 2))),
            _ => None,
        },
    }
    .filter(|(_, repeat)| *repeat != Repeat::Rule(Rule::EveryNDays(0)))
}

/// Returns the number of words of "of the month" at `at`, 0 if it is not there.
fn of_period(tokens: &[Token], at: usize) -> usize {
    let joins = matches!((word(tokens, at), word(tokens, at + 1)), ("of" | "in", "the" | "each" | "every" | "a"));
    if joins && matches!(word(tokens, at + 2), "month" | "quarter" | "year") { 3 } else { 0 }
}

/// Parses "Monday", "Mon, Wed and Fri".
fn listed_days(tokens: &[Token]) -> Phrase<Vec<Weekday>> {
    days_by(tokens, |word| weekday(word, true).or_else(|| weekdays_plural(word)))
}

/// Parses "Mondays", "Mondays and Thursdays".
fn plural_days(tokens: &[Token]) -> Phrase<Vec<Weekday>> {
    days_by(tokens, weekdays_plural)
}

/// Returns whether the names of two days are both abbreviations or both in full, as in "Mon Wed". In "every Friday sun
/// dance" the second is no day.
pub fn are_alike(one: &str, other: &str) -> bool {
    let is_short = |name: &str| name.len() < "monday".len();
    is_short(one) == is_short(other)
}

fn days_by(tokens: &[Token], read: impl Fn(&str) -> Option<Weekday>) -> Phrase<Vec<Weekday>> {
    let mut days = vec![read(word(tokens, 0))?];
    let mut length = 1;
    loop {
        let mut at = length;
        while matches!(word(tokens, at), "," | "and" | "&" | "+" | "/") {
            at += 1;
        }
        let is_next = at > length || are_alike(word(tokens, length - 1), word(tokens, at));
        match read(word(tokens, at)).filter(|_| is_next) {
            Some(day) => {
                days.push(day);
                length = at + 1;
            }
            None => return Some((length, days)),
        }
    }
}
