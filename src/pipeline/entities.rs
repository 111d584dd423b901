//! Entities of the stories in the top section. If a model is configured for the task, it is called for those that are
//! judged; this is the first task to be dropped when the budget runs low. Otherwise rules extract places, organisations
//! and persons that are evident from the text itself; that makes no call, so there is no ledger row.

use std::collections::HashMap;

use aha_core::digest::Section;
use aha_core::ids::{ClusterId, SourceId};
use aha_core::source::Source;
use aha_core::story::Story;
use aha_llm::router::Route;
use aha_llm::tasks::entity_extract;
use aha_llm::tasks::summary::SummaryInput;
use aha_llm::{TaskItem, local};
use serde_json::Value;

use super::deep_summary::{is_judged, raise_most, summary_input, undecided_stories};
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
    judged: &TaskResults,
    ranked: &[Ranked],
) -> Result<Entities, RunError> {
    let sources = sources.by_id();
    let top = ranked.iter().filter(|ranked| ranked.section == Some(Section::Top));
    let top = top.map(|ranked| &selected.stories[ranked.story]);
    if !context.app.gateway().can_do(entity_extract::TASK, context.run.settings.tier) {
        let inputs = top.filter_map(|story| Some((story, input(context, selected, &sources, story)?)));
        return Ok(Entities { by_rules: by_rules(inputs), ..Entities::default() });
    }
    let task_items: Vec<(ClusterId, TaskItem)> = top
        .filter(|story| is_judged(judged, story))
        .filter_map(|story| task_item(context, selected, &sources, story))
        .collect();
    let possible: Vec<(ClusterId, TaskItem)> = undecided_stories(context, selected, judged)
        .into_iter()
        .filter_map(|story| task_item(context, selected, &sources, story))
        .collect();
    skip_if_budget_refused(context);
    let mut by_model = run_tasks(context, entity_extract::TASK, Stage::Entities, task_items, 1).await?;
    let places = context.run.settings.sizes.top;
    raise_most(context, entity_extract::TASK, &mut by_model, &possible, places).await?;
    Ok(Entities { by_model, ..Entities::default() })
}

fn input(
    context: &RunContext,
    selected: &Selected,
    sources: &HashMap<SourceId, &Source>,
    story: &Story,
) -> Option<SummaryInput> {
    summary_input(context, entity_extract::TASK, selected, sources, story)
}

fn task_item(
    context: &RunContext,
    selected: &Selected,
    sources: &HashMap<SourceId, &Source>,
    story: &Story,
) -> Option<(ClusterId, TaskItem)> {
    let input = entity_extract::input(input(context, selected, sources, story)?);
    Some((story.cluster_id, TaskItem { fingerprint: story.fingerprint(), members: story.member_ids(), input }))
}

/// Entities are what is left out first: once the budget has not reached for anything else in this attempt, none are
/// paid for.
fn skip_if_budget_refused(context: &RunContext) {
    let (gateway, call_state) = (context.app.gateway(), &context.call_state);
    let is_free =
        gateway.router().choose(entity_extract::TASK, context.run.settings.tier).first().is_some_and(Route::is_free);
    if gateway.has_models() && !is_free && call_state.exhausted_credits().is_some() {
        call_state.skip_task(entity_extract::TASK, "the budget did not reach for what is more important");
    }
}

fn by_rules<'s>(inputs: impl Iterator<Item = (&'s Story, SummaryInput)>) -> HashMap<ClusterId, Value> {
    let named = inputs.filter_map(|(story, input)| {
        let found = local::entities(&input);
        let found = found.inspect_err(|error| tracing::warn!(%error, "entities by rules are left out")).ok()?;
        Some((story.cluster_id, found?))
    });
    named.collect()
}
