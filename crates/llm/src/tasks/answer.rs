//! A question, answered from numbered passages. Which of the answer is supported by them is checked by who asks.

use serde::Serialize;

use super::{
    AnswerKind, Enabled, KeptAnswers, PromptFiles, PromptValues, RenderContext, RenderError, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip,
};
use crate::fence::fenced;
use crate::retry_policy::PIPELINE;

pub const TASK: Task = Task::of(&SPEC);

static SPEC: TaskSpec = TaskSpec {
    name: "answer",
    schema_version: "answer_v1",
    prompt: PromptFiles {
        id: "answer_v1",
        system: include_str!("../../../../prompts/answer_v1/system.md"),
        user: include_str!("../../../../prompts/answer_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/answer_v1.json")),
    accepts: None,
    render,
    // Sentences are picked where the passages are found, with what they were found by.
    local: None,
    limits: TaskLimits {
        input_chars: 8_000,
        title_chars: 240,
        output_tokens: 600,
        usual_output_tokens: 150,
        example_batch: 1,
    },
    retry: PIPELINE,
    temperature: Some(0.0),
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByOwnModel,
    settings: TaskVariables::All,
    kept: KeptAnswers::All,
    spared_from: None,
    is_pinned: false,
    logged_phase: None,
};

/// A question with the passages that may answer it, the likeliest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerInput {
    pub question: String,
    pub passages: Vec<NumberedPassage>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberedPassage {
    /// From 1; what the model cites.
    pub number: usize,
    pub document: String,
    pub section: String,
    /// Since when it holds, as `2026-01-31`.
    pub date: String,
    pub text: String,
}

#[must_use]
pub fn input(question: AnswerInput) -> TaskInput {
    TaskInput::new(TASK, question)
}

/// Passages as far as they fit.
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
