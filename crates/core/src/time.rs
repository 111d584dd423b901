//! Instants in milliseconds, as both databases store them.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub const MINUTE_MS: i64 = 60_000;
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// An instant: milliseconds since 1970-01-01T00:00:00Z. Parsed and displayed as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the start of its minute.
    #[must_use]
    pub const fn floor_to_minute(self) -> Self {
        Self(self.0 - self.0.rem_euclid(MINUTE_MS))
    }

    /// Parses RFC 3339.
    ///
    /// # Errors
    /// When `text` is not an RFC 3339 date and time with a zone.
    pub fn parse_rfc3339(text: &str) -> Result<Self, chrono::ParseError> {
        DateTime::parse_from_rfc3339(text).map(|t| Self(t.timestamp_millis()))
    }

    /// Converts to chrono; an instant outside chrono's range (year ±262,000) becomes the epoch.
    #[must_use]
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }

    /// Hours from `earlier` to `self`; negative when `earlier` is later.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of centuries fit a double exactly enough")]
    pub fn hours_since(self, earlier: Self) -> f64 {
        (self.0 - earlier.0) as f64 / HOUR_MS as f64
    }

    #[must_use]
    pub fn hours_before(self, hours: i64) -> Self {
        Self(self.0.saturating_sub(hours.saturating_mul(HOUR_MS)))
    }

    #[must_use]
    pub fn days_before(self, days: i64) -> Self {
        Self(self.0.saturating_sub(days.saturating_mul(DAY_MS)))
    }

    #[must_use]
    pub fn days_after(self, days: i64) -> Self {
        Self(self.0.saturating_add(days.saturating_mul(DAY_MS)))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(value: DateTime<Utc>) -> Self {
        Self(value.timestamp_millis())
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, rhs: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(rhs.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Timestamp> for Timestamp {
    type Output = i64;

    /// Milliseconds between two instants.
    fn sub(self, rhs: Timestamp) -> i64 {
        self.0.saturating_sub(rhs.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = if self.0 % 1000 == 0 { SecondsFormat::Secs } else { SecondsFormat::Millis };
        f.write_str(&self.to_utc().to_rfc3339_opts(precision, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_rfc3339(&text).map_err(serde::de::Error::custom)
    }
}
