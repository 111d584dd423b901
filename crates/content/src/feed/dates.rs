//! Parses the dates of feeds. Input: text; output: an instant or `None`. A missing date is never guessed. Called by the
//! feed parser for every date.

use chrono::{DateTime, Duration, NaiveDate, TimeZone, Utc};
use chrono_tz::Tz;

use super::date_words::{month, named_offset, numbers_and_marks};

/// A longer text is not a date.
const MAX_BYTES: usize = 100;

/// Unix seconds of the first second of 1971 and of 10000.
const FIRST: i64 = 365 * 86_400;
const END: i64 = 253_402_300_800;

/// An instant, and whether the text named its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadDate {
    pub at: DateTime<Utc>,
    pub has_zone: bool,
}

/// Parses RFC 3339, RFC 2822 and their common variations. Without a zone the time is UTC; a date without a time is its
/// midnight. `None` also for years before 1971, which mean that the publisher's software had no date, and after 9999,
/// which are errors.
#[must_use]
pub fn parse_date(text: &str) -> Option<DateTime<Utc>> {
    read_date(text).map(|read| read.at)
}

/// Like [`parse_date`], and also reports whether a zone was named.
#[must_use]
pub fn read_date(text: &str) -> Option<ReadDate> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let strict = DateTime::parse_from_rfc3339(text).ok().map(|date| date.with_timezone(&Utc));
    let read = strict.map(|at| ReadDate { at, has_zone: true }).or_else(|| lenient(text))?;
    (FIRST..END).contains(&read.at.timestamp()).then_some(read)
}

#[derive(Default)]
struct Parts {
    date: Option<NaiveDate>,
    month: Option<u32>,
    numbers: Vec<(u32, usize)>,
    /// Since midnight. May exceed a day, as some publishers write it.
    time: Option<Duration>,
    afternoon: Option<bool>,
    offset_minutes: Option<i64>,
    zone: Option<Tz>,
}

fn lenient(text: &str) -> Option<ReadDate> {
    let (text, offset_minutes) = numbers_and_marks(text);
    let mut parts = Parts::default();
    for token in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';')) {
        parts.take(token);
    }
    parts.offset_minutes = parts.offset_minutes.or(offset_minutes);
    parts.finish()
}

impl Parts {
    fn take(&mut self, token: &str) {
        let token = token.trim_matches('.');
        if token.is_empty() {
        } else if token.starts_with(|c: char| c.is_ascii_digit()) {
            self.take_number(token);
        } else if let Some(minutes) = offset(token) {
            self.offset_minutes = self.offset_minutes.or(Some(minutes));
        } else if let Some(afternoon) = afternoon(token) {
            self.afternoon = Some(afternoon);
        } else if let Some(rest) =
            token.strip_prefix(['T', 't']).filter(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        {
            self.take_time(rest);
        } else if token.contains('/') && token.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.zone = token.parse().ok();
        } else if token.contains('-') && token.contains(|c: char| c.is_ascii_digit()) {
            // "Mon-02-Jan-2006", "Jan-02-2006"
            token.split('-').for_each(|t| self.take(t));
        } else {
            self.take_word(token);
        }
    }

    /// Reads a month name. If one word precedes the day and one follows it, the first is a weekday that resembles a
    /// month.
    fn take_word(&mut self, token: &str) {
        let is_after_day = matches!(self.numbers.as_slice(), [(_, 1 | 2)]);
        if self.month.is_none() || is_after_day {
            self.month = month(token).or(self.month);
        }
    }

    fn take_number(&mut self, token: &str) {
        if let Some((date, rest)) = iso_date(token) {
            self.date = self.date.or(Some(date));
            let rest = rest.trim_start_matches(['T', 't', '_']);
            if let Some(clock) = rest.strip_prefix('-').filter(|clock| clock.contains(':') && clock.len() > 6) {
                self.take_time(clock);
            } else if rest.contains(':') && !rest.starts_with(['-', '+']) {
                self.take_time(rest);
            } else if rest.len() >= 4 && rest.as_bytes()[..4].iter().all(u8::is_ascii_digit) {
                self.take_compact_time(rest);
            } else if let Some(minutes) = offset(rest) {
                self.offset_minutes = Some(minutes);
            }
        } else if let Some((day, clock)) = day_and_time(token) {
            self.take(day);
            self.take_time(clock);
        } else if token.contains(':') && !token.contains('/') {
            self.take_time(token);
        } else if let Some(date) = separated_date(token) {
            self.date = self.date.or(Some(date));
        } else if token.contains('-') {
            token.split('-').for_each(|t| self.take(t));
        } else {
            self.take_digits(token);
        }
    }

    /// Reads "3rd", "2nd", "5pm"; other suffixes are ignored.
    fn take_digits(&mut self, token: &str) {
        let digits = token.bytes().take_while(u8::is_ascii_digit).count();
        let suffix = &token[digits..];
        let Ok(number) = token[..digits].parse::<u32>() else { return };
        if let Some(afternoon) = afternoon(suffix).filter(|_| number <= 12) {
            self.time = Some(Duration::hours(i64::from(number)));
            self.afternoon = Some(afternoon);
        } else {
            self.numbers.push((number, digits));
        }
    }

    /// Reads `HH:MM[:SS[.fraction]]`, optionally followed by "am", "pm" or a zone.
    fn take_time(&mut self, token: &str) {
        let end = token.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(token.len());
        let (clock, rest) = token.split_at(end);
        let mut fields = clock.split(':');
        let mut next =
            || fields.next().map_or(Some(0), |f| f.split('.').next().unwrap_or_default().parse::<u32>().ok());
        let (Some(hour), Some(minute), Some(second)) = (next(), next(), next()) else { return };
        let millis = clock.split_once('.').map_or(0, |(_, f)| fraction_millis(f));
        self.time = clock_time(hour, minute, second).map(|time| time + Duration::milliseconds(millis));
        self.take_time_suffix(rest);
    }

    /// Reads `HHMM` or `HHMMSS`, optionally followed by a zone.
    fn take_compact_time(&mut self, token: &str) {
        let end = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
        let field = |at: usize| token[..end].get(at..at + 2).map_or(Some(0), |digits| digits.parse().ok());
        let (Some(hour), Some(minute), Some(second)) = (field(0), field(2), field(4)) else { return };
        self.time = clock_time(hour, minute, second);
        self.take_time_suffix(&token[end..]);
    }

    fn take_time_suffix(&mut self, rest: &str) {
        if let Some(afternoon) = afternoon(rest) {
            self.afternoon = Some(afternoon);
        } else if !rest.is_empty() {
            self.offset_minutes = offset(rest).or(self.offset_minutes);
        }
    }

    fn finish(self) -> Option<ReadDate> {
        let date = match self.date {
            Some(date) => date,
            None => self.spelled_date().or_else(|| self.reduced_date())?,
        };
        let mut time = self.time.unwrap_or_default();
        if let Some(afternoon) = self.afternoon {
            let past_noon = time.num_hours() >= 12;
            let shift = i64::from(afternoon && !past_noon) - i64::from(!afternoon && past_noon);
            time += Duration::hours(12 * shift);
        }
        let local = date.and_hms_opt(0, 0, 0)?.checked_add_signed(time)?;
        if let (Some(zone), None) = (self.zone, self.offset_minutes) {
            let at = zone.from_local_datetime(&local).earliest()?.with_timezone(&Utc);
            return Some(ReadDate { at, has_zone: true });
        }
        let at = local.checked_sub_signed(Duration::minutes(self.offset_minutes.unwrap_or(0)))?.and_utc();
        Some(ReadDate { at, has_zone: self.offset_minutes.is_some() })
    }

    /// Day and year next to a month's name, in any order.
    fn spelled_date(&self) -> Option<NaiveDate> {
        let month = self.month?;
        let is_day = |(n, digits): &(u32, usize)| (1..=31).contains(n) && *digits <= 2;
        let day_at = self.numbers.iter().position(is_day)?;
        let year =
            self.numbers.iter().enumerate().find(|(at, (_, digits))| *at != day_at && matches!(digits, 2 | 4))?;
        NaiveDate::from_ymd_opt(full_year(year.1.0, year.1.1), month, self.numbers[day_at].0)
    }

    /// Reduced ISO 8601: `YYYY`, `YYYY-MM`, the day of the year as `YYYY-DDD`, `YY-MM-DD`.
    fn reduced_date(&self) -> Option<NaiveDate> {
        if self.month.is_some() {
            return None;
        }
        match self.numbers.as_slice() {
            [(year, 4)] => NaiveDate::from_ymd_opt(full_year(*year, 4), 1, 1),
            [(year, 4), (month, 2)] => NaiveDate::from_ymd_opt(full_year(*year, 4), *month, 1),
            [(year, 4), (day, 3)] => NaiveDate::from_yo_opt(full_year(*year, 4), *day),
            [(year, 2), (month, 2), (day, 2)] => NaiveDate::from_ymd_opt(full_year(*year, 2), *month, *day),
            _ => None,
        }
    }
}

/// Returns the time since midnight. Excess hours, minutes or seconds, including leap seconds, carry over.
fn clock_time(hour: u32, minute: u32, second: u32) -> Option<Duration> {
    let is_clock = hour < 48 && minute < 100 && second < 100;
    is_clock.then(|| Duration::seconds(i64::from(hour * 3_600 + minute * 60 + second)))
}

/// Splits "13T9:15" into a day of the month and a time.
fn day_and_time(token: &str) -> Option<(&str, &str)> {
    token.split_once(['T', 't']).filter(|(day, clock)| {
        matches!(day.len(), 1 | 2) && day.bytes().all(|b| b.is_ascii_digit()) && clock.contains(':')
    })
}

fn fraction_millis(digits: &str) -> i64 {
    let mut millis = 0;
    for at in 0..3 {
        millis =
            millis * 10 + digits.as_bytes().get(at).filter(|b| b.is_ascii_digit()).map_or(0, |b| i64::from(b - b'0'));
    }
    millis
}

/// Expands two-digit years as in RFC 2822.
fn full_year(number: u32, digits: usize) -> i32 {
    let year = i32::try_from(number).unwrap_or(0);
    match digits {
        2 if year < 50 => year + 2000,
        2 => year + 1900,
        _ => year,
    }
}

/// Splits a date (`YYYY-M-D`, `YYYY/M/D`, `YYYY.M.D` or `YYYYMMDD`) off the start; also returns the rest.
fn iso_date(token: &str) -> Option<(NaiveDate, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let year_end = digits(token);
    if matches!(year_end, 8 | 12 | 14) {
        let date = NaiveDate::parse_from_str(&token[..8], "%Y%m%d").ok()?;
        return Some((date, &token[8..]));
    }
    let separator = token[year_end..].chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    if year_end != 4 {
        return None;
    }
    let rest = &token[5..];
    let month_end = digits(rest);
    let day = rest[month_end..].strip_prefix(separator)?;
    let day_end = digits(day).min(2);
    let date = NaiveDate::from_ymd_opt(
        token[..4].parse().ok()?,
        rest[..month_end].parse().ok()?,
        day[..day_end].parse().ok()?,
    )?;
    Some((date, &day[day_end..]))
}

/// Parses `D.M.Y`, and `M/D/Y` unless only `D/M/Y` is possible.
fn separated_date(token: &str) -> Option<NaiveDate> {
    let separator = ['/', '.'].into_iter().find(|s| token.contains(*s))?;
    let fields: Vec<&str> = token.split(separator).collect();
    let [first, second, year] = fields.as_slice() else { return None };
    let (a, b): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let (day, month) = if separator == '.' || a > 12 { (a, b) } else { (b, a) };
    NaiveDate::from_ymd_opt(full_year(year.parse().ok()?, year.len()), month, day)
}

/// Whether a token says "pm", "p.m." and the like, or "am"; `None` if neither.
fn afternoon(token: &str) -> Option<bool> {
    match token.to_ascii_lowercase().as_str() {
        "am" | "a.m" | "a.m." => Some(false),
        "pm" | "p.m" | "p.m." => Some(true),
        _ => None,
    }
}

/// Returns minutes east of Greenwich from `+0200`, `-5:00`, `GMT+2`, `Z` or a zone's name.
fn offset(token: &str) -> Option<i64> {
    let token = token.strip_prefix("Etc/").unwrap_or(token);
    let Some(at) = token.find(['+', '-', '−']) else { return named_offset(token) };
    let name = &token[..at];
    if !(name.is_empty() || ["GMT", "UTC", "UT", "Z"].iter().any(|n| name.eq_ignore_ascii_case(n))) {
        return None;
    }
    let sign = if token[at..].starts_with('+') { 1 } else { -1 };
    let digits: String = token[at..].chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.get(..digits.len().min(4))?.parse().ok()?;
    let minutes = if digits.len() <= 2 { number * 60 } else { number / 100 * 60 + number % 100 };
    // "+02:00:00" includes seconds, which no current zone has.
    (minutes <= 14 * 60 && matches!(digits.len(), 1..=4 | 6)).then_some(sign * minutes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{parse_date, read_date};

    #[test]
    fn wild_forms_are_read() {
        for (text, expected) in [
            ("2024-03-01T10:20:30Z", "2024-03-01T10:20:30Z"),
            ("2024-03-01T10:20:30.250+02:00", "2024-03-01T08:20:30.250Z"),
            ("2024-03-01T10:20:30+0200", "2024-03-01T08:20:30Z"),
            ("2024-03-01T10:20", "2024-03-01T10:20:00Z"),
            ("2024-03-01 10:20:30", "2024-03-01T10:20:30Z"),
            ("2024-03-01 10:20:30 -0500", "2024-03-01T15:20:30Z"),
            ("2024-03-01 10:20:30.5 UTC", "2024-03-01T10:20:30.500Z"),
            ("2024-03-01", "2024-03-01T00:00:00Z"),
            ("20240301", "2024-03-01T00:00:00Z"),
            ("2024/3/1 7:05", "2024-03-01T07:05:00Z"),
            ("Fri, 01 Mar 2024 10:20:30 GMT", "2024-03-01T10:20:30Z"),
            ("Mon, 01 Mar 2024 10:20:30 GMT", "2024-03-01T10:20:30Z"),
            ("Fri, 1 Mar 24 10:20 EST", "2024-03-01T15:20:00Z"),
            ("Friday, March 1, 2024 10:20:30 PDT", "2024-03-01T17:20:30Z"),
            ("Fri, 01 Mar 2024 10:20:30", "2024-03-01T10:20:30Z"),
            ("Fri, 01 Mar 2024 24:00:00 +0000", "2024-03-02T00:00:00Z"),
            ("Fri, 01 March 2024 10:20:30 GMT+0100", "2024-03-01T09:20:30Z"),
            ("Fri Mar  1 10:20:30 UTC 2024", "2024-03-01T10:20:30Z"),
            ("1 Mar 2024", "2024-03-01T00:00:00Z"),
            ("March 1st, 2024 3:05 pm", "2024-03-01T15:05:00Z"),
            ("March 1, 2024, 3:05 p.m. EST", "2024-03-01T20:05:00Z"),
            ("March 1, 2024 12:05a.m.", "2024-03-01T00:05:00Z"),
            ("March 1, 2024, 3P.M.", "2024-03-01T15:00:00Z"),
            ("3/1/2024 12:05:00 AM", "2024-03-01T00:05:00Z"),
            ("31/12/2023", "2023-12-31T00:00:00Z"),
            ("01.03.2024 10:20", "2024-03-01T10:20:00Z"),
            ("Fr, 01 Mär 2024 10:20:30 +0100", "2024-03-01T09:20:30Z"),
            ("01-Mar-2024 10:20:30", "2024-03-01T10:20:30Z"),
            ("Fri, 01 Mar 2024 10:20:30 CET", "2024-03-01T09:20:30Z"),
            ("Fri Mar 01 2024 10:20:30 GMT+0300 (Arabian Standard Time)", "2024-03-01T07:20:30Z"),
            ("mar, 05 abr 2022 10:20:30 +0200", "2022-04-05T08:20:30Z"),
            ("Fri, 01 Mar 2024 10:20:30 America/New_York", "2024-03-01T15:20:30Z"),
            ("Fri, 01 Mar 2024 10:20:30 Etc/GMT", "2024-03-01T10:20:30Z"),
            ("Fri, 01 Mar 2024 10:20:30 GMT-01:01", "2024-03-01T11:21:30Z"),
            ("Fri, 2024/03/01 10:20:30 EDT", "2024-03-01T14:20:30Z"),
            ("20240301T102030Z", "2024-03-01T10:20:30Z"),
            ("20240301102030", "2024-03-01T10:20:30Z"),
            ("2024-03-01-05:00", "2024-03-01T05:00:00Z"),
            ("2024-03-01T23:61:61Z", "2024-03-02T00:02:01Z"),
            ("2024-03-01T25:00:00Z", "2024-03-02T01:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("2024-03", "2024-03-01T00:00:00Z"),
            ("2024-061", "2024-03-01T00:00:00Z"),
            ("24-03-01", "2024-03-01T00:00:00Z"),
            ("2024년 3월 1일 오후 3시 5분", "2024-03-01T06:05:00Z"),
            ("2024-03-01 오전 11:23:17", "2024-03-01T02:23:17Z"),
            ("2024年03月01日 10:20:30", "2024-03-01T10:20:30Z"),
            ("Κυρ, 10 Μάρ 2024 12:00:00 EST", "2024-03-10T17:00:00Z"),
            ("Δευ, 12 Αυγ 2024 12:00:00 +0300", "2024-08-12T09:00:00Z"),
            ("2024-július-13T9:15-05:00", "2024-07-13T14:15:00Z"),
            ("пт, 01 марта 2024 10:20:30 +0300", "2024-03-01T07:20:30Z"),
        ] {
            let read = parse_date(text).map(|d| aha_core::time::Timestamp::from(d).to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn no_date_is_no_date() {
        for text in [
            "",
            "today",
            "0001-01-01T00:00:00Z",
            "1970-01-01T00:00:00Z",
            "32 Mar 2024",
            "12:30",
            "-0001-11-30T00:00:00+00:00",
            "3/1/20241 12:05:00 AM",
            "9999-12-31T23:59:59-01:00",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn a_missing_zone_is_reported() {
        for (text, has_zone) in [
            ("2024-03-01T10:20:30Z", true),
            ("Fri, 01 Mar 2024 10:20:30 EST", true),
            ("Fri, 01 Mar 2024 10:20:30 Europe/Paris", true),
            ("2024-03-01 10:20:30", false),
            ("Fri, 01 Mar 2024 10:20:30 A", false),
            ("2024-03-01", false),
        ] {
            assert_eq!(read_date(text).map(|read| read.has_zone), Some(has_zone), "{text}");
        }
    }

    #[test]
    fn years_out_of_range_are_no_dates() {
        for text in
            ["0000-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "Mon, 01 Jan 99999 00:00:00 GMT", "99999999999999"]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,60}|[0-9TZ:+\\-/. JanMonPST,]{0,40}") {
            let _ = parse_date(&text);
        }
    }
}
