//! When a topic is due: a cron expression or an interval, in the topic's time zone.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds, Year};
use croner::{Cron, YEAR_UPPER_LIMIT};
use thiserror::Error;

use super::time::{MINUTE_MS, Timestamp};

/// After downtime a run covers at most this many past intervals.
pub const MAX_CATCH_UP: u32 = 6;

/// Shortest and longest interval, in minutes.
const INTERVAL_MINUTES: std::ops::RangeInclusive<i64> = 15..=43_200;

/// Years that are searched for a due time: 29 February falls on every weekday within 28.
const SEARCHED_YEARS: i32 = 40;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum ScheduleError {
    #[error(
        "{0:?} is neither a cron expression of five fields nor an interval of 15 minutes to 30 days (every 30m, every 6h, every 2d)"
    )]
    Form(String),
    #[error(
        "{0:?} names a date that never occurs, such as 31 February; name one that does, for example \"0 7 28 2 *\" \
         (28 February at 07:00) or \"0 7 1 * *\" (the first of each month at 07:00)"
    )]
    NeverDue(String),
}

/// A parsed schedule.
#[derive(Debug, Clone)]
pub enum Schedule {
    Cron(Box<Cron>),
    /// In minutes, counted from 1970-01-01T00:00:00Z.
    Every(i64),
}

/// In the form of the setting: `0 7 * * *`, `every 90m`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron(cron) => f.write_str(cron.pattern.as_str()),
            Self::Every(minutes) if minutes % 1_440 == 0 => write!(f, "every {}d", minutes / 1_440),
            Self::Every(minutes) if minutes % 60 == 0 => write!(f, "every {}h", minutes / 60),
            Self::Every(minutes) => write!(f, "every {minutes}m"),
        }
    }
}

impl Schedule {
    /// `0 7 * * *`.
    #[must_use]
    pub fn daily_at_seven() -> Self {
        Self::parse("0 7 * * *").unwrap_or(Self::Every(24 * 60))
    }

    /// Describes it: `at 07:00`, `every 6 hours`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Cron(cron) => {
                let sentence = cron.describe();
                let mut chars = sentence.trim_end_matches('.').chars();
                chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
            }
            Self::Every(60) => "every hour".to_owned(),
            Self::Every(1_440) => "every day".to_owned(),
            Self::Every(minutes) if minutes % 1_440 == 0 => format!("every {} days", minutes / 1_440),
            Self::Every(minutes) if minutes % 60 == 0 => format!("every {} hours", minutes / 60),
            Self::Every(minutes) => format!("every {minutes} minutes"),
        }
    }

    /// Parses a cron expression or `every INTERVAL`.
    ///
    /// # Errors
    /// When the text has neither form, or names a date that no year has.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let bad = || ScheduleError::Form(text.to_owned());
        if let Some(interval) = text.trim().strip_prefix("every ") {
            return interval_minutes(interval.trim()).map(Self::Every).ok_or_else(bad);
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|_| bad())?;
        if is_ever_due(&cron) { Ok(Self::Cron(Box::new(cron))) } else { Err(ScheduleError::NeverDue(text.to_owned())) }
    }

    /// Returns the first due time after `after`.
    #[must_use]
    pub fn next_after(&self, after: Timestamp, zone: Tz) -> Option<Timestamp> {
        match self {
            Self::Every(minutes) => {
                let length = minutes * MINUTE_MS;
                Some(Timestamp::from_millis((after.as_millis().div_euclid(length) + 1) * length))
            }
            Self::Cron(cron) => cron.find_next_occurrence(&local(after, zone), false).ok().map(instant),
        }
    }

    /// Returns the time between the last two due times before `before`; a day if there are fewer than two.
    #[must_use]
    pub fn interval_before(&self, before: Timestamp, zone: Tz) -> Duration {
        const DAY: Duration = Duration::from_hours(24);
        match self {
            Self::Every(minutes) => Duration::from_secs(minutes.unsigned_abs() * 60),
            Self::Cron(cron) => {
                let previous = |at: Timestamp| cron.find_previous_occurrence(&local(at, zone), false).ok().map(instant);
                let last = previous(before);
                let earlier = last.and_then(previous);
                match (last, earlier) {
                    (Some(last), Some(earlier)) => Duration::from_millis((last - earlier).unsigned_abs()),
                    _ => DAY,
                }
            }
        }
    }

    /// Returns the start of the past `count` intervals, and of the one that has begun: that many due times before the
    /// last one at or before `end`.
    #[must_use]
    pub fn start_of_past(&self, count: u32, end: Timestamp, zone: Tz) -> Timestamp {
        match self {
            Self::Every(minutes) => {
                let length = minutes.saturating_mul(MINUTE_MS);
                let last = end.as_millis().div_euclid(length).saturating_mul(length);
                Timestamp::from_millis(last.saturating_sub(length.saturating_mul(i64::from(count))))
            }
            Self::Cron(cron) => {
                let previous = |at: Timestamp, is_inclusive| {
                    cron.find_previous_occurrence(&local(at, zone), is_inclusive).ok().map(instant)
                };
                let last = previous(end, true).unwrap_or(end);
                (0..count).try_fold(last, |at, _| previous(at, false).ok_or(at)).unwrap_or_else(|earliest| earliest)
            }
        }
    }
}

fn interval_minutes(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return None,
    };
    let count: i64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    count.checked_mul(minutes).filter(|total| INTERVAL_MINUTES.contains(total))
}

/// Returns whether a cron expression names any date of the last years that the search covers: it ends at a fixed year,
/// so that one without a date costs a search of few years.
fn is_ever_due(cron: &Cron) -> bool {
    let start = Tz::UTC.with_ymd_and_hms(YEAR_UPPER_LIMIT - SEARCHED_YEARS, 1, 1, 0, 0, 0).single();
    start.is_some_and(|start| cron.find_next_occurrence(&start, true).is_ok())
}

fn local(at: Timestamp, zone: Tz) -> DateTime<Tz> {
    zone.from_utc_datetime(&at.to_utc().naive_utc())
}

fn instant(at: DateTime<Tz>) -> Timestamp {
    Timestamp::from(at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    fn next(schedule: &str, after: &str, zone: Tz) -> String {
        Schedule::parse(schedule).unwrap().next_after(at(after), zone).unwrap().to_string()
    }

    #[test]
    fn a_schedule_is_described_in_words() {
        let words = |text: &str| Schedule::parse(text).unwrap().in_words();
        assert_eq!(words("0 7 * * *"), "at 07:00");
        assert_eq!(words("0 7 * * 1-5"), "at 07:00, on Monday, Tuesday, Wednesday, Thursday, and Friday");
        assert_eq!(words("every 6h"), "every 6 hours");
        assert_eq!(words("every 24h"), "every day");
        assert_eq!(words("every 2d"), "every 2 days");
        assert_eq!(words("every 90m"), "every 90 minutes");
        for text in ["every 90m", "every 6h", "every 2d", "0 7 * * *"] {
            assert_eq!(Schedule::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Schedule::parse("every 360m").unwrap().to_string(), "every 6h");
    }

    #[test]
    fn seven_in_the_morning_stays_seven_over_the_clock_change() {
        let berlin = chrono_tz::Europe::Berlin;
        assert_eq!(next("0 7 * * *", "2026-10-24T12:00:00Z", berlin), "2026-10-25T06:00:00Z");
        assert_eq!(next("0 7 * * *", "2026-10-23T12:00:00Z", berlin), "2026-10-24T05:00:00Z");
        assert_eq!(next("0 7 * * *", "2026-03-28T12:00:00Z", berlin), "2026-03-29T05:00:00Z");
    }

    #[test]
    fn intervals_are_read_in_minutes_hours_and_days() {
        assert_eq!(next("every 6h", "2026-11-16T07:00:00Z", Tz::UTC), "2026-11-16T12:00:00Z");
        for bad in ["every 1m", "every 31d", "every six hours", "7 o'clock", "every h", ""] {
            assert!(Schedule::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cron_expression_has_five_fields() {
        for bad in ["0 7 * * * *", "*/10 * * * * *", "0 0 7 * * * 2020", "0 7 * *"] {
            assert!(Schedule::parse(bad).is_err(), "{bad}");
        }
        assert!(["0 7 * * *", "*/20 6-22 * * MON-FRI", "@daily"].into_iter().all(|good| Schedule::parse(good).is_ok()));
    }

    #[test]
    fn a_date_that_no_year_has_is_refused_with_an_example() {
        for never in ["0 7 31 2 *", "0 7 30,31 2 *", "0 7 31 4,6,9,11 *"] {
            let error = Schedule::parse(never).unwrap_err();
            assert_eq!(error, ScheduleError::NeverDue(never.to_owned()));
            assert!(error.to_string().contains("\"0 7 28 2 *\""), "{error}");
        }
        for rare in ["0 7 29 2 *", "0 7 31 2,3 *", "0 7 31 2 1", "59 23 31 12 *", "0 7 L 2 *", "30 2 * * *"] {
            assert!(Schedule::parse(rare).is_ok(), "{rare}");
        }
    }

    #[test]
    fn one_interval_back_is_a_day_for_a_daily_schedule() {
        let daily = Schedule::daily_at_seven();
        assert_eq!(daily.interval_before(at("2026-11-16T09:30:00Z"), Tz::UTC), Duration::from_hours(24));
        let weekly = Schedule::parse("0 7 * * 1").unwrap();
        assert_eq!(weekly.interval_before(at("2026-11-18T09:30:00Z"), Tz::UTC), Duration::from_hours(168));
    }

    #[test]
    fn past_intervals_are_counted_by_due_times_whatever_their_lengths() {
        let start = |schedule: &str, end: &str| {
            Schedule::parse(schedule).unwrap().start_of_past(MAX_CATCH_UP, at(end), Tz::UTC).to_string()
        };
        assert_eq!(start("0 7 * * *", "2026-11-10T07:00:00Z"), "2026-11-04T07:00:00Z");
        assert_eq!(start("0 7 * * *", "2026-11-10T09:30:00Z"), "2026-11-04T07:00:00Z");
        // An hour and 23 hours in turn: six intervals are three days.
        assert_eq!(start("0 7,8 * * *", "2026-11-10T07:00:00Z"), "2026-11-07T07:00:00Z");
        assert_eq!(start("0 7 * * 1-5", "2026-11-16T07:00:00Z"), "2026-11-06T07:00:00Z");
        assert_eq!(start("every 2h", "2026-11-16T06:00:00Z"), "2026-11-15T18:00:00Z");
        assert_eq!(start("every 2h", "2026-11-16T07:01:00Z"), "2026-11-15T18:00:00Z");
        assert_eq!(start("0 */2 * * *", "2026-11-16T07:01:00Z"), "2026-11-15T18:00:00Z");
    }
}
