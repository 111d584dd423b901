//! The input of the summaries and of entity extraction, and its rendering into their prompts.

mod dependence;
pub(super) mod local;
pub(super) mod quote;

use aha_core::digest::Evidence;
use serde::Serialize;

use super::{PromptValues, RenderContext, RenderError, TaskInput, clip};
use crate::fence::fenced;

/// A story, or a pasted text, to be summarised or searched for entities.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryInput {
    pub title: String,
    /// The members' headlines: words in several of them weigh more when a sentence is chosen.
    pub headlines: Vec<String>,
    /// The members' texts with their sources' names, the representative's first; none is empty.
    pub texts: Vec<(String, String)>,
    pub discussions: Vec<String>,
    pub interests: String,
    pub evidence: Evidence,
}

#[derive(Debug, Serialize)]
struct Story<'a> {
    title: String,
    texts: Vec<Text<'a>>,
}

#[derive(Debug, Serialize)]
struct Text<'a> {
    source: &'a str,
    text: String,
}

/// Renders one story: its title, and as much of its texts as fits.
pub(super) fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    let input: &SummaryInput = input.get()?;
    let mut left = context.input_chars;
    let mut texts = Vec::new();
    for (source, text) in &input.texts {
        let text = clip(text, left);
        if text.is_empty() {
            break;
        }
        left -= text.chars().count();
        texts.push(Text { source, text });
    }
    let story = Story { title: clip(&input.title, context.title_chars), texts };
    Ok(PromptValues::of(vec![
        ("interests", fenced(&input.interests)?),
        ("language", context.language.to_owned()),
        ("story", fenced(&story)?),
    ]))
}
