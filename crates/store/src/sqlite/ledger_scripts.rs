//! What the ledger does all the time, as scripts: reserving calls that all fit, and settling calls that are all under way. Anything
//! else is left to [`super::ledger`], which goes step by step and can say why.

use std::collections::BTreeSet;

use aha_core::topic::BudgetTier;

use super::answers::{WRITE_ANSWER, bind_answer};
use super::script::Script;
use crate::shared::charges::Rise;
use crate::shared::column;
use crate::shared::ledger::{CLOSE_CALL, INSERT_CALL, RAISE, bind_call, bind_rise, bind_settlement};
use crate::{Lease, LeasedSettlement, NewCall, Result, Settlement};

/// The lease is still its holder's.
const HOLDS: &str = "EXISTS (SELECT 1 FROM topics WHERE id = $1 AND lease_token = $2 AND lease_holder = $3)";

/// A call is under way.
const IS_OPEN: &str = "EXISTS (SELECT 1 FROM provider_calls WHERE id = $1 AND state = 'reserved')";

/// Moves what was reserved for one call on all its counters.
const MOVE_ALL: &str = "
    UPDATE budget_counters
    SET reserved_microcredits = budget_counters.reserved_microcredits - coalesce(call.reserved_microcredits, 0),
        settled_microcredits = settled_microcredits + coalesce($2, call.reserved_microcredits, 0)
    FROM provider_calls AS call
    WHERE call.id = $1 AND budget_counters.counter IN (SELECT value FROM json_each(call.counters_json))";

/// `None` where there is nothing to save.
pub(super) fn reserve(lease: Option<&Lease>, calls: &[NewCall]) -> Result<Option<Script>> {
    let rises = Rise::of(calls);
    if rises.is_empty() || rises.iter().any(Rise::is_too_much) {
        return Ok(None);
    }
    let mut script = under(Script::new(), lease);
    for rise in &rises {
        script = bind_rise!(script.then(RAISE), rise).insist();
    }
    for call in calls {
        script = bind_call!(script.then(INSERT_CALL), call, lease.map(|lease| lease.token));
    }
    Ok(Some(script))
}

/// `None` where vectors come with a settlement.
pub(super) fn settle(settlements: &[LeasedSettlement]) -> Result<Option<Script>> {
    if settlements.iter().any(|leased| leased.settlement.vectors.is_some()) {
        return Ok(None);
    }
    let leases: BTreeSet<&Lease> = settlements.iter().filter_map(|leased| leased.lease.as_ref()).collect();
    let mut script = leases.into_iter().fold(Script::new(), |script, lease| under(script, Some(lease)));
    for LeasedSettlement { settlement, .. } in settlements {
        script = close(script, settlement);
        for answer in &settlement.answers {
            script = script.then(WRITE_ANSWER).bind_with(|values| bind_answer(values, settlement, answer, true))?;
        }
    }
    Ok(Some(script))
}

fn under(script: Script, lease: Option<&Lease>) -> Script {
    match lease {
        Some(lease) => {
            script.insist_that(HOLDS).bind(lease.topic.to_string()).bind(lease.token).bind(lease.holder.as_str())
        }
        None => script,
    }
}

fn close(script: Script, settlement: &Settlement) -> Script {
    let id = settlement.call.to_string();
    let script = script.insist_that(IS_OPEN).bind(id.as_str());
    let script = script.then(MOVE_ALL).bind(id.as_str()).bind(settlement.cost_microcredits);
    bind_settlement!(script.then(CLOSE_CALL), settlement)
}
