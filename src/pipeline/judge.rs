//! Asking the gateway about stories: what is already answered is not asked again, the rest goes in batches.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::ids::ClusterId;
use crate::llm::{Ask, CallScope, Outcome, Task};

use super::{RunContext, RunError, Stage};

/// What came of asking about a story.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The stamped answer; `None` when there is none, which is never a score of 0.
    pub answer: Option<Value>,
    pub call_id: Option<String>,
    pub failure: Option<String>,
}

impl Judgement {
    /// The answer as its type.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        self.answer.as_ref().and_then(|answer| serde_json::from_value(answer.clone()).ok())
    }
}

impl From<Outcome> for Judgement {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Answered { answer, call_id } => {
                Self { answer: Some(answer), call_id: Some(call_id), failure: None }
            }
            Outcome::Failed { reason } => Self { answer: None, call_id: None, failure: Some(reason) },
        }
    }
}

/// Answers for all asks, in batches of at most `batch_size`.
pub(super) async fn judge(
    context: &RunContext,
    task: Task,
    stage: Stage,
    asks: Vec<(ClusterId, Ask)>,
    batch_size: usize,
) -> Result<HashMap<ClusterId, Judgement>, RunError> {
    let prompt_id = context.run.settings.prompts.get(task.as_str()).cloned();
    let scope = CallScope {
        lease: context.lease.clone(),
        run: context.run.id,
        attempt: context.attempt,
        tier: context.run.settings.tier,
        prompt_id: prompt_id.unwrap_or_else(|| task.prompt_id().to_owned()),
        rejudge: context.rejudge,
    };
    context.progress.begin(stage, asks.len());
    let (store, gateway) = (context.store(), context.app.gateway());
    let mut judged = HashMap::new();
    let mut open: Vec<(ClusterId, Ask)> = Vec::new();
    for (cluster, ask) in asks {
        match gateway.stored(store, task, &scope, &ask).await? {
            Some(outcome) => {
                judged.insert(cluster, outcome.into());
                context.progress.step("");
            }
            None => open.push((cluster, ask)),
        }
    }
    let known = judged.len();
    for batch in open.chunks(batch_size.max(1)) {
        context.check()?;
        let asks: Vec<Ask> = batch.iter().map(|(_, ask)| ask.clone()).collect();
        let outcomes = gateway.call(store, task, &scope, &asks).await?;
        for ((cluster, _), outcome) in batch.iter().zip(outcomes) {
            judged.insert(*cluster, outcome.into());
            context.progress.step("");
        }
    }
    context.progress.end(stage, &format!("{} asked, {known} answered before", open.len()));
    Ok(judged)
}
