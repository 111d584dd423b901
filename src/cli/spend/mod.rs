//! `aha-radar spend`: what was spent, on what, and how far the budget reaches.

mod adjust;
pub(super) mod budget;
mod plot;

use aha_content::numbers::count;
use aha_core::money::MicroCredits;
use aha_core::time::{DAY_MS, Timestamp};
use aha_store::{SpendBy, SpendRow};
use anyhow::Result;
use serde_json::json;

use self::budget::Budget;
use super::arguments::{SpendArguments, SpendCommand};
use super::exit::Exit;
use super::output;
use crate::app::App;

pub(super) async fn run(app: &App, arguments: SpendArguments) -> Result<Exit> {
    if let Some(SpendCommand::Adjust(arguments)) = arguments.command {
        return adjust::run(app, &arguments).await;
    }
    let by = match arguments.by.as_str() {
        "purpose" => SpendBy::Purpose,
        "model" => SpendBy::Model,
        "topic" => SpendBy::Topic,
        _ => SpendBy::Day,
    };
    let report = Report::of(app, by, arguments.days).await?;
    if arguments.json {
        report.print_json()?;
    } else {
        report.print()?;
    }
    Ok(Exit::Ok)
}

struct Report {
    by: SpendBy,
    days: u16,
    since: Timestamp,
    rows: Vec<SpendRow>,
    total: SpendRow,
    /// Whether a model was asked at all.
    is_local: bool,
    budget: Budget,
}

impl Report {
    async fn of(app: &App, by: SpendBy, days: u16) -> Result<Self> {
        let now = app.clock().now();
        let today = now.as_millis().div_euclid(DAY_MS);
        let first = today - i64::from(days) + 1;
        let since = Timestamp::from_millis(first * DAY_MS);
        let mut rows = app.store().spend(by, since).await?;
        let total = rows.iter().fold(nothing("total".to_owned()), add);
        match by {
            SpendBy::Day => rows = every_day(&rows, today),
            SpendBy::Purpose | SpendBy::Model | SpendBy::Topic => {
                rows.sort_by(|a, b| b.microcredits.cmp(&a.microcredits).then_with(|| a.key.cmp(&b.key)));
            }
        }
        let models = app.store().spend(SpendBy::Model, since).await?;
        let is_local = models.iter().all(|row| row.key.starts_with("local/"));
        let budget = Budget::of(app.store(), &app.config().budget, now).await?;
        Ok(Self { by, days, since, rows, total, is_local, budget })
    }

    fn print_json(&self) -> Result<()> {
        output::print_json(&json!({
            "by": self.by.as_str(),
            "days": self.days,
            "since": self.since,
            "rows": self.rows,
            "total": self.total,
            "budget": self.budget,
            "alerts": self.budget.alerts(),
        }))
    }

    fn print(&self) -> Result<()> {
        let mut text = String::new();
        if self.total.calls == 0 {
            output::note(&match self.days {
                1 => "no call in the last day".to_owned(),
                days => format!("no call in the last {days} days"),
            });
        } else {
            text.push_str(&plot::table(self.by, &self.rows, &self.total));
            text.push('\n');
        }
        for line in self.words() {
            text.push('\n');
            text.push_str(&line);
        }
        output::print(&output::one_safe_text(&text))
    }

    fn words(&self) -> Vec<String> {
        let total = &self.total;
        let mut lines = Vec::new();
        if total.calls > 0 && self.is_local {
            let calls = match total.calls {
                1 => "the only call was".to_owned(),
                n => format!("all {n} calls were"),
            };
            lines.push(format!("Nothing was spent: {calls} answered by `local`."));
        }
        if total.reserved_microcredits > 0 {
            lines.push(format!(
                "Of the total {} credits are only set aside, for calls that are unsettled or under way; `aha-radar calls --state unsettled` lists them, `aha-radar spend adjust` corrects them.",
                MicroCredits(total.reserved_microcredits)
            ));
        }
        if total.unpriced > 0 {
            lines.push(format!(
                "{} of {} without a known price, not in these amounts; set OPENAI_CREDITS_PER_1K_INPUT_TOKENS and _OUTPUT_TOKENS.",
                total.unpriced,
                count(total.calls, "call is", "calls are")
            ));
        }
        lines.extend(self.budget.lines());
        lines.extend(self.budget.alerts());
        lines
    }
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

/// The days from the first with a call to today, newest last, with their dates; a day without a call is a row of nothing.
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
