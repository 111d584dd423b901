//! What is asked about a pasted text, and what that would cost.

use std::sync::Arc;

use aha_core::digest::{DigestStory, Estimate, Evidence};
use aha_llm::{CallScope, Outcome, RunCallState, Task, TaskItem};
use aha_net::hash::hex32;
use aha_store::Gone;
use anyhow::Result;
use serde_json::{Value, json};

use super::review;
use crate::app::App;
use crate::pipeline::RunError;
use aha_llm::tasks::manual_summary;
use aha_llm::tasks::summary::SummaryInput;

const TASK: Task = manual_summary::TASK;

/// A text, ready to be asked about.
pub(super) struct Asking {
    ask: TaskItem,
    scope: CallScope,
    stored: Option<Outcome>,
    estimate: Option<Estimate>,
    /// Characters of the text, and of it those that are sent.
    chars: (usize, usize),
}

impl Asking {
    pub(super) async fn about(app: &App, topic: &str, story: &DigestStory, text: &str) -> Result<Self> {
        let topic = app.store().topic(topic).await?.ok_or_else(|| RunError::NoTopic { name: topic.to_owned() })?;
        let scope = CallScope {
            lease: None,
            run: None,
            pass: 0,
            // Tells one asking by hand from the next, also where `AHA_NOW` pins the time.
            attempt: app.clock().wall().as_millis(),
            topic: Some(topic.id),
            share_percent: topic.budget_share_percent,
            tier: topic.budget_tier.unwrap_or(app.config().budget_tier),
            prompt_id: app.gateway().prompts().id(TASK).to_owned(),
            rejudge: false,
            call_state: Arc::new(RunCallState::default()),
        };
        let ask = TaskItem {
            fingerprint: hex32(text.as_bytes()),
            members: vec![review::item(story)?],
            input: manual_summary::input(input(story, text, topic.interests)),
        };
        let stored = app.gateway().stored(app.store(), TASK, &scope, &ask).await?;
        let estimate = app.gateway().estimate(TASK, scope.tier, &[&ask], 1);
        let limit = app.config().llm.max_input_chars(TASK);
        let all = text.chars().count();
        Ok(Self { ask, scope, stored, estimate, chars: (all, limit.map_or(all, |limit| limit.min(all))) })
    }

    /// Whether the same text was summarised before.
    pub(super) const fn is_answered(&self) -> bool {
        self.stored.is_some()
    }

    /// What it would cost, in words.
    pub(super) fn preview(&self) -> String {
        if self.is_answered() {
            return "this text has been summarised already: it costs nothing".to_owned();
        }
        let Some(estimate) = &self.estimate else { return "what it costs cannot be told".to_owned() };
        let tokens = format!("{} tokens in, {} out", estimate.input_tokens, estimate.output_tokens);
        let cost =
            estimate.microcredits.map_or_else(|| "no price set".to_owned(), |amount| format!("{amount} credits"));
        let (all, sent) = self.chars;
        let cut = if sent < all {
            format!("; only the first {sent} of {all} characters are sent (OPENAI_MANUAL_SUMMARY_MAX_INPUT_CHARS)")
        } else {
            String::new()
        };
        if estimate.configured {
            format!("about {cost} with {}: {tokens}{cut}", estimate.model)
        } else {
            format!("answered by `local`, free; a model ({}, for example) would take about {cost}", estimate.model)
        }
    }

    pub(super) fn preview_json(&self) -> Value {
        let (characters, sent) = self.chars;
        json!({ "stored": self.is_answered(), "characters": characters, "characters_sent": sent, "estimate": self.estimate })
    }

    /// The summary stored, or a new one.
    pub(super) async fn ask(&self, app: &App) -> Result<Outcome> {
        if let Some(stored) = &self.stored {
            return Ok(stored.clone());
        }
        // What an earlier one that was killed had set aside is counted for good before this one is admitted.
        app.store().sweep_calls(Gone::Expired(app.clock().wall())).await?;
        let outcomes = app.gateway().call(app.store(), TASK, &self.scope, std::slice::from_ref(&self.ask)).await?;
        let none = || Outcome::Failed { reason: "it was not asked about".to_owned() };
        Ok(outcomes.into_iter().next().unwrap_or_else(none))
    }
}

fn input(story: &DigestStory, text: &str, interests: String) -> SummaryInput {
    let source = story.sources.first().map_or_else(String::new, |source| source.name.clone());
    let known = &story.score_debug.evidence;
    SummaryInput {
        title: story.title.clone(),
        headlines: vec![story.title.clone()],
        texts: vec![(source, text.to_owned())],
        discussions: story.discussions.clone(),
        interests,
        // Of the story, not of its feed's text: that was a teaser perhaps, this is not.
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
