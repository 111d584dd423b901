//! The state shared by the calls of one attempt at a run, or of one action outside of runs: pending ledger writes,
//! abandoned models, and exhausted budgets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aha_core::budget::BudgetPolicy;
use aha_core::ids::CallId;
use tokio_util::sync::CancellationToken;

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
    closed: CancellationToken,
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
    /// By model: how the run waits for it.
    pauses: BTreeMap<String, Pauses>,
}

/// The pauses in which a run waits for a model whose server fails.
#[derive(Debug)]
struct Pauses {
    count: u32,
    /// Of the last one.
    begun: Instant,
    until: Instant,
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

/// Pauses in which a run waits for one model, so that it ends soon if the server does not recover.
const MAX_PAUSES: u32 = 2;
/// Maximum length of such a pause.
const MAX_PAUSE: Duration = Duration::from_mins(1);

impl CallState {
    /// Prevents further calls; those under way finish.
    pub fn close(&self) {
        self.closed.cancel();
        self.ledger_writer.changed.notify_one();
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until no further call may be made.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Sleeps, but not after no further call may be made.
    pub(super) async fn sleep(&self, time: Duration) {
        // A sleep of zero duration still takes up to two milliseconds.
        if !time.is_zero() {
            tokio::select! {
                () = self.closed() => {}
                () = tokio::time::sleep(time) => {}
            }
        }
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

    /// Returns until when a run waits for a model that cannot be called for `wait`; `None` if that is too long, or it
    /// has waited for it often enough. Calls that fail during a pause share it.
    pub(super) fn pause(&self, route: &Route, wait: Duration, now: Instant) -> Option<Instant> {
        if wait > MAX_PAUSE {
            return None;
        }
        let mut known = self.known();
        let model = route.model.to_string();
        match known.pauses.get_mut(&model) {
            Some(pauses) if now < pauses.until => {
                pauses.until = pauses.until.max(now + wait).min(pauses.begun + MAX_PAUSE);
                return Some(pauses.until);
            }
            Some(pauses) if pauses.count >= MAX_PAUSES => return None,
            _ => {}
        }
        let (count, until) = (known.pauses.get(&model).map_or(1, |pauses| pauses.count + 1), now + wait);
        tracing::warn!(model, wait_s = wait.as_secs(), "the server fails and there is no other model; waiting for it");
        known.pauses.insert(model, Pauses { count, begun: now, until });
        Some(until)
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

    /// Records that no budget is left for a purpose.
    pub(super) fn exhaust_purpose(&self, purpose: &'static str, exhausted: &ExhaustedLimit) {
        self.record_exhausted((purpose, None), exhausted);
        if exhausted.limit == Limit::Credits {
            self.record_left_out(&exhausted.why);
        }
    }

    /// Records that no budget is left for a purpose; with the policy [`BudgetPolicy::Stop`] also that credits are left
    /// for none. A limit on one purpose's calls does not affect others.
    pub(super) fn exhaust(&self, policy: BudgetPolicy, purpose: &'static str, exhausted: &ExhaustedLimit) {
        self.exhaust_purpose(purpose, exhausted);
        if policy == BudgetPolicy::Stop && exhausted.limit == Limit::Credits {
            self.stop_paying(purpose, exhausted);
        }
    }

    /// Records that no purpose may be paid for any more. A free model may still do what this was about, so that nothing
    /// need be left out.
    pub(super) fn stop_paying(&self, purpose: &'static str, exhausted: &ExhaustedLimit) {
        self.record_exhausted((purpose, None), exhausted);
        self.known().stopped.get_or_insert_with(|| exhausted.clone());
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
        self.exhaust_purpose(task.as_str(), &ExhaustedLimit { limit: Limit::Credits, why: why.to_owned() });
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

    #[test]
    fn a_run_waits_for_a_model_twice_and_a_minute_at_most() {
        let (call_state, route, begun) = (CallState::default(), route(), Instant::now());
        let seconds = Duration::from_secs;
        let pause = |wait, after| call_state.pause(&route, seconds(wait), begun + seconds(after));
        let until = |after| Some(begun + seconds(after));
        assert_eq!(pause(61, 0), None, "too long");
        assert_eq!(pause(30, 0), until(30));
        assert_eq!(pause(10, 5), until(30), "calls share a pause");
        assert_eq!(pause(30, 20), until(50), "which one that fails later makes longer");
        assert_eq!(pause(60, 40), until(60), "up to a minute");
        assert_eq!(pause(60, 70), until(130));
        assert_eq!(pause(1, 131), None, "after two it is given up");
    }
}
