//! A pasted text as it is sent to a model, and what that would cost.

use aha_core::digest::{DigestStory, Estimate, Evidence};
use aha_core::summary::PASTED_TEXT;
use aha_llm::{CallScope, Outcome, Task, TaskItem};
use aha_net::hash::hex32;
use aha_store::OrphanedCalls;
use futures::FutureExt as _;

use super::super::{Result, topics};
use super::{DeepDiveEstimate, FoundStory, decision};
use crate::app::App;
use aha_llm::tasks::manual_summary;
use aha_llm::tasks::summary::SummaryInput;

const TASK: Task = manual_summary::TASK;

/// A text, ready to be summarised.
#[derive(Debug)]
pub struct PastedText {
    task_item: TaskItem,
    scope: CallScope,
    stored: Option<Outcome>,
    estimate: Option<Estimate>,
    /// Characters of the text, and how many of them are sent.
    chars: (usize, usize),
}

impl PastedText {
    /// # Errors
    /// When the story has no source left or the store fails.
    pub async fn about(app: &App, found: &FoundStory, text: &str) -> Result<Self> {
        let story = &found.story;
        let topic = topics::find(app, &found.digest.topic).await?;
        let tier = topic.budget_tier.unwrap_or(app.config().budget_tier);
        let prompt_id = app.gateway().prompts().id(TASK).to_owned();
        let scope = CallScope {
            topic: Some(topic.id),
            share_percent: topic.budget_share_percent,
            ..CallScope::outside_run(app.clock(), tier, prompt_id)
        };
        let task_item = TaskItem {
            fingerprint: hex32(text.as_bytes()),
            members: vec![decision::item(story)?],
            input: manual_summary::input(input(story, text, topic.interests)),
        };
        let stored = stored(app, &scope, &task_item).await?;
        let estimate = app.gateway().estimate(TASK, scope.tier, &[&task_item], 1);
        let limit = app.config().llm.max_input_chars(TASK);
        let all = text.chars().count();
        Ok(Self { task_item, scope, stored, estimate, chars: (all, limit.map_or(all, |limit| limit.min(all))) })
    }

    /// Returns whether the same text was summarised before.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        self.stored.is_some()
    }

    /// Estimates the cost.
    #[must_use]
    pub fn estimate(&self) -> DeepDiveEstimate {
        let (characters, characters_sent) = self.chars;
        DeepDiveEstimate { stored: self.is_answered(), characters, characters_sent, estimate: self.estimate.clone() }
    }

    /// Returns the stored summary, or a new one, and whether it was stored.
    pub(super) async fn outcome(&self, app: &App) -> Result<(Outcome, bool)> {
        if let Some(stored) = &self.stored {
            return Ok((stored.clone(), true));
        }
        let _turn = app.pasted_texts_in_progress().lock(&self.task_item.fingerprint).await;
        // The same text may have been summarised for another request meanwhile.
        if let Some(stored) = stored(app, &self.scope, &self.task_item).await? {
            return Ok((stored, true));
        }
        // Reservations of an earlier process that was killed must be counted before this call is admitted.
        app.store().settle_orphaned_calls(OrphanedCalls::Expired(app.clock().wall())).await?;
        let call = app.gateway().call(app.store(), TASK, &self.scope, std::slice::from_ref(&self.task_item));
        let outcomes = call.boxed().await?;
        let none = || Outcome::Failed { reason: "it was not sent".to_owned() };
        Ok((outcomes.into_iter().next().unwrap_or_else(none), false))
    }
}

async fn stored(app: &App, scope: &CallScope, text: &TaskItem) -> Result<Option<Outcome>> {
    Ok(app.gateway().stored_answer(app.store(), TASK, scope, text).boxed().await?)
}

fn input(story: &DigestStory, text: &str, interests: String) -> SummaryInput {
    let known = &story.score_debug.evidence;
    SummaryInput {
        title: story.title.clone(),
        headlines: vec![story.title.clone()],
        texts: vec![(PASTED_TEXT.to_owned(), text.to_owned())],
        discussions: story.discussions.clone(),
        interests,
        // Only evidence about the story: what concerns the feed's text, which may have been a teaser, does not apply to
        // this text.
        evidence: Evidence {
            matched_interests: known.matched_interests.clone(),
            touched_interests: known.touched_interests.clone(),
            relevance: known.relevance.clone(),
            has_interests: known.has_interests,
            distinct_sources: known.distinct_sources,
            ..Evidence::default()
        },
    }
}
