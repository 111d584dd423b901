//! From a task's inputs to what a model is asked: clipped to the route's limits, fenced, with the schema to answer in.

use aha_core::task::Task;
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::answer::short_id;
use super::input::{MemberInput, SignalInput, SummaryInput, TaskInput, TriageInput};
use super::prompt::{PromptError, Prompts, fenced};
use super::provider::{AnswerFormat, ModelRequest};
use super::router::Route;
use super::schema::{self, SchemaError};

/// Characters of a link that are sent: longer ones carry tracking, or something else.
const LINK_CHARS: usize = 300;

#[derive(Debug, Error)]
pub enum RequestError {
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error("the story cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Debug, Serialize)]
struct TriageStory<'a> {
    id: String,
    title: String,
    text: String,
    members: Vec<Member<'a>>,
    /// Kinds of the sources.
    told_by: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    told_before_since: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct Member<'a> {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    source: &'a str,
}

#[derive(Debug, Serialize)]
struct SummaryStory<'a> {
    title: String,
    texts: Vec<Text<'a>>,
}

#[derive(Debug, Serialize)]
struct Text<'a> {
    source: &'a str,
    text: String,
}

#[derive(Debug, Serialize)]
struct SearchResult<'a> {
    id: String,
    result: Value,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    related: &'a [Value],
}

/// The request for some inputs of one task: several where it is asked in batches, one for all others. `note` says what was wrong with the last
/// answer.
///
/// # Errors
/// When the owner's prompt or a shipped schema cannot be used.
pub fn build(
    prompts: &Prompts,
    task: Task,
    route: &Route,
    language: &str,
    tier: BudgetTier,
    inputs: &[&TaskInput],
    note: Option<&str>,
) -> Result<ModelRequest, RequestError> {
    let stories = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
    let rendered = match inputs.first() {
        Some(TaskInput::Triage(first)) => prompts.render(task, &triage(route, language, tier, first, inputs)?)?,
        Some(TaskInput::DeepSummary(input) | TaskInput::ManualSummary(input) | TaskInput::EntityExtract(input)) => {
            prompts.render(task, &summary(route, language, input)?)?
        }
        Some(TaskInput::SignalParse(_)) => prompts.render(task, &signals(route, inputs)?)?,
        None => prompts.render(task, &[])?,
    };
    let mut user = rendered.user;
    if let Some(note) = note {
        user.push_str("\nYour last answer could not be used: ");
        user.push_str(note);
        user.push_str("\nFix the JSON: answer again with exactly one JSON object that fits the schema.\n");
    }
    let format = AnswerFormat::Schema { name: task.schema_version().to_owned(), schema: schema::wire_schema(task)? };
    let max_output_tokens = route.max_output_tokens.saturating_mul(stories.max(1));
    Ok(route.request(rendered.system, user, format, max_output_tokens))
}

/// What a template may name.
type Names = Vec<(&'static str, String)>;

fn triage(
    route: &Route,
    language: &str,
    tier: BudgetTier,
    first: &TriageInput,
    inputs: &[&TaskInput],
) -> Result<Names, serde_json::Error> {
    let stories = inputs.iter().enumerate().filter_map(|(index, input)| match input {
        TaskInput::Triage(input) => Some(triage_story(route, index, input)),
        _ => None,
    });
    Ok(vec![
        ("interests", fenced(&first.interests)?),
        ("preferences", fenced(&first.preference_summary)?),
        ("tier", tier.as_str().to_owned()),
        ("language", language.to_owned()),
        ("stories", fenced(&stories.collect::<Vec<_>>())?),
    ])
}

/// Members take half of the story's characters at most, the text what they leave.
fn triage_story<'a>(route: &Route, index: usize, input: &'a TriageInput) -> TriageStory<'a> {
    let mut left = route.max_input_chars;
    let mut members = Vec::new();
    for member in &input.members {
        let member = clip_member(route, member);
        let size = member.title.chars().count() + member.url.as_ref().map_or(0, |url| url.chars().count());
        if size > left.saturating_sub(route.max_input_chars / 2) {
            break;
        }
        left -= size;
        members.push(member);
    }
    TriageStory {
        id: short_id(index),
        title: clip(&input.title, route.max_title_chars),
        text: clip(&input.body, left),
        members,
        told_by: &input.provenance,
        told_before_since: input.continues_since,
    }
}

fn clip_member<'a>(route: &Route, member: &'a MemberInput) -> Member<'a> {
    Member {
        title: clip(&member.title, route.max_title_chars),
        url: member.url.as_ref().map(|url| clip(url, LINK_CHARS)),
        source: &member.source,
    }
}

fn summary(route: &Route, language: &str, input: &SummaryInput) -> Result<Names, serde_json::Error> {
    let mut left = route.max_input_chars;
    let mut texts = Vec::new();
    for (source, text) in &input.texts {
        let text = clip(text, left);
        if text.is_empty() {
            break;
        }
        left -= text.chars().count();
        texts.push(Text { source, text });
    }
    let story = SummaryStory { title: clip(&input.title, route.max_title_chars), texts };
    Ok(vec![("interests", fenced(&input.interests)?), ("language", language.to_owned()), ("story", fenced(&story)?)])
}

fn signals(route: &Route, inputs: &[&TaskInput]) -> Result<Names, serde_json::Error> {
    let results = inputs.iter().enumerate().filter_map(|(index, input)| match input {
        TaskInput::SignalParse(input) => Some(search_result(route, index, input)),
        _ => None,
    });
    Ok(vec![("results", fenced(&results.collect::<Vec<_>>())?)])
}

/// What is too long is cut off, and so is sent as a text; what it refers to is then left out.
fn search_result<'a>(route: &Route, index: usize, input: &'a SignalInput) -> SearchResult<'a> {
    let id = short_id(index);
    let text = input.result.to_string();
    let related: usize = input.related.iter().map(|thing| thing.to_string().chars().count()).sum();
    match route.max_input_chars.checked_sub(text.chars().count()) {
        Some(left) => {
            let related: &[Value] = if related <= left { &input.related } else { &[] };
            SearchResult { id, result: input.result.clone(), related }
        }
        None => SearchResult { id, result: clip(&text, route.max_input_chars).into(), related: &[] },
    }
}

fn clip(text: &str, chars: usize) -> String {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text).to_owned()
}
