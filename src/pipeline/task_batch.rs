//! Asking the gateway about stories: what is already answered is not asked again, the rest goes in batches, several at a time,
//! admitted in the order in which they are given.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aha_core::digest::Estimate;
use aha_core::ids::ClusterId;
use aha_llm::local;
use aha_llm::{CallScope, Outcome, Task, TaskItem};
use aha_store::{CallFilter, CallRecord};
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{RunContext, RunError, Stage};

/// Calls under way when a run is interrupted have this long to end; what they cost is then known.
const GRACE: Duration = Duration::from_secs(15);

/// Why nobody is asked about a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// There was no budget left.
    Budget,
    /// Its headline is too likely noise to be paid for.
    Noise,
}

/// What came of asking about a story.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The stamped answer; `None` when there is none, which is never a score of 0.
    pub answer: Option<Value>,
    pub call_id: Option<String>,
    pub failure: Option<String>,
    /// Nobody was asked, on purpose; `failure` says why.
    pub skipped: Option<Skip>,
}

impl Judgement {
    /// The state of a story that was to be judged, and whose judge failed.
    pub const FAILED: &str = "failed";

    /// The answer as its type.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        self.answer.as_ref().and_then(|answer| serde_json::from_value(answer.clone()).ok())
    }

    /// Whether a model said it, not `local`.
    pub(super) fn is_paid(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer["provider"] != local::PROVIDER)
    }

    /// As it stands in `digest_items.state`.
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

impl From<Outcome> for Judgement {
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

/// On whose behalf a stage of a run asks.
pub(super) fn scope(context: &RunContext, task: Task) -> CallScope {
    let pinned = context.run.settings.prompts.get(task.as_str()).cloned();
    scope_for(context, pinned.unwrap_or_else(|| task.prompt_id().to_owned()))
}

/// The same with what stands for the prompt.
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

/// The run's calls for a purpose.
pub(super) async fn calls(context: &RunContext, purpose: Option<&str>) -> Result<Vec<CallRecord>, RunError> {
    let filter = CallFilter {
        purpose: purpose.map(str::to_owned),
        run: Some(context.run.id),
        limit: i64::MAX,
        ..CallFilter::default()
    };
    Ok(context.store().calls(&filter).await?)
}

/// What came of asking about some stories.
#[derive(Debug, Default)]
pub(super) struct TaskResults {
    pub(super) by_story: HashMap<ClusterId, Judgement>,
    /// What it would take to ask a model about those that none has been asked about; only where there is none to ask.
    pub(super) with_a_model: Option<Estimate>,
}

/// Answers for all asks, in batches of at most `batch_size`.
pub(super) async fn run_tasks(
    context: &RunContext,
    task: Task,
    stage: Stage,
    asks: Vec<(ClusterId, TaskItem)>,
    batch_size: usize,
) -> Result<TaskResults, RunError> {
    let scope = scope(context, task);
    context.progress.begin(stage, asks.len());
    let (store, gateway) = (context.store(), context.app.gateway());
    let mut by_story: HashMap<ClusterId, Judgement> = HashMap::new();
    for (cluster, ask) in &asks {
        let stored = if context.replays {
            gateway.given(store, task, &scope, ask).await?
        } else {
            gateway.stored(store, task, &scope, ask).await?
        };
        if let Some(outcome) = stored {
            by_story.insert(*cluster, outcome.into());
            context.progress.step("");
        }
    }
    let paid = |cluster: &ClusterId| by_story.get(cluster).is_some_and(Judgement::is_paid);
    let unpaid: Vec<&TaskItem> = asks.iter().filter(|(cluster, _)| !paid(cluster)).map(|(_, ask)| ask).collect();
    let with_a_model =
        if gateway.has_models() { None } else { gateway.estimate(task, scope.tier, &unpaid, batch_size) };
    let known = by_story.len();
    let open: Vec<(ClusterId, TaskItem)> =
        asks.into_iter().filter(|(cluster, _)| !by_story.contains_key(cluster)).collect();
    let asked = open.len();
    let open = if context.replays { without_asking(context, open, &mut by_story) } else { open };
    spare(context, task, &scope).await?;
    for (cluster, outcome) in until_stopped(context, ask_all(context, task, &scope, open, batch_size)).await? {
        by_story.insert(cluster, outcome.into());
    }
    context.progress.end(stage, &format!("{asked} asked, {known} answered before"));
    Ok(TaskResults { by_story, with_a_model })
}

/// In a replay what has no stored answer has none, unless `local` would have given it.
fn without_asking(
    context: &RunContext,
    open: Vec<(ClusterId, TaskItem)>,
    by_story: &mut HashMap<ClusterId, Judgement>,
) -> Vec<(ClusterId, TaskItem)> {
    if !context.app.config().llm.has_models() {
        return open;
    }
    let unknown = Judgement { failure: Some("no answer is stored".to_owned()), ..Judgement::default() };
    by_story.extend(open.into_iter().map(|(cluster, _)| (cluster, unknown.clone())));
    Vec::new()
}

/// As a budget comes to its end, what matters less is left out so that triage goes on: entities first, then summaries.
async fn spare(context: &RunContext, task: Task, scope: &CallScope) -> Result<(), RunError> {
    let gateway = context.app.gateway();
    if !gateway.has_models() {
        return Ok(());
    }
    let used = gateway.used(context.store(), scope).await?;
    let is_spared = task.spec().spared_from.is_some_and(|share| used.0 >= share);
    if used.is_approaching() {
        tracing::warn!(task = task.as_str(), used = used.0, "the budget comes to its end");
    }
    if is_spared {
        context.call_state.spare(task, "the rest of the budget is kept for judging stories");
    }
    Ok(())
}

async fn ask_all(
    context: &RunContext,
    task: Task,
    scope: &CallScope,
    open: Vec<(ClusterId, TaskItem)>,
    batch_size: usize,
) -> Result<Vec<(ClusterId, Outcome)>, RunError> {
    let mut calls = Vec::new();
    for batch in open.chunks(batch_size.max(1)) {
        calls.push(ask_batch(context, task, scope, batch.to_vec()));
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

async fn ask_batch(
    context: &RunContext,
    task: Task,
    scope: &CallScope,
    batch: Vec<(ClusterId, TaskItem)>,
) -> Result<Vec<(ClusterId, Outcome)>, RunError> {
    context.check()?;
    let (clusters, asks): (Vec<ClusterId>, Vec<TaskItem>) = batch.into_iter().unzip();
    let outcomes = context.app.gateway().call(context.store(), task, scope, &asks).await;
    // The others under way are not dropped: what they bring is paid for.
    let outcomes = outcomes.inspect_err(|_| context.call_state.close())?;
    for _ in &clusters {
        context.progress.step("");
    }
    Ok(clusters.into_iter().zip(outcomes).collect())
}

/// Waits for the calls; when the attempt is to end, no further one begins and those under way have [`GRACE`].
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
    // What they bring is stored by then, whatever becomes of this attempt.
    let _ = tokio::time::timeout(GRACE, calls).await;
    Err(ended)
}
