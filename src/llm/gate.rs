//! What the calls of one attempt at a run know of each other: what they have to write into the ledger, who is of no more use, what is used up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::desk::Desk;
use super::router::Route;
use crate::domain::task::Task;

/// Shared by all calls of an attempt.
#[derive(Debug, Default)]
pub struct Gate {
    /// What its calls have to write into the ledger.
    pub(super) desk: Desk,
    closed: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Models (`provider/model`) and accounts ([`Route::account`]) of no use in this run, and why.
    abandoned: BTreeMap<String, String>,
    /// Purposes for which no budget is left, and why.
    exhausted: BTreeMap<&'static str, String>,
    /// Why no paid stage begins any more.
    stopped: Option<String>,
    told: BTreeSet<String>,
}

impl Gate {
    /// Lets no further call begin; those under way end.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(super) fn abandon_model(&self, route: &Route, why: &str) {
        let name = route.model.to_string();
        self.abandon(name.clone(), &name, why);
    }

    /// All models that are asked at the same server with the same key.
    pub(super) fn abandon_provider(&self, route: &Route, why: &str) {
        self.abandon(route.account(), &route.model.provider, why);
    }

    fn abandon(&self, name: String, who: &str, why: &str) {
        let mut known = self.known();
        if known.told.insert(name.clone()) {
            tracing::error!(%who, %why, "not asked again in this run");
        }
        known.abandoned.entry(name).or_insert_with(|| why.to_owned());
    }

    /// Why a model is not to be asked.
    pub(super) fn abandoned(&self, route: &Route) -> Option<String> {
        let known = self.known();
        if known.abandoned.is_empty() {
            return None;
        }
        let named = known.abandoned.get(&route.model.to_string());
        named.or_else(|| known.abandoned.get(&route.account())).cloned()
    }

    /// No budget is left for a purpose, or with `all` for any.
    pub(super) fn exhaust(&self, purpose: &'static str, why: &str, all: bool) {
        let mut known = self.known();
        if known.told.insert(why.to_owned()) {
            tracing::warn!(purpose, %why, "the budget allows no further call");
        }
        known.exhausted.entry(purpose).or_insert_with(|| why.to_owned());
        if all {
            known.stopped.get_or_insert_with(|| why.to_owned());
        }
    }

    /// A task is not begun, so that the budget serves others.
    pub fn spare(&self, task: Task, why: &str) {
        self.exhaust(task.as_str(), why, false);
    }

    /// Why a purpose is not to be paid for any more.
    #[must_use]
    pub fn exhausted(&self, purpose: &str) -> Option<String> {
        let known = self.known();
        known.exhausted.get(purpose).or(known.stopped.as_ref()).cloned()
    }

    /// Why anything was left out for lack of budget.
    #[must_use]
    pub fn any_exhausted(&self) -> Option<String> {
        let known = self.known();
        known.stopped.clone().or_else(|| known.exhausted.values().next().cloned())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
