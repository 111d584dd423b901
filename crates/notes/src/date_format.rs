//! Formats and parses the names of journal days by a graph's date pattern.
//!
//! Logseq's patterns follow Java (`yyyy_MM_dd`, `MMM do, yyyy`), Obsidian's follow moment.js (`YYYY-MM-DD`). Both are
//! supported.

use chrono::{Datelike as _, NaiveDate};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Year,
    ShortYear,
    /// Minimum number of digits.
    Month(usize),
    MonthName(usize),
    Day(usize),
    /// `1st`.
    OrdinalDay,
    Weekday(usize),
    Text(String),
}

/// A parsed date pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    parts: Vec<Part>,
}

const WHOLE: usize = usize::MAX;

impl DateFormat {
    /// Parses a pattern. `None` if it contains an unknown ASCII letter or digit, or does not determine a complete date.
    #[must_use]
    pub fn parse(pattern: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let quoted = match first {
                '\'' => rest.get(1..).and_then(|rest| rest.split_once('\'')),
                '[' => rest.get(1..).and_then(|rest| rest.split_once(']')),
                _ => None,
            };
            if let Some((text, after)) = quoted {
                parts.push(Part::Text(text.to_owned()));
                rest = after;
                continue;
            }
            let run = rest.chars().take_while(|c| *c == first).count();
            let length = first.len_utf8() * run;
            let (part, taken) = part(first, run, rest.get(length..).unwrap_or_default())?;
            parts.push(part);
            rest = rest.get(taken.unwrap_or(length)..).unwrap_or_default();
        }
        let has = |wanted: fn(&Part) -> bool| parts.iter().any(wanted);
        let is_date = has(|part| matches!(part, Part::Year | Part::ShortYear))
            && has(|part| matches!(part, Part::Month(_) | Part::MonthName(_)))
            && has(|part| matches!(part, Part::Day(_) | Part::OrdinalDay));
        is_date.then_some(Self { parts })
    }

    #[must_use]
    pub fn write(&self, date: NaiveDate) -> String {
        let cut = |name: &str, length: usize| name.chars().take(length).collect::<String>();
        let parts = self.parts.iter().map(|part| match part {
            Part::Year => format!("{:04}", date.year()),
            Part::ShortYear => format!("{:02}", date.year().rem_euclid(100)),
            Part::Month(width) => format!("{:0width$}", date.month()),
            Part::MonthName(length) => cut(MONTHS.get(date.month0() as usize).unwrap_or(&""), *length),
            Part::Day(width) => format!("{:0width$}", date.day()),
            Part::OrdinalDay => format!("{}{}", date.day(), ordinal(date.day())),
            Part::Weekday(length) => {
                let index = date.weekday().num_days_from_monday() as usize;
                cut(WEEKDAYS.get(index).unwrap_or(&""), *length)
            }
            Part::Text(text) => text.clone(),
        });
        parts.collect()
    }

    #[must_use]
    pub fn read(&self, text: &str) -> Option<NaiveDate> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text;
        for part in &self.parts {
            rest = match part {
                Part::Year => take(rest, 4, 4, |value| year = value)?,
                Part::ShortYear => take(rest, 2, 2, |value| year = 2000 + value)?,
                Part::Month(width) => take(rest, *width, 2, |value| month = value)?,
                Part::Day(width) => take(rest, *width, 2, |value| day = value)?,
                Part::OrdinalDay => {
                    let rest = take(rest, 1, 2, |value| day = value)?;
                    rest.strip_prefix(ordinal(u32::try_from(day).ok()?))?
                }
                Part::MonthName(length) => {
                    let (index, rest) = named(rest, &MONTHS, *length)?;
                    month = i32::try_from(index).ok()? + 1;
                    rest
                }
                Part::Weekday(length) => named(rest, &WEEKDAYS, *length)?.1,
                Part::Text(text) => rest.strip_prefix(text.as_str())?,
            };
        }
        let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?);
        date.filter(|_| rest.is_empty())
    }
}

/// Returns a part of a pattern, and its length in bytes if it is not just the run of one letter.
fn part(sign: char, run: usize, after: &str) -> Option<(Part, Option<usize>)> {
    let name = |run: usize| if run >= 4 { WHOLE } else { 3 };
    let part = match (sign, run) {
        ('y' | 'Y', 4) => Part::Year,
        ('y' | 'Y', 2) => Part::ShortYear,
        ('M', 1 | 2) => Part::Month(run),
        ('M', 3 | 4) => Part::MonthName(name(run)),
        ('d' | 'D', 1) if after.starts_with('o') => return Some((Part::OrdinalDay, Some(2))),
        ('d' | 'D', 1 | 2) => Part::Day(run),
        ('E', 1..=4) | ('d', 3 | 4) => Part::Weekday(name(run)),
        (sign, run) if !sign.is_ascii_alphanumeric() => Part::Text(sign.to_string().repeat(run)),
        _ => return None,
    };
    Some((part, None))
}

fn ordinal(day: u32) -> &'static str {
    match (day % 10, day % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

fn take(text: &str, min: usize, max: usize, mut set: impl FnMut(i32)) -> Option<&str> {
    let digits = text.bytes().take(max).take_while(u8::is_ascii_digit).count();
    let (number, rest) = (text.get(..digits)?, text.get(digits..)?);
    set(number.parse().ok().filter(|_| digits >= min)?);
    Some(rest)
}

fn named<'a>(text: &'a str, names: &[&str], length: usize) -> Option<(usize, &'a str)> {
    names.iter().enumerate().find_map(|(index, name)| {
        let name = name.get(..length.min(name.len()))?;
        let start = text.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name))?;
        Some((index, text.get(start.len()..)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_back_by_the_patterns_of_logseq_and_obsidian() {
        let cases = [
            ("yyyy_MM_dd", "2026_03_02"),
            ("yyyy-MM-dd", "2026-03-02"),
            ("MMM do, yyyy", "Mar 2nd, 2026"),
            ("EEEE, MM/dd/yyyy", "Monday, 03/02/2026"),
            ("E, dd-MM-yyyy", "Mon, 02-03-2026"),
            ("do MMMM yyyy", "2nd March 2026"),
            ("YYYY-MM-DD", "2026-03-02"),
            ("dddd D MMMM YYYY", "Monday 2 March 2026"),
            ("[day] YY.M.D", "day 26.3.2"),
            ("yyyyMMdd", "20260302"),
            ("yyyy年MM月dd日", "2026年03月02日"),
        ];
        let date = NaiveDate::from_ymd_opt(2026, 3, 2).unwrap();
        for (pattern, written) in cases {
            let format = DateFormat::parse(pattern).unwrap();
            assert_eq!(format.write(date), written, "{pattern}");
            assert_eq!(format.read(written), Some(date), "{pattern}");
        }
    }

    #[test]
    fn every_day_of_a_leap_year_reads_back() {
        let format = DateFormat::parse("MMM do, yyyy").unwrap();
        let first = NaiveDate::from_ymd_opt(2028, 1, 1).unwrap();
        for date in first.iter_days().take(366) {
            assert_eq!(format.read(&format.write(date)), Some(date));
        }
    }

    #[test]
    fn invalid_dates_are_rejected() {
        assert_eq!(DateFormat::parse("yyyy"), None);
        assert_eq!(DateFormat::parse("yyyy-ww"), None);
        let format = DateFormat::parse("yyyy_MM_dd").unwrap();
        for text in ["2026_02_30", "2026_3_02", "2026_03_02 copy", "x", ""] {
            assert_eq!(format.read(text), None, "{text}");
        }
    }
}
