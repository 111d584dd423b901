//! Whether a topic's scheduled run is due, and when the next one is. Called by the daemon, and by the runner once it
//! holds the lease: if two daemons see the same run due, the second one then finds it done.

use aha_core::run::AttemptOutcome;
use aha_core::schedule::Schedule;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::Topic;
use aha_store::{SharedStore, StoreError};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RunError;
use crate::app::App;
use crate::config::Config;

/// Whether a scheduled time has passed up to which the topic has not been read. A topic that was never run is due at
/// once, so that the first digest does not wait until the next day. A topic whose cursor is more than a day in the
/// future is due, too, so that its run reports the error.
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

/// A topic without a successful run for longer than `AHA_ALERT_HOURS`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overdue {
    pub topic: String,
    /// `None` if there never was one.
    #[schema(value_type = Option<String>)]
    pub last_success: Option<Timestamp>,
}

/// Maximum number of runs searched for a successful one.
const MAX_RUNS_SEARCHED: i64 = 50;

/// Returns the topic if it is overdue. A topic that was never run is not, nor is one without an enabled source, which
/// the daemon does not run.
pub async fn overdue(
    store: &SharedStore,
    config: &Config,
    topic: &Topic,
    now: Timestamp,
) -> Result<Option<Overdue>, StoreError> {
    let Some(limit) = config.alert_after else { return Ok(None) };
    let runs = store.runs(Some(topic.id), MAX_RUNS_SEARCHED).await?;
    let attempts = || runs.iter().flat_map(|(_, attempts)| attempts);
    let last_success = attempts().filter(|a| a.outcome == AttemptOutcome::Done).filter_map(|a| a.finished_at).max();
    let since = last_success.or_else(|| attempts().map(|a| a.started_at).min());
    let is_overdue = since.is_some_and(|since| since + limit < now)
        && store.sources(topic.id).await?.iter().any(|source| source.enabled);
    Ok(is_overdue.then(|| Overdue { topic: topic.name.clone(), last_success }))
}

/// Schedules the next run of a topic that is not due, unless it is scheduled already. A time that is too late, because
/// it was set when the clock was wrong, is replaced.
pub async fn reschedule(app: &App, topic: &Topic, now: Timestamp) -> Result<(), StoreError> {
    let planned = topic.next_run_at.filter(|at| *at > now);
    if planned.is_some() && planned <= next(app, topic, now) {
        return Ok(());
    }
    schedule_next(app, topic, now).await
}

/// Stores the topic's first due time after `after`.
pub async fn schedule_next(app: &App, topic: &Topic, after: Timestamp) -> Result<(), StoreError> {
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

/// Returns the topic's own schedule, otherwise that of the environment.
///
/// # Errors
/// When the topic's schedule cannot be read.
pub fn schedule_of(app: &App, topic: &Topic) -> Result<Schedule, RunError> {
    match &topic.schedule {
        Some(text) => Schedule::parse(text).map_err(|_| RunError::BadSchedule(text.clone())),
        None => Ok(app.config().schedule.clone()),
    }
}

/// Returns the topic's own zone, otherwise that of the environment.
///
/// # Errors
/// When the topic's zone is unknown.
pub fn zone_of(app: &App, topic: &Topic) -> Result<Tz, RunError> {
    match &topic.timezone {
        Some(text) => text.parse().map_err(|_| RunError::BadTimezone(text.clone())),
        None => Ok(app.config().timezone),
    }
}
