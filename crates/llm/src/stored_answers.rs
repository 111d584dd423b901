//! Looks up the stored answers of task items, so that nothing is paid for twice.

use aha_core::model::LOCAL_PROVIDER;
use aha_store::{AnswerKey, SharedStore, StoreError, StoredAnswer};

use super::call_scope::CallScope;
use super::gateway::{Gateway, key};
use super::router::Route;
use super::task_item::{Outcome, TaskItem};
use super::tasks::Task;

impl Gateway {
    /// Returns for each item the stored answer that satisfies it, if any. A paid answer satisfies it whatever has changed
    /// around the story. A free one is replaced when its input has changed or a model is to be called. A scope that
    /// judges again accepts only what its run's pass has received already.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stored_answers(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        items: &[&TaskItem],
    ) -> Result<Vec<Option<Outcome>>, StoreError> {
        if scope.rejudge && scope.run.is_none() {
            return Ok(vec![None; items.len()]);
        }
        let is_free = self.parts.router.choose(task, scope.tier).iter().all(Route::is_local);
        self.find(store, task, scope, items, is_free).await
    }

    /// [`Self::stored_answers`] for one item.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stored_answer(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        item: &TaskItem,
    ) -> Result<Option<Outcome>, StoreError> {
        Ok(self.stored_answers(store, task, scope, &[item]).await?.pop().flatten())
    }

    /// Returns for each item the stored answer that a run was given, to replay it. This includes answers that `local`
    /// gave in place of a model.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn answers_for_replay(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        items: &[&TaskItem],
    ) -> Result<Vec<Option<Outcome>>, StoreError> {
        self.find(store, task, scope, items, true).await
    }

    async fn find(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        items: &[&TaskItem],
        is_local_accepted: bool,
    ) -> Result<Vec<Option<Outcome>>, StoreError> {
        let accepts = |stored: &StoredAnswer, item: &TaskItem| {
            let same_input = || is_local_accepted && stored.input_hash == item.input.hash();
            stored.provider != LOCAL_PROVIDER || same_input()
        };
        // Answers of former prompts are stored under the id of the scope, missing ones under the current prompt's id.
        let current = self.parts.prompts.id(task);
        let mut prompt_ids = vec![scope.prompt_id.as_str()];
        prompt_ids.extend((current != scope.prompt_id).then_some(current));
        let mut outcomes: Vec<Option<Outcome>> = vec![None; items.len()];
        for prompt_id in prompt_ids {
            let missing: Vec<usize> = (0..items.len()).filter(|index| outcomes[*index].is_none()).collect();
            let keys: Vec<AnswerKey> =
                missing.iter().map(|index| key(task, scope.tier, prompt_id, items[*index])).collect();
            let found = match scope.run.filter(|_| scope.rejudge) {
                _ if keys.is_empty() => Vec::new(),
                Some(run) => store.answers_of_pass(&keys, run, scope.pass).await?,
                None => store.answers(&keys, scope.run).await?,
            };
            for (index, stored) in missing.into_iter().zip(found) {
                if let Some(stored) = stored.filter(|stored| accepts(stored, items[index])) {
                    let answer = serde_json::from_str(&stored.answer_json)?;
                    outcomes[index] = Some(Outcome::Answered { answer, call_id: stored.call_id });
                }
            }
        }
        Ok(outcomes)
    }
}
