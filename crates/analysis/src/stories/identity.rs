//! Assigns a story id to each group: that of the story with most of its items, or a new one.
//!
//! A story keeps its id as long as it continues: the id stays with the group that has most of its items. If several
//! stories were merged, the one that was shown to the reader keeps its id, otherwise the one with the oldest item.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::ids::{ClusterId, ItemId, TopicId};
use rayon::prelude::*;

use super::cluster_item::ClusterItem;
use crate::text::similarity::Weighted;

/// The assignment of an item to a story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    pub item: ItemId,
    pub cluster: ClusterId,
    /// Mean similarity to the story; 1 for the item that began it.
    pub similarity: f64,
    pub began: bool,
}

/// A story that was merged into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    pub from: ClusterId,
    pub into: ClusterId,
}

/// The result of clustering.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placed {
    /// Items that joined a story, began one, or moved from one to another.
    pub placements: Vec<Placement>,
    pub merges: Vec<Merge>,
    /// Stories whose set of items changed.
    pub changed: BTreeSet<ClusterId>,
    /// The story of each item; `None` for an item out of range that has none.
    pub assignments: Vec<Option<ClusterId>>,
}

/// Assigns a story to each group. `groups` contain indexes in `items`, each once; unchanged groups keep their
/// story.
pub(super) fn identify<'a>(
    topic: TopicId,
    items: &[ClusterItem],
    mut groups: Vec<Vec<usize>>,
    weighted: &(impl Fn(usize) -> &'a Weighted + Sync),
) -> Placed {
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_unstable();
    let retained = retained(items, &groups);
    let assignment = |(group, own): (Vec<usize>, Vec<ClusterId>)| {
        let chosen = chosen(items, &group, &own);
        let story = chosen.unwrap_or_else(|| new_story(topic, items, &group));
        let assignment = GroupAssignment { story, began: chosen.is_none(), own };
        let placements = placements(items, &group, &assignment, weighted);
        (group, assignment, placements)
    };
    let found: Vec<_> = groups.into_par_iter().zip(retained).map(assignment).collect();
    let mut placed = Placed { assignments: items.iter().map(|item| item.cluster).collect(), ..Placed::default() };
    for (group, assignment, placements) in found {
        place_members(&mut placed, items, &group, &assignment, placements);
    }
    placed
}

/// Returns the stories that stay with each group: it has most of their items, or is the earliest with that many.
fn retained(items: &[ClusterItem], groups: &[Vec<usize>]) -> Vec<Vec<ClusterId>> {
    let mut largest: BTreeMap<ClusterId, (usize, usize)> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        let mut counts: BTreeMap<ClusterId, usize> = BTreeMap::new();
        for story in group.iter().filter_map(|member| items[*member].cluster) {
            *counts.entry(story).or_default() += 1;
        }
        for (story, count) in counts {
            let largest = largest.entry(story).or_insert((count, index));
            if count > largest.0 {
                *largest = (count, index);
            }
        }
    }
    let mut retained = vec![Vec::new(); groups.len()];
    for (story, (_, index)) in largest {
        retained[index].push(story);
    }
    retained
}

/// Returns the merged story whose id is kept; `None` if there is none.
fn chosen(items: &[ClusterItem], group: &[usize], own: &[ClusterId]) -> Option<ClusterId> {
    let members = group.iter().map(|member| &items[*member]);
    let mut candidates = members.filter(|item| item.cluster.is_some_and(|story| own.contains(&story)));
    let oldest = candidates.clone().next()?.cluster;
    candidates.find(|item| item.delivered).map_or(oldest, |item| item.cluster)
}

/// Returns a new story id, derived from its first item, and from the previous story if it was split from one.
fn new_story(topic: TopicId, items: &[ClusterItem], group: &[usize]) -> ClusterId {
    let first = group.first().map(|member| &items[*member]);
    let left = group.iter().find_map(|member| items[*member].cluster);
    let item = first.map(|item| item.id.to_string()).unwrap_or_default();
    match left {
        None => ClusterId::of(&[&topic.to_string(), &item]),
        Some(left) => ClusterId::of(&[&topic.to_string(), &item, &left.to_string()]),
    }
}

struct GroupAssignment {
    story: ClusterId,
    began: bool,
    /// Stories that are now this one: their items need not be moved.
    own: Vec<ClusterId>,
}

/// Returns the placements of members that were not in this story, with their indexes.
fn placements<'a>(
    items: &[ClusterItem],
    group: &[usize],
    assignment: &GroupAssignment,
    weighted: &impl Fn(usize) -> &'a Weighted,
) -> Vec<(usize, Placement)> {
    let is_member_already =
        |member: &usize| items[*member].cluster.is_some_and(|story| assignment.own.contains(&story));
    let moved: Vec<usize> = group.iter().filter(|member| !is_member_already(member)).copied().collect();
    let begins = |member: &usize| assignment.began && Some(member) == group.first();
    let sum = if moved.iter().all(begins) { Weighted::default() } else { sum(group, weighted) };
    let placement = |member: usize| {
        let began = begins(&member);
        let similarity = if began { 1.0 } else { mean_similarity(weighted(member), &sum, group.len()) };
        (member, Placement { item: items[member].id, cluster: assignment.story, similarity, began })
    };
    moved.into_iter().map(placement).collect()
}

fn place_members(
    placed: &mut Placed,
    items: &[ClusterItem],
    group: &[usize],
    assignment: &GroupAssignment,
    placements: Vec<(usize, Placement)>,
) {
    let merged_away = assignment.own.iter().filter(|id| **id != assignment.story);
    placed.merges.extend(merged_away.map(|id| Merge { from: *id, into: assignment.story }));
    placed.changed.extend(placements.iter().filter_map(|(member, _)| items[*member].cluster));
    if !placements.is_empty() || assignment.own.len() > 1 {
        placed.changed.insert(assignment.story);
    }
    placed.placements.extend(placements.into_iter().map(|(_, placement)| placement));
    for member in group {
        placed.assignments[*member] = Some(assignment.story);
    }
}

/// Returns the mean similarity to the group's other items.
#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn mean_similarity(own: &Weighted, sum: &Weighted, items: usize) -> f64 {
    let others = items.saturating_sub(1).max(1) as f64;
    ((own.similarity(sum) - own.similarity(own)) / others).clamp(0.0, 1.0)
}

fn sum<'a>(group: &[usize], weighted: &impl Fn(usize) -> &'a Weighted) -> Weighted {
    Weighted::sum(&group.iter().map(|member| weighted(*member)).collect::<Vec<_>>())
}
