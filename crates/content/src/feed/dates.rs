//! Parses the dates of feeds. Input: text; output: an instant or `None`. A missing date is never guessed. Called by the
//! feed parser for every date.

use chrono::{DateTime, Duration, NaiveDate, TimeZone, Utc};
use chrono_tz::Tz;

use super::date_words::{afternoon, is_impossible_offset, month, numbers_and_marks, offset};
use super::numeric_dates::{day_and_time, full_year, iso_date, separated_date, unix_time};

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

/// Parses RFC 3339, RFC 2822, their common variations, and Unix time. Without a zone the time is UTC; a date without a
/// time is its midnight. `None` also for years before 1971, which mean that the publisher's software had no date, and
/// after 9999, which are errors.
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
    let read =
        strict.or_else(|| unix_time(text)).map(|at| ReadDate { at, has_zone: true }).or_else(|| lenient(text))?;
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
    /// A zone is written that cannot be true, so the instant is not known.
    has_impossible_offset: bool,
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
        if token.is_empty() || self.is_at(token) {
        } else if token.starts_with(|c: char| c.is_ascii_digit()) {
            self.take_number(token);
        } else if let Some(minutes) = offset(token) {
            self.offset_minutes = self.offset_minutes.or(Some(minutes));
        } else if self.time.is_some() && is_impossible_offset(token) {
            self.has_impossible_offset = true;
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

    /// Returns whether a token is the English word "at". In capitals after a time it is Atlantic Time.
    fn is_at(&self, token: &str) -> bool {
        token.eq_ignore_ascii_case("at") && (self.time.is_none() || token != "AT")
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
        } else if is_impossible_offset(rest) {
            self.has_impossible_offset = true;
        } else if !rest.is_empty() {
            self.offset_minutes = offset(rest).or(self.offset_minutes);
        }
    }

    fn finish(self) -> Option<ReadDate> {
        if self.has_impossible_offset {
            return None;
        }
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

fn fraction_millis(digits: &str) -> i64 {
    let mut millis = 0;
    for at in 0..3 {
        millis =
            millis * 10 + digits.as_bytes().get(at).filter(|b| b.is_ascii_digit()).map_or(0, |b| i64::from(b - b'0'));
    }
    millis
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
    fn a_time_in_a_zone_that_does_not_exist_is_not_known() {
        for text in [
            "Fri, 01 Mar 2024 10:20:30 +1600",
            "Fri, 01 Mar 2024 10:20:30 -2500",
            "2024-03-01 10:20:30 +16:00",
            "2024-03-01T10:20:30-25:00",
            "2024-03-01T10:20:30+9900",
            "Fri, 01 Mar 2024 10:20:30 GMT+1600",
        ] {
            assert_eq!(read_date(text), None, "{text}");
        }
        let farthest = read_date("Fri, 01 Mar 2024 10:20:30 +1400").unwrap();
        assert_eq!(aha_core::time::Timestamp::from(farthest.at).to_string(), "2024-02-29T20:20:30Z");
        assert!(farthest.has_zone);
    }

    #[test]
    fn the_word_at_is_no_zone() {
        for (text, expected, has_zone) in [
            ("March 5, 2026 at 10:20 am", "2026-03-05T10:20:00Z", false),
            ("2026-11-28 at 10:20:00", "2026-11-28T10:20:00Z", false),
            ("10:20 at 28 Nov 2026", "2026-11-28T10:20:00Z", false),
            ("Thu, 05 Mar 2026 at 10:20 UTC", "2026-03-05T10:20:00Z", true),
            ("5 March 2026 At 10:20 PM EST", "2026-03-06T03:20:00Z", true),
            ("Sat, 28 Nov 2026 AT 10:20 CET", "2026-11-28T09:20:00Z", true),
            ("Sat, 28 Nov 2026 at 10:20 AT", "2026-11-28T14:20:00Z", true),
        ] {
            let read =
                read_date(text).map(|read| (aha_core::time::Timestamp::from(read.at).to_string(), read.has_zone));
            assert_eq!(read, Some((expected.to_owned(), has_zone)), "{text}");
        }
    }

    #[test]
    fn hyphens_between_day_month_and_year_and_unix_times_are_read() {
        for (text, expected, has_zone) in [
            ("28-11-2026", "2026-11-28T00:00:00Z", false),
            ("28-11-2026 10:20:00", "2026-11-28T10:20:00Z", false),
            ("28-11-2026T10:20:00", "2026-11-28T10:20:00Z", false),
            ("28/11/2026T10:20:00+01:00", "2026-11-28T09:20:00Z", true),
            ("Sat, 28-11-2026 10:20 CET", "2026-11-28T09:20:00Z", true),
            ("5-3-2026 10:20", "2026-03-05T10:20:00Z", false),
            ("10:20 28-11-2026", "2026-11-28T10:20:00Z", false),
            ("26-11-28", "2026-11-28T00:00:00Z", false),
            (" 1764324000 ", "2025-11-28T10:00:00Z", true),
            ("1764324000250", "2025-11-28T10:00:00.250Z", true),
        ] {
            let read =
                read_date(text).map(|read| (aha_core::time::Timestamp::from(read.at).to_string(), read.has_zone));
            assert_eq!(read, Some((expected.to_owned(), has_zone)), "{text}");
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
            "28-13-2026",
            "100000000",
            "9999999999",
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
