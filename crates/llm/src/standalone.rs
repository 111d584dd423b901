//! Calls outside a run, requested by the user in a command or a browser. They have no lease, and use the same ledger
//! and caps.

use aha_core::topic::BudgetTier;
use aha_store::{OrphanedCalls, SharedStore, StoreError};

use super::call_scope::CallScope;
use super::gateway::Gateway;
use super::task_item::{Outcome, TaskItem};
use super::tasks::{StoredAnswers, Task, TaskInput};

impl Gateway {
    /// Returns the scope of one call outside a run. Set `rejudge` to ignore stored answers.
    #[must_use]
    pub fn standalone(&self, task: Task, tier: BudgetTier) -> CallScope {
        CallScope::outside_run(self.parts.clock, tier, self.parts.prompts.id(task).to_owned())
    }

    /// Executes a task for one input, unless its answer is stored already. The answer's fingerprint is the hash of the
    /// input.
    ///
    /// # Errors
    /// When the store fails; a provider's failure is an [`Outcome`].
    pub async fn answer(
        &self,
        store: &SharedStore,
        scope: &CallScope,
        input: TaskInput,
    ) -> Result<Outcome, StoreError> {
        let task = input.task();
        let item = TaskItem { fingerprint: input.hash(), members: Vec::new(), input };
        self.answer_item(store, task, scope, &item).await
    }

    /// The same for an item whose fingerprint is given.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn answer_item(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        item: &TaskItem,
    ) -> Result<Outcome, StoreError> {
        if task.spec().stored_answers != StoredAnswers::None
            && let Some(stored) = self.stored_answer(store, task, scope, item).await?
        {
            return Ok(stored);
        }
        // Expired reservations of killed processes are settled before this call is admitted.
        store.settle_orphaned_calls(OrphanedCalls::Expired(self.parts.clock.wall())).await?;
        let outcomes = self.call(store, task, scope, std::slice::from_ref(item)).await?;
        let none = || Outcome::Failed { reason: "it was not sent".to_owned() };
        Ok(outcomes.into_iter().next().unwrap_or_else(none))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aha_core::clock::Clock;
    use aha_store::{CallFilter, OpenMode};

    use super::super::breaker::{BreakerPolicy, Breakers};
    use super::super::prompt::Prompts;
    use super::super::router::Router;
    use super::super::tasks::summary::SummaryInput;
    use super::super::tasks::{deep_summary, manual_summary};
    use super::super::transport::Http;
    use super::super::{GatewayParts, settings};
    use super::*;

    fn gateway() -> Gateway {
        Gateway::new(GatewayParts {
            router: Router::default(),
            prompts: Arc::new(Prompts::load(None).unwrap()),
            transport: Arc::new(Http::within(settings::Egress::Any)),
            clock: Clock::default(),
            budget: settings::BudgetSettings::default(),
            language: String::new(),
            retry_override: None,
            breakers: Arc::new(Breakers::new(BreakerPolicy::default())),
            jitter: Arc::new(|| 0.5),
            dry_run: false,
        })
    }

    fn story() -> SummaryInput {
        let text = "Volunteers counted 61,000 cranes at Lake Ansel on Sunday.";
        SummaryInput {
            title: "Crane count".to_owned(),
            headlines: vec![],
            texts: vec![("Wire".to_owned(), text.to_owned())],
            discussions: vec![],
            interests: String::new(),
            evidence: aha_core::digest::Evidence::default(),
        }
    }

    #[tokio::test]
    async fn the_same_input_is_answered_once_and_what_is_not_kept_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
        let (store, gateway) = (aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap(), gateway());
        let calls = async || store.calls(&CallFilter { limit: 99, ..CallFilter::default() }).await.unwrap().len();
        let ask = async |input: TaskInput| {
            let scope = gateway.standalone(input.task(), BudgetTier::Normal);
            gateway.answer(&store, &scope, input).await.unwrap()
        };
        let first = ask(deep_summary::input(story())).await;
        assert!(matches!(&first, Outcome::Answered { .. }), "{first:?}");
        assert_eq!(ask(deep_summary::input(story())).await, first);
        assert_eq!(calls().await, 1);
        for number in 2..=3 {
            let other = ask(manual_summary::input(story())).await;
            assert!(matches!(&other, Outcome::Answered { .. }), "{other:?}");
            assert_eq!(calls().await, number);
        }
    }
}
