//! The half-open span of time `[start, end)` that a run reads.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use chrono::{NaiveDate, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::time::Timestamp;

/// `[start, end)`. Start is never after end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub start: Timestamp,
    pub end: Timestamp,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum WindowError {
    #[error(
        "a window is a day (2026-11-16) or START..END, for example 2026-11-16..2026-11-19 or 2026-11-16T06:00:00Z..2026-11-17T06:00:00Z; got {0:?}"
    )]
    NoRange(String),
    #[error("{0:?} is neither a date (2026-11-16, its local midnight) nor an RFC 3339 time (2026-11-16T06:00:00Z)")]
    BadInstant(String),
    #[error("{0:?} is no day of the calendar; give one that exists, such as 2026-11-16")]
    NoSuchDay(String),
    #[error("the window ends at {end}, before it starts at {start}; swap the two")]
    Reversed { start: Timestamp, end: Timestamp },
    #[error("{0:?} is outside of the years 1 to 9999; give a time within them, such as 2026-11-16")]
    OutOfRange(String),
}

/// The years 1 to 9999 in milliseconds: times outside of them are not written with four digits, and cannot be read back.
const YEARS: RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

impl Window {
    /// Creates a window.
    ///
    /// # Errors
    /// [`WindowError::Reversed`] when `end` is before `start`.
    pub fn new(start: Timestamp, end: Timestamp) -> Result<Self, WindowError> {
        if end < start {
            return Err(WindowError::Reversed { start, end });
        }
        Ok(Self { start, end })
    }

    /// Parses `START..END`; a bare date means midnight in `zone`. A date alone is that day, up to the next midnight.
    ///
    /// # Errors
    /// Names the half that could not be read, or reports that the end is before the start.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, WindowError> {
        let window = match text.split_once("..") {
            Some((start, end)) => Self::new(instant(start.trim(), zone)?, instant(end.trim(), zone)?)?,
            None => Self::of_day(text, zone).ok_or_else(|| unreadable(text, WindowError::NoRange))?,
        };
        if YEARS.contains(&window.start.as_millis()) && YEARS.contains(&window.end.as_millis()) {
            return Ok(window);
        }
        Err(WindowError::OutOfRange(text.to_owned()))
    }

    fn of_day(text: &str, zone: Tz) -> Option<Self> {
        let day = NaiveDate::from_str(text.trim()).ok()?;
        Self::new(local_midnight(day, zone)?, local_midnight(day.succ_opt()?, zone)?).ok()
    }

    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }

    /// Splits the window into up to `count` consecutive parts of `days` days each, and one part with the rest. No part
    /// is empty.
    #[must_use]
    pub fn parts(self, days: i64, count: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut start = self.start;
        while start < self.end {
            let end = if parts.len() < count { start.days_after(days).min(self.end) } else { self.end };
            parts.push(Self { start, end });
            start = end;
        }
        parts
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Length in hours.
    #[must_use]
    pub fn hours(&self) -> f64 {
        self.end.hours_since(self.start)
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

fn instant(text: &str, zone: Tz) -> Result<Timestamp, WindowError> {
    if let Ok(at) = Timestamp::parse_rfc3339(text) {
        return Ok(at);
    }
    let date = NaiveDate::from_str(text).map_err(|_| unreadable(text, WindowError::BadInstant))?;
    local_midnight(date, zone).ok_or_else(|| WindowError::BadInstant(text.to_owned()))
}

/// Returns the error of a text that is no date: that there is no such day, if it is written as one, or else
/// `otherwise`.
fn unreadable(text: &str, otherwise: fn(String) -> WindowError) -> WindowError {
    let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let day = text.trim().split('T').next().unwrap_or_default();
    let parts: Vec<&str> = day.split('-').collect();
    let is_day = parts.len() == 3 && parts.iter().all(|part| is_number(part));
    let is_no_such_day = is_day && NaiveDate::from_str(day).is_err();
    if is_no_such_day { WindowError::NoSuchDay(day.to_owned()) } else { otherwise(text.to_owned()) }
}

/// Returns the first instant of `date` in `zone`; if a change of the zone skips midnight, or the whole date, the first
/// instant after it.
fn local_midnight(date: NaiveDate, zone: Tz) -> Option<Timestamp> {
    let midnight = date.and_time(NaiveTime::MIN);
    (0..=24 * 4)
        .filter_map(|quarter| midnight.checked_add_signed(TimeDelta::minutes(15 * quarter)))
        .find_map(|naive| zone.from_local_datetime(&naive).earliest())
        .map(|at| Timestamp::from_millis(at.timestamp_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_window_follow_one_another_and_end_with_it() {
        let parts = |window: &str, count| {
            let parts = Window::parse(window, chrono_tz::UTC).unwrap().parts(2, count);
            parts.iter().map(|part| part.hours().round()).collect::<Vec<_>>()
        };
        assert_eq!(parts("2026-11-01..2026-11-06", 9), [48.0, 48.0, 24.0]);
        assert_eq!(parts("2026-11-01..2026-11-06", 1), [48.0, 72.0]);
        assert!(parts("2026-11-01..2026-11-01", 9).is_empty());
    }

    #[test]
    fn a_date_is_its_local_midnight() {
        let window = Window::parse("2026-11-16..2026-11-17", chrono_tz::Europe::Berlin).map(|w| w.to_string());
        assert_eq!(window.as_deref(), Ok("2026-11-15T23:00:00Z..2026-11-16T23:00:00Z"));
    }

    #[test]
    fn a_date_alone_is_that_local_day() {
        let zone = chrono_tz::Europe::Berlin;
        assert_eq!(Window::parse("2026-11-16", zone), Window::parse("2026-11-16..2026-11-17", zone));
        // Clocks go back on that day.
        assert_eq!(Window::parse("2026-10-25", zone).map(|window| window.hours()), Ok(25.0));
        assert_eq!(Window::parse("2026-11-31", zone), Err(WindowError::NoSuchDay("2026-11-31".to_owned())));
    }

    #[test]
    fn a_skipped_midnight_is_the_first_instant_that_exists() {
        // In Beirut clocks go forward at midnight: 2026-03-29 starts at 01:00.
        let window = Window::parse("2026-03-29..2026-03-30", chrono_tz::Asia::Beirut).map(|w| w.hours());
        assert_eq!(window, Ok(23.0));
        // Apia skipped 2011-12-30 when it changed sides of the date line.
        let hours = |text| Window::parse(text, chrono_tz::Pacific::Apia).map(|window| window.hours());
        assert_eq!(hours("2011-12-29"), Ok(24.0));
        assert_eq!(hours("2011-12-30..2012-01-01"), Ok(24.0));
    }

    #[test]
    fn a_time_that_cannot_be_written_is_refused() {
        let is_refused = |text: &str| matches!(Window::parse(text, chrono_tz::Europe::Berlin), Err(WindowError::OutOfRange(given)) if given == text);
        for window in ["-0001-01-01..2026-11-20", "0000-06-01", "0001-01-01..2026-11-20", "2026-11-20..+10001-01-01"] {
            assert!(is_refused(window), "{window}");
        }
        assert!(Window::parse("0001-01-02..9999-12-31", chrono_tz::Europe::Berlin).is_ok());
    }

    #[test]
    fn errors_name_the_problem() {
        let zone = chrono_tz::UTC;
        assert!(matches!(Window::parse("yesterday", zone), Err(WindowError::NoRange(_))));
        let no_such_day = Err(WindowError::NoSuchDay("2026-02-30".to_owned()));
        assert_eq!(Window::parse("2026-02-01..2026-02-30", zone), no_such_day);
        assert_eq!(Window::parse("2026-02-30T06:00:00Z..2026-03-02", zone), no_such_day);
        assert!(matches!(Window::parse("2026-2-30", zone), Err(WindowError::NoSuchDay(_))));
        assert!(matches!(Window::parse("2026-02-20T26:00:00Z..2026-03-02", zone), Err(WindowError::BadInstant(_))));
        assert!(matches!(Window::parse("2026-02", zone), Err(WindowError::NoRange(_))));
        assert!(matches!(Window::parse("a..b", zone), Err(WindowError::BadInstant(_))));
        assert!(matches!(Window::parse("2026-11-17..2026-11-16", zone), Err(WindowError::Reversed { .. })));
    }
}
