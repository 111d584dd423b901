//! A story: the items of one cluster that are visible to a run.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ids::{ClusterId, ItemId, SourceId};
use super::item::Item;
use super::time::Timestamp;

/// A cluster with its members up to the window's end, including which of them are in the run's scope.
#[derive(Debug, Clone)]
pub struct Story {
    pub cluster_id: ClusterId,
    /// By time, then id; never empty.
    pub members: Vec<StoryMember>,
    /// Index into `members`.
    pub representative: usize,
    /// State of the story when it was last delivered.
    pub delivered: Option<Delivery>,
}

#[derive(Debug, Clone)]
pub struct StoryMember {
    pub item: Item,
    /// Whether the item is in the run's scope (claimed by it, or in its window), rather than from before.
    pub in_scope: bool,
    /// Similarity to the story when the item joined; 1 for the first.
    pub similarity: f64,
    /// Every source that published this item, its own first.
    pub sources: Vec<SourceId>,
}

/// The last time a digest showed a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub at: Timestamp,
    /// Distinct sources that had covered it by then.
    pub sources: i64,
}

impl Story {
    #[must_use]
    pub fn representative(&self) -> &Item {
        &self.members[self.representative].item
    }

    pub fn in_scope(&self) -> impl Iterator<Item = &StoryMember> {
        self.members.iter().filter(|member| member.in_scope)
    }

    /// Whether the item is a copy of another member's text. Another topic may have found it to be a copy of an item that
    /// this topic does not read.
    #[must_use]
    pub fn is_copy(&self, item: &Item) -> bool {
        item.duplicate_of.is_some_and(|original| self.members.iter().any(|member| member.item.id == original))
    }

    /// Returns the sources that covered the story independently. A copy of another member's text does not count, unless
    /// all members are copies.
    #[must_use]
    pub fn distinct_sources(&self) -> BTreeSet<SourceId> {
        let own = self.members.iter().filter(|m| !self.is_copy(&m.item)).map(|m| m.item.source_id);
        let sources: BTreeSet<SourceId> = own.collect();
        if sources.is_empty() { self.members.iter().map(|m| m.item.source_id).collect() } else { sources }
    }

    /// Returns the time of the newest item in the run's scope, otherwise that of the representative.
    #[must_use]
    pub fn latest(&self) -> Timestamp {
        self.in_scope().map(|m| m.item.time).max().unwrap_or_else(|| self.representative().time)
    }

    /// Whether the number of its sources has at least doubled since it was delivered; true for a story that was never
    /// delivered.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        let sources = i64::try_from(self.distinct_sources().len()).unwrap_or(i64::MAX);
        self.delivered.as_ref().is_none_or(|delivery| sources >= delivery.sources.saturating_mul(2))
    }

    /// Returns the key under which a judgement of the story is stored. It changes when the number of its sources
    /// doubles.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(self.cluster_id, self.distinct_sources().len())
    }

    #[must_use]
    pub fn member_ids(&self) -> Vec<ItemId> {
        self.members.iter().map(|m| m.item.id).collect()
    }
}

/// Returns the key under which a judgement of a story is stored, given the number of distinct sources that had covered
/// it then.
#[must_use]
pub fn fingerprint(story: ClusterId, distinct_sources: usize) -> String {
    format!("{story}:{}", distinct_sources.max(1).ilog2())
}

/// Returns the index of the member that represents a story. Among the members at least as similar to the story as the
/// median member, it prefers one with a title, with a link, with the longest body, then the newest, then the smallest
/// id. (The longest text overall may be an essay that only mentions the story.)
#[must_use]
pub fn choose_representative(members: &[StoryMember]) -> usize {
    let scoped = members.iter().any(|m| m.in_scope);
    let eligible: Vec<usize> = (0..members.len()).filter(|index| !scoped || members[*index].in_scope).collect();
    let mut similarities: Vec<f64> = eligible.iter().map(|index| members[*index].similarity).collect();
    similarities.sort_by(f64::total_cmp);
    let median = similarities.get(similarities.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    eligible
        .into_iter()
        .filter(|index| members[*index].similarity >= median)
        .max_by(|a, b| {
            let key = |index: usize| {
                let item = &members[index].item;
                (item.title.is_some(), item.url.is_some(), item.body_text.len(), item.time)
            };
            key(*a).cmp(&key(*b)).then_with(|| members[*b].item.id.cmp(&members[*a].item.id))
        })
        .unwrap_or(0)
}
