//! Stage 11: what the stories of the top section name. By a model, where one is configured for it: the first thing that is left out as
//! the budget comes to its end. Else by rules, which name what a text itself shows to be a place, an organisation or a person; that is
//! no answer to a question, so no row of the ledger tells of it.

use std::collections::HashMap;

use aha_core::digest::Section;
use aha_core::ids::ClusterId;
use aha_llm::TaskItem;
use aha_llm::local;
use serde_json::Value;

use super::deep_summary::{source_names, summary_input};
use super::task_batch::run_tasks;
use super::{RunContext, RunError, RunState, Stage};
use aha_llm::tasks::entity_extract;

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    if !context.app.gateway().can_do(entity_extract::TASK, context.run.settings.tier) {
        state.named = by_rules(context, state);
        return Ok(());
    }
    let sources = source_names(state);
    let asks: Vec<(ClusterId, TaskItem)> = state
        .ranked
        .iter()
        .filter(|ranked| ranked.section == Some(Section::Top))
        .map(|ranked| &state.stories[ranked.story])
        .filter_map(|story| {
            let input = entity_extract::input(summary_input(context, entity_extract::TASK, state, &sources, story)?);
            Some((story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input }))
        })
        .collect();
    let judged = run_tasks(context, entity_extract::TASK, Stage::Entities, asks, 1).await?;
    state.entities = judged.by_story;
    state.estimates.extend(judged.with_a_model);
    Ok(())
}

fn by_rules(context: &RunContext, state: &RunState) -> HashMap<ClusterId, Value> {
    let sources = source_names(state);
    let top = state.ranked.iter().filter(|ranked| ranked.section == Some(Section::Top));
    let stories = top.map(|ranked| &state.stories[ranked.story]);
    let named = stories.filter_map(|story| {
        let found = local::entities(&summary_input(context, entity_extract::TASK, state, &sources, story)?);
        let found = found.inspect_err(|error| tracing::warn!(%error, "entities by rules are left out")).ok()?;
        Some((story.cluster_id, found?))
    });
    named.collect()
}
