//! What the calls about one batch have come to, model by model: a batch that gives nothing is not paid for again and again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{CallError, Charge};

/// Failed calls that may be paid for, about a batch of which nothing is answered.
const MOST_UNUSABLE: u32 = 2;

/// See the module. By the models' places in the chain.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<BTreeMap<usize, Count>>);

#[derive(Debug, Default)]
struct Count {
    is_answered: bool,
    unusable: u32,
}

impl Tally {
    /// A part of the batch was answered.
    pub(super) fn answered(&self, route: usize) {
        self.counts().entry(route).or_default().is_answered = true;
    }

    pub(super) fn failed(&self, route: usize, error: &CallError) {
        if error.charge() == Charge::Nothing {
            return;
        }
        self.counts().entry(route).or_default().unusable += 1;
    }

    /// Whether the model is not to be asked about more of the batch.
    pub(super) fn is_enough(&self, route: usize) -> bool {
        self.counts().get(&route).is_some_and(|count| !count.is_answered && count.unusable >= MOST_UNUSABLE)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<usize, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_without_use_are_enough_unless_a_part_is_answered() {
        let tally = Tally::default();
        tally.failed(0, &CallError::Connect("refused".to_owned()));
        tally.failed(0, &CallError::TimedOut(5));
        assert!(!tally.is_enough(0), "what cannot be paid for does not count");
        tally.failed(0, &CallError::Invalid("no".to_owned()));
        assert!(tally.is_enough(0) && !tally.is_enough(1));
        tally.answered(0);
        assert!(!tally.is_enough(0));
    }
}
