//! What calls are charged to: how far they raise the counters when they are reserved, and what settling moves on them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column;
use crate::ledger::CallState;
use crate::{CounterLimit, NewCall, Result, Settlement, StoreError};

/// What settling needs to know of a row.
pub(crate) struct OpenCall {
    pub id: String,
    pub(crate) state: CallState,
    pub reserved_microcredits: Option<i64>,
    pub cost_microcredits: Option<i64>,
    pub(crate) counters_json: String,
    pub latency_ms: Option<i64>,
    /// `None` also where the caller was given up for lost.
    pub finished_at: Option<i64>,
}

from_rows!(OpenCall { id, state, reserved_microcredits, cost_microcredits, counters_json, latency_ms, finished_at });

impl OpenCall {
    /// What its counters hold for it.
    pub fn charged(&self) -> i64 {
        self.cost_microcredits.or(self.reserved_microcredits).unwrap_or(0)
    }

    /// What a settlement takes from what is reserved, and adds to what is settled. `None` where it was written before.
    pub(crate) fn change_by(&self, settlement: &Settlement) -> Result<Option<(i64, i64)>> {
        let reserved = self.reserved_microcredits.unwrap_or(0);
        let cost = settlement.cost_microcredits.unwrap_or(reserved);
        match self.state {
            CallState::Reserved => Ok(Some((reserved, cost))),
            _ if self.is_closed_by(settlement) => Ok(None),
            // It was given up for lost, and charged with all that was reserved.
            _ if self.finished_at.is_none() => Ok(Some((0, cost - self.charged()))),
            state => Err(StoreError::corrupt("ledger row", format_args!("{} is {} already", self.id, state.as_str()))),
        }
    }

    /// Whether it was closed by this very settlement, whose commit nobody confirmed.
    fn is_closed_by(&self, settlement: &Settlement) -> bool {
        self.state == settlement.outcome.into()
            && self.cost_microcredits == settlement.cost_microcredits
            && self.latency_ms == Some(settlement.latency_ms)
            && self.finished_at == Some(settlement.finished_at.as_millis())
    }
}

/// What calls raise a counter by, and how far they may.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Rise {
    #[serde(flatten)]
    pub limit: CounterLimit,
    pub microcredits: i64,
    pub calls: i64,
}

impl Rise {
    /// Of all counters of these calls, by name: the order in which they are locked. Of different caps the lowest holds.
    pub fn of(calls: &[NewCall]) -> Vec<Self> {
        let mut rises = BTreeMap::<&str, Self>::new();
        for call in calls {
            let amount = call.reserved_microcredits.unwrap_or(0);
            for limit in &call.limits {
                let rise = rises.entry(&limit.counter).or_insert_with(|| Self {
                    limit: limit.clone(),
                    microcredits: 0,
                    calls: 0,
                });
                let lowest = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
                rise.limit.cap_microcredits = lowest(rise.limit.cap_microcredits, limit.cap_microcredits);
                rise.limit.max_calls = lowest(rise.limit.max_calls, limit.max_calls);
                rise.microcredits = rise.microcredits.saturating_add(amount);
                rise.calls += 1;
            }
        }
        rises.into_values().collect()
    }

    /// Whether it passes a cap whatever was spent before.
    pub(crate) fn is_too_much(&self) -> bool {
        self.limit.cap_microcredits.is_some_and(|cap| self.microcredits > cap)
            || self.limit.max_calls.is_some_and(|most| self.calls > most)
    }
}

/// What settlements move on counters: from what is reserved, to what is settled.
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

    /// By name, the order in which counters are locked: what is released and what is settled.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = (String, (i64, i64))> {
        self.0.into_iter()
    }
}
