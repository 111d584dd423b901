//! Deep summaries for stories whose verdict asks for one, in order of rank, up to the run's limit. Stories without a
//! text are skipped.

use std::cmp::Reverse;
use std::collections::HashMap;

use aha_core::digest::Estimate;
use aha_core::ids::{ClusterId, SourceId};
use aha_core::money::MicroCredits;
use aha_core::source::Source;
use aha_core::story::Story;
use aha_core::verdict::Verdict;
use aha_llm::{Task, TaskItem};

use super::ingest::ReadSources;
use super::rank::Ranked;
use super::run_limits::RunLimits;
use super::select::Selected;
use super::task_batch::{TaskResult, TaskResults, run_tasks, scope};
use super::{RunContext, RunError, Stage};
use aha_llm::tasks::deep_summary;
use aha_llm::tasks::summary::SummaryInput;

/// Maximum number of a story's texts in the input.
const TEXTS: usize = 6;
/// Minimum number of characters included of each text, so that one long text does not displace all others.
const TEXT_CHARS: usize = 8_000;

pub(super) async fn run(
    context: &RunContext,
    sources: &ReadSources,
    selected: &Selected,
    judged: &TaskResults,
    ranked: &[Ranked],
) -> Result<TaskResults, RunError> {
    let settings = &context.run.settings;
    let limits = RunLimits::of(settings.tier, sources.all.len(), settings.depth);
    let sources = sources.by_id();
    let task_items: Vec<(ClusterId, TaskItem)> = ranked
        .iter()
        .filter(|ranked| ranked.section.is_some())
        .map(|ranked| &selected.stories[ranked.story])
        .filter(|story| deserves(judged, story))
        .filter_map(|story| task_item(context, selected, &sources, story))
        .take(limits.deep_summaries)
        .collect();
    let possible: Vec<(ClusterId, TaskItem)> = undecided_stories(context, selected, judged)
        .into_iter()
        .filter(|story| !is_paid(judged, story) || deserves(judged, story))
        .filter_map(|story| task_item(context, selected, &sources, story))
        .collect();
    // One story per call: a summary is long, and a failed call affects no other story.
    let mut results = run_tasks(context, deep_summary::TASK, Stage::DeepSummary, task_items, 1).await?;
    let places = limits.deep_summaries.min(settings.sizes.top + settings.sizes.scan);
    raise_most(context, deep_summary::TASK, &mut results, &possible, places).await?;
    Ok(results)
}

fn task_item(
    context: &RunContext,
    selected: &Selected,
    sources: &HashMap<SourceId, &Source>,
    story: &Story,
) -> Option<(ClusterId, TaskItem)> {
    let input = deep_summary::input(summary_input(context, deep_summary::TASK, selected, sources, story)?);
    Some((story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input }))
}

fn deserves(judged: &TaskResults, story: &Story) -> bool {
    let verdict: Option<Verdict> = judged.by_story.get(&story.cluster_id).and_then(TaskResult::read);
    verdict.is_some_and(|verdict| verdict.should_deep_summarize)
}

fn is_paid(judged: &TaskResults, story: &Story) -> bool {
    judged.by_story.get(&story.cluster_id).is_some_and(TaskResult::is_paid)
}

pub(super) fn is_judged(judged: &TaskResults, story: &Story) -> bool {
    judged.by_story.get(&story.cluster_id).is_some_and(|one| one.answer.is_some())
}

/// Returns all stories with a judgement, if a dry run has judgements by `local` where a model would be asked: which
/// stories are shown, and which of them are summarised, is then not known. Otherwise none.
pub(super) fn undecided_stories<'s>(
    context: &RunContext,
    selected: &'s Selected,
    judged: &TaskResults,
) -> Vec<&'s Story> {
    let is_by_local = |one: &TaskResult| one.answer.is_some() && !one.is_paid();
    let is_dry_run = context.app.gateway().is_dry_run() && !context.is_replay;
    if !is_dry_run || !judged.by_story.values().any(is_by_local) {
        return Vec::new();
    }
    selected.stories.iter().filter(|story| is_judged(judged, story)).collect()
}

/// Raises the most that the estimated calls can cost to that of the `places` dearest of the `possible` ones. The rest
/// of an estimate is about the calls that follow from the judgement of `local`.
pub(super) async fn raise_most(
    context: &RunContext,
    task: Task,
    results: &mut TaskResults,
    possible: &[(ClusterId, TaskItem)],
    places: usize,
) -> Result<(), RunError> {
    let (gateway, scope) = (context.app.gateway(), scope(context, task));
    let mut calls: Vec<Estimate> = Vec::new();
    for (_, item) in possible {
        if gateway.stored_answer(context.store(), task, &scope, item).await?.is_none() {
            calls.extend(gateway.estimate(task, scope.tier, &[item], 1).filter(|call| call.configured));
        }
    }
    calls.sort_by_key(|call| Reverse(call.most_microcredits));
    calls.truncate(places);
    let Some(dearest) = calls.first() else { return Ok(()) };
    let most: Option<i64> = calls.iter().map(|call| call.most_microcredits.map(|most| most.0)).sum();
    let estimate = results.with_a_model.get_or_insert_with(|| Estimate {
        stories: 0,
        calls: 0,
        input_tokens: 0,
        output_tokens: 0,
        microcredits: dearest.microcredits.map(|_| MicroCredits::ZERO),
        ..dearest.clone()
    });
    estimate.most_microcredits = most.map(MicroCredits);
    estimate.dearest_microcredits = dearest.most_microcredits;
    Ok(())
}

/// Returns the input built from a story's texts; `None` for a story without a text. The texts share the input limit of
/// the task's model.
pub(super) fn summary_input(
    context: &RunContext,
    task: Task,
    selected: &Selected,
    sources: &HashMap<SourceId, &Source>,
    story: &Story,
) -> Option<SummaryInput> {
    let representative = std::iter::once(story.representative);
    let others = (0..story.members.len()).filter(|index| *index != story.representative);
    let items: Vec<_> = representative
        .chain(others)
        .map(|index| &story.members[index].item)
        .filter(|item| !story.is_copy(item) && !item.body_text.trim().is_empty())
        .take(TEXTS)
        .collect();
    let limit = context.app.config().llm.max_input_chars(task).unwrap_or(TEXT_CHARS);
    let share = limit.checked_div(items.len())?.max(TEXT_CHARS);
    let texts = items.into_iter().map(|item| {
        let name = sources.get(&item.source_id).map_or_else(String::new, |source| source.display_name());
        (name, item.body_text.chars().take(share).collect())
    });
    Some(SummaryInput {
        title: story.representative().display_title(),
        headlines: story.members.iter().map(|member| member.item.display_title()).take(TEXTS).collect(),
        texts: texts.collect(),
        discussions: discussions(story),
        interests: context.run.settings.interests.clone(),
        evidence: selected.evidence.get(&story.cluster_id).cloned().unwrap_or_default(),
    })
}

/// Returns the story's discussion URLs, without duplicates.
pub(super) fn discussions(story: &Story) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for url in story.members.iter().filter_map(|m| m.item.metadata.discussion_url.as_ref()) {
        if !found.contains(url) {
            found.push(url.clone());
        }
    }
    found
}
