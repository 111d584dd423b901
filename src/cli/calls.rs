//! `aha-radar calls`: the ledger, row by row.

use aha_core::ids::{DigestId, RunId};
use aha_core::money::MicroCredits;
use aha_core::time::Timestamp;
use aha_store::{CallFilter, CallRecord};
use anyhow::Result;
use serde_json::{Value, json};

use super::arguments::CallsArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;

/// Digits of an id that are shown: enough to name a call among many thousands.
const ID_DIGITS: usize = 8;

pub(super) async fn run(app: &App, arguments: CallsArguments) -> Result<Exit> {
    let run = match &arguments.run {
        Some(id) => Some(find_run(app, id).await?),
        None => None,
    };
    let is_filtered = run.is_some() || arguments.state.is_some() || arguments.purpose.is_some();
    let filter = CallFilter {
        id: None,
        state: arguments.state,
        purpose: arguments.purpose,
        run,
        limit: i64::from(arguments.limit),
    };
    let calls = app.store().calls(&filter).await?;
    if arguments.json {
        output::print_json(&calls.iter().map(as_json).collect::<Result<Vec<Value>>>()?)?;
    } else if calls.is_empty() {
        output::note(if is_filtered { "no call is like that" } else { "no call yet; a run makes them" });
    } else {
        output::print(&table(&calls))?;
    }
    Ok(Exit::Ok)
}

/// A run by its id or by that of its digest.
async fn find_run(app: &App, id: &str) -> Result<RunId> {
    let wrong = || UsageError(format!("{id:?} is not the id of a run or digest; `aha-radar runs` lists them"));
    let digest: DigestId = id.parse().map_err(|_| wrong())?;
    match app.store().digest(digest).await? {
        Some(digest) => Ok(digest.digest.run_id),
        None => Ok(id.parse().map_err(|_| wrong())?),
    }
}

/// The row with its times as all other commands write them.
pub(super) fn as_json(call: &CallRecord) -> Result<Value> {
    let mut value = serde_json::to_value(call)?;
    value["started_at"] = json!(Timestamp::from_millis(call.started_at));
    value["finished_at"] = json!(call.finished_at.map(Timestamp::from_millis));
    Ok(value)
}

/// How an id begins.
pub(super) fn short(id: &str) -> String {
    id.chars().take(ID_DIGITS).collect()
}

fn table(calls: &[CallRecord]) -> String {
    let mut table = output::table(&[
        "time",
        "purpose",
        "model",
        "stories",
        "state",
        "tokens in",
        "out",
        "credits",
        "ms",
        "call",
        "what went wrong",
    ]);
    for call in calls {
        let number = |n: Option<i64>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
        table.add_row(vec![
            Timestamp::from_millis(call.started_at).to_string(),
            call.purpose.clone(),
            line(&format!("{}/{}", call.provider, call.model)),
            call.stories.to_string(),
            state(call),
            number(call.input_tokens),
            number(call.output_tokens),
            credits(call),
            number(call.latency_ms),
            short(&call.id),
            line(call.error.as_deref().unwrap_or("")),
        ]);
    }
    table.to_string()
}

fn state(call: &CallRecord) -> String {
    match call.error_kind.as_deref() {
        Some(kind) if !kind.is_empty() => format!("{} ({})", call.state, line(kind)),
        _ => call.state.clone(),
    }
}

/// What it cost; in parentheses what is set aside for it; a question mark where no price is set.
pub(super) fn credits(call: &CallRecord) -> String {
    match (call.cost_microcredits, call.reserved_microcredits) {
        (Some(cost), _) => MicroCredits(cost).to_string(),
        (None, Some(reserved)) => format!("({})", MicroCredits(reserved)),
        (None, None) => "?".to_owned(),
    }
}

/// What a provider said, as one line that steers no terminal.
fn line(text: &str) -> String {
    output::one_safe_text(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
