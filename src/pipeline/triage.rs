//! A judgement for every candidate, paid once per story. Stories are sent in the order of the score that `local` would
//! give, and of the judge's answers so far, so that the most promising are judged if the budget runs out.

use std::collections::{HashMap, HashSet};

use aha_core::ids::{ClusterId, SourceId};
use aha_core::source::Source;
use aha_core::story::Story;
use aha_llm::TaskItem;
use aha_llm::local;
use aha_llm::tasks::triage::{self, EarlierDigest, MemberInput, TriageInput};

use super::ingest::ReadSources;
use super::rules::InScope;
use super::select::Selected;
use super::task_batch::{Skip, TaskResult, TaskResults, run_tasks_by, scope};
use super::triage_order::TriageOrder;
use super::{RunContext, RunError, Stage};
use crate::digest::format::Calendar;

/// Maximum number of characters of the representative's body, unless a model's settings specify another.
const BODY_CHARS: usize = 4_000;
const TITLE_CHARS: usize = 240;
/// Maximum number of members in the input.
const MEMBERS: usize = 8;
/// Maximum number of categories from the feeds.
const CATEGORIES: usize = 5;

pub(super) async fn run(
    context: &RunContext,
    sources: &ReadSources,
    items: &InScope,
    selected: &Selected,
) -> Result<TaskResults, RunError> {
    let sources = sources.by_id();
    let mut task_items: Vec<(ClusterId, TaskItem)> = selected
        .stories
        .iter()
        .map(|story| (story.cluster_id, task_item(context, selected, &sources, story)))
        .collect();
    if context.app.gateway().has_models() {
        let score =
            |cluster: &ClusterId| selected.evidence.get(cluster).map_or(0.0, local::local_score_without_ceilings);
        task_items.sort_by(|(a, _), (b, _)| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    }
    let (task_items, noise) = split_noise(context, items, selected, task_items).await?;
    let batch_size = context.app.config().llm.triage_batch_size;
    let end = context.run.window.end;
    let order = || TriageOrder::of(&selected.stories, &selected.evidence, &sources, end);
    let mut judged = run_tasks_by(context, triage::TASK, Stage::Triage, task_items, batch_size, Some(&order)).await?;
    judged.by_story.extend(noise);
    Ok(judged)
}

/// Separates stories whose headline is too likely noise to pay for. Stories judged before keep their judgement; if
/// judging is free, all are judged.
async fn split_noise(
    context: &RunContext,
    items: &InScope,
    selected: &Selected,
    task_items: Vec<(ClusterId, TaskItem)>,
) -> Result<(Vec<(ClusterId, TaskItem)>, Vec<(ClusterId, TaskResult)>), RunError> {
    let limit = context.run.settings.ranking.noise_limit;
    // Depends on the configuration, so that an estimate and a replay skip the same stories as a run.
    if !context.app.config().llm.has_models() || limit >= 1.0 {
        return Ok((task_items, Vec::new()));
    }
    let always_judged = always_judged(items, selected);
    let likely = |cluster: &ClusterId| selected.evidence.get(cluster).map_or(0.0, |evidence| evidence.noise);
    let is_noise = |(cluster, _): &(ClusterId, TaskItem)| likely(cluster) >= limit && !always_judged.contains(cluster);
    let to_look_up: Vec<&TaskItem> = task_items.iter().filter(|one| is_noise(one)).map(|(_, item)| item).collect();
    let (store, scope) = (context.store(), scope(context, triage::TASK));
    let mut stored = context.app.gateway().stored_answers(store, triage::TASK, &scope, &to_look_up).await?.into_iter();
    let (mut to_judge, mut noise) = (Vec::new(), Vec::new());
    for one in task_items {
        if is_noise(&one) && stored.next().flatten().is_none() {
            let cluster = one.0;
            let why = format!(
                "its headline is {:.1} % like advertisements and bait, too likely noise to be paid for",
                likely(&cluster) * 100.0
            );
            noise.push((
                cluster,
                TaskResult { failure: Some(why), skipped: Some(Skip::Noise), ..TaskResult::default() },
            ));
        } else {
            to_judge.push(one);
        }
    }
    Ok((to_judge, noise))
}

/// Returns the stories that are judged whatever their headline: boosted, liked, matching the user's interests, or
/// covered by several sources.
fn always_judged(items: &InScope, selected: &Selected) -> HashSet<ClusterId> {
    let is_always_judged = |story: &&Story| {
        let evidence = selected.evidence.get(&story.cluster_id);
        story.in_scope().any(|member| items.boosted.contains_key(&member.item.id))
            || story.distinct_sources().len() >= 2
            || selected.preferences.is_liked(story.cluster_id)
            || evidence.is_some_and(local::matches_interests)
    };
    selected.stories.iter().filter(is_always_judged).map(|story| story.cluster_id).collect()
}

fn task_item(
    context: &RunContext,
    selected: &Selected,
    sources: &HashMap<SourceId, &Source>,
    story: &Story,
) -> TaskItem {
    let item = story.representative();
    let mut kinds: Vec<String> =
        story.members.iter().filter_map(|m| sources.get(&m.item.source_id)).map(|s| s.kind.to_string()).collect();
    kinds.sort();
    kinds.dedup();
    let llm = &context.app.config().llm;
    let body_chars = llm.max_input_chars(triage::TASK).unwrap_or(BODY_CHARS);
    let title_chars = llm.max_title_chars(triage::TASK).unwrap_or(TITLE_CHARS).max(TITLE_CHARS);
    TaskItem {
        fingerprint: story.fingerprint(),
        members: story.member_ids(),
        input: triage::input(TriageInput {
            title: item.display_title().chars().take(title_chars).collect(),
            body: item.body_text.chars().take(body_chars).collect(),
            members: members(sources, story),
            provenance: kinds,
            preference_summary: selected.preferences.summary.clone(),
            interests: context.run.settings.interests.clone(),
            categories: categories(story),
            continues: story.delivered.as_ref().map(|delivery| EarlierDigest {
                delivered_at: delivery.at,
                day: calendar(context).short_last_day(delivery.at),
            }),
            evidence: selected.evidence.get(&story.cluster_id).cloned().unwrap_or_default(),
        }),
    }
}

fn calendar(context: &RunContext) -> Calendar {
    Calendar::of_window(&context.run.settings.timezone, context.run.window.end)
}

/// Returns the representative first, then the others by time.
fn members(sources: &HashMap<SourceId, &Source>, story: &Story) -> Vec<MemberInput> {
    let order = std::iter::once(story.representative)
        .chain((0..story.members.len()).filter(|index| *index != story.representative));
    order
        .take(MEMBERS)
        .map(|index| &story.members[index].item)
        .map(|item| MemberInput {
            title: item.display_title(),
            url: item.canonical_url.clone().or_else(|| item.url.clone()),
            source: sources.get(&item.source_id).map_or_else(|| "a removed source".to_owned(), |s| s.display_name()),
        })
        .collect()
}

fn categories(story: &Story) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for category in story.members.iter().flat_map(|m| &m.item.metadata.categories) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(category)) {
            found.push(category.clone());
        }
    }
    found.truncate(CATEGORIES);
    found
}
