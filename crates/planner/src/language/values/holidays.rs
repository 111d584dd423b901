//! Parses names of holidays: "Christmas Eve", "Easter Monday", "Good Friday".
//!
//! Input: words and today. Output: the next such day. Called by [`super::dates`].

use chrono::{Datelike as _, NaiveDate, TimeDelta};

use super::day_arithmetic::{Phrase, ends, next_date, word, words};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::begins_with_task_verb;

/// Holidays with a fixed date: name, month, day.
const FIXED: [(&str, u32, u32); 17] = [
    ("christmas eve", 12, 24),
    ("christmas day", 12, 25),
    ("christmas", 12, 25),
    ("xmas", 12, 25),
    ("boxing day", 12, 26),
    ("new year's eve", 12, 31),
    ("new year's day", 1, 1),
    ("new year's", 1, 1),
    ("new year", 1, 1),
    ("epiphany", 1, 6),
    ("burns night", 1, 25),
    ("valentine's day", 2, 14),
    ("st patrick's day", 3, 17),
    ("april fools' day", 4, 1),
    ("halloween", 10, 31),
    ("bonfire night", 11, 5),
    ("st nicholas day", 12, 6),
];

/// Holidays relative to Easter Sunday: name, days after it.
const MOVABLE: [(&str, i64); 15] = [
    ("shrove tuesday", -47),
    ("pancake day", -47),
    ("ash wednesday", -46),
    ("palm sunday", -7),
    ("maundy thursday", -3),
    ("good friday", -2),
    ("holy saturday", -1),
    ("easter saturday", -1),
    ("easter monday", 1),
    ("easter sunday", 0),
    ("easter", 0),
    ("ascension day", 39),
    ("pentecost", 49),
    ("whit sunday", 49),
    ("whit monday", 50),
];

/// Parses a holiday at the beginning of `tokens`.
pub(super) fn holiday(tokens: &[Token], today: NaiveDate, after_preposition: bool) -> Phrase<NaiveDate> {
    let the = usize::from(matches!(word(tokens, 0), "the" | "next" | "this"));
    let rest = tokens.get(the..)?;
    let named = |name: &str| words(rest, name).then(|| name.split(' ').count());
    let fixed = || FIXED.iter().find_map(|(name, month, day)| Some((named(name)?, next_date(today, *month, *day)?)));
    let movable = || MOVABLE.iter().find_map(|(name, after)| Some((named(name)?, next_after_easter(today, *after)?)));
    let (length, day) = fixed().or_else(movable)?;
    // "On Christmas Eve collect the turkey".
    let continues = after_preposition
        && (begins_with_task_verb(&rest[length..])
            || rest.get(length).is_some_and(|next| next.is_one_of("i|we|remind|please|don't")));
    (ends(rest, length) || continues).then_some((the + length, day))
}

/// Returns the day this number of days after Easter, in this year or the next.
fn next_after_easter(today: NaiveDate, days: i64) -> Option<NaiveDate> {
    (0..2)
        .filter_map(|ahead| easter(today.year() + ahead)?.checked_add_signed(TimeDelta::days(days)))
        .find(|day| *day >= today)
}

/// Returns Easter Sunday of the Gregorian calendar, by the algorithm of Meeus, Jones and Butcher.
fn easter(year: i32) -> Option<NaiveDate> {
    let (golden, century, of_century) = (year % 19, year / 100, year % 100);
    let correction = (century + 8) / 25;
    let moon = (19 * golden + century - century / 4 - (century - correction + 1) / 3 + 15) % 30;
    let to_sunday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let late = (golden + 11 * moon + 22 * to_sunday) / 451;
    let counted = moon + to_sunday - 7 * late + 114;
    NaiveDate::from_ymd_opt(year, u32::try_from(counted / 31).ok()?, u32::try_from(counted % 31 + 1).ok()?)
}

#[cfg(test)]
mod tests {
    use super::easter;

    #[test]
    fn easter_matches_the_almanac() {
        for (year, month, day) in
            [(2000, 4, 23), (2008, 3, 23), (2024, 3, 31), (2025, 4, 20), (2026, 4, 5), (2027, 3, 28), (2038, 4, 25)]
        {
            assert_eq!(easter(year), chrono::NaiveDate::from_ymd_opt(year, month, day), "{year}");
        }
    }
}
