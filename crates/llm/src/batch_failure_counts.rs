//! Counts the results of the calls for one batch, per model, so that a batch without any answer is not paid for
//! repeatedly.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::metered_call::FailedCall;

/// Maximum failed calls that may be charged for a batch without any answer.
const MAX_UNUSABLE_IN_BATCH: u32 = 2;

/// For each model, by its position in the chain: whether it answered any part of the batch, how many failed calls may
/// be charged, and why it last rejected the batch.
#[derive(Debug, Default)]
pub(super) struct BatchFailureCounts(Mutex<BTreeMap<usize, Count>>);

#[derive(Debug, Default)]
struct Count {
    is_answered: bool,
    unusable: u32,
    /// The kind and message of the last rejection.
    rejection: Option<(&'static str, String)>,
}

impl BatchFailureCounts {
    /// Records that a part of the batch was answered.
    pub(super) fn answered(&self, route: usize) {
        self.counts().entry(route).or_default().is_answered = true;
    }

    pub(super) fn failed(&self, route: usize, FailedCall { error, is_charged }: &FailedCall) {
        let mut counts = self.counts();
        let count = counts.entry(route).or_default();
        if error.is_rejection() {
            count.rejection = Some((error.kind(), error.to_string()));
        }
        count.unusable += u32::from(*is_charged);
    }

    /// Returns the models that rejected the batch and answered no part of it, with the kind and message of the last
    /// rejection.
    pub(super) fn rejections(&self) -> Vec<(usize, &'static str, String)> {
        let counts = self.counts();
        let unanswered = counts.iter().filter(|(_, count)| !count.is_answered);
        unanswered.filter_map(|(route, count)| count.rejection.clone().map(|(kind, why)| (*route, kind, why))).collect()
    }

    /// Whether the model must not be called for more of the batch.
    pub(super) fn is_exhausted(&self, route: usize) -> bool {
        self.counts().get(&route).is_some_and(|count| !count.is_answered && count.unusable >= MAX_UNUSABLE_IN_BATCH)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<usize, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::CallError;
    use super::*;

    /// A failed call of which the provider reports no usage.
    fn failed(error: CallError) -> FailedCall {
        let is_charged = error.charge() != super::super::error::Charge::Nothing;
        FailedCall { error, is_charged }
    }

    #[test]
    fn two_calls_without_use_are_enough_unless_a_part_is_answered() {
        let counts = BatchFailureCounts::default();
        counts.failed(0, &failed(CallError::Connect("refused".to_owned())));
        counts.failed(0, &failed(CallError::TimedOut(5)));
        assert!(!counts.is_exhausted(0), "what cannot be paid for does not count");
        counts.failed(0, &failed(CallError::Invalid("no".to_owned())));
        assert!(counts.is_exhausted(0) && !counts.is_exhausted(1));
        counts.answered(0);
        assert!(!counts.is_exhausted(0));
    }

    #[test]
    fn a_rejection_counts_unless_a_part_is_answered() {
        let counts = BatchFailureCounts::default();
        counts.failed(0, &failed(CallError::Filtered));
        counts.failed(1, &failed(CallError::Invalid("no".to_owned())));
        counts.failed(2, &failed(CallError::Declined("no".to_owned())));
        counts.answered(2);
        let rejections: Vec<(usize, &str)> =
            counts.rejections().iter().map(|(route, kind, _)| (*route, *kind)).collect();
        assert_eq!(rejections, [(0, "filtered")]);
    }
}
