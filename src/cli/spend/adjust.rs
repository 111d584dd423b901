//! `aha-radar spend adjust`: what a call really cost, written down with the reason.

use aha_core::money::MicroCredits;
use aha_store::{Adjustment, CallFilter, CallRecord};
use anyhow::Result;
use serde_json::json;

use super::super::arguments::AdjustArguments;
use super::super::calls::{self, credits, short};
use super::super::exit::{Exit, UsageError};
use super::super::output;
use crate::app::App;

/// Fewer digits name a call by chance.
const MIN_DIGITS: usize = 4;
/// More than any bill; sums of such amounts still fit.
const MOST: MicroCredits = MicroCredits(1_000_000_000 * MicroCredits::PER_CREDIT);

pub(super) async fn run(app: &App, arguments: &AdjustArguments) -> Result<Exit> {
    let to = MicroCredits::parse_credits(&arguments.credits).filter(|amount| *amount <= MOST).ok_or_else(|| {
        UsageError(format!(
            "CREDITS is what the call cost: from 0 to a billion credits, of at most six decimals, such as 0.0125; got {:?}",
            arguments.credits
        ))
    })?;
    if arguments.reason.trim().is_empty() {
        return Err(UsageError("--reason wants a word on where you know the cost from".to_owned()).into());
    }
    let before = find(app, &arguments.call_id).await?;
    let adjustment = Adjustment {
        call: before.id.parse()?,
        to_microcredits: to.0,
        reason: arguments.reason.trim().to_owned(),
        at: app.clock().now(),
    };
    app.store().adjust_call(&adjustment).await?;
    let after = find(app, &before.id).await?;
    if arguments.json {
        output::print_json(&json!({ "before": calls::as_json(&before)?, "after": calls::as_json(&after)? }))?;
    } else {
        output::print(&format!("call {} ({}): {} → {}", short(&after.id), after.purpose, told(&before), told(&after)))?;
    }
    Ok(Exit::Ok)
}

/// The one call whose id begins like this.
async fn find(app: &App, id: &str) -> Result<CallRecord> {
    let id = id.trim().to_lowercase();
    let is_id = |c: char| c.is_ascii_hexdigit() || c == '-';
    if id.len() < MIN_DIGITS || !id.chars().all(is_id) {
        let wants = format!("CALL_ID is an id as `aha-radar calls` shows it, or its first {MIN_DIGITS} digits or more");
        return Err(UsageError(format!("{wants}; got {id:?}")).into());
    }
    let mut found = app.store().calls(&CallFilter { id: Some(id.clone()), limit: 2, ..CallFilter::default() }).await?;
    match (found.pop(), found.is_empty()) {
        (Some(call), true) => Ok(call),
        (Some(_), false) => {
            Err(UsageError(format!("several calls begin with {id}; give more of the id (`aha-radar calls --json`)"))
                .into())
        }
        (None, _) => Err(UsageError(format!("no call begins with {id}; `aha-radar calls` lists them")).into()),
    }
}

fn told(call: &CallRecord) -> String {
    format!("{} credits, {}", credits(call), call.state)
}
