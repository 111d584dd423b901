//! Computes the changes to budget counters: how far reservations raise them, and what settlements move on them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column;
use crate::{CallState, CounterLimit, NewCall, Result, Settlement, StoreError};

/// The columns of a call's row that settling needs.
pub(crate) struct OpenCall {
    pub id: String,
    pub(crate) state: CallState,
    pub reserved_microcredits: Option<i64>,
    pub cost_microcredits: Option<i64>,
    pub(crate) counters_json: String,
    pub latency_ms: Option<i64>,
    /// Also `None` if the caller was presumed dead.
    pub finished_at: Option<i64>,
}

from_rows!(OpenCall { id, state, reserved_microcredits, cost_microcredits, counters_json, latency_ms, finished_at });

impl OpenCall {
    /// Returns the amount that its counters contain for it.
    pub fn charged(&self) -> i64 {
        self.cost_microcredits.or(self.reserved_microcredits).unwrap_or(0)
    }

    /// Returns what a settlement subtracts from the reserved amount and adds to the settled amount. `None` if it was
    /// already written.
    pub(crate) fn change_by(&self, settlement: &Settlement) -> Result<Option<(i64, i64)>> {
        let reserved = self.reserved_microcredits.unwrap_or(0);
        let cost = settlement.cost_microcredits.unwrap_or(reserved);
        match self.state {
            CallState::Reserved => Ok(Some((reserved, cost))),
            _ if self.is_closed_by(settlement) => Ok(None),
            // Its caller was presumed dead, and the full reserved amount was charged.
            _ if self.finished_at.is_none() => Ok(Some((0, cost - self.charged()))),
            state => Err(StoreError::corrupt("ledger row", format_args!("{} is {} already", self.id, state.as_str()))),
        }
    }

    /// Whether it was closed by this same settlement, whose commit was not confirmed.
    fn is_closed_by(&self, settlement: &Settlement) -> bool {
        self.state == settlement.outcome.into()
            && self.cost_microcredits == settlement.cost_microcredits
            && self.latency_ms == Some(settlement.latency_ms)
            && self.finished_at == Some(settlement.finished_at.as_millis())
    }
}

/// The amount by which calls raise a counter, and its limits.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CounterIncrease {
    #[serde(flatten)]
    pub limit: CounterLimit,
    pub microcredits: i64,
    pub calls: i64,
}

impl CounterIncrease {
    /// Returns the increases of all counters of these calls, by name: the order in which they are locked. If the caps
    /// differ, the lowest applies.
    pub fn of(calls: &[NewCall]) -> Vec<Self> {
        let mut increases = BTreeMap::<&str, Self>::new();
        for call in calls {
            let amount = call.reserved_microcredits.unwrap_or(0);
            for limit in &call.limits {
                let increase = increases.entry(&limit.counter).or_insert_with(|| Self {
                    limit: limit.clone(),
                    microcredits: 0,
                    calls: 0,
                });
                let lowest = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
                increase.limit.cap_microcredits = lowest(increase.limit.cap_microcredits, limit.cap_microcredits);
                increase.limit.max_calls = lowest(increase.limit.max_calls, limit.max_calls);
                increase.microcredits = increase.microcredits.saturating_add(amount);
                increase.calls += 1;
            }
        }
        increases.into_values().collect()
    }

    /// Whether it exceeds a cap regardless of what was spent before.
    pub(crate) fn exceeds_cap(&self) -> bool {
        self.limit.cap_microcredits.is_some_and(|cap| self.microcredits > cap)
            || self.limit.max_calls.is_some_and(|max| self.calls > max)
    }
}

/// Amounts that settlements move on counters, from reserved to settled.
#[derive(Debug, Default)]
pub(crate) struct Moves(BTreeMap<String, (i64, i64)>);

impl Moves {
    pub fn add(&mut self, counters_json: &str, release: i64, settle: i64) -> Result<()> {
        let counters: Vec<String> = column::json("counters", counters_json)?;
        for counter in counters {
            let (released, settled) = self.0.entry(counter).or_default();
            *released += release;
            *settled += settle;
        }
        Ok(())
    }

    /// Returns released and settled amounts by counter name, the order in which counters are locked.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = (String, (i64, i64))> {
        self.0.into_iter()
    }
}
