//! Answers a question from numbered passages. The caller checks which statements the passages support.

use serde::Serialize;

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip,
};
use crate::fence::fenced;
use crate::retry_policy::STANDARD;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "answer",
    description: "answers a question from your items",
    schema_version: "answer_v1",
    prompt: PromptFiles {
        id: "answer_v1",
        system: include_str!("../../../../prompts/answer_v1/system.md"),
        user: include_str!("../../../../prompts/answer_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/answer_v1.json")),
    accepts: None,
    render,
    // The caller that finds the passages picks sentences itself, because it knows how they matched.
    local: None,
    limits: TaskLimits {
        input_chars: 8_000,
        title_chars: 240,
        output_tokens: 600,
        typical_output_tokens: 150,
        example_batch: 1,
    },
    retry: STANDARD,
    temperature: Some(0.0),
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByOwnModel,
    settings: TaskVariables::All,
    stored_answers: StoredAnswers::All,
    skipped_above_share: None,
    is_pinned: false,
    logged_phase: None,
};

/// A question with the passages that may answer it, the most likely first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerInput {
    pub question: String,
    pub passages: Vec<NumberedPassage>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberedPassage {
    /// From 1; the model cites it.
    pub number: usize,
    pub document: String,
    pub section: String,
    /// Since when it applies, as `2026-01-31`.
    pub date: String,
    pub text: String,
}

#[must_use]
pub fn input(question: AnswerInput) -> TaskInput {
    TaskInput::new(TASK, question)
}

/// Renders as many passages as fit.
fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    let input: &AnswerInput = input.get()?;
    let mut left = context.input_chars;
    let mut passages = Vec::new();
    for passage in &input.passages {
        let text = clip(&passage.text, left);
        if text.is_empty() {
            break;
        }
        left -= text.chars().count();
        let (document, section) =
            (clip(&passage.document, context.title_chars), clip(&passage.section, context.title_chars));
        passages.push(NumberedPassage { document, section, text, ..passage.clone() });
    }
    Ok(PromptValues::of(vec![
        ("question", fenced(&input.question)?),
        ("language", context.language.to_owned()),
        ("passages", fenced(&passages)?),
    ]))
}
