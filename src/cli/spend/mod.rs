//! `aha-radar spend`: shows spending, what it was for, and what is left of the budget.

mod adjust;
mod plot;

use aha_content::numbers::count;
use aha_core::money::MicroCredits;
use anyhow::Result;

use super::arguments::{SpendArguments, SpendCommand};
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::services::spending::{self, SpendBy, SpendReport};

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
    let report = spending::report(app, by, arguments.days).await?;
    if arguments.json {
        output::print_json(&report)?;
    } else {
        print(&report)?;
    }
    Ok(Exit::Ok)
}

fn print(report: &SpendReport) -> Result<()> {
    let mut text = String::new();
    if report.total.calls == 0 {
        output::note(&match report.days {
            1 => "no call in the last day".to_owned(),
            days => format!("no call in the last {days} days"),
        });
    } else {
        text.push_str(&plot::table(report.by, &report.rows, &report.total));
        text.push('\n');
    }
    for line in in_words(report) {
        text.push('\n');
        text.push_str(&line);
    }
    output::print(&output::one_safe_text(&text))
}

fn in_words(report: &SpendReport) -> Vec<String> {
    let total = &report.total;
    let mut lines = Vec::new();
    if total.calls > 0 && report.is_local {
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
    lines.extend(report.budget.lines());
    lines.extend(report.alerts.iter().cloned());
    lines
}
