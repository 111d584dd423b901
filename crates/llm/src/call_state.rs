//! The state shared by the calls of one attempt at a run, or of one action outside of runs: pending ledger writes,
//! abandoned models, and exhausted budgets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aha_core::ids::CallId;

use super::breaker::Account;
use super::ledger_writer::waiting::LedgerWriter;
use super::router::Route;
use super::spending_limit::{ExhaustedLimit, Limit};
use super::tasks::Task;

/// Shared by all calls of an attempt.
#[derive(Debug, Default)]
pub struct CallState {
    /// Pending ledger writes.
    pub(super) ledger_writer: LedgerWriter,
    closed: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// What cannot be used in this run, and why.
    abandoned: BTreeMap<Abandoned, String>,
    /// Purposes, and models (`provider/model`) where it is only their calls of a purpose, for which no budget is left,
    /// and why.
    exhausted: BTreeMap<(&'static str, Option<String>), ExhaustedLimit>,
    /// Why something was left out for lack of credits.
    left_out: Option<String>,
    /// Why no further paid stage begins.
    stopped: Option<ExhaustedLimit>,
    logged: BTreeSet<String>,
    /// By task and model: the number of consecutive calls without a usable answer, or of rejected batches, and the kind
    /// of their failure.
    unusable: BTreeMap<(&'static str, String), (&'static str, u32)>,
    /// The number of calls with the same id.
    calls: BTreeMap<CallId, u64>,
    /// By task and fingerprint: why an item got no answer.
    failed_items: BTreeMap<(&'static str, String), String>,
}

/// What is not asked again in a run; models as `provider/model`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Abandoned {
    Model(String),
    /// For one task.
    ModelFor(&'static str, String),
    Account(Account),
}

/// Consecutive failures of one task of the same kind after which a model is not called for it again in the run. Which
/// failures count is decided by the gateway.
const MAX_UNUSABLE_IN_A_ROW: u32 = 3;

impl CallState {
    /// Prevents further calls; those under way finish.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.ledger_writer.changed.notify_one();
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(super) fn abandon_model(&self, route: &Route, why: &str) {
        let name = route.model.to_string();
        self.abandon(Abandoned::Model(name.clone()), &name, why);
    }

    /// Abandons all models at the same server with the same key.
    pub(super) fn abandon_provider(&self, route: &Route, why: &str) {
        self.abandon(Abandoned::Account(route.account()), &route.model.provider, why);
    }

    /// Counts a call without a usable answer, and abandons the model for the task when the limit is reached.
    pub(super) fn record_unusable(&self, task: Task, route: &Route, kind: &'static str, why: &str) {
        self.record_failure(task, route, kind, "calls", why);
    }

    /// Counts a batch that was rejected whole and in parts, likewise.
    pub(super) fn record_rejected_batch(&self, task: Task, route: &Route, kind: &'static str, why: &str) {
        self.record_failure(task, route, kind, "batches", why);
    }

    fn record_failure(&self, task: Task, route: &Route, kind: &'static str, what: &str, why: &str) {
        let (task, model) = (task.as_str(), route.model.to_string());
        let count = {
            let mut known = self.known();
            let last = known.unusable.entry((task, model.clone())).or_insert((kind, 0));
            *last = if last.0 == kind { (kind, last.1 + 1) } else { (kind, 1) };
            last.1
        };
        if count >= MAX_UNUSABLE_IN_A_ROW {
            let why = format!("{count} {what} in a row failed alike; the last: {why}");
            self.abandon(Abandoned::ModelFor(task, model.clone()), &model, &why);
        }
    }

    /// Resets the count after a usable answer.
    pub(super) fn record_success(&self, task: Task, route: &Route) {
        self.known().unusable.remove(&(task.as_str(), route.model.to_string()));
    }

    /// Returns how many calls there were before with this id, and counts this one.
    pub(super) fn count_call(&self, id: CallId) -> u64 {
        let mut known = self.known();
        let count = known.calls.entry(id).or_default();
        *count += 1;
        *count - 1
    }

    /// Records that an item got no answer.
    pub fn record_failed_item(&self, task: Task, fingerprint: &str, why: &str) {
        self.known().failed_items.insert((task.as_str(), fingerprint.to_owned()), why.to_owned());
    }

    /// Returns why an item got no answer earlier in the run.
    #[must_use]
    pub fn failed_item(&self, task: Task, fingerprint: &str) -> Option<String> {
        self.known().failed_items.get(&(task.as_str(), fingerprint.to_owned())).cloned()
    }

    fn abandon(&self, what: Abandoned, who: &str, why: &str) {
        self.known().abandoned.entry(what).or_insert_with(|| {
            tracing::error!(%who, %why, "not asked again in this run");
            why.to_owned()
        });
    }

    /// Returns why models were abandoned in this run, each reason once.
    #[must_use]
    pub fn given_up(&self) -> Vec<String> {
        self.known().abandoned.values().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns why a model must not be called for a task.
    pub(super) fn abandoned(&self, task: Task, route: &Route) -> Option<String> {
        let known = self.known();
        if known.abandoned.is_empty() {
            return None;
        }
        let model = route.model.to_string();
        let of_task = Abandoned::ModelFor(task.as_str(), model.clone());
        let any = [Abandoned::Model(model), of_task, Abandoned::Account(route.account())];
        any.iter().find_map(|what| known.abandoned.get(what)).cloned()
    }

    /// Records that no budget is left for a purpose, or with `all` for any. A limit on one purpose's calls does not
    /// affect others.
    pub(super) fn exhaust(&self, purpose: &'static str, exhausted: &ExhaustedLimit, all: bool) {
        self.record_exhausted((purpose, None), exhausted);
        if exhausted.limit == Limit::Credits {
            self.record_left_out(&exhausted.why);
        }
        if all && exhausted.limit == Limit::Credits {
            self.known().stopped.get_or_insert_with(|| exhausted.clone());
        }
    }

    /// Records that something was left out for lack of credits.
    pub fn record_left_out(&self, why: &str) {
        self.known().left_out.get_or_insert_with(|| why.to_owned());
    }

    /// Records that credits do not reach for a call of a model. Others may cost less.
    pub(super) fn exhaust_model(&self, purpose: &'static str, model: String, exhausted: &ExhaustedLimit) {
        self.record_exhausted((purpose, Some(model)), exhausted);
    }

    fn record_exhausted(&self, what: (&'static str, Option<String>), exhausted: &ExhaustedLimit) {
        let mut known = self.known();
        if known.logged.insert(exhausted.why.clone()) {
            tracing::warn!(purpose = what.0, why = %exhausted.why, "the budget allows no further call");
        }
        known.exhausted.entry(what).or_insert_with(|| exhausted.clone());
    }

    /// Skips a task, so that the budget serves others.
    pub fn skip_task(&self, task: Task, why: &str) {
        self.exhaust(task.as_str(), &ExhaustedLimit { limit: Limit::Credits, why: why.to_owned() }, false);
    }

    /// Returns why a purpose, or one of its models, may not be paid for any more.
    #[must_use]
    pub fn exhausted(&self, purpose: &str) -> Option<ExhaustedLimit> {
        let known = self.known();
        let of_purpose = known.exhausted.iter().find(|((exhausted, _), _)| *exhausted == purpose);
        of_purpose.map(|(_, why)| why).or(known.stopped.as_ref()).cloned()
    }

    /// Returns why a model (`provider/model`) may not be paid for a purpose any more.
    pub(super) fn exhausted_for(&self, purpose: &'static str, model: String) -> Option<ExhaustedLimit> {
        let known = self.known();
        let of_purpose = known.exhausted.get(&(purpose, None));
        of_purpose.or_else(|| known.exhausted.get(&(purpose, Some(model)))).or(known.stopped.as_ref()).cloned()
    }

    /// Returns why anything was left out for lack of credits.
    #[must_use]
    pub fn exhausted_credits(&self) -> Option<String> {
        self.known().left_out.clone()
    }

    /// Returns why anything was left out because of a limit on calls, by purpose.
    #[must_use]
    pub fn exhausted_calls(&self) -> Vec<String> {
        let known = self.known();
        let of_calls = known.exhausted.values().filter(|exhausted| exhausted.limit == Limit::Calls);
        of_calls.map(|exhausted| exhausted.why.clone()).collect()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use aha_core::topic::BudgetTier;

    use super::super::router::Router;
    use super::super::tasks::{deep_summary, triage};
    use super::*;

    fn route() -> Route {
        Router::default().choose(triage::TASK, BudgetTier::Normal).remove(0)
    }

    #[test]
    fn a_model_that_fails_alike_three_times_in_a_row_is_given_up_for_its_task() {
        let (call_state, route) = (CallState::default(), route());
        let fail = |kind| call_state.record_unusable(triage::TASK, &route, kind, "the answer cannot be used");
        fail("invalid_answer");
        fail("invalid_answer");
        call_state.record_success(triage::TASK, &route);
        fail("invalid_answer");
        fail("truncated");
        fail("invalid_answer");
        fail("invalid_answer");
        assert_eq!(call_state.abandoned(triage::TASK, &route), None);
        fail("invalid_answer");
        assert!(call_state.abandoned(triage::TASK, &route).unwrap().contains("3 calls in a row"));
        assert_eq!(call_state.abandoned(deep_summary::TASK, &route), None);
        assert_eq!(call_state.given_up().len(), 1);
    }
}
