//! A time of day in the user's time zone, to the minute, written `HH:MM`.

use std::fmt;
use std::str::FromStr;

use chrono::NaiveTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Minutes since midnight, below 24 × 60.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(u16);

/// The text is not `HH:MM` between 00:00 and 23:59.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no time of day; write it as HH:MM, from 00:00 to 23:59")]
pub struct InvalidTimeOfDay(String);

impl TimeOfDay {
    /// Returns `None` if there is no such time.
    #[must_use]
    pub fn new(hour: u16, minute: u16) -> Option<Self> {
        (hour < 24 && minute < 60).then_some(Self(hour * 60 + minute))
    }

    #[must_use]
    pub const fn hour(self) -> u16 {
        self.0 / 60
    }

    #[must_use]
    pub const fn minute(self) -> u16 {
        self.0 % 60
    }

    /// Returns the time some minutes later on the same day, 23:59 at the latest.
    #[must_use]
    pub fn plus_minutes(self, minutes: u16) -> Self {
        Self(self.0.saturating_add(minutes).min(23 * 60 + 59))
    }

    /// Converts to chrono's type.
    #[must_use]
    pub fn to_naive(self) -> NaiveTime {
        NaiveTime::from_hms_opt(u32::from(self.hour()), u32::from(self.minute()), 0).unwrap_or(NaiveTime::MIN)
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour(), self.minute())
    }
}

impl FromStr for TimeOfDay {
    type Err = InvalidTimeOfDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidTimeOfDay(text.to_owned());
        let digits = |part: &str| {
            (part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok()).flatten()
        };
        let (hour, minute) = text.split_once(':').ok_or_else(invalid)?;
        let (hour, minute) = (digits(hour).ok_or_else(invalid)?, digits(minute).ok_or_else(invalid)?);
        Self::new(hour, minute).ok_or_else(invalid)
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeOfDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::TimeOfDay;

    #[test]
    fn two_digits_each_are_asked_for() {
        assert_eq!("09:05".parse::<TimeOfDay>().unwrap().to_string(), "09:05");
        for text in ["9:05", "24:00", "12:60", "12.30", "+1:00", "", "12:3", "noon"] {
            assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
        }
    }
}
