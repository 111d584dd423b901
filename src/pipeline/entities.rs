//! Entities of the stories in the top section. If a model is configured for the task, it is called; this is the first
//! task to be dropped when the budget runs low. Otherwise rules extract places, organisations and persons that are
//! evident from the text itself; that makes no call, so there is no ledger row.

use std::collections::HashMap;

use aha_core::digest::Section;
use aha_core::ids::ClusterId;
use aha_core::story::Story;
use aha_llm::tasks::entity_extract;
use aha_llm::tasks::summary::SummaryInput;
use aha_llm::{TaskItem, local};
use serde_json::Value;

use super::deep_summary::summary_input;
use super::ingest::ReadSources;
use super::rank::Ranked;
use super::select::Selected;
use super::task_batch::{TaskResults, run_tasks};
use super::{RunContext, RunError, Stage};

/// Entities of the stories in the top section.
#[derive(Debug, Default)]
pub(super) struct Entities {
    pub(super) by_model: TaskResults,
    /// Set if no model is configured for the task.
    pub(super) by_rules: HashMap<ClusterId, Value>,
}

pub(super) async fn run(
    context: &RunContext,
    sources: &ReadSources,
    selected: &Selected,
    ranked: &[Ranked],
) -> Result<Entities, RunError> {
    let sources = sources.by_id();
    let top = ranked.iter().filter(|ranked| ranked.section == Some(Section::Top));
    let inputs = top.map(|ranked| &selected.stories[ranked.story]).filter_map(|story| {
        summary_input(context, entity_extract::TASK, selected, &sources, story).map(|input| (story, input))
    });
    if !context.app.gateway().can_do(entity_extract::TASK, context.run.settings.tier) {
        return Ok(Entities { by_rules: by_rules(inputs), ..Entities::default() });
    }
    let task_items: Vec<(ClusterId, TaskItem)> = inputs
        .map(|(story, input)| {
            let input = entity_extract::input(input);
            (story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input })
        })
        .collect();
    let by_model = run_tasks(context, entity_extract::TASK, Stage::Entities, task_items, 1).await?;
    Ok(Entities { by_model, ..Entities::default() })
}

fn by_rules<'s>(inputs: impl Iterator<Item = (&'s Story, SummaryInput)>) -> HashMap<ClusterId, Value> {
    let named = inputs.filter_map(|(story, input)| {
        let found = local::entities(&input);
        let found = found.inspect_err(|error| tracing::warn!(%error, "entities by rules are left out")).ok()?;
        Some((story.cluster_id, found?))
    });
    named.collect()
}
