//! What a process keeps of what it computed or checked, each with what tells whether it still holds.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use aha_analysis::retrieval::VectorIndex;
use aha_analysis::text::dense::DenseVector;
use aha_core::ids::SourceId;
use aha_core::time::Timestamp;
use aha_llm::embedder::QueryVector;
use aha_store::{SourceShare, VectorsVersion};

use crate::single_flight::SingleFlight;

/// The last value computed for each key, with the fingerprint of its inputs.
#[derive(Debug)]
pub struct LastValues<K, T: ?Sized>(Arc<Mutex<HashMap<K, Fingerprinted<T>>>>);

/// The fingerprint of the inputs, and the value.
type Fingerprinted<T> = (String, Arc<T>);

impl<K, T: ?Sized> Default for LastValues<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T: ?Sized> Clone for LastValues<K, T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Eq + Hash, T: ?Sized> LastValues<K, T> {
    /// Returns the value of a key, or `None` unless it was computed from inputs with this fingerprint.
    #[must_use]
    pub fn get(&self, key: &K, fingerprint: &str) -> Option<Arc<T>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).filter(|(made_of, _)| made_of == fingerprint).map(|(_, value)| Arc::clone(value))
    }

    pub fn put(&self, key: K, fingerprint: String, value: Arc<T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (fingerprint, value));
    }
}

/// How many of the items of each of a topic's sources reached a digest.
pub type SourceShares = HashMap<SourceId, SourceShare>;

/// Vectors loaded for search.
#[derive(Debug)]
pub struct LoadedVectors {
    pub space: String,
    /// As of loading.
    pub version: VectorsVersion,
    pub checked_at: Timestamp,
    pub index: Arc<VectorIndex>,
}

/// Number of queries whose vectors are kept.
const MAX_QUERIES: usize = 100;
/// How long no query is embedded in a space after one failed: the next one would wait as long.
const FAILURE_MILLIS: i64 = 60_000;

#[derive(Debug)]
struct QueryFailure {
    space: String,
    why: String,
    at: Timestamp,
}

/// Vectors of the last queries that a provider's model embedded, by space and text, and those being made: a query that
/// is repeated is not paid for again.
#[derive(Debug, Clone, Default)]
pub struct QueryVectors {
    last: Arc<Mutex<VecDeque<(String, DenseVector)>>>,
    failure: Arc<Mutex<Option<QueryFailure>>>,
    in_progress: SingleFlight<QueryVector>,
}

impl QueryVectors {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<DenseVector> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().find(|(known, _)| known == key).map(|(_, vector)| vector.clone())
    }

    pub fn put(&self, key: String, vector: DenseVector) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_front((key, vector));
        last.truncate(MAX_QUERIES);
    }

    /// Returns why the last query of a space failed, if that was recently.
    #[must_use]
    pub fn recent_failure(&self, space: &str, now: Timestamp) -> Option<String> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |at: Timestamp| (0..FAILURE_MILLIS).contains(&(now.as_millis() - at.as_millis()));
        failure.as_ref().filter(|last| last.space == space && is_recent(last.at)).map(|last| last.why.clone())
    }

    pub fn put_failure(&self, space: String, why: String, at: Timestamp) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(QueryFailure { space, why, at });
    }

    /// Calls in progress, by the same keys.
    #[must_use]
    pub const fn in_progress(&self) -> &SingleFlight<QueryVector> {
        &self.in_progress
    }
}

/// The result of the last check whether the search index is complete. The check scans every item, so its result is
/// cached. Stored items are indexed in the same transaction: only `reindex`, and rows written by an older version,
/// leave the index incomplete.
#[derive(Debug, Clone, Default)]
pub struct IndexCheckCache(Arc<Mutex<Option<IndexCheck>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexCheck {
    pub at: Timestamp,
    /// Since when the index lacks something; `None` if it was complete.
    pub behind_since: Option<Timestamp>,
}

/// How long a check remains valid.
const INDEX_CHECK_MILLIS: i64 = 60_000;

impl IndexCheckCache {
    /// Returns the last check if it is valid.
    #[must_use]
    pub fn recent(&self, now: Timestamp) -> Option<IndexCheck> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|last| (0..INDEX_CHECK_MILLIS).contains(&(now.as_millis() - last.at.as_millis())))
    }

    pub fn record(&self, check: IndexCheck) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(check);
    }

    /// To be called when the index was changed other than by storing items.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_last_queries_are_kept() {
        let vectors = QueryVectors::default();
        let vector = DenseVector::of(&[1.0, 2.0]).unwrap();
        (0..=MAX_QUERIES).for_each(|number| vectors.put(number.to_string(), vector.clone()));
        assert_eq!((vectors.get("0"), vectors.get("1")), (None, Some(vector.clone())));
        assert_eq!(vectors.get(&MAX_QUERIES.to_string()), Some(vector));
    }

    #[test]
    fn after_a_failure_no_query_of_the_space_is_embedded_for_a_minute() {
        let at = |seconds: i64| Timestamp::from_millis(1_000_000 + seconds * 1_000);
        let vectors = QueryVectors::default();
        vectors.put_failure("a".to_owned(), "late".to_owned(), at(0));
        let known = |space: &str, seconds| vectors.recent_failure(space, at(seconds));
        assert_eq!([known("a", 59), known("a", 60), known("b", 1)], [Some("late".to_owned()), None, None]);
    }

    #[test]
    fn a_check_of_the_index_is_valid_for_a_minute_whatever_it_found() {
        let at = |seconds: i64| Timestamp::from_millis(1_000_000 + seconds * 1_000);
        let checks = IndexCheckCache::default();
        assert_eq!(checks.recent(at(0)), None);
        for behind_since in [None, Some(at(-500))] {
            let check = IndexCheck { at: at(0), behind_since };
            checks.record(check);
            assert_eq!([59, 60, -1].map(|seconds| checks.recent(at(seconds))), [Some(check), None, None]);
        }
        checks.forget();
        assert_eq!(checks.recent(at(0)), None);
    }
}
