//! The user's time zone, date and time, and the local times that a clock change skips.

use aha_planner::apply::State;
use aha_planner::language::{ClockChange, Today};
use aha_planner::operation::Operation;
use aha_planner::record::Item;
use aha_planner::time_of_day::TimeOfDay;
use chrono::{NaiveDate, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Timelike as _};
use chrono_tz::Tz;

use super::super::{Result, ServiceError};
use crate::app::App;

/// The topic whose time zone is the user's.
const ZONE_TOPIC: &str = "default";

/// The most minutes that a clock change leaves out: Samoa left out a day in 2011.
const MAX_SKIPPED_MINUTES: i64 = 24 * 60;

/// How many days ahead a clock change is searched for. Most zones that have any have two in a year.
const MAX_DAYS_TO_CHANGE: i64 = 366;

/// Returns the time zone of the user's dates: that of the topic `default`, else `AHA_TIMEZONE`.
pub async fn zone(app: &App) -> Result<Tz> {
    let topic = app.store().topic(ZONE_TOPIC).await?;
    let of_topic = topic.and_then(|topic| topic.timezone).and_then(|name| name.parse().ok());
    Ok(of_topic.unwrap_or(app.config().timezone))
}

/// Returns the user's date and time.
pub async fn today(app: &App) -> Result<Today> {
    let zone = zone(app).await?;
    let now = app.clock().now().to_utc().with_timezone(&zone);
    let part = |number: u32| u16::try_from(number).unwrap_or(0);
    let time = TimeOfDay::new(part(now.hour()), part(now.minute())).or(TimeOfDay::new(0, 0));
    let time = time.ok_or_else(|| ServiceError::invalid("now", "the clock shows no time of a day"))?;
    Ok(Today { date: now.date_naive(), time, clock_changes: clock_changes(zone, now.naive_utc()) })
}

/// Returns the next two clock changes, each within [`MAX_DAYS_TO_CHANGE`] of now or of the one before it.
fn clock_changes(zone: Tz, now_utc: NaiveDateTime) -> [Option<ClockChange>; 2] {
    const DAY: i64 = 24 * 60;
    let offset = |minutes: i64| {
        let at = now_utc.checked_add_signed(TimeDelta::minutes(minutes)).unwrap_or(now_utc);
        i64::from(zone.offset_from_utc_datetime(&at).fix().local_minus_utc()) / 60
    };
    let next = |from: i64| {
        let known = offset(from);
        let mut after = (1..=MAX_DAYS_TO_CHANGE).map(|day| from + day * DAY).find(|at| offset(*at) != known)?;
        let mut before = after - DAY;
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if offset(middle) == known {
                before = middle;
            } else {
                after = middle;
            }
        }
        Some(ClockChange { in_minutes: after, forward_minutes: offset(after) - known })
    };
    let first = next(0);
    [first, first.and_then(|first| next(first.in_minutes))]
}

/// Says which time of an operation does not exist because the clocks are put forward then, and what to say instead.
/// `None` if there is none. An item that repeats has its other days, and a time that the operation does not change is
/// not checked.
#[must_use]
pub fn skipped_time(zone: Tz, operation: &Operation, state: &State) -> Option<String> {
    let item = operation.id.and_then(|id| state.item(operation.kind, id));
    let recurrence = operation.recurrence.or(item.map(|item| item.recurrence));
    if recurrence.is_some_and(|recurrence| recurrence.repeats()) {
        return None;
    }
    let known_day = item.and_then(|item| item.scheduled_for);
    let known_start = item.and_then(Item::time);
    let known_end = item.and_then(|item| item.end_time);
    let day = operation.scheduled_for.unwrap_or(known_day)?;
    let start = operation.start_time.or(operation.time_of_day).unwrap_or(known_start);
    let end = operation.end_time.unwrap_or(known_end);
    if (Some(day), start, end) == (known_day, known_start, known_end) {
        return None;
    }
    let title = operation.title.as_deref().or(item.map(|item| item.title.as_str())).unwrap_or_default();
    let why = start.into_iter().chain(end).find_map(|time| skip_at(zone, day, time))?;
    Some(format!("Not planned: \"{title}\". {why}"))
}

/// Says that a local time is skipped by a clock change, and which time to take. `None` if it exists.
fn skip_at(zone: Tz, day: NaiveDate, time: TimeOfDay) -> Option<String> {
    let at = day.and_time(time.to_naive());
    let exists = |at: &NaiveDateTime| zone.from_local_datetime(at).earliest().is_some();
    if exists(&at) {
        return None;
    }
    let minutes = || (1..=MAX_SKIPPED_MINUTES).map(TimeDelta::minutes);
    let from = minutes().filter_map(|ahead| at.checked_sub_signed(ahead)).find(exists)? + TimeDelta::minutes(1);
    let to = minutes().filter_map(|ahead| at.checked_add_signed(ahead)).find(exists)?;
    let instead = at + (to - from);
    Some(format!(
        "{time} does not exist on {day} in {}: the clocks are put forward from {} to {}. Say another time, such as {}.",
        zone.name(),
        from.format("%H:%M"),
        to.format("%H:%M"),
        instead.format("%H:%M"),
    ))
}
