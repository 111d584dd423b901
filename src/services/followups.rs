//! The next steps that a summary suggests, as todos with a link back to the story.

use aha_core::digest::DigestStory;
use aha_planner::record::Kind;
use serde_json::json;

use super::planner::{self, Apply};
use super::{Result, ServiceError};
use crate::app::App;

/// A longer text is truncated to serve as a title.
const TITLE_CHARS: usize = 500;

/// A suggestion, and whether it is a todo already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    pub text: String,
    pub is_todo: bool,
}

/// Returns the suggestions of a story. Existing todos are recognised by link and title.
pub async fn of(app: &App, story: &DigestStory, suggested: &[String]) -> Result<Vec<FollowUp>> {
    if suggested.is_empty() {
        return Ok(Vec::new());
    }
    let (state, link) = (planner::planner(app).await?.state, link(story));
    let is_todo = |title: &str| {
        state
            .items()
            .any(|item| item.kind == Kind::Todo && item.title == title && item.link.as_deref() == Some(link.as_str()))
    };
    Ok(suggested.iter().map(|text| FollowUp { is_todo: is_todo(&title(text)), text: text.clone() }).collect())
}

/// Adds one suggestion to the todos, unless it is there already.
///
/// # Errors
/// When another request is adding the same.
pub async fn add(app: &App, story: &DigestStory, text: &str) -> Result<()> {
    let version = planner::planner(app).await?.version;
    if is_todo(app, story, text).await? {
        return Ok(());
    }
    let operation = json!({ "kind": "todo", "action": "create", "title": title(text), "recurrence": { "type": "none" }, "link": link(story) });
    match planner::apply(app, vec![operation], Some(version), None).await? {
        Apply::Done { .. } => Ok(()),
        Apply::Invalid(_) => {
            let message = "this follow-up cannot be a todo; add one in your own words";
            Err(ServiceError::invalid("number", message))
        }
        // Submitted twice at the same time: the other request has added it.
        Apply::Changed { .. } if is_todo(app, story, text).await? => Ok(()),
        Apply::Changed { .. } | Apply::KeyReused | Apply::InFlight => {
            Err(ServiceError::Busy { message: "the todos are being changed; try again in a second".to_owned() })
        }
    }
}

async fn is_todo(app: &App, story: &DigestStory, text: &str) -> Result<bool> {
    Ok(of(app, story, &[text.to_owned()]).await?.iter().any(|one| one.is_todo))
}

fn title(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(TITLE_CHARS).collect()
}

fn link(story: &DigestStory) -> String {
    format!("/stories/{}", story.id)
}
