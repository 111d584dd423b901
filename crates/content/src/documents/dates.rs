//! Finds dates in documents: `1 January 2025`, `January 2025`, `2025-01-31`, `31.1.2025`, `(2025)`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Date;

/// Names of the months in English, German, French and Spanish. Their beginnings count, too: "Sept".
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "enero"],
    &["february", "februar", "feber", "février", "fevrier", "febrero"],
    &["march", "märz", "mars", "marzo"],
    &["april", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "juni", "juin", "junio"],
    &["july", "juli", "juillet", "julio"],
    &["august", "août", "aout", "agosto"],
    &["september", "septembre", "septiembre", "setiembre"],
    &["october", "oktober", "octobre", "octubre"],
    &["november", "novembre", "noviembre"],
    &["december", "dezember", "décembre", "decembre", "diciembre"],
];

static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?: (?P<day>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s+|-) (?:of\s+|de\s+)?)? (?P<month>\p{L}{3,10})\.?,?(?:\s+|-)
            (?:(?P<day_after>\d{1,2})(?:st|nd|rd|th)?,\s+)? (?:de\s+)?(?P<year>(?:19|20)\d\d)\b
        | \b(?P<alone>(?:19|20)\d\d)\b",
    )
    .ok()
});

static NUMERIC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?P<iso>(?:19|20)\d\d(?:-\d\d-\d\d|/\d\d/\d\d))|(?P<dotted>\d{1,2}\.\d{1,2}\.(?:19|20)\d\d)").ok()
});

/// What decides whether a date ends something stands within so many bytes before it. Without this limit, all of a text
/// would be read again for each of its dates.
const BYTES_BEFORE: usize = 64;

/// What stands before the year in which a period ends, as in "2025 to 2028".
static PERIOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:19|20)\d\d\s*(?:[-–—]|\b(?:to|until|till|through|bis|à|au|a|al|hasta)\b)\s*$").ok()
});

/// What stands before a date on which something ends or is due, as in "valid until 31 December 2027".
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)(?:\b(?:until|till|through|before|by|valid\s+to|expires?(?:\s+on)?
            |next\s+review(?:\s+(?:on|in|date))?|due(?:\s+(?:on|in|by))?
            |bis(?:\s+zum)?|gültig\s+bis|jusqu(?:'|’)?(?:au)?|hasta(?:\s+el)?)
        |(?:^|[,;:.|·(–—-])\W*review\s+date)\s*:?\s*$",
    )
    .ok()
});

/// What stands between the two dates of a period, as in "1 May 2025 to 30 April 2026".
static BETWEEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:[-–—]|to|bis(?:\s+zum)?|à|au|al?)\s*(?:the|el)?\s*$").ok());

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundDate {
    /// Where it is.
    pub(super) place: Range<usize>,
    pub(super) date: Date,
    /// It is a year without a month.
    pub(super) is_year: bool,
}

/// Returns all dates of a text in order, without those on which something ends. Of a period only the first: a plan for
/// 2025 to 2028 is not from 2028.
pub(super) fn dates(text: &str) -> Vec<FoundDate> {
    let (Some(numeric), Some(written)) = (NUMERIC.as_ref(), WRITTEN.as_ref()) else { return Vec::new() };
    // Without them, since the year of "Minutes 2025-11-20" does not belong to a month's name.
    let without_numeric = numeric.replace_all(text, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
    let mut found: Vec<FoundDate> = Vec::new();
    for (pattern, text) in [(numeric, text), (written, &*without_numeric)] {
        let captures = pattern.captures_iter(text).filter(|captures| !is_end_of_period(captures, text));
        found.extend(captures.filter_map(|captures| {
            let (whole, year) = (captures.get(0)?.range(), year_alone(&captures));
            let start = year.map_or(whole.start, |year| year.start());
            Some(FoundDate { place: start..whole.end, date: date(&captures)?, is_year: year.is_some() })
        }));
    }
    found.sort_by_key(|found| found.place.start);
    let mut before: Option<usize> = None;
    found.retain(|found| {
        let between = before.replace(found.place.end).and_then(|end| text.get(end..found.place.start));
        let is_end = between.is_some_and(|text| BETWEEN.as_ref().is_some_and(|regex| regex.is_match(text)));
        !is_end
    });
    found
}

fn is_end_of_period(found: &regex::Captures<'_>, text: &str) -> bool {
    let ends = |regex: &LazyLock<Option<Regex>>, date: Option<regex::Match<'_>>| {
        let Some(at) = date.map(|date| date.start()) else { return false };
        let before = &text[text.ceil_char_boundary(at.saturating_sub(BYTES_BEFORE))..at];
        regex.as_ref().is_some_and(|regex| regex.is_match(before))
    };
    let year = found.name("alone").or_else(|| found.name("year"));
    // The word before a year may be "until".
    ends(&PERIOD, year) || ends(&END, year_alone(found).or_else(|| found.get(0)))
}

/// Returns the year of a date without a month. The word before it may be no month, as in "from 2025".
fn year_alone<'t>(found: &regex::Captures<'t>) -> Option<regex::Match<'t>> {
    let has_month = found.name("month").is_some_and(|word| month(word.as_str()).is_some());
    found.name("alone").or_else(|| found.name("year").filter(|_| !has_month))
}

fn date(found: &regex::Captures<'_>) -> Option<Date> {
    let number = |name: &str| found.name(name).and_then(|text| text.as_str().parse::<u32>().ok());
    let year = |text: &str| text.parse::<i32>().ok();
    if let Some(iso) = found.name("iso") {
        return iso.as_str().replace('/', "-").parse().ok();
    }
    if let Some(dotted) = found.name("dotted") {
        return Date::parse_from_str(dotted.as_str(), "%d.%m.%Y").ok();
    }
    if let Some(alone) = found.name("alone") {
        return Date::from_ymd_opt(year(alone.as_str())?, 1, 1);
    }
    let year = year(found.name("year")?.as_str())?;
    // If the word is not a month, only the year counts.
    let month = found.name("month").and_then(|word| month(word.as_str()));
    let day = number("day").or_else(|| number("day_after")).unwrap_or(1);
    Date::from_ymd_opt(year, month.unwrap_or(1), if month.is_some() { day } else { 1 })
}

fn month(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    (1..).zip(MONTHS).find(|(_, names)| names.iter().any(|name| name.starts_with(&word))).map(|(month, _)| month)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<String> {
        dates(text).iter().map(|found| found.date.to_string()).collect()
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        assert_eq!(written("in force from 1 April 2025, edition of August 2024"), ["2025-04-01", "2024-08-01"]);
        assert_eq!(written("2025-02-28 und 3. März 2024, 31.12.2023"), ["2025-02-28", "2024-03-03", "2023-12-31"]);
        assert_eq!(
            written("Rules (2023) of 12 juillet 2022; May 5th, 2021"),
            ["2023-01-01", "2022-07-12", "2021-05-05"]
        );
        for period in ["2025 to 2028", "2025–2028", "2025 - 2028", "von 2025 bis 2028", "de 2025 à 2028"] {
            assert_eq!(written(&format!("Energy plan {period}, May 2024")), ["2025-01-01", "2024-05-01"], "{period}");
        }
        assert_eq!(written("31 February 2025, room 2019b, 123 2025"), ["2025-01-01"]);
        assert_eq!(
            written("Valid from 1 January 2025 until 31 December 2027. Next review: March 2028"),
            ["2025-01-01"]
        );
        assert_eq!(written("gültig ab 1.1.2025 bis zum 31.12.2027"), ["2025-01-01"]);
        assert_eq!(written("2025/02/28, 3-May-2024, Sept. 3, 2023"), ["2025-02-28", "2024-05-03", "2023-09-03"]);
    }

    #[test]
    fn the_end_of_a_period_and_what_is_due_is_no_date() {
        for period in ["from 1 May 2025 to 30 April 2026", "1.5.2025 – 30.4.2026", "du 1 mai 2025 au 30 avril 2026"] {
            assert_eq!(written(period), ["2025-05-01"], "{period}");
        }
        for due in ["Apply by 3 May 2027", "Apply before 3 May 2027", "Valid until 2027", "Review date: 3 May 2027"] {
            assert_eq!(written(due), [""; 0], "{due}");
        }
    }

    #[test]
    fn many_dates_after_characters_that_are_not_ascii_take_little_time() {
        let started = std::time::Instant::now();
        assert_eq!(written(&"– 2025 ".repeat(20_000)).len(), 1);
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }

    #[test]
    fn a_word_that_only_begins_like_a_month_is_none() {
        for words in ["Decision 2025", "Marina 2025", "Mayor 2025", "Separate list 2025"] {
            assert_eq!(written(words), ["2025-01-01"], "{words}");
        }
    }
}
