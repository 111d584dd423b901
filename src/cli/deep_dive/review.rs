//! The owner's decision on a summary: kept with the item it was made for, or dropped.

use aha_core::digest::DigestStory;
use aha_core::ids::ItemId;
use aha_store::Review;
use anyhow::Result;
use serde_json::json;

use super::super::output;
use super::wrong;
use crate::app::App;
use aha_llm::tasks::manual_summary;

/// The item that a text is pasted for: the story's representative.
pub(super) fn item(story: &DigestStory) -> Result<ItemId> {
    let first = story.sources.first().map(|source| source.item_id);
    first.ok_or_else(|| wrong("this story has no source left; no text can be given for it"))
}

/// Decides on the newest summary made for a story. One that was kept can be dropped, be there an answer or not.
pub(super) async fn decide(app: &App, story: &DigestStory, keep: bool, as_json: bool) -> Result<()> {
    let item = item(story)?;
    let found = app.store().newest_answer(manual_summary::TASK.as_str(), &[item]).await?;
    if !keep && found.is_none() && app.store().review(item).await?.is_some() {
        let review = Review { item, summary_json: None, call: None, at: app.clock().now() };
        app.store().commit_review(&review).await?;
        return say(item, story, keep, as_json);
    }
    let answer = found.ok_or_else(|| {
        wrong("no text has been summarised for this story by a model; give it one with --file, with --promote to keep it at once")
    })?;
    if keep {
        promote(app, item, &answer.answer_json, &answer.call_id).await?;
    } else {
        let review = Review { item, summary_json: None, call: Some(answer.call_id), at: app.clock().now() };
        app.store().commit_review(&review).await?;
    }
    say(item, story, keep, as_json)
}

fn say(item: ItemId, story: &DigestStory, keep: bool, as_json: bool) -> Result<()> {
    let decision = if keep { "promoted" } else { "dropped" };
    if as_json {
        return output::print_json(&json!({ "item_id": item, "title": story.title, "decision": decision }));
    }
    output::print(&output::one_safe_text(&format!("{decision}: the summary for {:?}", story.title)))
}

pub(super) async fn promote(app: &App, item: ItemId, summary_json: &str, call_id: &str) -> Result<()> {
    let review = Review {
        item,
        summary_json: Some(summary_json.to_owned()),
        call: Some(call_id.to_owned()),
        at: app.clock().now(),
    };
    Ok(app.store().commit_review(&review).await?)
}
