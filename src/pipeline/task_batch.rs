//! Runs a gateway task for stories. Stored answers are reused; the rest is sent in batches, several at a time, started
//! in the given order. If the budget may not reach for all, they are sent in rounds, each in the order that the answers
//! so far suggest.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aha_core::digest::Estimate;
use aha_core::ids::ClusterId;
use aha_llm::local;
use aha_llm::router::Route;
use aha_llm::{CallScope, Outcome, Task, TaskItem};
use aha_store::{CallFilter, CallRecord};
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::triage_order::TriageOrder;
use super::{RunContext, RunError, Stage};

/// How long calls under way may still take when a run is interrupted, so that their cost becomes known.
const GRACE: Duration = Duration::from_secs(15);

/// Minimum number of batches in a round: fewer answers say little about the stories that remain (`docs/RANKING.md`).
const ROUND_BATCHES: usize = 4;

/// Why a story was not sent to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// There was no budget left.
    Budget,
    /// Its headline is too likely noise to pay for.
    Noise,
}

/// The result of a task for a story.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskResult {
    /// The answer with the fields added by the gateway; `None` if there is none, which is never a score of 0.
    pub answer: Option<Value>,
    pub call_id: Option<String>,
    pub failure: Option<String>,
    /// Deliberately not sent; `failure` contains the reason.
    pub skipped: Option<Skip>,
}

impl TaskResult {
    /// The state of a story whose judgement failed.
    pub const FAILED: &str = "failed";

    /// Returns the answer, deserialised.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        self.answer.as_ref().and_then(|answer| serde_json::from_value(answer.clone()).ok())
    }

    /// Returns the score that a model gave, 0 to 100.
    fn paid_score(&self) -> Option<u64> {
        self.answer.as_ref().filter(|_| self.is_paid())?["aha_score"].as_u64()
    }

    /// Whether a model gave the answer, not `local`.
    pub(super) fn is_paid(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer["provider"] != local::PROVIDER)
    }

    /// The value of `digest_items.state`.
    #[must_use]
    pub const fn state(&self) -> &'static str {
        match (self.answer.is_some(), self.skipped) {
            (true, _) => "judged",
            (false, Some(Skip::Budget)) => "skipped_budget",
            (false, Some(Skip::Noise)) => "skipped_noise",
            (false, None) => Self::FAILED,
        }
    }
}

impl From<Outcome> for TaskResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Answered { answer, call_id } => {
                Self { answer: Some(answer), call_id: Some(call_id), ..Self::default() }
            }
            Outcome::Failed { reason } => Self { failure: Some(reason), ..Self::default() },
            Outcome::Skipped { reason } => {
                Self { failure: Some(reason), skipped: Some(Skip::Budget), ..Self::default() }
            }
        }
    }
}

/// Returns the scope of a task's calls in this run.
pub(super) fn scope(context: &RunContext, task: Task) -> CallScope {
    let pinned = context.run.settings.prompts.get(task.as_str()).cloned();
    scope_for(context, pinned.unwrap_or_else(|| task.prompt_id().to_owned()))
}

/// Returns the scope of calls in this run, with the given prompt id or its replacement.
pub(super) fn scope_for(context: &RunContext, prompt_id: String) -> CallScope {
    CallScope {
        lease: Some(context.lease.clone()),
        run: Some(context.run.id),
        pass: context.run.pass_attempt,
        attempt: context.attempt,
        topic: Some(context.topic.id),
        share_percent: context.topic.budget_share_percent,
        tier: context.run.settings.tier,
        prompt_id,
        rejudge: context.rejudge,
        call_state: Arc::clone(&context.call_state),
    }
}

/// Returns the run's calls, optionally of one purpose.
pub(super) async fn calls(context: &RunContext, purpose: Option<&str>) -> Result<Vec<CallRecord>, RunError> {
    let filter = CallFilter {
        purpose: purpose.map(str::to_owned),
        run: Some(context.run.id),
        limit: i64::MAX,
        ..CallFilter::default()
    };
    Ok(context.store().calls(&filter).await?)
}

/// The results of a task for some stories.
#[derive(Debug, Default)]
pub(super) struct TaskResults {
    pub(super) by_story: HashMap<ClusterId, TaskResult>,
    /// Estimated cost of using a model for the stories without a model's answer; only set if no model is configured.
    pub(super) with_a_model: Option<Estimate>,
}

/// Returns answers for all task items, in batches of at most `batch_size`.
pub(super) async fn run_tasks(
    context: &RunContext,
    task: Task,
    stage: Stage,
    items: Vec<(ClusterId, TaskItem)>,
    batch_size: usize,
) -> Result<TaskResults, RunError> {
    run_tasks_by(context, task, stage, items, batch_size, None).await
}

/// Like [`run_tasks`]. If the budget may not reach for all of them, they are sent in rounds, each in the order that is
/// built, which takes memory, only then.
pub(super) async fn run_tasks_by(
    context: &RunContext,
    task: Task,
    stage: Stage,
    items: Vec<(ClusterId, TaskItem)>,
    batch_size: usize,
    build_order: Option<&(dyn Fn() -> TriageOrder + Send + Sync)>,
) -> Result<TaskResults, RunError> {
    debug_assert!(stage.spec().pays, "stage {} asks models: say so in STAGES", stage.as_str());
    let scope = scope(context, task);
    context.progress.begin(stage, items.len());
    let (store, gateway) = (context.store(), context.app.gateway());
    let mut by_story: HashMap<ClusterId, TaskResult> = HashMap::new();
    let all: Vec<&TaskItem> = items.iter().map(|(_, item)| item).collect();
    let stored = if context.is_replay {
        gateway.answers_for_replay(store, task, &scope, &all).await?
    } else {
        gateway.stored_answers(store, task, &scope, &all).await?
    };
    for ((cluster, _), outcome) in items.iter().zip(stored) {
        if let Some(outcome) = outcome {
            by_story.insert(*cluster, outcome.into());
            context.progress.step();
        }
    }
    let paid = |cluster: &ClusterId| by_story.get(cluster).is_some_and(TaskResult::is_paid);
    let unpaid: Vec<&TaskItem> = items.iter().filter(|(cluster, _)| !paid(cluster)).map(|(_, item)| item).collect();
    let with_a_model =
        if gateway.has_models() { None } else { gateway.estimate(task, scope.tier, &unpaid, batch_size) };
    let known = by_story.len();
    let open: Vec<(ClusterId, TaskItem)> =
        items.into_iter().filter(|(cluster, _)| !by_story.contains_key(cluster)).collect();
    let asked = open.len();
    let open = if context.is_replay { without_calls(context, open, &mut by_story) } else { open };
    if !open.is_empty() {
        skip_if_budget_low(context, task, &scope).await?;
    }
    let mut send_order = match build_order {
        Some(build_order) if may_run_out(context, task, &scope, &open, batch_size).await? => Some(build_order()),
        _ => None,
    };
    let mut open = open;
    while !open.is_empty() {
        let mut size = open.len();
        if let Some(send_order) = &send_order {
            sort_by_answers(send_order, &by_story, &mut open).await?;
            size = size.min(batch_size.max(1) * context.app.config().llm.concurrency.max(ROUND_BATCHES));
        }
        let rest = open.split_off(size);
        let outcomes = until_stopped(context, call_all(context, task, &scope, open, batch_size)).await?;
        // Once the budget is used up, the order of the rest does not matter.
        if outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::Skipped { .. })) {
            send_order = None;
        }
        by_story.extend(outcomes.into_iter().map(|(cluster, outcome)| (cluster, outcome.into())));
        open = rest;
    }
    context.progress.end(stage, &format!("{asked} asked, {known} answered before"));
    Ok(TaskResults { by_story, with_a_model })
}

/// Sorts the items by what the scores so far promise, the most promising first.
async fn sort_by_answers(
    order: &TriageOrder,
    answered: &HashMap<ClusterId, TaskResult>,
    open: &mut [(ClusterId, TaskItem)],
) -> Result<(), RunError> {
    let scores: HashMap<ClusterId, u64> =
        answered.iter().filter_map(|(story, result)| Some((*story, result.paid_score()?))).collect();
    if scores.is_empty() {
        return Ok(());
    }
    let points = order.points(scores).await?;
    let of = |story: &ClusterId| points.get(story).copied().unwrap_or(f64::NEG_INFINITY);
    open.sort_by(|(a, _), (b, _)| of(b).total_cmp(&of(a)).then(a.cmp(b)));
    Ok(())
}

/// Whether the budget may not reach for all these items.
async fn may_run_out(
    context: &RunContext,
    task: Task,
    scope: &CallScope,
    open: &[(ClusterId, TaskItem)],
    batch_size: usize,
) -> Result<bool, RunError> {
    let gateway = context.app.gateway();
    if !gateway.has_models() {
        return Ok(false);
    }
    let items: Vec<&TaskItem> = open.iter().map(|(_, item)| item).collect();
    let Some(estimate) = gateway.estimate(task, scope.tier, &items, batch_size) else { return Ok(false) };
    Ok(gateway.may_run_out(context.store(), task, scope, &estimate).await?)
}

/// In a replay, items without a stored answer have none, unless `local` would have given it.
fn without_calls(
    context: &RunContext,
    open: Vec<(ClusterId, TaskItem)>,
    by_story: &mut HashMap<ClusterId, TaskResult>,
) -> Vec<(ClusterId, TaskItem)> {
    if !context.app.config().llm.has_models() {
        return open;
    }
    let unknown = TaskResult { failure: Some("no answer is stored".to_owned()), ..TaskResult::default() };
    by_story.extend(open.into_iter().map(|(cluster, _)| (cluster, unknown.clone())));
    Vec::new()
}

/// When the budget runs low, less important tasks are skipped so that triage can continue: entities first, then
/// summaries.
async fn skip_if_budget_low(context: &RunContext, task: Task, scope: &CallScope) -> Result<(), RunError> {
    let gateway = context.app.gateway();
    if !gateway.has_models() {
        return Ok(());
    }
    let used = gateway.used(context.store(), scope).await?;
    let is_spared = task.spec().skipped_above_share.is_some_and(|share| used.0 >= share);
    if used.is_near_cap() {
        tracing::warn!(task = task.as_str(), used = used.0, "the budget comes to its end");
    }
    let is_free = gateway.router().choose(task, scope.tier).first().is_some_and(Route::is_free);
    if is_spared && !is_free {
        context.call_state.skip_task(task, "the rest of the budget is kept for judging stories");
    }
    Ok(())
}

async fn call_all(
    context: &RunContext,
    task: Task,
    scope: &CallScope,
    open: Vec<(ClusterId, TaskItem)>,
    batch_size: usize,
) -> Result<Vec<(ClusterId, Outcome)>, RunError> {
    let mut calls = Vec::new();
    for batch in open.chunks(batch_size.max(1)) {
        calls.push(call_batch(context, task, scope, batch.to_vec()));
    }
    let concurrency = context.app.config().llm.concurrency;
    let answered: Vec<Result<Vec<_>, RunError>> =
        futures::stream::iter(calls).buffer_unordered(concurrency).collect().await;
    let mut outcomes = Vec::new();
    for answer in answered {
        outcomes.extend(answer?);
    }
    Ok(outcomes)
}

async fn call_batch(
    context: &RunContext,
    task: Task,
    scope: &CallScope,
    batch: Vec<(ClusterId, TaskItem)>,
) -> Result<Vec<(ClusterId, Outcome)>, RunError> {
    context.check()?;
    let (clusters, items): (Vec<ClusterId>, Vec<TaskItem>) = batch.into_iter().unzip();
    let outcomes = context.app.gateway().call(context.store(), task, scope, &items).await;
    // The other calls under way are not dropped, because their results are paid for.
    let outcomes = outcomes.inspect_err(|_| context.call_state.close())?;
    for _ in &clusters {
        context.progress.step();
    }
    Ok(clusters.into_iter().zip(outcomes).collect())
}

/// Waits for the calls. When the attempt is to end, no further call begins, and those under way may take up to
/// [`GRACE`].
pub(super) async fn until_stopped<T>(
    context: &RunContext,
    calls: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    tokio::pin!(calls);
    let ended = tokio::select! {
        answered = &mut calls => return answered,
        ended = context.stop.ended() => ended,
    };
    context.call_state.close();
    // Their results are stored by then, whatever happens to this attempt.
    let _ = tokio::time::timeout(GRACE, calls).await;
    Err(ended)
}
