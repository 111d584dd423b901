//! Recurrence rules and the days they produce.
//!
//! A rule counts whole local days from its anchor, the item's `scheduledFor`, so that a clock change moves no
//! occurrence. A rule without an end is expanded only between two dates.

use chrono::{Datelike as _, Days, NaiveDate, Weekday};
use serde::{Deserialize, Serialize};

/// Maximum interval of `every_n_days`: a hundred years.
pub const MAX_INTERVAL_DAYS: u32 = 36_525;

/// The days of a rule, from its anchor on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    #[default]
    None,
    Daily,
    /// Monday to Friday.
    Weekdays,
    /// The anchor's day of the week.
    Weekly,
    /// The anchor and every n-th day after it; n is at least 1.
    EveryNDays(u32),
}

/// A rule and its last possible day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Recurrence {
    pub rule: Rule,
    /// Inclusive.
    pub until: Option<NaiveDate>,
}

/// Why a serialised recurrence is invalid.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRecurrence {
    #[error("every_n_days needs intervalDays from 1 to {MAX_INTERVAL_DAYS}, not {0:?}")]
    Interval(Option<u32>),
    #[error("intervalDays {0} contradicts the type; every_n_days repeats after a number of days")]
    Contradiction(u32),
}

impl Recurrence {
    /// Does not repeat.
    pub const NONE: Self = Self { rule: Rule::None, until: None };

    #[must_use]
    pub const fn of(rule: Rule) -> Self {
        Self { rule, until: None }
    }

    #[must_use]
    pub fn repeats(&self) -> bool {
        self.rule != Rule::None
    }

    /// Returns whether the rule has an occurrence on that day.
    #[must_use]
    pub fn occurs_on(&self, anchor: NaiveDate, day: NaiveDate) -> bool {
        if day < anchor || self.until.is_some_and(|until| day > until) {
            return false;
        }
        let passed = (day - anchor).num_days();
        match self.rule {
            Rule::None => passed == 0,
            Rule::Daily => true,
            Rule::Weekdays => is_weekday(day),
            Rule::Weekly => passed % 7 == 0,
            Rule::EveryNDays(interval) => passed % i64::from(interval.max(1)) == 0,
        }
    }

    /// Returns the occurrences from `from` to `to`, both included. An item that does not repeat occurs on its anchor's
    /// day.
    #[must_use]
    pub fn occurrences(&self, anchor: NaiveDate, from: NaiveDate, to: NaiveDate) -> Vec<NaiveDate> {
        let last = self.until.map_or(to, |until| until.min(to));
        let step = match self.rule {
            Rule::None => {
                let named = from <= anchor && anchor <= to;
                return named.then_some(anchor).into_iter().collect();
            }
            Rule::Daily | Rule::Weekdays => 1,
            Rule::Weekly => 7,
            Rule::EveryNDays(interval) => u64::from(interval.max(1)),
        };
        let behind = u64::try_from((from - anchor).num_days()).unwrap_or(0);
        let first = anchor.checked_add_days(Days::new(behind.div_ceil(step) * step));
        std::iter::successors(first, |day| day.checked_add_days(Days::new(step)))
            .take_while(|day| *day <= last)
            .filter(|day| self.rule != Rule::Weekdays || is_weekday(*day))
            .collect()
    }

    /// Returns the first occurrence on or after `from`.
    #[must_use]
    pub fn next_from(&self, anchor: NaiveDate, from: NaiveDate) -> Option<NaiveDate> {
        let start = from.max(anchor);
        self.occurrences(anchor, start, start.checked_add_days(self.max_gap())?).first().copied()
    }

    /// Returns the last occurrence on or before `day`.
    #[must_use]
    pub fn last_until(&self, anchor: NaiveDate, day: NaiveDate) -> Option<NaiveDate> {
        if !self.repeats() {
            return (anchor <= day).then_some(anchor);
        }
        let end = self.until.map_or(day, |until| until.min(day));
        let start = end.checked_sub_days(self.max_gap()).map_or(anchor, |start| start.max(anchor));
        self.occurrences(anchor, start, end).last().copied()
    }

    /// Within so many days after an occurrence is the next one, unless it was the last.
    fn max_gap(&self) -> Days {
        match self.rule {
            Rule::EveryNDays(interval) => Days::new(u64::from(interval)),
            _ => Days::new(7),
        }
    }

    /// Describes the recurrence: "every 3 days until 2026-06-30".
    #[must_use]
    pub fn in_words(&self) -> String {
        let rule = match self.rule {
            Rule::None => return "once".to_owned(),
            Rule::Daily => "every day".to_owned(),
            Rule::Weekdays => "every weekday".to_owned(),
            Rule::Weekly => "every week".to_owned(),
            Rule::EveryNDays(interval) => format!("every {interval} days"),
        };
        self.until.map_or(rule.clone(), |until| format!("{rule} until {until}"))
    }
}

fn is_weekday(day: NaiveDate) -> bool {
    !matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(rename = "type")]
    kind: WireKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval_days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<NaiveDate>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireKind {
    None,
    Daily,
    Weekdays,
    Weekly,
    EveryNDays,
}

impl TryFrom<Wire> for Recurrence {
    type Error = InvalidRecurrence;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        // "weekly" with an interval of 3 would become every week.
        let is_rule_of_days = |interval| match wire.kind {
            WireKind::Daily => interval == 1,
            WireKind::Weekly => interval == 1 || interval == 7,
            _ => true,
        };
        if let Some(interval) = wire.interval_days.filter(|interval| !is_rule_of_days(*interval)) {
            return Err(InvalidRecurrence::Contradiction(interval));
        }
        let rule = match wire.kind {
            WireKind::None => Rule::None,
            WireKind::Daily => Rule::Daily,
            WireKind::Weekdays => Rule::Weekdays,
            WireKind::Weekly => Rule::Weekly,
            WireKind::EveryNDays => match wire.interval_days {
                Some(interval @ 1..=MAX_INTERVAL_DAYS) => Rule::EveryNDays(interval),
                other => return Err(InvalidRecurrence::Interval(other)),
            },
        };
        Ok(Self { rule, until: wire.until })
    }
}

impl From<Recurrence> for Wire {
    fn from(recurrence: Recurrence) -> Self {
        let (kind, interval_days) = match recurrence.rule {
            Rule::None => (WireKind::None, None),
            Rule::Daily => (WireKind::Daily, None),
            Rule::Weekdays => (WireKind::Weekdays, None),
            Rule::Weekly => (WireKind::Weekly, None),
            Rule::EveryNDays(interval) => (WireKind::EveryNDays, Some(interval)),
        };
        Self { kind, interval_days, until: recurrence.until }
    }
}
