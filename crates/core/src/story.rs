//! A story: the items of one cluster, as far as a run sees them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ids::{ClusterId, ItemId, SourceId};
use super::item::Item;
use super::time::Timestamp;

/// A cluster with its members up to the window's end, and which of them the run is about.
#[derive(Debug, Clone)]
pub struct Story {
    pub cluster_id: ClusterId,
    /// By time, then id; never empty.
    pub members: Vec<StoryMember>,
    /// Index into `members`.
    pub representative: usize,
    /// How the story stood when it was last delivered.
    pub delivered: Option<Delivery>,
}

#[derive(Debug, Clone)]
pub struct StoryMember {
    pub item: Item,
    /// Whether the run is about this item (claimed by it, or in its window), not just found before it.
    pub in_scope: bool,
    /// Similarity to the story when it joined; 1 for the first.
    pub similarity: f64,
    /// Every source that brought this item, its own first.
    pub sources: Vec<SourceId>,
}

/// The last time a digest showed a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub at: Timestamp,
    /// Distinct sources that had told it by then.
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

    /// Sources that told the story themselves: a copy of another member's text is no second voice.
    #[must_use]
    pub fn distinct_sources(&self) -> BTreeSet<SourceId> {
        let own = self.members.iter().filter(|m| m.item.duplicate_of.is_none()).map(|m| m.item.source_id);
        let sources: BTreeSet<SourceId> = own.collect();
        if sources.is_empty() { self.members.iter().map(|m| m.item.source_id).collect() } else { sources }
    }

    /// The newest time of an item that the run is about.
    #[must_use]
    pub fn latest(&self) -> Timestamp {
        self.in_scope().map(|m| m.item.time).max().unwrap_or_else(|| self.representative().time)
    }

    /// Whether its sources have doubled since it was delivered; true for a story never delivered.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        let sources = i64::try_from(self.distinct_sources().len()).unwrap_or(i64::MAX);
        self.delivered.as_ref().is_none_or(|delivery| sources >= delivery.sources.saturating_mul(2))
    }

    /// What a judgement of the story is stored under: it changes when its sources double.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(self.cluster_id, self.distinct_sources().len())
    }

    #[must_use]
    pub fn member_ids(&self) -> Vec<ItemId> {
        self.members.iter().map(|m| m.item.id).collect()
    }
}

/// What a judgement of a story is stored under, by the distinct sources that told it then.
#[must_use]
pub fn fingerprint(story: ClusterId, distinct_sources: usize) -> String {
    format!("{story}:{}", distinct_sources.max(1).ilog2())
}

/// Picks the member that stands for a story: among those at least as close to it as the median member, has a title, has a link,
/// longest body, newest; then the smallest id. (The longest text alone may be an essay that touches the story in passing.)
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
