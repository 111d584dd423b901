//! What is left of the caps, and the projection for the month. Used by `spend`, `doctor` and `run --dry-run`.

use aha_core::budget::{APPROACHING, CRITICAL};
use aha_core::money::MicroCredits;
use aha_core::time::{DAY_MS, Timestamp};
use aha_llm::settings::BudgetSettings;
use aha_store::{SharedStore, StoreError};
use chrono::{DateTime, Datelike as _, Months, Utc};
use serde::Serialize;

/// Usage of the day's and the month's budget.
#[derive(Debug, Serialize)]
pub struct Budget {
    pub day: Period,
    pub month: Period,
    /// The cap of one run.
    pub run_cap_microcredits: Option<MicroCredits>,
    /// The month's projected spending at the current rate.
    pub month_projected_microcredits: MicroCredits,
}

/// A counter and its cap.
#[derive(Debug, Serialize)]
pub struct Period {
    /// `2026-11-22`, or `2026-11`.
    #[serde(rename = "period")]
    pub span: String,
    /// Includes reservations.
    pub used_microcredits: MicroCredits,
    pub reserved_microcredits: MicroCredits,
    pub cap_microcredits: Option<MicroCredits>,
    #[serde(skip)]
    setting: &'static str,
    #[serde(skip)]
    name: &'static str,
}

impl Period {
    /// Returns how much of the cap is used; `None` without a cap.
    fn share(&self) -> Option<f64> {
        let cap = self.cap_microcredits?;
        Some(if cap.0 == 0 { 1.0 } else { self.used_microcredits.as_credits() / cap.as_credits() })
    }

    fn line(&self) -> String {
        let used = self.used_microcredits;
        let what = match (self.cap_microcredits, self.share()) {
            (Some(cap), Some(share)) => format!("{used} of {cap} credits ({:.0} %)", share * 100.0),
            _ => format!("{used} credits, no cap ({} sets one)", self.setting),
        };
        let aside = match self.reserved_microcredits {
            MicroCredits::ZERO => String::new(),
            reserved => format!(", {reserved} of them for calls under way"),
        };
        format!("{} ({}): {what}{aside}", self.name, self.span)
    }

    fn alert(&self) -> Option<String> {
        let share = self.share()?;
        let step = if share >= 1.0 {
            "all"
        } else if share >= CRITICAL {
            "over 95 %"
        } else if share >= APPROACHING {
            "over 80 %"
        } else {
            return None;
        };
        let (cap, name) = (self.cap_microcredits.unwrap_or_default(), self.name);
        Some(format!("{step} of the budget of {cap} credits is used: {name} ({})", self.setting))
    }
}

impl Budget {
    pub async fn of(store: &SharedStore, settings: &BudgetSettings, now: Timestamp) -> Result<Self, StoreError> {
        let date = now.to_utc();
        let (day, month) = (date.format("%Y-%m-%d").to_string(), date.format("%Y-%m").to_string());
        let counters = store.counters(&[format!("day:{day}"), format!("month:{month}")]).await?;
        let used = |index: usize| {
            let found = counters.get(index).cloned().unwrap_or_default();
            let reserved = found.reserved_microcredits;
            (MicroCredits(found.settled_microcredits + reserved), MicroCredits(reserved))
        };
        let period = |span, (used, reserved), cap, setting, name| Period {
            span,
            used_microcredits: used,
            reserved_microcredits: reserved,
            cap_microcredits: cap,
            setting,
            name,
        };
        let caps = settings.caps;
        Ok(Self {
            day: period(day, used(0), caps.day, "AHA_BUDGET_DAILY_CREDITS", "today"),
            month_projected_microcredits: projected(used(1).0, date),
            month: period(month, used(1), caps.month, "AHA_BUDGET_MONTHLY_CREDITS", "this month"),
            run_cap_microcredits: caps.run,
        })
    }

    /// Describes the cap that is used up; `None` while there is room for another call.
    #[must_use]
    pub fn exhausted(&self) -> Option<String> {
        let is_full = |period: &&Period| period.share().is_some_and(|share| share >= 1.0);
        let full = [&self.day, &self.month].into_iter().find(is_full)?;
        Some(format!("the budget is used up: {}; raise {}, or wait for the next period", full.line(), full.setting))
    }

    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.day.line(), self.month.line()];
        if self.month.used_microcredits.0 > 0 {
            let projected = self.month_projected_microcredits;
            let of_cap = self.month.cap_microcredits.filter(|cap| cap.0 > 0).map_or_else(String::new, |cap| {
                format!(", {:.0} % of its cap", projected.as_credits() / cap.as_credits() * 100.0)
            });
            lines.push(format!("at this pace the month comes to {projected} credits{of_cap}"));
        }
        if let Some(cap) = self.run_cap_microcredits {
            lines.push(format!("a run may spend {cap} credits (AHA_BUDGET_RUN_CREDITS)"));
        }
        lines
    }

    /// Describes the caps that are nearly used up, or will be.
    pub fn alerts(&self) -> Vec<String> {
        let mut alerts: Vec<String> = [&self.day, &self.month].into_iter().filter_map(Period::alert).collect();
        let over = |cap: &MicroCredits| self.month_projected_microcredits > *cap && self.month.used_microcredits < *cap;
        if let Some(cap) = self.month.cap_microcredits.filter(over) {
            alerts.push(format!("at this pace the {cap} credits of the month do not reach to its end"));
        }
        alerts
    }
}

/// Extrapolates a month's spending to its end; the first day counts as a whole one. From one credit on the result is
/// rounded to thousandths.
fn projected(used: MicroCredits, now: DateTime<Utc>) -> MicroCredits {
    let first = now.date_naive().with_day(1).unwrap_or_default();
    let next = first.checked_add_months(Months::new(1)).unwrap_or(first);
    let length = i128::from((next - first).num_days()) * i128::from(DAY_MS);
    let start = first.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
    let elapsed = i128::from((now.timestamp_millis() - start).max(DAY_MS));
    let exact = i64::try_from(i128::from(used.0) * length / elapsed).unwrap_or(i64::MAX);
    MicroCredits(if exact >= MicroCredits::PER_CREDIT { exact / 1_000 * 1_000 } else { exact })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_drawn_out_from_what_has_passed_of_it() {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap().to_utc();
        let used = MicroCredits(3_000_000);
        assert_eq!(projected(used, at("2026-11-16T00:00:00Z")), MicroCredits(6_000_000));
        assert_eq!(projected(used, at("2026-11-01T00:00:01Z")), MicroCredits(90_000_000), "as if a day had passed");
        assert_eq!(projected(used, at("2027-02-15T00:00:00Z")), MicroCredits(6_000_000));
        assert_eq!(projected(MicroCredits(i64::MAX), at("2026-12-31T00:00:00Z")).0 / 1000, i64::MAX / 1000);
    }
}
