//! Dates as feeds write them. Text goes in; an instant comes out, or nothing: never a guess at a missing date. Called by
//! the feed parser for every date.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};

/// Reads RFC 3339, RFC 2822 and what publishers make of them. Without a zone it is UTC; a bare date is its midnight.
/// Years before 1971 mean that software had no date.
#[must_use]
pub fn parse_date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.len() > 100 {
        return None;
    }
    let strict = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    let date = strict.ok().map(|d| d.with_timezone(&Utc)).or_else(|| wild(text))?;
    (date.timestamp() >= 365 * 86_400).then_some(date)
}

#[derive(Default)]
struct Parts {
    date: Option<NaiveDate>,
    month: Option<u32>,
    numbers: Vec<(u32, usize)>,
    time: Option<NaiveTime>,
    days_over: i64,
    afternoon: Option<bool>,
    offset_minutes: Option<i64>,
}

fn wild(text: &str) -> Option<DateTime<Utc>> {
    let mut parts = Parts::default();
    for token in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';')) {
        parts.take(token);
    }
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
        } else if token.eq_ignore_ascii_case("am") || token.eq_ignore_ascii_case("pm") {
            self.afternoon = Some(token.eq_ignore_ascii_case("pm"));
        } else if let Some(rest) =
            token.strip_prefix(['T', 't']).filter(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        {
            self.take_time(rest);
        } else if token.contains('-') && token.contains(|c: char| c.is_ascii_digit()) {
            // "Mon-02-Jan-2006", "Jan-02-2006"
            token.split('-').for_each(|t| self.take(t));
        } else if self.month.is_none() {
            self.month = month(token);
        }
    }

    fn take_number(&mut self, token: &str) {
        if let Some((date, rest)) = iso_date(token) {
            self.date = self.date.or(Some(date));
            let rest = rest.trim_start_matches(['T', 't', '-', '_']);
            if rest.contains(':') {
                self.take_time(rest);
            } else if let Some(minutes) = offset(rest) {
                self.offset_minutes = Some(minutes);
            }
        } else if token.contains(':') && !token.contains('/') {
            self.take_time(token);
        } else if let Some(date) = separated_date(token) {
            self.date = self.date.or(Some(date));
        } else if token.contains('-') {
            token.split('-').for_each(|t| self.take(t));
        } else {
            let digits = token.bytes().take_while(u8::is_ascii_digit).count();
            let suffix = &token[digits..];
            if let Ok(number) = token[..digits].parse() {
                // "3rd", "2月"; anything else glued to a number is its own token.
                self.numbers.push((number, digits));
                if suffix.eq_ignore_ascii_case("am") || suffix.eq_ignore_ascii_case("pm") {
                    self.numbers.pop();
                    self.time = NaiveTime::from_hms_opt(number, 0, 0);
                    self.afternoon = Some(suffix.eq_ignore_ascii_case("pm"));
                }
            }
        }
    }

    /// `HH:MM[:SS[.fraction]]`, perhaps with "am", "pm" or a zone behind it.
    fn take_time(&mut self, token: &str) {
        let end = token.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(token.len());
        let (clock, rest) = token.split_at(end);
        let mut fields = clock.split(':');
        let mut next =
            || fields.next().map_or(Some(0), |f| f.split('.').next().unwrap_or_default().parse::<u32>().ok());
        let (Some(hour), Some(minute), Some(second)) = (next(), next(), next()) else { return };
        self.days_over = i64::from(hour == 24);
        let millis = clock.split_once('.').map_or(0, |(_, f)| fraction_millis(f));
        // A leap second is the last one of its minute.
        self.time = NaiveTime::from_hms_milli_opt(hour % 24, minute, second.min(59), millis).filter(|_| hour <= 24);
        match rest.to_ascii_lowercase().as_str() {
            "" => {}
            "am" => self.afternoon = Some(false),
            "pm" => self.afternoon = Some(true),
            _ => self.offset_minutes = offset(rest).or(self.offset_minutes),
        }
    }

    fn finish(self) -> Option<DateTime<Utc>> {
        let date = match self.date {
            Some(date) => date,
            None => self.spelled_date()?,
        };
        let mut time = self.time.unwrap_or_default();
        if let Some(afternoon) = self.afternoon {
            let hour = chrono::Timelike::hour(&time);
            let hour = if afternoon { hour % 12 + 12 } else { hour % 12 };
            time = chrono::Timelike::with_hour(&time, hour)?;
        }
        let local = date.and_time(time).checked_add_signed(Duration::days(self.days_over))?;
        local.checked_sub_signed(Duration::minutes(self.offset_minutes.unwrap_or(0))).map(|utc| utc.and_utc())
    }

    /// Day and year beside a month's name, in any order.
    fn spelled_date(&self) -> Option<NaiveDate> {
        let month = self.month?;
        let is_day = |(n, digits): &(u32, usize)| (1..=31).contains(n) && *digits <= 2;
        let day_at = self.numbers.iter().position(is_day)?;
        let year =
            self.numbers.iter().enumerate().find(|(at, (_, digits))| *at != day_at && matches!(digits, 2 | 4))?;
        NaiveDate::from_ymd_opt(full_year(year.1.0, year.1.1), month, self.numbers[day_at].0)
    }
}

fn fraction_millis(digits: &str) -> u32 {
    let mut millis = 0;
    for at in 0..3 {
        millis =
            millis * 10 + digits.as_bytes().get(at).filter(|b| b.is_ascii_digit()).map_or(0, |b| u32::from(b - b'0'));
    }
    millis
}

/// Two digits as RFC 2822 reads them.
fn full_year(number: u32, digits: usize) -> i32 {
    let year = i32::try_from(number).unwrap_or(0);
    match digits {
        2 if year < 50 => year + 2000,
        2 => year + 1900,
        _ => year,
    }
}

/// `YYYY-M-D`, `YYYY/M/D` or `YYYYMMDD` at the start, and what follows.
fn iso_date(token: &str) -> Option<(NaiveDate, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let year_end = digits(token);
    if year_end == 8 {
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

/// `D.M.Y`, and `M/D/Y` unless only `D/M/Y` can be meant.
fn separated_date(token: &str) -> Option<NaiveDate> {
    let separator = ['/', '.'].into_iter().find(|s| token.contains(*s))?;
    let fields: Vec<&str> = token.split(separator).collect();
    let [first, second, year] = fields.as_slice() else { return None };
    let (a, b): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let (day, month) = if separator == '.' || a > 12 { (a, b) } else { (b, a) };
    NaiveDate::from_ymd_opt(full_year(year.parse().ok()?, year.len()), month, day)
}

/// Months by their first letters, as English, German, French, Spanish, Italian, Dutch and Portuguese feeds write them.
fn month(token: &str) -> Option<u32> {
    const STARTS: [(&str, u32); 33] = [
        ("jan", 1),
        ("ene", 1),
        ("gen", 1),
        ("feb", 2),
        ("fév", 2),
        ("fev", 2),
        ("mar", 3),
        ("mär", 3),
        ("mrt", 3),
        ("maa", 3),
        ("apr", 4),
        ("avr", 4),
        ("abr", 4),
        ("may", 5),
        ("mai", 5),
        ("mei", 5),
        ("mag", 5),
        ("jun", 6),
        ("juin", 6),
        ("giu", 6),
        ("jul", 7),
        ("juil", 7),
        ("lug", 7),
        ("aug", 8),
        ("aoû", 8),
        ("ago", 8),
        ("sep", 9),
        ("set", 9),
        ("oct", 10),
        ("okt", 10),
        ("ott", 10),
        ("nov", 11),
        ("dez", 12),
    ];
    let lower = token.to_lowercase();
    if ["dec", "déc", "dic"].iter().any(|start| lower.starts_with(start)) {
        return Some(12);
    }
    STARTS.iter().find(|(start, _)| lower.starts_with(start)).map(|(_, month)| *month)
}

/// Minutes east of Greenwich, from `+0200`, `-5:00`, `GMT+2`, `Z` or a zone's name.
fn offset(token: &str) -> Option<i64> {
    if let Some(at) = token.find(['+', '-', '−']) {
        let name = &token[..at];
        if !(name.is_empty() || ["GMT", "UTC", "UT", "Z"].iter().any(|n| name.eq_ignore_ascii_case(n))) {
            return None;
        }
        let sign = if token[at..].starts_with('+') { 1 } else { -1 };
        let digits: String = token[at..].chars().filter(char::is_ascii_digit).collect();
        let number: i64 = digits.parse().ok()?;
        let minutes = if digits.len() <= 2 { number * 60 } else { number / 100 * 60 + number % 100 };
        return (minutes <= 14 * 60 && digits.len() <= 4).then_some(sign * minutes);
    }
    let hours_times_four = match token.to_ascii_uppercase().as_str() {
        "Z" | "UT" | "GMT" | "UTC" | "WET" => 0,
        "BST" | "CET" | "MEZ" | "WEST" | "IRST" => 4,
        "CEST" | "MESZ" | "EET" | "SAST" => 8,
        "EEST" | "MSK" | "TRT" => 12,
        "IST" => 22,
        "SGT" | "HKT" | "AWST" => 32,
        "JST" | "KST" => 36,
        "AEST" => 40,
        "AEDT" => 44,
        "NZST" => 48,
        "NZDT" => 52,
        "AST" | "EDT" => -16,
        "EST" | "CDT" | "ET" => -20,
        "CST" | "MDT" => -24,
        "MST" | "PDT" | "PT" => -28,
        "PST" | "AKDT" => -32,
        "AKST" => -36,
        "HST" => -40,
        _ => return None,
    };
    Some(hours_times_four * 15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::parse_date;

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
            ("3/1/2024 12:05:00 AM", "2024-03-01T00:05:00Z"),
            ("31/12/2023", "2023-12-31T00:00:00Z"),
            ("01.03.2024 10:20", "2024-03-01T10:20:00Z"),
            ("Fr, 01 Mär 2024 10:20:30 +0100", "2024-03-01T09:20:30Z"),
            ("01-Mar-2024 10:20:30", "2024-03-01T10:20:30Z"),
        ] {
            let read = parse_date(text).map(|d| crate::domain::time::Timestamp::from(d).to_string());
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
        ] {
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
