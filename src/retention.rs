//! Removes old data: on request with `aha-radar retain`, once a day in the daemon.
//!
//! Input: the retention settings, in days. Output: rows removed, in batches so that no writer waits long, and the files
//! of removed digests. Nothing is removed while a run is in progress. Answers are never removed, so nothing is paid for
//! twice; docs/OPERATING.md lists what else stays.

use aha_core::time::{DAY_MS, Timestamp};
use aha_store::{RemovedRows, RetentionStep, StoreError};
use chrono::{Datelike as _, NaiveDate};
use serde::Serialize;
use thiserror::Error;
use tokio::task::{JoinError, JoinHandle};

use crate::app::App;
use crate::digest::{OldFiles, RenderError, remove_old_files};

/// Rows removed in one transaction.
const BATCH_ROWS: i64 = 500;

const FILES: &str = "files of digests";

/// The result for one kind of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retained {
    pub what: &'static str,
    /// Older rows are removed; `None` where all are kept.
    pub before: Option<Timestamp>,
    /// Rows removed or, in a preview, to be removed. The last kind counts files.
    pub rows: i64,
}

/// Why some of the old data could not be removed.
#[derive(Debug, Error)]
pub enum RetentionError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Files(#[from] RenderError),
    #[error("the removal of old files ended unexpectedly ({0}); the log says where, please report it")]
    Ended(#[from] JoinError),
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    pub kinds: Vec<Retained>,
    /// True if a run was in progress, so that not everything was removed.
    pub interrupted: bool,
    /// Why not all old files could be removed; rows were.
    pub problem: Option<String>,
}

/// Counts what is older than the settings keep.
///
/// # Errors
/// When the store fails or the digests' files cannot be read.
pub async fn preview(app: &App) -> Result<Outcome, RetentionError> {
    let mut kinds = Vec::new();
    for (step, what, before) in steps(app) {
        let rows = match before {
            Some(before) => app.store().count_old(step, before).await?,
            None => 0,
        };
        kinds.push(Retained { what, before, rows });
    }
    kinds.push(files(app, false).await?);
    Ok(Outcome { kinds, interrupted: false, problem: None })
}

/// Removes what is older than the settings keep.
///
/// # Errors
/// When the store fails; everything removed before that stays removed.
pub async fn run(app: &App) -> Result<Outcome, RetentionError> {
    let mut kinds = Vec::new();
    let mut interrupted = false;
    for (step, what, before) in steps(app) {
        let mut rows = 0;
        while let Some(before) = before.filter(|_| !interrupted) {
            match app.store().remove_old(step, before, BATCH_ROWS, app.clock().wall()).await? {
                RemovedRows::RunInProgress => interrupted = true,
                RemovedRows::Removed(0) => break,
                RemovedRows::Removed(removed) => rows += i64::try_from(removed).unwrap_or(i64::MAX),
            }
        }
        kinds.push(Retained { what, before, rows });
    }
    // Counted at least, so that an unreadable folder is reported.
    let (of_files, problem) = match files(app, !interrupted).await {
        Ok(of_files) => (of_files, None),
        Err(error @ RetentionError::Files(_)) => {
            let before = files_before(app);
            (Retained { what: FILES, before, rows: 0 }, Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    kinds.push(if interrupted { Retained { rows: 0, ..of_files } } else { of_files });
    Ok(Outcome { kinds, interrupted, problem })
}

/// Counts, or removes, the files of old digests. The files of a topic's newest digest stay, as that digest does; files
/// left over from digests removed earlier are removed as well.
async fn files(app: &App, remove: bool) -> Result<Retained, RetentionError> {
    let before = files_before(app);
    let mut rows = 0;
    if let Some(time) = before {
        for topic in app.store().topics().await? {
            let zone = topic.timezone.as_deref().and_then(|zone| zone.parse().ok()).unwrap_or(app.config().timezone);
            let newest = app.store().latest_digest(topic.id).await?;
            let output_dir = app.config().output_dir.clone();
            let removing = tokio::task::spawn_blocking(move || {
                let old = OldFiles { time, zone, newest: newest.as_ref() };
                remove_old_files(&output_dir, &topic.name, &old, remove)
            });
            rows += i64::try_from(removing.await??).unwrap_or(i64::MAX);
        }
    }
    Ok(Retained { what: FILES, before, rows })
}

fn files_before(app: &App) -> Option<Timestamp> {
    app.config().retention.digests_days.map(|days| app.clock().now().days_before(days))
}

/// Retention once a day, after the start and after the clock was set back, concurrent with the daemon's runs. Retried
/// at the next tick if a run was in progress.
#[derive(Debug, Default)]
pub struct Daily {
    working: Option<JoinHandle<bool>>,
    last: Option<Timestamp>,
}

impl Daily {
    /// Called every minute.
    pub fn tick(&mut self, app: &App) {
        let now = app.clock().wall();
        if self.working.as_ref().is_some_and(|work| !work.is_finished()) {
            return;
        }
        if let Some(Some(done)) = self.working.take().map(futures::FutureExt::now_or_never) {
            self.last = done.unwrap_or(false).then_some(now);
        }
        if is_due(self.last, now) {
            self.working = Some(tokio::spawn(once(app.clone())));
        }
    }
}

/// Whether there was no last time, it was a day ago, or it is to come because the clock was set back.
fn is_due(last: Option<Timestamp>, now: Timestamp) -> bool {
    last.is_none_or(|last| now < last || now - last >= DAY_MS)
}

/// Returns whether everything was removed.
async fn once(app: App) -> bool {
    match run(&app).await {
        Ok(outcome) => {
            let rows: i64 = outcome.kinds.iter().map(|kind| kind.rows).sum();
            if rows > 0 {
                tracing::info!(rows, interrupted = outcome.interrupted, "old rows removed");
            }
            if let Some(error) = &outcome.problem {
                tracing::warn!(%error, "old files could not be removed; trying again in a minute");
            }
            !outcome.interrupted && outcome.problem.is_none()
        }
        Err(error) => {
            tracing::warn!(%error, "old rows could not be removed; trying again in a minute");
            false
        }
    }
}

/// Returns the steps in an order in which each makes rows of the next removable.
fn steps(app: &App) -> [(RetentionStep, &'static str, Option<Timestamp>); 6] {
    let (days, now) = (app.config().retention, app.clock().now());
    let before = |days: Option<i64>| days.map(|days| now.days_before(days));
    let calls = before(days.calls_days).map(|before| before.min(previous_month(now)));
    [
        (RetentionStep::Digests, "digests", before(days.digests_days)),
        (RetentionStep::Items, "items (texts)", before(days.items_days)),
        (RetentionStep::Vectors, "vectors of removed items", before(days.items_days)),
        (RetentionStep::Fetches, "source checks", before(days.fetches_days)),
        (RetentionStep::Calls, "calls without an answer in use", calls),
        (RetentionStep::Counters, "budget counters", calls),
    ]
}

/// Returns the start of the previous month in UTC: caps and spending reports read this month and the previous one.
fn previous_month(now: Timestamp) -> Timestamp {
    let today = now.to_utc().date_naive();
    let (year, month) = if today.month() == 1 { (today.year() - 1, 12) } else { (today.year(), today.month() - 1) };
    let first = NaiveDate::from_ymd_opt(year, month, 1).unwrap_or(today);
    Timestamp::from_millis(first.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use aha_core::time::Timestamp;

    use super::{is_due, previous_month};

    #[test]
    fn it_is_due_once_a_day_and_after_the_clock_was_set_back() {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let last = Some(at("2026-11-19T07:00:00Z"));
        let times = ["2026-11-19T07:00:00Z", "2026-11-20T06:59:59Z", "2026-11-20T07:00:00Z", "2026-11-12T07:00:00Z"];
        assert_eq!(times.map(|now| is_due(last, at(now))), [false, false, true, true]);
        assert!(is_due(None, at("2026-11-19T07:00:00Z")));
    }

    #[test]
    fn the_month_before_january_is_december() {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        assert_eq!(previous_month(at("2026-01-31T23:00:00Z")), at("2025-12-01T00:00:00Z"));
        assert_eq!(previous_month(at("2026-11-19T07:00:00Z")), at("2026-10-01T00:00:00Z"));
    }
}
