//! Parses dates that are written in digits. Called by the date reader.

use chrono::{DateTime, NaiveDate, Utc};

/// Unix milliseconds of the first instants of 1990 and of 2100. Other numbers are rarely meant as Unix time.
const UNIX_FIRST_MS: i64 = 631_152_000_000;
const UNIX_END_MS: i64 = 4_102_444_800_000;

/// Parses Unix time: seconds with 9 or 10 digits, milliseconds with 13. `None` for instants outside 1990 to 2099.
pub(super) fn unix_time(text: &str) -> Option<DateTime<Utc>> {
    let unit_ms = match text.len() {
        9 | 10 => 1_000,
        13 => 1,
        _ => return None,
    };
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis = text.parse::<i64>().ok()?.checked_mul(unit_ms)?;
    DateTime::from_timestamp_millis(millis).filter(|_| (UNIX_FIRST_MS..UNIX_END_MS).contains(&millis))
}

/// Splits a date (`YYYY-M-D`, `YYYY/M/D`, `YYYY.M.D` or `YYYYMMDD`) off the start; also returns the rest.
pub(super) fn iso_date(token: &str) -> Option<(NaiveDate, &str)> {
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

/// Parses `D.M.Y`, `M/D/Y` unless only `D/M/Y` is possible, and `D-M-YYYY` unless only `M-D-YYYY` is possible.
pub(super) fn separated_date(token: &str) -> Option<NaiveDate> {
    let separator = ['/', '.', '-'].into_iter().find(|s| token.contains(*s))?;
    let fields: Vec<&str> = token.split(separator).collect();
    let [first, second, year] = fields.as_slice() else { return None };
    // Two digits between hyphens are `YY-MM-DD`.
    let is_year = year.len() == 4 || (year.len() == 2 && separator != '-');
    if !is_year || first.len() > 2 || second.len() > 2 {
        return None;
    }
    let (a, b): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let is_day_first = separator == '.' || a > 12 || (separator == '-' && b <= 12);
    let (day, month) = if is_day_first { (a, b) } else { (b, a) };
    NaiveDate::from_ymd_opt(full_year(year.parse().ok()?, year.len()), month, day)
}

/// Splits "13T9:15" and "28-11-2026T9:15" into a day, or a date of [`separated_date`], and a time.
pub(super) fn day_and_time(token: &str) -> Option<(&str, &str)> {
    let (day, clock) = token.split_once(['T', 't'])?;
    let is_day = matches!(day.len(), 1 | 2) && day.bytes().all(|b| b.is_ascii_digit());
    (clock.contains(':') && (is_day || separated_date(day).is_some())).then_some((day, clock))
}

/// Expands two-digit years as in RFC 2822.
pub(super) fn full_year(number: u32, digits: usize) -> i32 {
    let year = i32::try_from(number).unwrap_or(0);
    match digits {
        2 if year < 50 => year + 2000,
        2 => year + 1900,
        _ => year,
    }
}

#[cfg(test)]
mod tests {
    use super::{day_and_time, separated_date, unix_time};

    #[test]
    fn the_separator_decides_between_day_and_month() {
        for (text, expected) in [
            ("5-3-2026", Some("2026-03-05")),
            ("28-11-2026", Some("2026-11-28")),
            ("11-28-2026", Some("2026-11-28")),
            ("5.3.2026", Some("2026-03-05")),
            ("5.3.26", Some("2026-03-05")),
            ("5/3/2026", Some("2026-05-03")),
            ("28/11/26", Some("2026-11-28")),
            ("26-11-28", None),
            ("28-13-2026", None),
            ("005-3-2026", None),
            ("5-3-202", None),
            ("5-3", None),
        ] {
            assert_eq!(separated_date(text).map(|date| date.to_string()).as_deref(), expected, "{text}");
        }
        assert_eq!(day_and_time("13T9:15"), Some(("13", "9:15")));
        assert_eq!(day_and_time("28-11-2026t9:15Z"), Some(("28-11-2026", "9:15Z")));
        assert_eq!((day_and_time("28-11T9:15"), day_and_time("28-11-2026T9")), (None, None));
    }

    #[test]
    fn unix_times_are_seconds_or_milliseconds() {
        for (text, expected) in [
            ("631152000", Some(631_152_000_000)),
            ("1764324000", Some(1_764_324_000_000)),
            ("1764324000250", Some(1_764_324_000_250)),
            ("631151999", None),
            ("4102444800", None),
            ("9999999999999", None),
            ("20240301", None),
            ("176432400000", None),
            ("+176432400", None),
        ] {
            assert_eq!(unix_time(text).map(|at| at.timestamp_millis()), expected, "{text}");
        }
    }
}
