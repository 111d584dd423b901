//! Estimates the memory used by the clustering of stories.
//!
//! Input: the items of the look-back. Output: their memory use in bytes, prepared as in a run. Called by `doctor`.

use aha_core::time::DAY_MS;

use super::cluster_item::{ClusterItem, OPEN_DAYS};
use super::comparison::Comparison;
use super::lookup::LookupIndex;

/// The approximate memory of a run with these items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchMemory {
    /// Items whose terms are counted.
    pub items: usize,
    /// Items in the index.
    pub open_items: usize,
    /// Term counts, frequencies and the items themselves.
    pub text_bytes: usize,
    /// Weighted vectors and their index.
    pub index_bytes: usize,
}

impl SearchMemory {
    /// Estimates the memory. `items` are sorted by time. The index contains those that are open to the next items.
    #[must_use]
    pub fn of(items: &[ClusterItem]) -> Self {
        let comparison = Comparison::of(items);
        let mut index = LookupIndex::default();
        let mut memory = Self { items: items.len(), open_items: 0, text_bytes: 0, index_bytes: 0 };
        let last = items.last().map(|item| item.time);
        for (number, item) in items.iter().enumerate() {
            memory.text_bytes += size_of::<ClusterItem>() + item.features.bytes();
            if last.is_some_and(|last| last - item.time <= OPEN_DAYS * DAY_MS) {
                let weighted = comparison.get(number);
                memory.open_items += 1;
                memory.index_bytes += weighted.bytes();
                index.insert(number, &index.heavy(weighted));
            }
        }
        memory.text_bytes += comparison.frequency_bytes();
        memory.index_bytes += index.bytes();
        memory
    }

    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.text_bytes + self.index_bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aha_core::ids::{ItemId, SourceId};
    use aha_core::time::Timestamp;

    use super::*;
    use crate::text::features::Features;

    fn items(days: &[i64]) -> Vec<ClusterItem> {
        let one = |(number, day): (usize, &i64)| ClusterItem {
            id: ItemId::of(&[&number.to_string()]),
            source: SourceId::of(&["s"]),
            time: Timestamp::from_millis(day * DAY_MS),
            cluster: None,
            delivered: false,
            copy: false,
            features: Arc::new(Features::of(None, &format!("ferry{number} stranded off Skerrow with {number} aboard"))),
            dense: None,
        };
        days.iter().enumerate().map(one).collect()
    }

    #[test]
    fn what_is_open_is_in_the_index_and_what_is_older_only_counted() {
        let memory = |days: &[i64]| SearchMemory::of(&items(days));
        let (both, one) = (memory(&[0, 1]), memory(&[0, 40]));
        assert_eq!((both.items, both.open_items, one.items, one.open_items), (2, 2, 2, 1));
        assert!(both.index_bytes > one.index_bytes && both.text_bytes == one.text_bytes);
        assert!(one.text_bytes > 2 * size_of::<ClusterItem>() && one.bytes() == one.text_bytes + one.index_bytes);
        assert_eq!(memory(&[]).items, 0);
    }
}
