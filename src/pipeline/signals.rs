//! Part of stage 2: has a model identify the fields of search results. Input: results as the service returned them.
//! Output: items. Answers are stored by result, so that no result is paid for twice, however often it is found. Called
//! by the search stage for one source after the other.

use std::collections::HashSet;

use aha_content::numbers::count;
use aha_core::fetch::FetchErrorKind;
use aha_core::item::NewItem;
use aha_llm::budget::Limit;
use aha_llm::{CallScope, Outcome, TaskItem};

use super::task_batch::{scope, until_stopped};
use super::{RunContext, RunError};
use crate::sources::signal::verify::{VerifiedItem, verify_extraction};
use crate::sources::signal::{SearchResponse, SearchResult};
use aha_llm::tasks::signal_parse;
use aha_llm::tasks::signal_parse::SignalInput;

/// Maximum number of results in one call.
const BATCH: usize = 10;

/// Why a search is disabled or its results are not read: kind and message, as shown with the source.
pub(super) type DisabledReason = (FetchErrorKind, String);

/// The result of reading search results.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) items: Vec<NewItem>,
    /// Why some of them were not read.
    pub(super) disabled: Option<DisabledReason>,
    /// What was left out and why, as text.
    pub(super) left_out: Option<String>,
}

/// Returns why a search should not be made: its results could not be read. Makes no call.
pub(super) async fn disabled(context: &RunContext) -> Result<Option<DisabledReason>, RunError> {
    let gateway = context.app.gateway();
    let scope = own_scope(context);
    if !gateway.can_do(signal_parse::TASK, scope.tier) {
        let why =
            "no model is configured that reads what a search finds: set OPENAI_MODEL, or name one for signal_parse";
        return Ok(Some((FetchErrorKind::NoModel, why.to_owned())));
    }
    let is_free = gateway.has_free_model(signal_parse::TASK, scope.tier);
    let exhausted = context.call_state.exhausted(signal_parse::TASK.as_str());
    let exhausted = exhausted.filter(|exhausted| !is_free || exhausted.limit == Limit::Calls);
    let is_used_up = !is_free && gateway.used(context.store(), &scope).await?.is_exhausted();
    let is_exhausted = exhausted.is_some() || is_used_up;
    Ok(is_exhausted.then(|| {
        let why = "the budget is used up (AHA_BUDGET_…_CREDITS); the search goes on when it is renewed".to_owned();
        let why = exhausted.map_or(why, |limit| limit.why);
        context.call_state.record_left_out(&why);
        (FetchErrorKind::NoBudget, why)
    }))
}

/// Returns items for the results, from stored or new answers.
pub(super) async fn read(context: &RunContext, found: &SearchResponse) -> Result<Read, RunError> {
    let (results, items) = distinct_results(found);
    let outcomes = until_stopped(context, answers(context, &items)).await?;
    let mut read = Read::default();
    let (mut fields, mut invented, mut unread) = (0, 0, Vec::new());
    for (result, outcome) in results.iter().zip(outcomes) {
        match outcome {
            Outcome::Answered { answer, .. } => match verify_extraction(&answer, result, found.link.as_deref()) {
                VerifiedItem::Item(item, left_out) => {
                    read.items.push(*item);
                    fields += left_out;
                }
                VerifiedItem::NoPost => {}
                VerifiedItem::Invented => invented += 1,
            },
            Outcome::Failed { reason } => unread.push((FetchErrorKind::SignalParse, reason)),
            Outcome::Skipped { reason } => unread.push((FetchErrorKind::NoBudget, reason)),
        }
    }
    let (count, all) = (unread.len(), results.len());
    // The budget comes first, because it is the reason that the user can act on.
    unread.sort_by_key(|(kind, _)| *kind != FetchErrorKind::NoBudget);
    read.disabled = unread
        .into_iter()
        .next()
        .map(|(kind, why)| (kind, format!("{count} of {all} results of the search were not read: {why}")));
    read.left_out = in_words(&[
        (
            invented,
            "result of which the model told what it does not say",
            "results of which the model told what they do not say",
        ),
        (found.too_large, "result that is too large", "results that are too large"),
        (fields, "field that is not in its result", "fields that are not in their results"),
    ]);
    Ok(read)
}

/// Returns each distinct result with its task item.
fn distinct_results(found: &SearchResponse) -> (Vec<&SearchResult>, Vec<TaskItem>) {
    let mut seen = HashSet::new();
    let item = |found: &SearchResult| {
        let input = SignalInput { result: found.result.clone(), related: found.related.clone() };
        TaskItem { fingerprint: found.fingerprint(), members: Vec::new(), input: signal_parse::input(input) }
    };
    let each = found.results.iter().map(|result| (result, item(result)));
    each.filter(|(_, item)| seen.insert(item.fingerprint.clone())).unzip()
}

/// Judging again does not require reading again, because the content of a result does not change.
fn own_scope(context: &RunContext) -> CallScope {
    CallScope { rejudge: false, ..scope(context, signal_parse::TASK) }
}

async fn answers(context: &RunContext, items: &[TaskItem]) -> Result<Vec<Outcome>, RunError> {
    let (gateway, store, scope) = (context.app.gateway(), context.store(), own_scope(context));
    let mut outcomes = Vec::with_capacity(items.len());
    for item in items {
        let stored = gateway.stored_answer(store, signal_parse::TASK, &scope, item).await?;
        // Another search may have found the same post.
        let failed = || scope.call_state.failed_item(signal_parse::TASK, &item.fingerprint);
        outcomes.push(stored.or_else(|| failed().map(|reason| Outcome::Failed { reason })));
    }
    let open: Vec<usize> = (0..items.len()).filter(|index| outcomes[*index].is_none()).collect();
    for batch in open.chunks(BATCH) {
        context.check()?;
        let some: Vec<TaskItem> = batch.iter().map(|index| items[*index].clone()).collect();
        let answered = gateway.call(store, signal_parse::TASK, &scope, &some).await?;
        for (index, outcome) in batch.iter().zip(answered) {
            if let Outcome::Failed { reason } = &outcome {
                scope.call_state.record_failed_item(signal_parse::TASK, &items[*index].fingerprint, reason);
            }
            outcomes[*index] = Some(outcome);
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

fn in_words(counts: &[(usize, &str, &str)]) -> Option<String> {
    let found = counts.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = found.map(|(number, one, many)| count(*number, one, many)).collect();
    (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
}
