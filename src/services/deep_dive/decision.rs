//! The user's decision on a summary: it is kept with the item it was made for, or dropped.

use aha_core::digest::DigestStory;
use aha_core::ids::ItemId;
use aha_core::summary::Summary;
use aha_llm::tasks::manual_summary;
use aha_store::SummaryDecision;
use serde::Serialize;

use super::{Result, ServiceError, TextSource};
use crate::app::App;

/// Returns the item for which a text is pasted: the story's representative.
pub(super) fn item(story: &DigestStory) -> Result<ItemId> {
    let first = story.sources.first().map(|source| source.item_id);
    let none = "this story has no source left that a text could be given for; choose another story";
    first.ok_or_else(|| ServiceError::invalid("item", none))
}

/// The decision on a story's summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecidedSummary {
    pub item_id: ItemId,
    pub title: String,
    /// `promoted` or `dropped`.
    pub decision: &'static str,
}

/// Decides on a summary: the one that a call made, else the newest made for the story. A kept summary can be dropped
/// even if its answer no longer exists.
///
/// # Errors
/// When there is no such summary.
pub async fn decide(app: &App, story: &DigestStory, keep: bool, call: Option<&str>) -> Result<DecidedSummary> {
    let item = item(story)?;
    let decision = if keep { "promoted" } else { "dropped" };
    let decided = DecidedSummary { item_id: item, title: story.title.clone(), decision };
    let task = manual_summary::TASK.as_str();
    let found = match call {
        Some(call) => app.store().answer_of_call(task, call).await?,
        None => app.store().newest_answer(task, &[item]).await?,
    };
    if !keep && found.is_none() && app.store().summary_decision(item).await?.is_some() {
        let review = SummaryDecision { item, summary_json: None, call: None, at: app.clock().now() };
        app.store().commit_summary_decision(&review).await?;
        return Ok(decided);
    }
    let answer = found.ok_or_else(|| {
        let none = match call {
            Some(_) => "that call made no summary, or it is no longer stored; have the text summarised again",
            None => "no text has been summarised for this story by a model; give it one",
        };
        ServiceError::not_found("summary", none)
    })?;
    if keep {
        promote(app, item, &answer.answer_json, &answer.call_id).await?;
    } else {
        let review = SummaryDecision { item, summary_json: None, call: Some(answer.call_id), at: app.clock().now() };
        app.store().commit_summary_decision(&review).await?;
    }
    Ok(decided)
}

pub(super) async fn promote(app: &App, item: ItemId, summary_json: &str, call_id: &str) -> Result<()> {
    let review = SummaryDecision {
        item,
        summary_json: Some(summary_json.to_owned()),
        call: Some(call_id.to_owned()),
        at: app.clock().now(),
    };
    Ok(app.store().commit_summary_decision(&review).await?)
}

/// A kept summary of a pasted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptSummary {
    pub item_id: ItemId,
    pub text_source: TextSource,
    pub summary: Summary,
}

/// Lists the kept summaries, the last decision first.
///
/// # Errors
/// When the store fails.
pub async fn kept(app: &App) -> Result<Vec<KeptSummary>> {
    let kept = app.store().kept_summaries().await?.into_iter();
    let text_source = TextSource::PastedByUser;
    Ok(kept.map(|(item_id, summary)| KeptSummary { item_id, text_source, summary }).collect())
}
