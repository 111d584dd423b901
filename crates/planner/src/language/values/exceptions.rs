//! Recognises days that are left out of a repetition: "every day except Sundays", "every Thursday but not on the 19th",
//! "every Friday, no training on 27 November".
//!
//! Input: words. Output: the number of words that introduce such days. No rule can leave days out, so that the clause
//! is asked about.

use crate::language::text::numbers::{figures, month, ordinal_figures, weekday, weekdays_plural};
use crate::language::text::phrases::{after_any, listed};
use crate::language::text::tokens::Token;

/// Words that introduce exceptions of any kind.
const EXCEPT: &str = "except|unless|excluding|excepting|skipping|barring";

/// Phrases that introduce an exception if a time follows.
const BUT_NOT: &str =
    "but not|but never|but no|but skip|apart from|aside from|other than|save for|with the exception of";

/// Words that introduce an exception if days follow. "Not Monday" may instead correct a day.
const NOT: &str = "not|never|without|minus|skip";

const DAY_LEADS: &str = "on the|in the|during the|for the|on|in|at|for|during|the";

/// Words for days that are left out of a repetition.
const DAYS_OUT: &str = "weekend|weekends|weekday|weekdays|holiday|holidays|public|bank|school|christmas|easter|spring|\
    summer|autumn|winter|today|tomorrow|tonight|this|next|when|if";

/// Words between "no" and the day: "no training on 27 November".
const MAX_NOUN_WORDS: usize = 2;

/// Returns the number of words that introduce the days left out of a repetition: "except", "but not" before "on
/// Sundays".
#[must_use]
pub fn exception(rest: &[Token]) -> Option<usize> {
    if rest.first()?.is_one_of(EXCEPT) {
        return Some(1);
    }
    let but_not = after_any(rest, BUT_NOT).filter(|days| {
        let is_time = |named: &Token| {
            weekday(&named.lower, true).is_some() || month(&named.lower).is_some() || listed(DAYS_OUT, &named.lower)
        };
        let named = after_any(days, DAY_LEADS).unwrap_or(days);
        names_dates(days) || named.first().is_some_and(|named| is_time(named) && !named.quoted)
    });
    let not = after_any(rest, NOT).filter(|days| names_dates(days));
    let days = but_not.or(not).or_else(|| nothing_on(rest))?;
    Some(rest.len() - days.len())
}

/// Returns whether days are left out of the repetition in these words.
#[must_use]
pub fn leaves_days_out(words: &[Token]) -> bool {
    (0..words.len()).any(|at| exception(&words[at..]).is_some())
}

/// Returns "on 27 November" from "no training on 27 November".
fn nothing_on(rest: &[Token]) -> Option<&[Token]> {
    let following = after_any(rest, "but no|no")?;
    let days = (1..=MAX_NOUN_WORDS).filter_map(|at| following.get(at..));
    days.into_iter().find(|days| days.first().is_some_and(|word| word.is("on")) && names_dates(days))
}

/// Returns whether the words begin with dates or with days of the week in the plural.
fn names_dates(days: &[Token]) -> bool {
    let named = after_any(days, DAY_LEADS).unwrap_or(days);
    let Some(first) = named.first().filter(|first| !first.quoted) else { return false };
    let word = first.lower.as_str();
    let is_month_next = named.get(1).is_some_and(|next| month(next.lower.trim_end_matches('.')).is_some());
    let is_numeric = word.starts_with(|c: char| c.is_ascii_digit())
        && word.contains(['.', '-', '/'])
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/'));
    let is_month = month(word).is_some() && named.get(1).is_some_and(|next| figures(&next.lower, 2).is_some());
    ordinal_figures(word).is_some()
        || (figures(word, 2).is_some() && is_month_next)
        || is_numeric
        || is_month
        || weekdays_plural(word).is_some()
        || matches!(word, "today" | "tomorrow")
}
