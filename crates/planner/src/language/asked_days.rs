//! Reads the days that a question asks about: "next week", "from Saturday to Monday", "1 and 3 December".
//!
//! Input: the words of a question. Output: where the days stand, and the first and the last of them. Called by
//! [`super::questions`] and [`super::record_questions`].

use chrono::{Datelike as _, Days, Months, NaiveDate};

use super::text::numbers::{day_number, month};
use super::text::tokens::Token;
use super::values::dates;
use super::values::day_arithmetic::{Phrase, word};
use super::values::several_days::{Period, several_days};

/// Returns the first period in the words: its position, its end and its days. Two days with "and" or "to" between them
/// are one period; [`super::questions`] asks for each of two days that are apart. With `is_past` the days are the last
/// such days, not the next ones.
pub(super) fn period(words: &[Token], today: NaiveDate, is_past: bool) -> Option<(usize, usize, Period)> {
    let limit = is_past.then_some(today);
    let read = |at: usize, limit| period_until(&words[at..], leads(words, at), today, limit);
    let (start, (length, mut days)) = (0..words.len()).find_map(|at| Some(at).zip(read(at, limit)))?;
    let end = start + length;
    let joins = words.get(end).is_some_and(|word| word.is_one_of("and|to|-|–|until|till|through|or"));
    let second = words.get(end + 1..).filter(|_| joins).and_then(|rest| period_until(rest, true, today, limit));
    if let Some((more, (first, last))) = second {
        // "From Saturday to Monday" ends on the last Monday, so it begins on the Saturday before it.
        let is_range = !words[end].is_one_of("and|or") || (start > 0 && words[start - 1].is("between"));
        if is_past && is_range && days.0 > first {
            days = read(start, Some(first))?.1;
        }
        return Some((start, end + 1 + more, (days.0.min(first), days.1.max(last))));
    }
    let until = start > 0 && words[start - 1].is_one_of("by|until|till|before");
    Some((start, end, if until { (today.min(days.0), days.1) } else { days }))
}

/// Returns whether the word before makes a short name a day: "on Fri".
pub(super) fn leads(words: &[Token], at: usize) -> bool {
    at > 0 && words[at - 1].is_one_of("on|for|by|until|till|before|from|between|at|in")
}

/// Parses a period at the beginning of `words`. With a limit it is the last such period that begins by then: "Friday"
/// is the last Friday. A period that is always to come stays as it is: "tomorrow", "next week".
fn period_until(
    words: &[Token],
    after_preposition: bool,
    today: NaiveDate,
    limit: Option<NaiveDate>,
) -> Phrase<Period> {
    let (length, days) = period_at(words, after_preposition, today)?;
    let Some(limit) = limit.filter(|limit| days.0 > *limit) else { return Some((length, days)) };
    let read_on = |day: Option<NaiveDate>| {
        period_at(words, after_preposition, day?).filter(|(same, _)| *same == length).map(|(_, days)| days)
    };
    let is_ahead = words[..length].iter().any(|word| word.is_one_of("next|coming|tomorrow|within"));
    // "In three days" is equally far ahead on each day.
    let is_relative = read_on(today.pred_opt()).is_some_and(|(first, _)| Some(first) == days.0.pred_opt());
    if is_ahead || is_relative {
        return Some((length, days));
    }
    let months_before = |months: u32| limit.checked_sub_months(Months::new(months));
    let earlier = [limit.checked_sub_days(Days::new(7)), months_before(1), months_before(12)];
    let passed = earlier.into_iter().filter_map(read_on).find(|(first, _)| *first <= limit);
    Some((length, passed.unwrap_or(days)))
}

/// Parses a period at the beginning of `words`.
pub(super) fn period_at(words: &[Token], after_preposition: bool, today: NaiveDate) -> Phrase<Period> {
    let day = || dates::day(words, today, after_preposition).map(|(length, day)| (length, (day, day)));
    several_days(words, today).or_else(|| days_of_month(words, today)).or_else(day)
}

/// Parses "1 and 3 December", "the 1st to the 3rd of December", "1-3 December".
fn days_of_month(words: &[Token], today: NaiveDate) -> Phrase<Period> {
    let the = usize::from(word(words, 0) == "the");
    let (first, rest, before) = match word(words, the).split_once(['-', '–']) {
        Some((first, second)) => (first, [&[Token::made(second)], &words[the + 1..]].concat(), the),
        None if matches!(word(words, the + 1), "and" | "to" | "-" | "–" | "until" | "till" | "through") => {
            (word(words, the), words[the + 2..].to_vec(), the + 2)
        }
        None => return None,
    };
    let (length, last) = dates::day(&rest, today, false)?;
    let names_month = rest[..length].iter().any(|word| month(&word.lower).is_some());
    let first = last.with_day(day_number(first)?).filter(|first| names_month && *first <= last)?;
    Some((before + length, (first, last)))
}
