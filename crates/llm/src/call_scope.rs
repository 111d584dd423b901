//! The context of a call: the run, its lease and budget, and the state that its calls share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use aha_core::clock::Clock;
use aha_core::ids::{CallId, RunId, TopicId};
use aha_core::topic::BudgetTier;
use aha_store::Lease;

use super::call_state::CallState;

/// Scopes outside runs that begin in one millisecond are distinguished by their number.
const MAX_SCOPES_PER_MILLISECOND: i64 = 1_000;

/// Scopes outside runs created by this process.
static SCOPES_CREATED: AtomicI64 = AtomicI64::new(0);

/// The context of a call.
#[derive(Debug, Clone)]
pub struct CallScope {
    /// The run's lease; `None` for requests by the user outside a run.
    pub lease: Option<Lease>,
    pub run: Option<RunId>,
    /// The number of the attempt with which the run's pass began.
    pub pass: i64,
    pub attempt: i64,
    pub topic: Option<TopicId>,
    /// The topic's share of the daily and the monthly budget.
    pub share_percent: Option<u8>,
    pub tier: BudgetTier,
    /// As pinned on the run.
    pub prompt_id: String,
    /// Calls the model again although there is a stored answer (`--rejudge`).
    pub rejudge: bool,
    pub call_state: Arc<CallState>,
}

impl CallScope {
    /// Returns the scope of calls outside a run, and outside any topic.
    pub fn outside_run(clock: Clock, tier: BudgetTier, prompt_id: String) -> Self {
        let number = SCOPES_CREATED.fetch_add(1, Ordering::Relaxed) % MAX_SCOPES_PER_MILLISECOND;
        Self {
            lease: None,
            run: None,
            pass: 0,
            // Distinguishes its calls from those of any other scope of this process, even where `AHA_NOW` fixes the
            // time.
            attempt: clock.wall().as_millis() * MAX_SCOPES_PER_MILLISECOND + number,
            topic: None,
            share_percent: None,
            tier,
            prompt_id,
            rejudge: false,
            call_state: Arc::new(CallState::default()),
        }
    }

    /// Returns the id of a call, which `parts` distinguish from the other calls of its purpose in this attempt. Outside a
    /// run, `outside_run` takes the place of the run.
    pub(super) fn call_id(&self, outside_run: &str, purpose: &str, parts: &[&str]) -> CallId {
        let run = self.run.map_or_else(|| outside_run.to_owned(), |run| run.to_string());
        let attempt = self.attempt.to_string();
        CallId::of(&[&[run.as_str(), attempt.as_str(), purpose][..], parts].concat())
    }
}

#[cfg(test)]
impl CallScope {
    /// Returns the scope of an attempt outside runs, for tests.
    pub(super) fn for_attempt(attempt: i64) -> Self {
        Self {
            lease: None,
            run: None,
            pass: 1,
            attempt,
            topic: None,
            share_percent: None,
            tier: BudgetTier::Normal,
            prompt_id: "triage_v1".to_owned(),
            rejudge: false,
            call_state: Arc::new(CallState::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_call_is_that_of_its_run_attempt_purpose_and_parts() {
        let run = RunId::of(&["default"]);
        let outside = CallScope::for_attempt(7);
        let within = CallScope { run: Some(run), ..outside.clone() };
        let id = within.call_id("now", "triage", &["a", "1"]);
        assert_eq!(id, CallId::of(&[&run.to_string(), "7", "triage", "a", "1"]));
        assert_eq!(outside.call_id("now", "triage", &["a"]), CallId::of(&["now", "7", "triage", "a"]));
    }
}
