//! Groups the run's items into stories and selects those worth judging.
//!
//! Input: the run's items. Output: stories with their members up to the window's end, and the evidence on each. A story
//! that was delivered before and has not grown since is excluded here, before anything is paid for it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use aha_content::numbers::count;
use aha_core::digest::Evidence;
use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::item::Item;
use aha_core::run::RunMode;
use aha_core::story::{Delivery, Story, StoryMember, choose_representative};
use aha_core::time::Timestamp;
use aha_core::topic::RuleAction;
use aha_core::window::Window;
use aha_llm::local;
use aha_store::StoryRecord;

use super::ingest::ReadSources;
use super::preferences::Preferences;
use super::rules::{InScope, Rules};
use super::run_limits::RunLimits;
use super::{RunContext, RunError, Stage, evidence, preferences};

/// The stories to judge, with the data about them.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) stories: Vec<Story>,
    pub(super) evidence: HashMap<ClusterId, Evidence>,
    pub(super) preferences: Preferences,
    /// Number of the run's items by source.
    pub(super) items_by_source: HashMap<SourceId, usize>,
    /// Number of late items by source.
    pub(super) late_by_source: HashMap<SourceId, usize>,
    /// In-scope items of stories shown before that have not grown.
    pub(super) already_delivered: usize,
    /// In-scope items of stories excluded by the limits.
    pub(super) not_considered: usize,
}

pub(super) async fn run(context: &RunContext, sources: &ReadSources, scope: &InScope) -> Result<Selected, RunError> {
    context.progress.begin(Stage::Select, 0);
    let window = context.run.window;
    let records = context.store().stories_of(context.topic.id, &scope.items, window.end).await?;
    let stories = assemble(context, sources, scope, records).await?;
    let by_source = items_by_source(&stories, |_| true);
    let late_by_source = items_by_source(&stories, |item| scope.late.contains(&item));
    let (fresh, unchanged): (Vec<Story>, Vec<Story>) = stories.into_iter().partition(Story::has_grown);
    let already_delivered = unchanged.iter().map(|story| story.in_scope().count()).sum();
    // Shared with the blocking pool, which has returned it when `fresh` is taken apart.
    let fresh = Arc::new(fresh);
    let mut evidence = evidence::gather(context, &fresh, &by_source).await?;
    let preferences = preferences::gather(context, &sources.all, &fresh).await?;
    for (story, evidence) in &mut evidence {
        let leaning = preferences.leaning(*story);
        evidence.preference = leaning.degree;
        evidence.feedback_weight = preferences.weight;
        evidence.preference_reason = leaning.in_words();
    }
    let limits = RunLimits::of(context.run.settings.tier, sources.all.len(), context.run.settings.depth);
    let explored = explored(limits.candidates, context.run.settings.ranking.exploration);
    let chosen = choose(&fresh, limits.candidates, explored, window, &evidence);
    let (selected, excluded): (Vec<_>, Vec<_>) =
        Arc::unwrap_or_clone(fresh).into_iter().enumerate().partition(|(index, _)| chosen.contains(index));
    let not_considered = excluded.iter().map(|(_, story)| story.in_scope().count()).sum();
    let stories: Vec<Story> = selected.into_iter().map(|(_, story)| story).collect();
    context.progress.end(
        Stage::Select,
        &format!(
            "{}, {} delivered before",
            count(stories.len(), "story", "stories"),
            count(already_delivered, "item", "items")
        ),
    );
    Ok(Selected {
        stories,
        evidence,
        preferences,
        items_by_source: by_source,
        late_by_source,
        already_delivered,
        not_considered,
    })
}

fn items_by_source(stories: &[Story], counts_item: impl Fn(ItemId) -> bool) -> HashMap<SourceId, usize> {
    let mut counts = HashMap::new();
    for member in stories.iter().flat_map(Story::in_scope).filter(|member| counts_item(member.item.id)) {
        *counts.entry(member.item.source_id).or_insert(0) += 1;
    }
    counts
}

/// Builds the stories without muted members, whichever run read them: a rule may be newer than an item.
async fn assemble(
    context: &RunContext,
    sources: &ReadSources,
    scope: &InScope,
    records: Vec<StoryRecord>,
) -> Result<Vec<Story>, RunError> {
    let (rules, by_id) = (Rules::of(context)?, sources.by_id());
    let in_scope: HashSet<ItemId> = scope.items.iter().copied().collect();
    let cursor_run = context.run.mode == RunMode::Cursor;
    let ids: Vec<ItemId> = records.iter().flat_map(|r| r.members.iter().map(|(id, _)| *id)).collect();
    let mut items: HashMap<ItemId, (Item, Vec<SourceId>)> = context
        .store()
        .load_items(context.topic.id, &ids)
        .await?
        .into_iter()
        .filter(|(item, _)| !rules.hit(RuleAction::Mute, item, &by_id))
        .map(|(item, sources)| (item.id, (item, sources)))
        .collect();
    let mut stories: Vec<Story> = Vec::new();
    for record in records {
        let members: Vec<StoryMember> = record
            .members
            .iter()
            .filter_map(|(id, similarity)| {
                let (item, sources) = items.remove(id)?;
                Some(StoryMember { in_scope: in_scope.contains(id), similarity: *similarity, item, sources })
            })
            .collect();
        if members.iter().any(|member| member.in_scope) {
            // A window run includes all stories of its window, delivered or not. A run's own delivery does not count
            // against it, because a killed attempt may have committed last. When it is replayed, the delivery of a later
            // run does not count either; otherwise a delivery at a later time is one while the clock was ahead.
            let counts = |delivery: &Delivery| {
                let is_of_later_run = context.is_replay && delivery.at >= context.run.window.end;
                cursor_run && record.delivered_by != Some(context.run.id) && !is_of_later_run
            };
            let delivered = record.delivered.clone().filter(counts);
            let representative = choose_representative(&members);
            stories.push(Story { cluster_id: record.cluster, members, representative, delivered });
        }
    }
    stories.sort_by_key(|story| (story.members[0].item.time, story.members[0].item.id));
    Ok(stories)
}

/// Returns indices of at most `limit` stories: most by weight, a share by turns of (source, time bucket), so that
/// neither a prolific source nor one busy hour takes all places.
fn choose(
    stories: &[Story],
    limit: usize,
    explored: usize,
    window: Window,
    evidence: &HashMap<ClusterId, Evidence>,
) -> BTreeSet<usize> {
    if stories.len() <= limit {
        return (0..stories.len()).collect();
    }
    let weight = |index: usize| {
        let known = evidence.get(&stories[index].cluster_id);
        let score = known.map_or(0.0, local::local_score_without_ceilings);
        let engagement = known.and_then(|e| e.engagement_percentile).unwrap_or(0.5);
        (score, heuristic(recency(stories[index].latest(), window), engagement))
    };
    let weights: Vec<(f64, f64)> = (0..stories.len()).map(weight).collect();
    let mut by_weight: Vec<usize> = (0..stories.len()).collect();
    by_weight.sort_by(|a, b| {
        let (x, y) = (weights[*a], weights[*b]);
        y.0.total_cmp(&x.0).then(y.1.total_cmp(&x.1)).then(a.cmp(b))
    });
    let mut chosen = explore(stories, &by_weight, explored, window);
    for index in by_weight {
        if chosen.len() >= limit {
            break;
        }
        chosen.insert(index);
    }
    chosen
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of at most 2000"
)]
/// Returns the number of candidates chosen for variety, whatever their rank.
fn explored(limit: usize, share: f64) -> usize {
    (limit as f64 * share) as usize
}

/// Takes the best of each (source, bucket) in turn until `count` stories are chosen.
fn explore(stories: &[Story], by_weight: &[usize], count: usize, window: Window) -> BTreeSet<usize> {
    let mut groups: BTreeMap<(SourceId, i64), Vec<usize>> = BTreeMap::new();
    for index in by_weight {
        let item = stories[*index].representative();
        groups.entry((item.source_id, bucket(item.time, window))).or_default().push(*index);
    }
    let mut chosen = BTreeSet::new();
    let deepest = groups.values().map(Vec::len).max().unwrap_or(0);
    for turn in 0..deepest {
        for group in groups.values() {
            if chosen.len() >= count {
                return chosen;
            }
            chosen.extend(group.get(turn));
        }
    }
    chosen
}

/// Returns the time bucket; the window is divided into clamp(3, 12, round(hours / 2)) buckets.
#[expect(clippy::cast_possible_truncation, reason = "clamped to 3..=12")]
fn bucket(time: Timestamp, window: Window) -> i64 {
    let buckets = (window.hours() / 2.0).round().clamp(3.0, 12.0) as i64;
    let length = (window.end - window.start).max(1);
    ((time - window.start) * buckets / length).clamp(0, buckets - 1)
}

/// Minimum time span of recency, in hours, so that the items of a five-minute run do not all count as old.
const RECENT_HOURS: i64 = 24;

/// Linear over the window, or over the day before its end if that is longer: 0 at its start and before, 1 at its end.
#[must_use]
pub(super) fn recency(time: Timestamp, window: Window) -> f64 {
    let start = window.start.min(window.end.hours_before(RECENT_HOURS));
    (time.hours_since(start) / window.end.hours_since(start)).clamp(0.0, 1.0)
}

/// 0.6 recency + 0.4 engagement, both in [0, 1].
#[must_use]
pub(super) fn heuristic(recency: f64, engagement: f64) -> f64 {
    0.6 * recency + 0.4 * engagement
}
