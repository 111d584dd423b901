//! `aha-radar calls`: the ledger, row by row.

use aha_core::money::MicroCredits;
use anyhow::Result;

use super::arguments::CallsArguments;
use super::exit::Exit;
use super::listing::Listing;
use super::output;
use crate::app::App;
use crate::services::calls::{self, CallQuery, CallRecord};

const HEADINGS: [&str; 11] =
    ["time", "purpose", "model", "stories", "state", "tokens in", "out", "credits", "ms", "call", "what went wrong"];
/// The columns that are written below a call first.
const BELOW: [&str; 6] = ["what went wrong", "out", "tokens in", "stories", "ms", "model"];

pub(super) async fn run(app: &App, arguments: CallsArguments) -> Result<Exit> {
    let is_filtered = arguments.run.is_some() || arguments.state.is_some() || arguments.purpose.is_some();
    let CallsArguments { run, state, purpose, .. } = arguments;
    let calls =
        calls::list(app, CallQuery { run, state, purpose, after: None, limit: i64::from(arguments.limit) }).await?;
    if arguments.json {
        output::print_json(&calls)?;
    } else if calls.is_empty() {
        output::note(if is_filtered { "no matching calls" } else { "no call yet; a run makes them" });
    } else {
        output::print(&table(&calls))?;
    }
    Ok(Exit::Ok)
}

fn table(calls: &[CallRecord]) -> String {
    let mut table = Listing::new(&HEADINGS, &BELOW);
    for call in calls {
        let number = |n: Option<i64>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
        table.add_row(vec![
            output::to_the_second(call.started_at),
            call.purpose.clone(),
            line(&format!("{}/{}", call.provider, call.model)),
            call.stories.to_string(),
            state(call),
            number(call.input_tokens),
            number(call.output_tokens),
            credits(call),
            number(call.latency_ms),
            output::short_id(&call.id),
            line(call.error.as_deref().unwrap_or("")),
        ]);
    }
    table.to_string()
}

fn state(call: &CallRecord) -> String {
    match call.error_kind.as_deref() {
        Some(kind) if !kind.is_empty() => format!("{} ({})", call.state.as_str(), line(kind)),
        _ => call.state.as_str().to_owned(),
    }
}

/// Formats the cost: in parentheses the amount reserved for it, a question mark if no price is set.
pub(super) fn credits(call: &CallRecord) -> String {
    match (call.cost_microcredits, call.reserved_microcredits) {
        (Some(cost), _) => MicroCredits(cost).to_string(),
        (None, Some(reserved)) => format!("({})", MicroCredits(reserved)),
        (None, None) => "?".to_owned(),
    }
}

/// Formats a provider's message as one line without terminal control sequences.
fn line(text: &str) -> String {
    output::one_safe_text(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
