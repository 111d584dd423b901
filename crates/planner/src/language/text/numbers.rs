//! Parses numbers in words and digits, and names of days and months.

use chrono::Weekday;

const WORDS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const ORDINALS: [&str; 13] = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];
const TEENS: [&str; 7] = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Mon),
    ("tuesday", Weekday::Tue),
    ("wednesday", Weekday::Wed),
    ("thursday", Weekday::Thu),
    ("friday", Weekday::Fri),
    ("saturday", Weekday::Sat),
    ("sunday", Weekday::Sun),
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Parses "3", "three", "a", "couple".
#[must_use]
pub fn count(word: &str) -> Option<u32> {
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "dozen" => Some(12),
        _ => position(&WORDS, word).or_else(|| large(word)).or_else(|| figures(word, 4)),
    }
}

/// Parses "fourteen", "forty", "forty-five".
fn large(word: &str) -> Option<u32> {
    if let Some(at) = position(&TEENS, word) {
        return Some(at + 13);
    }
    let (tens, one) = word.split_once('-').map_or((word, None), |(tens, one)| (tens, Some(one)));
    let tens = (position(&TENS, tens)? + 2) * 10;
    match one {
        Some(one) => Some(tens + position(&WORDS, one).filter(|one| (1..10).contains(one))?),
        None => Some(tens),
    }
}

/// Parses "fourteenth", "twentieth", "twenty-third".
fn large_ordinal(word: &str) -> Option<u32> {
    match word {
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => match word.split_once('-') {
            Some((tens, one)) => {
                Some((position(&TENS, tens)? + 2) * 10 + position(&ORDINALS, one).filter(|one| (1..10).contains(one))?)
            }
            None => Some(position(&TEENS, word.strip_suffix("th")?)? + 13),
        },
    }
}

/// Parses a day of a month: "28", "28th", "twenty-eighth".
#[must_use]
pub fn day_number(word: &str) -> Option<u32> {
    figures(word, 2).or_else(|| day_ordinal(word))
}

/// Parses a day of a month that is an ordinal: "28th", "twenty-eighth".
#[must_use]
pub fn day_ordinal(word: &str) -> Option<u32> {
    ordinal_figures(word)
        .or_else(|| position(&ORDINALS, word).filter(|number| *number > 0))
        .or_else(|| large_ordinal(word))
}

/// Parses "3rd", "third"; for `every third day`.
#[must_use]
pub fn ordinal(word: &str) -> Option<u32> {
    if word == "other" {
        return Some(2);
    }
    position(&ORDINALS, word).filter(|number| *number > 0).or_else(|| ordinal_figures(word))
}

/// Parses "28th".
#[must_use]
pub fn ordinal_figures(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix))?;
    figures(digits, 2)
}

/// Parses a number with at most `digits` digits and nothing else.
#[must_use]
pub fn figures(word: &str, digits: usize) -> Option<u32> {
    let fits = !word.is_empty() && word.len() <= digits && word.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| word.parse().ok()).flatten()
}

fn position(words: &[&str], word: &str) -> Option<u32> {
    u32::try_from(words.iter().position(|known| *known == word)?).ok()
}

/// Parses the name of a day; with `short` also an abbreviation.
#[must_use]
pub fn weekday(word: &str, short: bool) -> Option<Weekday> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let fits = |name: &str| {
        name == word
            || (short && matches!(word, "tues" | "thur" | "thurs" | "weds") && name.starts_with(&word[..3]))
            || (short && word.len() == 3 && name.starts_with(word))
    };
    DAYS.iter().find(|(name, _)| fits(name)).map(|(_, day)| *day)
}

/// Parses "Mondays".
#[must_use]
pub fn weekdays_plural(word: &str) -> Option<Weekday> {
    weekday(word.strip_suffix('s')?, false)
}

/// Returns a month's number, 1 to 12, for its name or its first three letters.
#[must_use]
pub fn month(word: &str) -> Option<u32> {
    let fits = |name: &str| {
        name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && name.starts_with(word))
    };
    let at = MONTHS.iter().position(|name| fits(name))?;
    u32::try_from(at + 1).ok()
}
