//! Whether a topic's scheduled run is due, and when the next one is. Called by the daemon, and by the runner once it holds
//! the topic: of two daemons that see the same run due, the second finds that it is done.

use aha_core::schedule::Schedule;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::Topic;
use aha_store::{SharedStore, StoreError};
use chrono_tz::Tz;
use serde::Serialize;

use super::RunError;
use crate::app::App;
use crate::config::Config;

/// Whether a time of the schedule has come that the topic has not been read up to. A topic that was never run is due at
/// once: a first digest should not wait for tomorrow. One that was read up to a day that has not come is, too, so that its
/// run says what is wrong.
///
/// # Errors
/// When the topic's schedule or zone cannot be read.
pub fn is_due(app: &App, topic: &Topic, now: Timestamp) -> Result<bool, RunError> {
    let (schedule, zone) = (schedule_of(app, topic)?, zone_of(app, topic)?);
    Ok(match (topic.next_run_at, topic.cursor_end) {
        (None, cursor) => cursor.is_none(),
        (Some(at), None) => at <= now,
        (Some(at), Some(cursor)) => {
            let unread = schedule.next_after(cursor, zone).is_some_and(|next| next <= now);
            at <= now && (unread || cursor - now > DAY_MS)
        }
    })
}

/// A topic that had no successful run for longer than `AHA_ALERT_HOURS`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overdue {
    pub topic: String,
    /// `None`: there never was one.
    pub last_success: Option<Timestamp>,
}

/// So many runs are looked at for one that succeeded.
const RUNS_LOOKED_AT: i64 = 50;

/// Whether a topic is overdue; one that was never run is not.
pub async fn overdue(
    store: &SharedStore,
    config: &Config,
    topic: &Topic,
    now: Timestamp,
) -> Result<Option<Overdue>, StoreError> {
    let Some(limit) = config.alert_after else { return Ok(None) };
    let runs = store.runs(Some(topic.id), RUNS_LOOKED_AT).await?;
    let attempts = || runs.iter().flat_map(|(_, attempts)| attempts);
    let last_success = attempts().filter(|a| a.outcome == "done").filter_map(|a| a.finished_at).max();
    let since = last_success.or_else(|| attempts().map(|a| a.started_at).min());
    let is_overdue = since.is_some_and(|since| since + limit < now);
    Ok(is_overdue.then(|| Overdue { topic: topic.name.clone(), last_success }))
}

/// Plans the next run of a topic that is not due, where that is not done, or was done when the clock was wrong.
pub async fn plan_anew(app: &App, topic: &Topic, now: Timestamp) -> Result<(), StoreError> {
    let planned = topic.next_run_at.filter(|at| *at > now);
    if planned.is_some() && planned <= next(app, topic, now) {
        return Ok(());
    }
    plan_next(app, topic, now).await
}

/// Writes down when the topic is due next after a time.
pub async fn plan_next(app: &App, topic: &Topic, after: Timestamp) -> Result<(), StoreError> {
    let next = next(app, topic, after);
    app.store().set_next_run(topic.id, next).await?;
    let next = next.map_or_else(|| "never".to_owned(), |at| at.to_string());
    tracing::debug!(topic = %topic.name, %next, "next run planned");
    Ok(())
}

fn next(app: &App, topic: &Topic, after: Timestamp) -> Option<Timestamp> {
    let (schedule, zone) = (schedule_of(app, topic).ok()?, zone_of(app, topic).ok()?);
    schedule.next_after(after, zone)
}

/// The topic's own schedule, else the environment's.
///
/// # Errors
/// When the topic's cannot be read.
pub fn schedule_of(app: &App, topic: &Topic) -> Result<Schedule, RunError> {
    match &topic.schedule {
        Some(text) => Schedule::parse(text).map_err(|_| RunError::BadSchedule(text.clone())),
        None => Ok(app.config().schedule.clone()),
    }
}

/// The topic's own zone, else the environment's.
///
/// # Errors
/// When the topic's is unknown.
pub fn zone_of(app: &App, topic: &Topic) -> Result<Tz, RunError> {
    match &topic.timezone {
        Some(text) => text.parse().map_err(|_| RunError::BadTimezone(text.clone())),
        None => Ok(app.config().timezone),
    }
}
