//! Deep summaries for stories whose verdict asks for one, in order of rank, up to the run's limit. Stories without a
//! text are skipped.

use std::collections::HashMap;

use aha_core::ids::{ClusterId, SourceId};
use aha_core::source::Source;
use aha_core::story::Story;
use aha_core::verdict::Verdict;
use aha_llm::{Task, TaskItem};

use super::ingest::ReadSources;
use super::rank::Ranked;
use super::run_limits::RunLimits;
use super::select::Selected;
use super::task_batch::{TaskResult, TaskResults, run_tasks};
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
        .filter_map(|story| {
            let input = deep_summary::input(summary_input(context, deep_summary::TASK, selected, &sources, story)?);
            Some((story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input }))
        })
        .take(limits.deep_summaries)
        .collect();
    // One story per call: a summary is long, and a failed call affects no other story.
    run_tasks(context, deep_summary::TASK, Stage::DeepSummary, task_items, 1).await
}

fn deserves(judged: &TaskResults, story: &Story) -> bool {
    let verdict: Option<Verdict> = judged.by_story.get(&story.cluster_id).and_then(TaskResult::read);
    verdict.is_some_and(|verdict| verdict.should_deep_summarize)
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
