//! Part of stage 2: has a model tell apart the fields of a search's results. Results go in as the service returned them, items come
//! out. What was told of a result is kept, so that none is paid for twice, however often it is found. Called by the search stage
//! for one source after the other.

use std::collections::HashSet;

use aha_content::numbers::count;
use aha_core::item::NewItem;
use aha_llm::{CallScope, Outcome, TaskItem};

use super::task_batch::{scope, until_stopped};
use super::{RunContext, RunError};
use crate::sources::signal::normal::{Normal, normal};
use crate::sources::signal::{Found, SearchResult};
use aha_llm::tasks::signal_parse;
use aha_llm::tasks::signal_parse::SignalInput;

/// Results in one call.
const BATCH: usize = 10;

/// Why a search is switched off or what it found is not read: a kind and words, as they stand with the source.
pub(super) type Off = (&'static str, String);

/// What came of some results.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) items: Vec<NewItem>,
    /// Why some of them were not read.
    pub(super) off: Option<Off>,
    /// What was left out and why, in words.
    pub(super) left_out: Option<String>,
}

/// Why nothing need be searched for: what is found could not be read. Nobody is asked, and nothing is paid.
pub(super) async fn off(context: &RunContext) -> Result<Option<Off>, RunError> {
    let gateway = context.app.gateway();
    let scope = own_scope(context);
    if !gateway.can_do(signal_parse::TASK, scope.tier) {
        let why =
            "no model is configured that reads what a search finds: set OPENAI_MODEL, or name one for signal_parse";
        return Ok(Some(("no_model", why.to_owned())));
    }
    let exhausted = context.call_state.exhausted(signal_parse::TASK.as_str());
    let is_used_up = exhausted.is_some() || gateway.used(context.store(), &scope).await?.is_used_up();
    Ok(is_used_up.then(|| {
        let why = "the budget is used up (AHA_BUDGET_…_CREDITS); the search goes on when it is renewed".to_owned();
        ("no_budget", exhausted.map_or(why, |used_up| used_up.why))
    }))
}

/// Items for the results, of stored answers or new ones.
pub(super) async fn read(context: &RunContext, found: &Found) -> Result<Read, RunError> {
    let (results, asks) = apart(found);
    let outcomes = until_stopped(context, answers(context, &asks)).await?;
    let mut read = Read::default();
    let (mut fields, mut invented, mut unread) = (0, 0, Vec::new());
    for (result, outcome) in results.iter().zip(outcomes) {
        match outcome {
            Outcome::Answered { answer, .. } => match normal(&answer, result, found.link.as_deref()) {
                Normal::Item(item, left_out) => {
                    read.items.push(*item);
                    fields += left_out;
                }
                Normal::NoPost => {}
                Normal::Invented => invented += 1,
            },
            Outcome::Failed { reason } => unread.push(("signal_parse", reason)),
            Outcome::Skipped { reason } => unread.push(("no_budget", reason)),
        }
    }
    let (count, all) = (unread.len(), results.len());
    // The budget is what its owner can do something about.
    unread.sort_by_key(|(kind, _)| *kind != "no_budget");
    read.off = unread
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

/// Each result once, and what is asked of it.
fn apart(found: &Found) -> (Vec<&SearchResult>, Vec<TaskItem>) {
    let mut seen = HashSet::new();
    let ask = |found: &SearchResult| {
        let input = SignalInput { result: found.result.clone(), related: found.related.clone() };
        TaskItem { fingerprint: found.fingerprint(), members: Vec::new(), input: signal_parse::input(input) }
    };
    let each = found.results.iter().map(|result| (result, ask(result)));
    each.filter(|(_, ask)| seen.insert(ask.fingerprint.clone())).unzip()
}

/// Judging again does not mean reading again: what a result says has not changed.
fn own_scope(context: &RunContext) -> CallScope {
    CallScope { rejudge: false, ..scope(context, signal_parse::TASK) }
}

async fn answers(context: &RunContext, asks: &[TaskItem]) -> Result<Vec<Outcome>, RunError> {
    let (gateway, store, scope) = (context.app.gateway(), context.store(), own_scope(context));
    let mut outcomes = Vec::with_capacity(asks.len());
    for ask in asks {
        outcomes.push(gateway.stored(store, signal_parse::TASK, &scope, ask).await?);
    }
    let open: Vec<usize> = (0..asks.len()).filter(|index| outcomes[*index].is_none()).collect();
    for batch in open.chunks(BATCH) {
        context.check()?;
        let some: Vec<TaskItem> = batch.iter().map(|index| asks[*index].clone()).collect();
        let answered = gateway.call(store, signal_parse::TASK, &scope, &some).await?;
        for (index, outcome) in batch.iter().zip(answered) {
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
