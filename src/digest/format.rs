//! Formats lists and times for readers.
//!
//! Input: names and instants. Output: text. Called by `header`, `view` and the renderings.

use aha_core::digest::DigestHead;
use aha_core::time::Timestamp;
use chrono::{DateTime, Datelike, LocalResult, TimeZone};
use chrono_tz::Tz;

/// Formats `a`, `a and b`, `a, b and c`; beyond `max_names` names: `a, b and 3 more`.
pub(crate) fn list(names: &[String], max_names: usize) -> String {
    let shown = names.len().min(max_names);
    let mut parts = names[..shown].to_vec();
    if names.len() > shown {
        parts.push(format!("{} more", names.len() - shown));
    }
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// A longer window is titled by its first and last day.
const SEVERAL_DAYS_HOURS: f64 = 36.0;

/// The time zone of a digest, and the year that its dates omit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calendar {
    zone: Tz,
    year: i32,
}

impl Calendar {
    /// An unknown zone name counts as UTC.
    pub(crate) fn of(head: &DigestHead) -> Self {
        Self::of_window(&head.timezone, head.window_end)
    }

    /// Of a digest that is not made yet.
    pub(crate) fn of_window(timezone: &str, end: Timestamp) -> Self {
        let zone: Tz = timezone.parse().unwrap_or(Tz::UTC);
        Self { zone, year: end.to_utc().with_timezone(&zone).year() }
    }

    pub(crate) fn zone_name(self) -> &'static str {
        self.zone.name()
    }

    /// Formats `Tue 17 Nov 09:10`, with the year if it differs from the digest's.
    pub(crate) fn moment(self, at: Timestamp) -> String {
        self.format(at, "%a %-d %b %H:%M", "%a %-d %b %Y %H:%M")
    }

    /// Formats `14 Nov`.
    pub(crate) fn day(self, at: Timestamp) -> String {
        self.format(at, "%-d %b", "%-d %b %Y")
    }

    /// Formats `14 Nov`: the last day of a window that ends at `end`, as in [`Calendar::last_day`].
    pub(crate) fn short_last_day(self, end: Timestamp) -> String {
        self.day(Timestamp::from_millis(end.as_millis() - 1))
    }

    /// Formats `Thursday 19 November 2026`: the last day that the window `[start, end)` reaches into. A window that
    /// ends at midnight belongs to the day before.
    pub(crate) fn last_day(self, start: Timestamp, end: Timestamp) -> String {
        self.long_day(Timestamp::from_millis(end.as_millis() - 1).max(start))
    }

    /// Formats the days of the window `[start, end)`: the last one, or `4 – 18 February 2026` for a window of several.
    /// One of a day, or of a day and an hour when the clock is set back, reaches into two.
    pub(crate) fn days(self, start: Timestamp, end: Timestamp) -> String {
        let last = Timestamp::from_millis(end.as_millis() - 1).max(start);
        if end.hours_since(start) <= SEVERAL_DAYS_HOURS {
            return self.last_day(start, end);
        }
        let (first, last) = (self.local(start), self.local(last));
        let of_first = match (first.year() == last.year(), first.month() == last.month()) {
            (true, true) => "%-d",
            (true, false) => "%-d %B",
            (false, _) => "%-d %B %Y",
        };
        format!("{} – {}", first.format(of_first), last.format("%-d %B %Y"))
    }

    fn long_day(self, at: Timestamp) -> String {
        self.local(at).format("%A %-d %B %Y").to_string()
    }

    /// Formats `2026-11-19T0700`, which sorts as text and is a valid file name on all systems.
    pub(crate) fn file_stem(self, at: Timestamp) -> String {
        file_stem(self.zone, at)
    }

    /// Formats `2026-11-17T09:10:00+01:00`, for programs that read the page.
    pub(crate) fn machine(self, at: Timestamp) -> String {
        self.local(at).to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
    }

    fn format(self, at: Timestamp, this_year: &str, other_year: &str) -> String {
        let local = self.local(at);
        local.format(if local.year() == self.year { this_year } else { other_year }).to_string()
    }

    fn local(self, at: Timestamp) -> DateTime<Tz> {
        at.to_utc().with_timezone(&self.zone)
    }
}

/// Formats `2026-11-19T0700`, in a time zone. In the hour that comes twice when the clock is set back, its second time
/// has the offset: `2026-10-25T0230+0100`.
pub(crate) fn file_stem(zone: Tz, at: Timestamp) -> String {
    let local = at.to_utc().with_timezone(&zone);
    let is_second = matches!(
        zone.from_local_datetime(&local.naive_local()),
        LocalResult::Ambiguous(first, second) if first != local && second == local
    );
    local.format(if is_second { "%Y-%m-%dT%H%M%z" } else { "%Y-%m-%dT%H%M" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences_do() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        for (n, max_names, words) in
            [(0, 3, ""), (1, 3, "a"), (2, 3, "a and b"), (3, 3, "a, b and c"), (4, 2, "a, b and 2 more")]
        {
            assert_eq!(list(&names[..n], max_names), words);
        }
    }

    #[test]
    fn times_are_local_and_name_a_foreign_year() {
        let calendar = Calendar { zone: Tz::Europe__Berlin, year: 2026 };
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        assert_eq!(calendar.moment(at("2026-11-17T08:10:00Z")), "Tue 17 Nov 09:10");
        assert_eq!(calendar.moment(at("2025-12-31T22:10:00Z")), "Wed 31 Dec 2025 23:10");
        assert_eq!(calendar.file_stem(at("2026-11-19T06:00:00Z")), "2026-11-19T0700");
        assert_eq!(calendar.file_stem(at("2026-10-25T00:30:00Z")), "2026-10-25T0230");
        assert_eq!(calendar.file_stem(at("2026-10-25T01:30:00Z")), "2026-10-25T0230+0100");
    }

    #[test]
    fn a_window_of_several_days_is_titled_by_the_first_and_the_last() {
        let calendar = Calendar { zone: Tz::Europe__Berlin, year: 2026 };
        let days = |start, end| {
            let at = |text| Timestamp::parse_rfc3339(text).unwrap();
            calendar.days(at(start), at(end))
        };
        for (start, end, title) in [
            ("2026-02-17T23:00:00Z", "2026-02-18T23:00:00Z", "Wednesday 18 February 2026"),
            ("2026-02-18T06:00:00Z", "2026-02-19T06:00:00Z", "Thursday 19 February 2026"),
            ("2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z", "Sunday 25 October 2026"),
            ("2026-02-03T23:00:00Z", "2026-02-18T23:00:00Z", "4 – 18 February 2026"),
            ("2026-01-27T23:00:00Z", "2026-02-18T23:00:00Z", "28 January – 18 February 2026"),
            ("2025-12-27T23:00:00Z", "2026-01-02T23:00:00Z", "28 December 2025 – 2 January 2026"),
            ("2026-02-18T06:00:00Z", "2026-02-18T06:00:00Z", "Wednesday 18 February 2026"),
        ] {
            assert_eq!(days(start, end), title);
        }
    }
}
