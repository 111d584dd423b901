//! The one way to an answer: what is stored already, else a call, tried again, repaired, split up or passed on to the next model
//! as its failure asks for. Each try is a ledger row of its own ([`super::attempt`]).

use std::collections::VecDeque;
use std::time::Duration;

use aha_core::budget::BudgetPolicy;
use aha_core::digest::Estimate;
use aha_core::model::LOCAL_PROVIDER;
use aha_core::topic::BudgetTier;
use aha_store::{AnswerKey, SharedStore, StoreError, StoredAnswer};
use tokio_util::task::TaskTracker;

use super::budget::{self, Limit, Used};
use super::call_scope::CallScope;
use super::estimate::estimate;
use super::gateway_parts::GatewayParts;
use super::metered_call::{Executed, NotSent};
use super::prompt::Prompts;
use super::retry_plan::RetryPlan;
use super::router::{Route, Router};
use super::tally::Tally;
use super::task_item::{Outcome, TaskItem};
use super::tasks::Task;

/// See the module.
#[derive(Debug)]
pub struct Gateway {
    pub(super) parts: GatewayParts,
    /// Exchanges of conversations, which end by themselves when nobody waits for them any more.
    pub(super) under_way: TaskTracker,
}

/// A call that is being made, with all its tries.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) task: Task,
    pub(super) scope: &'a CallScope,
    /// At which it is asked; lower than the scope's when the budget is nearly used up.
    pub(super) tier: BudgetTier,
    pub(super) prompt_id: &'a str,
    chain: Vec<Route>,
    tally: Tally,
    /// What is said where the chain is empty.
    nobody: String,
}

/// A server that has failed again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCircuit {
    pub provider: String,
    /// Scheme, host and port.
    pub server: String,
    /// How long still.
    pub wait: Duration,
}

impl Gateway {
    #[must_use]
    pub fn new(parts: GatewayParts) -> Self {
        Self { parts, under_way: TaskTracker::new() }
    }

    /// Waits until every exchange that was begun is settled, also those that nobody waits for.
    pub async fn settled(&self) {
        self.under_way.close();
        self.under_way.wait().await;
    }

    #[must_use]
    pub fn prompts(&self) -> &Prompts {
        &self.parts.prompts
    }

    #[must_use]
    pub const fn router(&self) -> &Router {
        &self.parts.router
    }

    /// The servers that have failed again and again.
    #[must_use]
    pub fn open_circuits(&self) -> Vec<OpenCircuit> {
        let open = self.parts.breakers.open(std::time::Instant::now()).into_iter();
        // By their accounts (`route::account`), of which the key's part is nobody's business.
        open.map(|(account, refused)| {
            let mut parts = account.split(' ').map(str::to_owned);
            let (provider, server) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
            OpenCircuit { provider, server, wait: refused.wait }
        })
        .collect()
    }

    /// Whether anything but `local` may be asked.
    #[must_use]
    pub fn has_models(&self) -> bool {
        !self.parts.dry_run && self.parts.router.has_models()
    }

    /// Whether nobody is asked and nothing is spent.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.parts.dry_run
    }

    /// Whether a task is to be done at all. That all its models are refused is a failure, not a wish.
    #[must_use]
    pub fn can_do(&self, task: Task, tier: BudgetTier) -> bool {
        !self.parts.router.candidates(task, tier).is_empty()
    }

    /// The stored answer that satisfies an item, if any. A paid answer satisfies it whatever has changed around the story; a
    /// free one is given anew when its input has changed or a model is to be asked.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stored(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        item: &TaskItem,
    ) -> Result<Option<Outcome>, StoreError> {
        if scope.rejudge {
            return Ok(None);
        }
        let is_free = self.parts.router.choose(task, scope.tier).iter().all(Route::is_local);
        self.find(store, task, scope, item, is_free).await
    }

    /// The stored answer that a run was given, for a replay of it: what `local` said in a model's place is among them.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn given(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        item: &TaskItem,
    ) -> Result<Option<Outcome>, StoreError> {
        self.find(store, task, scope, item, true).await
    }

    async fn find(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        item: &TaskItem,
        is_local_accepted: bool,
    ) -> Result<Option<Outcome>, StoreError> {
        let accepts = |stored: &StoredAnswer| {
            let same_input = || is_local_accepted && stored.input_hash == item.input.hash();
            stored.provider != LOCAL_PROVIDER || same_input()
        };
        // Prompts that are not there any more were answered under their own id, what is missing under the present one's.
        let present = self.parts.prompts.id(task);
        let mut prompt_ids = vec![scope.prompt_id.as_str()];
        prompt_ids.extend((present != scope.prompt_id).then_some(present));
        for prompt_id in prompt_ids {
            let found = store.answer(&key(task, scope.tier, prompt_id, item), scope.run).await?;
            if let Some(stored) = found.filter(accepts) {
                let answer = serde_json::from_str(&stored.answer_json)?;
                return Ok(Some(Outcome::Answered { answer, call_id: stored.call_id }));
            }
        }
        Ok(None)
    }

    /// How much of the nearest cap is used up.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn used(&self, store: &SharedStore, scope: &CallScope) -> Result<Used, StoreError> {
        budget::used(store, &self.parts.budget, scope, self.parts.clock.now()).await
    }

    /// What asking would take: with the models configured, or else with an example.
    #[must_use]
    pub fn estimate(&self, task: Task, tier: BudgetTier, items: &[&TaskItem], batch_size: usize) -> Option<Estimate> {
        estimate(&self.parts, task, tier, items, batch_size)
    }

    /// Asks for a batch and stores what fits the schema. One outcome an item, in order.
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
        let nobody = if chain.is_empty() { self.parts.router.why_nobody(task, tier) } else { String::new() };
        let job = Job { task, scope, tier, prompt_id, chain, tally: Tally::default(), nobody };
        let mut outcomes = vec![Outcome::Failed { reason: "it was not asked about".to_owned() }; batch.len()];
        let mut queue = VecDeque::from([RetryPlan::about((0..batch.len()).collect(), &job.nobody)]);
        let mut tries = 0;
        while let Some(plan) = queue.pop_front() {
            tries += 1;
            let (settled, next) = self.step(store, &job, batch, plan, tries).await?;
            for (index, outcome) in settled {
                outcomes[index] = outcome;
            }
            match next.first() {
                // The other parts first: only where one is answered is it worth finding out which story a model does not take.
                Some(plan) if plan.is_part() => queue.extend(next),
                _ => next.into_iter().rev().for_each(|plan| queue.push_front(plan)),
            }
        }
        Ok(outcomes)
    }

    /// At which tier a task is asked, and the models that are asked for it.
    pub(super) async fn chain(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
    ) -> Result<(BudgetTier, Vec<Route>), StoreError> {
        let tier = self.tier(store, scope).await?;
        let local_alone = Router::default();
        let router = if self.parts.dry_run { &local_alone } else { &self.parts.router };
        Ok((tier, router.choose(task, tier)))
    }

    /// The scope's tier, or the low one when the owner wants that as the budget comes to its end.
    async fn tier(&self, store: &SharedStore, scope: &CallScope) -> Result<BudgetTier, StoreError> {
        let keeps = self.parts.dry_run || self.parts.budget.policy != BudgetPolicy::FallbackLow;
        if keeps || scope.tier == BudgetTier::Low {
            return Ok(scope.tier);
        }
        let used = self.used(store, scope).await?;
        Ok(if used.is_approaching() { BudgetTier::Low } else { scope.tier })
    }

    /// One try: what is settled by it, and what is to be tried next.
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
        if let Some(why) = call_state.abandoned(job.task, route) {
            return Ok((Vec::new(), vec![plan.next_model(&why)]));
        }
        if job.tally.is_enough(plan.route) {
            let why = plan.failure.clone();
            return Ok((Vec::new(), vec![plan.next_model(&why)]));
        }
        // A sleep of no time takes up to two milliseconds.
        if !plan.after.is_zero() {
            tokio::time::sleep(plan.after).await;
        }
        let items: Vec<&TaskItem> = plan.items.iter().map(|index| &batch[*index]).collect();
        let policy = route.retry(&self.parts.retry_override.unwrap_or(job.task.spec().retry));
        let (call_id, executed) = self.attempt(store, job, route, &items, plan.note.as_deref(), tries).await?;
        Ok(match executed {
            Executed::Answered(answers) => {
                call_state.succeeded(job.task, route);
                job.tally.answered(plan.route);
                plan.answered(&policy, &call_id.to_string(), answers)
            }
            Executed::Failed(error) => {
                if error.is_unusable() {
                    call_state.failed_unusably(job.task, route, error.kind(), &format!("{}: {error}", route.model));
                }
                job.tally.failed(plan.route, &error);
                let next = plan.failed(&policy, call_state, route, &error, (self.parts.jitter)());
                (Vec::new(), next)
            }
            Executed::NotSent(NotSent::CircuitOpen(why)) => {
                (Vec::new(), vec![plan.next_model(&format!("{}: {why}", route.model))])
            }
            Executed::NotSent(NotSent::Unusable(reason)) => (plan.all(&Outcome::Failed { reason }), Vec::new()),
            Executed::NotSent(NotSent::Interrupted) => {
                (plan.all(&Outcome::Failed { reason: "the run was interrupted".to_owned() }), Vec::new())
            }
            Executed::NotSent(NotSent::NoBudget(used_up))
                if used_up.limit == Limit::Credits && plan.items.len() > 1 =>
            {
                (Vec::new(), plan.halves())
            }
            Executed::NotSent(NotSent::NoBudget(used_up)) => {
                let is_last = self.parts.budget.policy == BudgetPolicy::Stop;
                call_state.exhaust(job.task.as_str(), &used_up, is_last);
                (plan.all(&Outcome::Skipped { reason: used_up.why }), Vec::new())
            }
        })
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
