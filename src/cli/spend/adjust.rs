//! `aha-radar spend adjust`: records what a call really cost, and the reason.

use anyhow::Result;

use super::super::arguments::AdjustArguments;
use super::super::calls::credits;
use super::super::exit::Exit;
use super::super::output;
use crate::app::App;
use crate::services::calls::CallRecord;
use crate::services::spending;

pub(super) async fn run(app: &App, arguments: &AdjustArguments) -> Result<Exit> {
    let adjusted = spending::adjust(app, &arguments.call_id, &arguments.credits, &arguments.reason).await?;
    if arguments.json {
        output::print_json(&adjusted)?;
    } else {
        let (before, after) = (&adjusted.before, &adjusted.after);
        let (before_in_words, after_in_words) = (in_words(before), in_words(after));
        let id = output::short_id(&after.id);
        output::print(&format!("call {id} ({}): {before_in_words} → {after_in_words}", after.purpose))?;
    }
    Ok(Exit::Ok)
}

fn in_words(call: &CallRecord) -> String {
    format!("{} credits, {}", credits(call), call.state.as_str())
}
