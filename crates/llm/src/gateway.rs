//! The single entry point for answers: returns a stored answer, else makes calls, with retry, repair, splitting and
//! fallback as each failure requires. Each attempt has its own ledger row (`attempt`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use aha_core::budget::BudgetPolicy;
use aha_core::digest::Estimate;
use aha_core::topic::BudgetTier;
use aha_store::{AnswerKey, SharedStore, StoreError};
use tokio_util::task::TaskTracker;

use super::batch_failure_counts::BatchFailureCounts;
use super::breaker::Target;
use super::budget::{self, BudgetUse, Limit};
use super::call_scope::CallScope;
use super::error::CallError;
use super::estimate::estimate;
use super::gateway_parts::GatewayParts;
use super::metered_call::{Executed, FailedCall, NotSent};
use super::prompt::Prompts;
use super::retry_plan::RetryPlan;
use super::retry_policy::RetryPolicy;
use super::router::{Route, Router};
use super::spending_limit::ExhaustedLimit;
use super::task_item::{Outcome, TaskItem};
use super::tasks::Task;

/// How often a call looks whether another one's test of the server has ended.
const TEST_INTERVAL: Duration = Duration::from_millis(250);

/// Executes tasks: takes their inputs, returns stored answers or calls the router's models, and records each call in
/// the ledger. Built once per process and shared.
#[derive(Debug)]
pub struct Gateway {
    pub(super) parts: GatewayParts,
    /// Exchanges of conversations, which finish even if their caller stops waiting.
    pub(super) in_flight: TaskTracker,
}

/// A batch that is being answered, with all its attempts.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) task: Task,
    pub(super) scope: &'a CallScope,
    /// The tier of the call; lower than the scope's when the budget is nearly used up.
    pub(super) tier: BudgetTier,
    pub(super) prompt_id: &'a str,
    chain: Vec<Route>,
    failure_counts: BatchFailureCounts,
    /// The reason given where the chain is empty.
    no_model_reason: String,
}

impl Job<'_> {
    /// Returns why a model is not called for a plan.
    fn given_up(&self, plan: &RetryPlan, route: &Route) -> Option<String> {
        let exhausted = || self.failure_counts.is_exhausted(plan.route).then(|| plan.failure.clone());
        self.scope.call_state.abandoned(self.task, route).or_else(exhausted)
    }

    /// Whether the policy falls back from a position of the chain to a model that may still be called.
    fn has_next_model(&self, policy: &RetryPolicy, position: usize) -> bool {
        let may_be_called =
            |route: &Route| !route.is_local() && self.scope.call_state.abandoned(self.task, route).is_none();
        policy.falls_back && self.chain.iter().skip(position + 1).any(may_be_called)
    }
}

/// A model, or a server with all its models, that has failed repeatedly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCircuit {
    pub provider: String,
    /// `None`: all models of the server.
    pub model: Option<String>,
    /// Scheme, host and port.
    pub server: String,
    /// Remaining time.
    pub wait: Duration,
}

impl Gateway {
    #[must_use]
    pub fn new(parts: GatewayParts) -> Self {
        Self { parts, in_flight: TaskTracker::new() }
    }

    /// Waits until every exchange that was begun is settled, including those whose caller stopped waiting.
    pub async fn wait_until_settled(&self) {
        self.in_flight.close();
        self.in_flight.wait().await;
    }

    #[must_use]
    pub fn prompts(&self) -> &Prompts {
        &self.parts.prompts
    }

    #[must_use]
    pub const fn router(&self) -> &Router {
        &self.parts.router
    }

    /// Returns the models and servers that have failed repeatedly.
    #[must_use]
    pub fn open_circuits(&self) -> Vec<OpenCircuit> {
        let open = self.parts.breakers.open(Instant::now()).into_iter();
        open.map(|(Target { account, model }, refused)| OpenCircuit {
            provider: account.provider,
            model,
            server: account.origin,
            wait: refused.wait,
        })
        .collect()
    }

    /// Whether a model other than `local` may be called.
    #[must_use]
    pub fn has_models(&self) -> bool {
        !self.parts.dry_run && self.parts.router.has_models()
    }

    /// Whether no model is called and nothing is spent.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.parts.dry_run
    }

    /// Whether a task is to be done at all. It is, even if all its models are refused: that is a failure, not the
    /// user's choice.
    #[must_use]
    pub fn can_do(&self, task: Task, tier: BudgetTier) -> bool {
        !self.parts.router.candidates(task, tier).is_empty()
    }

    /// Whether one of a task's models costs nothing, so that it is called whatever is left of the budget.
    #[must_use]
    pub fn has_free_model(&self, task: Task, tier: BudgetTier) -> bool {
        self.parts.router.choose(task, tier).iter().any(|route| route.is_free() && !route.is_local())
    }

    /// Returns how much of the nearest cap is used up.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn used(&self, store: &SharedStore, scope: &CallScope) -> Result<BudgetUse, StoreError> {
        budget::used(store, &self.parts.budget, scope, self.parts.clock.now()).await
    }

    /// Whether a cap, or the number of the task's calls in a run, may not reach for all estimated calls.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn may_run_out(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        estimate: &Estimate,
    ) -> Result<bool, StoreError> {
        let route = self.parts.router.choose(task, scope.tier).into_iter().next();
        let max_calls = route.and_then(|route| route.max_calls_per_run);
        let now = self.parts.clock.now();
        budget::may_run_out(store, &budget::limits(&self.parts.budget, scope, task.as_str(), max_calls, now), estimate)
            .await
    }

    /// Estimates the cost of a task with the configured models, or else with an example model.
    #[must_use]
    pub fn estimate(&self, task: Task, tier: BudgetTier, items: &[&TaskItem], batch_size: usize) -> Option<Estimate> {
        estimate(&self.parts, task, tier, items, batch_size)
    }

    /// Calls models for a batch and stores the answers that match the schema. Returns one outcome per item, in order.
    ///
    /// # Errors
    /// When the store fails or the lease is lost; a provider's failure is an [`Outcome`].
    pub async fn call(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        batch: &[TaskItem],
    ) -> Result<Vec<Outcome>, StoreError> {
        let (tier, chain) = self.chain(store, task, scope).await?;
        let prompt_id =
            if chain.iter().all(Route::is_local) { scope.prompt_id.as_str() } else { self.parts.prompts.id(task) };
        let no_model_reason = if chain.is_empty() { self.parts.router.why_no_model(task, tier) } else { String::new() };
        let job =
            Job { task, scope, tier, prompt_id, chain, failure_counts: BatchFailureCounts::default(), no_model_reason };
        let mut outcomes = vec![Outcome::Failed { reason: "it was not sent".to_owned() }; batch.len()];
        let mut queue = VecDeque::from([RetryPlan::new((0..batch.len()).collect(), &job.no_model_reason)]);
        let mut tries = 0;
        while let Some(plan) = queue.pop_front() {
            tries += 1;
            let (settled, next) = self.step(store, &job, batch, plan, tries).await?;
            for (index, outcome) in settled {
                outcomes[index] = outcome;
            }
            match next.first() {
                // The other parts come first: only if one is answered is it worth finding out which story a model does
                // not accept.
                Some(plan) if plan.is_part() => queue.extend(next),
                _ => next.into_iter().rev().for_each(|plan| queue.push_front(plan)),
            }
        }
        for (route, kind, why) in job.failure_counts.rejections() {
            if let Some(route) = job.chain.get(route) {
                scope.call_state.record_rejected_batch(task, route, kind, &format!("{}: {why}", route.model));
            }
        }
        self.call_skipped_at_low_tier(store, &job, batch, &mut outcomes).await?;
        Ok(outcomes)
    }

    /// Calls the low tier's models for the items that the budget did not reach for, if the budget policy asks for that.
    async fn call_skipped_at_low_tier(
        &self,
        store: &SharedStore,
        job: &Job<'_>,
        batch: &[TaskItem],
        outcomes: &mut [Outcome],
    ) -> Result<(), StoreError> {
        let is_skipped = |index: &usize| matches!(outcomes[*index], Outcome::Skipped { .. });
        let skipped: Vec<usize> = (0..batch.len()).filter(is_skipped).collect();
        let tier = if skipped.is_empty() { job.tier } else { self.tier(store, job.task, job.scope).await? };
        if tier == job.tier {
            return Ok(());
        }
        let items: Vec<TaskItem> = skipped.iter().map(|index| batch[*index].clone()).collect();
        let found = Box::pin(self.call(store, job.task, job.scope, &items)).await?;
        for (index, outcome) in skipped.into_iter().zip(found) {
            outcomes[index] = outcome;
        }
        Ok(())
    }

    /// Returns the tier at which a task is called, and the models of its chain.
    pub(super) async fn chain(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
    ) -> Result<(BudgetTier, Vec<Route>), StoreError> {
        let tier = self.tier(store, task, scope).await?;
        let local_only = Router::default();
        let router = if self.parts.dry_run { &local_only } else { &self.parts.router };
        Ok((tier, router.choose(task, tier)))
    }

    /// Returns the scope's tier, or the low one when the budget policy asks for that and the budget is nearly used up
    /// or does not reach for the tier's own model.
    async fn tier(&self, store: &SharedStore, task: Task, scope: &CallScope) -> Result<BudgetTier, StoreError> {
        let keeps_tier = self.parts.dry_run || self.parts.budget.policy != BudgetPolicy::FallbackLow;
        if keeps_tier || scope.tier == BudgetTier::Low {
            return Ok(scope.tier);
        }
        let first = self.parts.router.choose(task, scope.tier).into_iter().next();
        let exhausted = first.and_then(|first| scope.call_state.exhausted_for(task.as_str(), first.model.to_string()));
        let is_low = exhausted.is_some() || self.used(store, scope).await?.is_near_cap();
        Ok(if is_low { BudgetTier::Low } else { scope.tier })
    }

    /// Makes one attempt. Returns the settled outcomes and what to try next.
    async fn step(
        &self,
        store: &SharedStore,
        job: &Job<'_>,
        batch: &[TaskItem],
        plan: RetryPlan,
        tries: i64,
    ) -> Result<(Vec<(usize, Outcome)>, Vec<RetryPlan>), StoreError> {
        let call_state = &job.scope.call_state;
        let Some(route) = job.chain.get(plan.route) else {
            let reason = plan.failure.clone();
            return Ok((plan.all(&Outcome::Failed { reason }), Vec::new()));
        };
        let policy = route.retry(&self.parts.retry_override.unwrap_or(job.task.spec().retry));
        if job.given_up(&plan, route).is_none() {
            call_state.sleep(plan.after).await;
        }
        // The calls of other batches may have failed meanwhile.
        if let Some(why) = job.given_up(&plan, route) {
            return Ok((Vec::new(), vec![plan.give_up(&policy, &why)]));
        }
        let items: Vec<&TaskItem> = plan.items.iter().map(|index| &batch[*index]).collect();
        let (call_id, executed) = loop {
            let attempted = self.attempt(store, job, route, &items, plan.note.as_deref(), tries).await?;
            let is_repeated = match attempted.1 {
                Executed::NotSent(NotSent::CircuitOpen { wait, .. }) => {
                    self.wait_for_model(job, &policy, plan.route, wait).await
                }
                _ => false,
            };
            if !is_repeated {
                break attempted;
            }
        };
        Ok(match executed {
            Executed::Answered(answers) => {
                call_state.record_success(job.task, route);
                job.failure_counts.answered(plan.route);
                plan.answered(&policy, &call_id.to_string(), answers, (self.parts.jitter)())
            }
            Executed::Failed(failed) => (Vec::new(), self.after_failure(job, &policy, plan, &failed).await),
            Executed::NotSent(NotSent::CircuitOpen { why, .. }) => {
                let why = format!("{}: {why}", route.model);
                if let Some(kind) = plan.retried.filter(|_| job.has_next_model(&policy, plan.route)) {
                    // The reason is stored with the digest: the failure, not for how long the model is paused.
                    call_state.record_unusable(job.task, route, kind, &plan.failure);
                }
                (Vec::new(), vec![plan.give_up(&policy, &why)])
            }
            Executed::NotSent(NotSent::Unusable(reason)) => (plan.all(&Outcome::Failed { reason }), Vec::new()),
            Executed::NotSent(NotSent::Interrupted) => {
                (plan.all(&Outcome::Failed { reason: "the run was interrupted".to_owned() }), Vec::new())
            }
            Executed::NotSent(NotSent::NoBudget(exhausted)) => self.without_budget(job, &policy, plan, exhausted),
        })
    }

    /// Plans what follows a failed call, and counts the failure if it may be the model's. A server's failure or a rate
    /// limit often passes: it counts only when the retries of its call are used up and another model can be called;
    /// without one it is better to call this one again, after a pause if its server does no work.
    async fn after_failure(
        &self,
        job: &Job<'_>,
        policy: &RetryPolicy,
        plan: RetryPlan,
        failed: &FailedCall,
    ) -> Vec<RetryPlan> {
        let error = &failed.error;
        let (position, call_state) = (plan.route, &job.scope.call_state);
        let route = &job.chain[position];
        job.failure_counts.failed(position, failed);
        let next = plan.clone().failed(policy, call_state, route, error, (self.parts.jitter)());
        let is_given_up = next.iter().all(|plan| plan.route != position);
        let may_pass = error.is_server_failure() || matches!(error, CallError::RateLimited { .. });
        if error.is_unusable() || may_pass && is_given_up && job.has_next_model(policy, position) {
            call_state.record_unusable(job.task, route, error.kind(), &format!("{}: {error}", route.model));
        }
        let pause = self.parts.breakers.first_pause().max(error.retry_after().unwrap_or_default());
        if is_given_up && failed.is_outage() && self.wait_for_model(job, policy, position, pause).await {
            return vec![plan.again(&format!("{}: {error}", route.model))];
        }
        next
    }

    /// Waits for a run's model whose server fails, if no other is left. Returns whether to call it again.
    async fn wait_for_model(&self, job: &Job<'_>, policy: &RetryPolicy, position: usize, wait: Duration) -> bool {
        let (call_state, now) = (&job.scope.call_state, Instant::now());
        if job.scope.run.is_none() || !policy.falls_back || job.has_next_model(policy, position) {
            return false;
        }
        // Without a remaining pause, another call is testing the server: that is not one of the run's pauses.
        let until =
            if wait.is_zero() { Some(now + TEST_INTERVAL) } else { call_state.pause(&job.chain[position], wait, now) };
        let Some(until) = until else { return false };
        tokio::select! {
            () = call_state.closed() => false,
            () = tokio::time::sleep_until(until.into()) => true,
        }
    }

    /// Handles a plan that the budget does not reach for: a free model of the chain may still be called.
    fn without_budget(
        &self,
        job: &Job<'_>,
        policy: &RetryPolicy,
        plan: RetryPlan,
        exhausted: ExhaustedLimit,
    ) -> (Vec<(usize, Outcome)>, Vec<RetryPlan>) {
        let (task, call_state) = (job.task.as_str(), &job.scope.call_state);
        if exhausted.limit == Limit::Calls {
            call_state.exhaust_purpose(task, &exhausted);
            return (plan.all(&Outcome::Skipped { reason: exhausted.why }), Vec::new());
        }
        let later = &job.chain[plan.route + 1..];
        let is_free_next = policy.falls_back && later.iter().any(|route| route.is_free() && !route.is_local());
        let model = job.chain[plan.route].model.to_string();
        // A free model gets the whole batch once this one is known to be too dear.
        let is_known = is_free_next && call_state.exhausted_for(task, model.clone()).is_some();
        if plan.items.len() > 1 && !is_known {
            return (Vec::new(), plan.halves());
        }
        call_state.exhaust_model(task, model, &exhausted);
        // A fallback may cost more than other models: that it is not called stops nothing else.
        if plan.route == 0 && self.parts.budget.policy == BudgetPolicy::Stop {
            call_state.stop_paying(task, &exhausted);
        }
        if is_free_next {
            return (Vec::new(), vec![plan.give_up(policy, &exhausted.why)]);
        }
        let has_low_tier = self.parts.budget.policy == BudgetPolicy::FallbackLow && job.tier != BudgetTier::Low;
        if plan.route > 0 || !has_low_tier {
            call_state.record_left_out(&exhausted.why);
        }
        (plan.all(&Outcome::Skipped { reason: exhausted.why }), Vec::new())
    }
}

pub(super) fn key(task: Task, tier: BudgetTier, prompt_id: &str, item: &TaskItem) -> AnswerKey {
    AnswerKey {
        task: task.as_str(),
        tier,
        prompt_id: prompt_id.to_owned(),
        schema_version: task.schema_version(),
        fingerprint: item.fingerprint.clone(),
    }
}
