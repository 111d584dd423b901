//! Which topics this process runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aha_core::ids::TopicId;

/// The topics that this process runs or is about to run, and how often: their leases do not belong to a dead process.
#[derive(Debug, Clone, Default)]
pub struct RunningTopics(Arc<Mutex<HashMap<TopicId, usize>>>);

impl RunningTopics {
    /// Counts a topic until the returned value is dropped.
    #[must_use]
    pub fn begin(&self, topic: TopicId) -> RunningTopic {
        *self.locked().entry(topic).or_default() += 1;
        RunningTopic { topic, all: self.clone() }
    }

    #[must_use]
    pub fn contains(&self, topic: TopicId) -> bool {
        self.locked().contains_key(&topic)
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<TopicId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One use of a topic by this process.
#[derive(Debug)]
pub struct RunningTopic {
    topic: TopicId,
    all: RunningTopics,
}

impl RunningTopic {
    /// Whether no other task of this process runs the topic, or is about to.
    #[must_use]
    pub fn is_only_one(&self) -> bool {
        self.all.locked().get(&self.topic) == Some(&1)
    }
}

impl Drop for RunningTopic {
    fn drop(&mut self) {
        let mut all = self.all.locked();
        if let Some(count) = all.get_mut(&self.topic) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.topic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_running_until_its_last_use_ends() {
        let (running, topic) = (RunningTopics::default(), TopicId::of(&["default"]));
        let one = running.begin(topic);
        assert!(one.is_only_one());
        let other = running.begin(topic);
        assert!(!one.is_only_one() && !other.is_only_one());
        drop(one);
        assert!(other.is_only_one() && running.contains(topic));
        drop(other);
        assert!(!running.contains(topic));
    }
}
