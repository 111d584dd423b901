//! Records what a call really cost, and the reason.

use aha_core::ids::CallId;
use aha_core::money::MicroCredits;
use aha_store::{Adjustment, CallRecord};
use serde::Serialize;

use super::super::ServiceError;
use super::super::calls::settle_ended;
use super::super::id_prefix::{self, MIN_DIGITS, id_prefix};
use super::Result;
use crate::app::App;

/// Calls read for the beginning of an id: one more than are named.
const READ: i64 = 6;
/// More than any real bill; sums of such amounts do not overflow.
const MAX_COST: MicroCredits = MicroCredits(1_000_000_000 * MicroCredits::PER_CREDIT);

/// A call before and after it was adjusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdjustedCall {
    pub before: CallRecord,
    pub after: CallRecord,
}

/// Records the cost of a call: `call` is its id or the beginning of it, `credits` a decimal amount.
///
/// # Errors
/// When the amount or the reason cannot be used, no call or several match, or the call is in progress.
pub async fn adjust(app: &App, call: &str, credits: &str, reason: &str) -> Result<AdjustedCall> {
    let to = MicroCredits::parse_credits(credits).filter(|amount| *amount <= MAX_COST).ok_or_else(|| {
        let expected =
            "CREDITS is what the call cost: from 0 to a billion credits, of at most six decimals, such as 0.0125";
        ServiceError::invalid("credits", format!("{expected}; got {credits:?}"))
    })?;
    if reason.trim().is_empty() {
        return Err(ServiceError::invalid("reason", "reason expects a word on where you know the cost from"));
    }
    settle_ended(app).await;
    let before = find(app, call).await?;
    let no_id = || format!("{} is no id of a call; `aha-radar calls` lists them", before.id);
    let id: CallId = before.id.parse().map_err(|_| ServiceError::invalid("call", no_id()))?;
    let reason = reason.trim().to_owned();
    let adjustment = Adjustment { call: id, to_microcredits: to.0, reason, at: app.clock().now() };
    app.store().adjust_call(&adjustment).await?;
    let after = find(app, &before.id).await?;
    Ok(AdjustedCall { before, after })
}

/// Finds the only call whose id begins with `id`.
async fn find(app: &App, id: &str) -> Result<CallRecord> {
    let Some(id) = id_prefix(id) else {
        let expected =
            format!("CALL_ID is an id as `aha-radar calls` shows it, or its first {MIN_DIGITS} digits or more");
        return Err(ServiceError::invalid("call", format!("{expected}; got {id:?}")));
    };
    let mut found = app.store().calls_by_id(&id, READ).await?;
    if found.len() > 1 {
        let lines = found.iter().map(|call| {
            format!("{}  {}  {} by {}/{}", call.id, call.started_at, call.purpose, call.provider, call.model)
        });
        let message = format!("several calls begin with {id}; give more of it:{}", id_prefix::named(lines));
        return Err(ServiceError::invalid("call", message));
    }
    let none = || ServiceError::not_found("call", format!("no call begins with {id}; `aha-radar calls` lists them"));
    found.pop().ok_or_else(none)
}
