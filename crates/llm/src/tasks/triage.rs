//! Judges each of several stories.

mod local;

use aha_core::digest::Evidence;
use aha_core::time::Timestamp;
use serde::Serialize;

pub use local::{
    NO_EVIDENCE, NO_INTEREST_MATCHED, is_close_to_interests, local_score, local_score_without_ceilings,
    matches_interests,
};

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip, short_id,
};
use crate::fence::fenced;
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "triage",
    description: "scores stories",
    schema_version: "triage_v1",
    prompt: PromptFiles {
        id: "triage_v1",
        system: include_str!("../../../../prompts/triage_v1/system.md"),
        user: include_str!("../../../../prompts/triage_v1/user.md"),
    },
    answer: AnswerKind::Batch(include_str!("../../../../schemas/triage_v1.json")),
    accepts: None,
    render,
    local: Some(|input| Some(local::judge(input.get().ok()?))),
    limits: TaskLimits {
        input_chars: 4_000,
        title_chars: 240,
        output_tokens: 250,
        typical_output_tokens: 90,
        example_batch: 10,
    },
    retry: STANDARD,
    temperature: None,
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::All,
    skipped_above_share: None,
    is_pinned: true,
    logged_phase: None,
};

/// A story for triage. A model is sent title, text, members, kinds of sources, likes and interests; `evidence` and
/// `categories` are for `local`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriageInput {
    pub title: String,
    pub body: String,
    pub members: Vec<MemberInput>,
    /// Kinds of the sources that report it (`feed`, …).
    pub provenance: Vec<String>,
    /// Likes and dislikes as text; empty while there are none.
    pub preference_summary: String,
    pub interests: String,
    /// The feeds' own categories.
    pub categories: Vec<String>,
    pub continues: Option<EarlierDigest>,
    pub evidence: Evidence,
}

/// The digest that last showed the story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierDigest {
    pub delivered_at: Timestamp,
    /// Its day in the reader's time zone: `14 Nov`.
    pub day: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberInput {
    pub title: String,
    pub url: Option<String>,
    pub source: String,
}

#[must_use]
pub fn input(story: TriageInput) -> TaskInput {
    TaskInput::new(TASK, story)
}

/// Maximum characters of a link that are sent: longer ones mostly carry tracking parameters.
const LINK_CHARS: usize = 300;

#[derive(Debug, Serialize)]
struct Story<'a> {
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

fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let inputs: Vec<&TriageInput> = inputs.iter().map(|input| input.get()).collect::<Result<_, _>>()?;
    let stories: Vec<Story<'_>> =
        inputs.iter().enumerate().map(|(index, input)| story(context, index, input)).collect();
    // They are the same for all stories of a batch.
    let (interests, preferences) =
        inputs.first().map_or(("", ""), |first| (&first.interests, &first.preference_summary));
    Ok(PromptValues::of(vec![
        ("interests", fenced(&interests)?),
        ("preferences", fenced(&preferences)?),
        ("tier", context.tier.as_str().to_owned()),
        ("language", context.language.to_owned()),
        ("stories", fenced(&stories)?),
    ]))
}

/// Builds the prompt's entry. Members take at most half of the story's characters, the text the rest.
fn story<'a>(context: &RenderContext<'_>, index: usize, input: &'a TriageInput) -> Story<'a> {
    let mut left = context.input_chars;
    let mut members = Vec::new();
    for input in &input.members {
        let member = member(context, input);
        let size = member.title.chars().count() + member.url.as_ref().map_or(0, |url| url.chars().count());
        if size > left.saturating_sub(context.input_chars / 2) {
            break;
        }
        left -= size;
        members.push(member);
    }
    Story {
        id: short_id(index),
        title: clip(&input.title, context.title_chars),
        text: clip(&input.body, left),
        members,
        told_by: &input.provenance,
        told_before_since: input.continues.as_ref().map(|earlier| earlier.delivered_at),
    }
}

fn member<'a>(context: &RenderContext<'_>, input: &'a MemberInput) -> Member<'a> {
    Member {
        title: clip(&input.title, context.title_chars),
        url: input.url.as_ref().map(|url| clip(url, LINK_CHARS)),
        source: &input.source,
    }
}
