//! Formats an estimate: calls, tokens and credits by task, and whether the budget suffices.

use aha_content::numbers::count;
use aha_core::digest::Estimate;
use aha_core::money::MicroCredits;
use aha_core::window::Window;
use anyhow::Result;

use super::super::listing::Listing;
use super::super::output;
use crate::services::estimate::RunEstimate;

/// `nothing` is printed if there is no window to read.
pub(super) fn print(report: &RunEstimate, nothing: String) -> Result<()> {
    let mut lines: Vec<String> = report
        .windows
        .iter()
        .map(|read| {
            let window = Window { start: read.window_start, end: read.window_end };
            format!("{window}: {}", count(read.items, "item", "items"))
        })
        .collect();
    if report.windows.is_empty() && report.up_to_date.is_some() {
        lines.push(nothing);
    }
    if report.estimates.is_empty() {
        lines.push("No model would be asked: there is nothing new, or all is answered already.".to_owned());
    } else {
        lines.extend([String::new(), table(report), String::new()]);
        lines.extend(in_words(report));
    }
    lines.push("Nothing was spent and nothing was stored.".to_owned());
    output::print(&output::one_safe_text(&lines.join("\n")))
}

fn table(report: &RunEstimate) -> String {
    let headings = ["task", "model", "stories", "calls", "tokens in", "out", "credits"];
    let mut table = Listing::new(&headings, &["out", "tokens in", "stories"]);
    let credits = |amount: Option<MicroCredits>| amount.map_or_else(|| "?".to_owned(), |a| a.to_string());
    for one in &report.estimates {
        let counts = [one.stories.to_string(), one.calls.to_string()];
        let tokens = [one.input_tokens.to_string(), one.output_tokens.to_string()];
        let named = [one.task.replace('_', " "), one.model.clone()];
        table.add_row(named.into_iter().chain(counts).chain(tokens).chain([credits(one.microcredits)]));
    }
    let calls: usize = report.estimates.iter().map(|one| one.calls).sum();
    let total = |count: fn(&Estimate) -> i64| report.estimates.iter().map(count).sum::<i64>().to_string();
    table.add_row(vec![
        "total".to_owned(),
        String::new(),
        String::new(),
        calls.to_string(),
        total(|one| one.input_tokens),
        total(|one| one.output_tokens),
        credits(report.total.microcredits),
    ]);
    table.to_string()
}

fn in_words(report: &RunEstimate) -> Vec<String> {
    let mut lines = Vec::new();
    if report.is_example() {
        let text = "No model is configured: stories are judged by `local`, free. This is what the example would take.";
        lines.push(text.to_owned());
    }
    lines.push(
        "An estimate: what is summarised follows from the judgement, here from that of `local`; answers may be longer."
            .to_owned(),
    );
    let Some(total) = report.total.microcredits else {
        lines.push(
            "No price is set, so no amount can be estimated (OPENAI_CREDITS_PER_1K_INPUT_TOKENS, _OUTPUT_TOKENS)."
                .to_owned(),
        );
        return lines;
    };
    if let Some(most) = report.total.most_microcredits.filter(|_| !report.is_example()) {
        lines.push(format!(
            "Between {total} credits, when answers have their usual length, and {most}, the most they can cost when all is summarised that may be, and no call is repeated."
        ));
    }
    lines.extend(report.left.iter().map(|headroom| headroom.line(total, report.total.most_microcredits)));
    lines
}
