//! Stage 12: what the stories of the top section name. By a model, where one is configured for it: the first thing that is left out as
//! the budget comes to its end. Else by rules, which name what a text itself shows to be a place, an organisation or a person; that is
//! no answer to a question, so no row of the ledger tells of it.

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

/// What the stories of the top section name.
#[derive(Debug, Default)]
pub(super) struct Entities {
    pub(super) by_model: TaskResults,
    /// Where no model is configured for them.
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
    let asks: Vec<(ClusterId, TaskItem)> = inputs
        .map(|(story, input)| {
            let input = entity_extract::input(input);
            (story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input })
        })
        .collect();
    let by_model = run_tasks(context, entity_extract::TASK, Stage::Entities, asks, 1).await?;
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
