//! Which story each group of items is: the one that most of its items were in, or a new one.
//!
//! A story keeps its id for as long as it goes on: it stays with the group that has most of its items. Where several stories became
//! one, the one that was shown to the reader keeps its id, else the one with the oldest item; the others go into it.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::{ClusterId, TopicId};

use super::cluster::{Document, Merge, Placed, Placement};
use super::similarity::Weighted;

/// Gives each group its story. `groups` hold places in `documents`, each of them once; a group that did not change is left as it is.
pub(super) fn identify<'a>(
    topic: TopicId,
    documents: &[Document],
    mut groups: Vec<Vec<usize>>,
    weighted: &impl Fn(usize) -> &'a Weighted,
) -> Placed {
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_unstable();
    let stayed = stayed(documents, &groups);
    let mut placed = Placed { homes: documents.iter().map(|d| d.cluster).collect(), ..Placed::default() };
    for (group, own) in groups.iter().zip(stayed) {
        let chosen = chosen(documents, group, &own);
        let story = chosen.unwrap_or_else(|| new_story(topic, documents, group));
        placed.merges.extend(own.iter().filter(|id| **id != story).map(|id| Merge { from: *id, into: story }));
        place_members(&mut placed, documents, group, Home { story, began: chosen.is_none(), own: &own }, weighted);
    }
    placed
}

/// The stories that stay with each group: it has most of their items, the earliest of several that have.
fn stayed(documents: &[Document], groups: &[Vec<usize>]) -> Vec<Vec<ClusterId>> {
    let mut most: BTreeMap<ClusterId, (usize, usize)> = BTreeMap::new();
    for (place, group) in groups.iter().enumerate() {
        let mut items: BTreeMap<ClusterId, usize> = BTreeMap::new();
        for story in group.iter().filter_map(|member| documents[*member].cluster) {
            *items.entry(story).or_default() += 1;
        }
        for (story, count) in items {
            let most = most.entry(story).or_insert((count, place));
            if count > most.0 {
                *most = (count, place);
            }
        }
    }
    let mut stayed = vec![Vec::new(); groups.len()];
    for (story, (_, place)) in most {
        stayed[place].push(story);
    }
    stayed
}

/// Of the stories that became one, the one whose id stays.
fn chosen(documents: &[Document], group: &[usize], own: &[ClusterId]) -> Option<ClusterId> {
    let members = group.iter().map(|member| &documents[*member]);
    let mut candidates = members.filter(|document| document.cluster.is_some_and(|story| own.contains(&story)));
    let oldest = candidates.clone().next()?.cluster;
    candidates.find(|document| document.delivered).map_or(oldest, |document| document.cluster)
}

/// A story's id is that of its first item; one that parts from another is named by both.
fn new_story(topic: TopicId, documents: &[Document], group: &[usize]) -> ClusterId {
    let first = group.first().map(|member| &documents[*member]);
    let left = group.iter().find_map(|member| documents[*member].cluster);
    let item = first.map(|document| document.id.to_string()).unwrap_or_default();
    match left {
        None => ClusterId::of(&[&topic.to_string(), &item]),
        Some(left) => ClusterId::of(&[&topic.to_string(), &item, &left.to_string()]),
    }
}

#[derive(Clone, Copy)]
struct Home<'a> {
    story: ClusterId,
    began: bool,
    /// Stories that are this one from now on: their items need not be moved.
    own: &'a [ClusterId],
}

fn place_members<'a>(
    placed: &mut Placed,
    documents: &[Document],
    group: &[usize],
    home: Home<'_>,
    weighted: &impl Fn(usize) -> &'a Weighted,
) {
    let is_there = |member: &usize| documents[*member].cluster.is_some_and(|story| home.own.contains(&story));
    let moved: Vec<usize> = group.iter().filter(|member| !is_there(member)).copied().collect();
    let left: BTreeSet<ClusterId> = moved.iter().filter_map(|member| documents[*member].cluster).collect();
    placed.changed.extend(left);
    if !moved.is_empty() || home.own.len() > 1 {
        placed.changed.insert(home.story);
    }
    let begins = |member: &usize| home.began && Some(member) == group.first();
    let sum = if moved.iter().all(begins) { Weighted::default() } else { sum(group, weighted) };
    for member in moved {
        let began = begins(&member);
        let similarity = if began { 1.0 } else { mean_similarity(weighted(member), &sum, group.len()) };
        placed.placements.push(Placement { item: documents[member].id, cluster: home.story, similarity, began });
    }
    for member in group {
        placed.homes[*member] = Some(home.story);
    }
}

/// With the group's other items.
#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn mean_similarity(own: &Weighted, sum: &Weighted, items: usize) -> f64 {
    let others = items.saturating_sub(1).max(1) as f64;
    ((own.similarity(sum) - own.similarity(own)) / others).clamp(0.0, 1.0)
}

fn sum<'a>(group: &[usize], weighted: &impl Fn(usize) -> &'a Weighted) -> Weighted {
    Weighted::sum(&group.iter().map(|member| weighted(*member)).collect::<Vec<_>>())
}
