//! Plans the remaining calls for a batch after each attempt: the items without a good answer, halves, the same again,
//! or the next model.

use std::time::Duration;

use serde_json::Value;

use super::call_state::CallState;
use super::error::CallError;
use super::retry::{self, Next};
use super::retry_policy::{Left, RetryPolicy};
use super::router::Route;
use super::task_item::Outcome;

/// The position of no model: the failure is returned to the caller.
const AFTER_THE_CHAIN: usize = usize::MAX;

/// A remaining call.
#[derive(Debug, Clone)]
pub(super) struct RetryPlan {
    /// Indices into the batch.
    pub(super) items: Vec<usize>,
    /// Index into the chain.
    pub(super) route: usize,
    /// Remaining retries with this model; `None`: all of them.
    left: Option<Left>,
    /// What was wrong with the last answer.
    pub(super) note: Option<String>,
    /// Why the last model did not answer.
    pub(super) failure: String,
    pub(super) after: Duration,
    /// The kind of the server's failure after which the same call is repeated.
    pub(super) retried: Option<&'static str>,
    /// Whether it is a part of a failed call, and has not been sent yet.
    is_part: bool,
    /// Whether it is a part of a batch whose answer was cut off.
    is_from_truncated: bool,
}

impl RetryPlan {
    pub(super) fn new(items: Vec<usize>, failure: &str) -> Self {
        Self {
            items,
            route: 0,
            left: None,
            note: None,
            failure: failure.to_owned(),
            after: Duration::ZERO,
            retried: None,
            is_part: false,
            is_from_truncated: false,
        }
    }

    pub(super) fn all(&self, outcome: &Outcome) -> Vec<(usize, Outcome)> {
        self.items.iter().map(|index| (*index, outcome.clone())).collect()
    }

    /// Ends the calls to this model: the next one is called, or where the policy does not fall back, the failure is
    /// returned to the caller.
    pub(super) fn give_up(self, policy: &RetryPolicy, why: &str) -> Self {
        let route = if policy.falls_back { self.route + 1 } else { AFTER_THE_CHAIN };
        Self { route, left: None, note: None, is_from_truncated: false, ..self.again(why) }
    }

    /// Repeats the call at once.
    pub(super) fn again(self, why: &str) -> Self {
        Self { failure: why.to_owned(), after: Duration::ZERO, retried: None, is_part: false, ..self }
    }

    pub(super) const fn is_part(&self) -> bool {
        self.is_part
    }

    /// Splits the plan because its cost exceeds the remaining budget.
    pub(super) fn halves(self) -> Vec<Self> {
        self.split(false)
    }

    fn split(self, is_part: bool) -> Vec<Self> {
        let (first, second) = self.items.split_at(self.items.len() / 2);
        [first, second].map(|items| self.part(items, is_part)).into()
    }

    /// Splits into a quarter and two halves of the rest. After a whole batch failed, a model that answers nothing of
    /// the next part either is not called for the others ([`super::batch_failure_counts`]). The smaller that part is,
    /// the less likely it contains the one story that is at fault.
    fn quarter_first(self) -> Vec<Self> {
        let (first, rest) = self.items.split_at((self.items.len() / 4).max(1));
        let (second, third) = rest.split_at(rest.len() / 2);
        let parts = [first, second, third].into_iter().filter(|items| !items.is_empty());
        parts.map(|items| self.part(items, true)).collect()
    }

    fn part(&self, items: &[usize], is_part: bool) -> Self {
        Self { items: items.to_vec(), after: Duration::ZERO, retried: None, is_part, ..self.clone() }
    }

    /// Settles the answered stories. Those with no answer or a bad one are retried together: a call for each of them
    /// would cost several times the batch if a model regularly leaves stories out.
    pub(super) fn answered(
        self,
        policy: &RetryPolicy,
        call_id: &str,
        answers: Vec<Result<Value, String>>,
        jitter: f64,
    ) -> (Vec<(usize, Outcome)>, Vec<Self>) {
        let left = self.left.unwrap_or(policy.all());
        let (mut settled, mut items, mut note) = (Vec::new(), Vec::new(), None);
        for (index, answer) in self.items.iter().zip(answers) {
            match answer {
                Ok(answer) => {
                    settled.push((*index, Outcome::Answered { answer, call_id: call_id.to_owned() }));
                }
                Err(why) => {
                    items.push(*index);
                    note.get_or_insert(why);
                }
            }
        }
        let Some(why) = note else { return (settled, Vec::new()) };
        let rest = Self { items, ..self };
        let next = match retry::repair(policy, left, jitter) {
            Some((after, left)) => Self { after, left: Some(left), note: Some(why.clone()), ..rest.again(&why) },
            None => rest.give_up(policy, &why),
        };
        (settled, vec![next])
    }

    pub(super) fn failed(
        self,
        policy: &RetryPolicy,
        call_state: &CallState,
        route: &Route,
        error: &CallError,
        jitter: f64,
    ) -> Vec<Self> {
        let why = format!("{}: {error}", route.model);
        let left = self.left.unwrap_or(policy.all());
        match retry::next(policy, left, error, self.items.len(), jitter) {
            Next::Again { after, left } => {
                let retried = error.is_server_failure().then(|| error.kind());
                vec![Self { after, left: Some(left), retried, ..self.again(&why) }]
            }
            Next::AsStream => vec![Self { left: Some(left), ..self.again(&why) }],
            Next::Repair { after, left } => {
                vec![Self { after, left: Some(left), note: Some(error.to_string()), ..self.again(&why) }]
            }
            // Truncated answers are split once: a model that cannot fit half the batch will not fit a quarter either.
            Next::Halves if self.is_from_truncated => vec![self.give_up(policy, &why)],
            Next::Halves if !self.is_part && error.may_be_one_story() => Self { failure: why, ..self }.quarter_first(),
            Next::Halves => {
                let is_from_truncated = matches!(error, CallError::Truncated(_));
                Self { failure: why, is_from_truncated, ..self }.split(true)
            }
            Next::NextModel => vec![self.give_up(policy, &why)],
            Next::AbandonModel => {
                call_state.abandon_model(route, &why);
                vec![self.give_up(policy, &why)]
            }
            Next::AbandonProvider => {
                call_state.abandon_provider(route, &why);
                vec![self.give_up(policy, &why)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::retry_policy::{INTERACTIVE, STANDARD};
    use super::*;

    #[test]
    fn stories_left_out_are_asked_about_together_once_more_and_then_of_the_next_model() {
        let missing = || Err("the story is missing from the answer".to_owned());
        let plan = RetryPlan::new((0..10).collect(), "");
        let (settled, next) = plan.answered(
            &STANDARD,
            "c1",
            (0..10).map(|n| if n == 0 { Ok(Value::Null) } else { missing() }).collect(),
            1.0,
        );
        assert_eq!((settled.len(), next.len()), (1, 1));
        let again = next.into_iter().next().unwrap();
        assert_eq!((again.items.as_slice(), again.route), ([1, 2, 3, 4, 5, 6, 7, 8, 9].as_slice(), 0));
        assert!(again.note.as_ref().is_some_and(|note| note.contains("missing")));
        assert_eq!(again.after, STANDARD.base);
        let (settled, next) = again.answered(
            &STANDARD,
            "c2",
            (0..9).map(|n| if n == 0 { Ok(Value::Null) } else { missing() }).collect(),
            1.0,
        );
        assert_eq!((settled.len(), next.len()), (1, 1));
        assert_eq!((next[0].items.as_slice(), next[0].route), ([2, 3, 4, 5, 6, 7, 8, 9].as_slice(), 1));
    }

    #[test]
    fn a_declined_batch_is_asked_about_in_a_quarter_and_two_halves_of_the_rest() {
        for (stories, parts) in [(20, [5, 7, 8].as_slice()), (4, &[1, 1, 2]), (3, &[1, 1, 1]), (2, &[1, 1])] {
            let plans = RetryPlan::new((0..stories).collect(), "").quarter_first();
            assert_eq!(plans.iter().map(|plan| plan.items.len()).collect::<Vec<_>>(), parts, "{stories}");
            let items: Vec<usize> = plans.iter().flat_map(|plan| plan.items.clone()).collect();
            assert!(items.into_iter().eq(0..stories) && plans.iter().all(RetryPlan::is_part));
        }
    }

    #[test]
    fn stories_left_out_are_not_asked_of_the_next_model_where_the_policy_does_not_fall_back() {
        let answers = vec![Ok(Value::Null), Err("the story is missing from the answer".to_owned())];
        let (settled, next) = RetryPlan::new(vec![0, 1], "").answered(&INTERACTIVE, "c1", answers, 1.0);
        assert_eq!((settled.len(), next.len()), (1, 1));
        assert_eq!((next[0].items.as_slice(), next[0].route), ([1].as_slice(), AFTER_THE_CHAIN));
        assert!(next[0].failure.contains("missing"), "{next:?}");
    }
}
