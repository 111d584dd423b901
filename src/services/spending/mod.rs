//! Spending: what was spent on what, what is left of the budget, and correcting the cost of a call.

mod adjust;
mod budget;

use aha_core::time::{DAY_MS, Timestamp};
use serde::{Serialize, Serializer};

pub use aha_store::{SpendBy, SpendRow};

pub use self::adjust::{AdjustedCall, adjust};
pub use self::budget::{Budget, Period};
use super::{Result, ServiceError};
use crate::app::App;

/// Spending over a number of days.
#[derive(Debug, Serialize)]
pub struct SpendReport {
    #[serde(serialize_with = "by_name")]
    pub by: SpendBy,
    pub days: u16,
    pub since: Timestamp,
    pub rows: Vec<SpendRow>,
    pub total: SpendRow,
    pub budget: Budget,
    /// Descriptions of the caps that are nearly used up, or will be.
    pub alerts: Vec<String>,
    /// Whether no model was asked.
    #[serde(skip)]
    pub is_local: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn by_name<S: Serializer>(by: &SpendBy, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(by.as_str())
}

/// Reports the spending of the last days, today included. By day: in their order, from the first with a call; otherwise
/// the largest amount first.
///
/// # Errors
/// When the store fails.
pub async fn report(app: &App, by: SpendBy, days: u16) -> Result<SpendReport> {
    let now = app.clock().now();
    let today = now.as_millis().div_euclid(DAY_MS);
    let since = Timestamp::from_millis((today - i64::from(days) + 1) * DAY_MS);
    let mut rows = app.store().spend(by, since).await?;
    let total = rows.iter().fold(nothing("total".to_owned()), add);
    match by {
        SpendBy::Day => rows = every_day(&rows, today),
        SpendBy::Purpose | SpendBy::Model | SpendBy::Topic => {
            rows.sort_by(|a, b| b.microcredits.cmp(&a.microcredits).then_with(|| a.key.cmp(&b.key)));
        }
    }
    let is_local = !app.store().has_paid(since).await?;
    let budget = Budget::of(app.store(), &app.config().budget, now).await?;
    Ok(SpendReport { by, days, since, rows, total, alerts: budget.alerts(), budget, is_local })
}

/// Checks that the caps of day and month leave room for another paid call.
///
/// # Errors
/// [`ServiceError::BudgetExhausted`] if they do not.
pub async fn check_headroom(app: &App) -> Result<()> {
    let budget = Budget::of(app.store(), &app.config().budget, app.clock().now()).await?;
    budget.exhausted().map_or(Ok(()), |message| Err(ServiceError::BudgetExhausted { message }))
}

const fn nothing(key: String) -> SpendRow {
    SpendRow {
        key,
        calls: 0,
        errors: 0,
        unsettled: 0,
        unpriced: 0,
        stories: 0,
        input_tokens: 0,
        output_tokens: 0,
        microcredits: 0,
        reserved_microcredits: 0,
    }
}

fn add(sum: SpendRow, row: &SpendRow) -> SpendRow {
    SpendRow {
        key: sum.key,
        calls: sum.calls + row.calls,
        errors: sum.errors + row.errors,
        unsettled: sum.unsettled + row.unsettled,
        unpriced: sum.unpriced + row.unpriced,
        stories: sum.stories + row.stories,
        input_tokens: sum.input_tokens + row.input_tokens,
        output_tokens: sum.output_tokens + row.output_tokens,
        microcredits: sum.microcredits + row.microcredits,
        reserved_microcredits: sum.reserved_microcredits + row.reserved_microcredits,
    }
}

/// Returns the days from the first with a call to today, newest last, with their dates; a day without a call is a row
/// of zeros.
fn every_day(rows: &[SpendRow], today: i64) -> Vec<SpendRow> {
    let numbered: Vec<(i64, &SpendRow)> = rows.iter().filter_map(|row| Some((row.key.parse().ok()?, row))).collect();
    let Some(first) = numbered.iter().map(|(day, _)| *day).min() else { return Vec::new() };
    let last = numbered.iter().map(|(day, _)| *day).max().unwrap_or(today).max(today);
    let date = |day: i64| Timestamp::from_millis(day * DAY_MS).to_utc().format("%Y-%m-%d").to_string();
    (first..=last)
        .map(|day| match numbered.iter().find(|(known, _)| *known == day) {
            Some((_, row)) => SpendRow { key: date(day), ..(*row).clone() },
            None => nothing(date(day)),
        })
        .collect()
}
