//! The three phases of the journal: which blocks of a day contain lasting knowledge, how it reads without its day, and
//! where it belongs.
//!
//! Each answers in lines, so that the user sees results while the rest is under way. The material is XML that is
//! already escaped, with ids that are valid for one call; the caller maps them to blocks.

use std::time::Duration;

use serde::Serialize;

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables,
};
use crate::retry_policy::INTERACTIVE;

pub const CLASSIFY: Task = Task::of(&CLASSIFY_SPEC);
pub const REWORD: Task = Task::of(&REWORD_SPEC);
pub const INTEGRATE: Task = Task::of(&INTEGRATE_SPEC);

static CLASSIFY_SPEC: TaskSpec = TaskSpec {
    name: "journal_classify",
    description: "finds lasting knowledge in daily notes",
    schema_version: "journal_classify_v1",
    prompt: PromptFiles {
        id: "journal_classify_v1",
        system: include_str!("../../../../prompts/journal_classify_v1/system.md"),
        user: include_str!("../../../../prompts/journal_classify_v1/user.md"),
    },
    answer: AnswerKind::Lines(include_str!("../../../../schemas/journal_classify_v1.json")),
    accepts: Some(CLASSIFY_ACCEPTED),
    temperature: Some(0.3),
    logged_phase: Some("classification"),
    ..PHASE
};

static REWORD_SPEC: TaskSpec = TaskSpec {
    name: "journal_reword",
    description: "rewords a note so that it stands by itself",
    schema_version: "journal_reword_v1",
    prompt: PromptFiles {
        id: "journal_reword_v1",
        system: include_str!("../../../../prompts/journal_reword_v1/system.md"),
        user: include_str!("../../../../prompts/journal_reword_v1/user.md"),
    },
    answer: AnswerKind::Lines(include_str!("../../../../schemas/journal_reword_v1.json")),
    accepts: Some(REWORD_ACCEPTED),
    temperature: Some(0.5),
    logged_phase: Some("rewording"),
    ..PHASE
};

static INTEGRATE_SPEC: TaskSpec = TaskSpec {
    name: "journal_integrate",
    description: "finds the page for a note",
    schema_version: "journal_integrate_v1",
    prompt: PromptFiles {
        id: "journal_integrate_v1",
        system: include_str!("../../../../prompts/journal_integrate_v1/system.md"),
        user: include_str!("../../../../prompts/journal_integrate_v1/user.md"),
    },
    answer: AnswerKind::Lines(include_str!("../../../../schemas/journal_integrate_v1.json")),
    accepts: Some(INTEGRATE_ACCEPTED),
    temperature: Some(0.4),
    logged_phase: Some("integration"),
    ..PHASE
};

// The contract of a line has optional fields and ignores unknown ones; only a strict mode asks for exactly its fields.

const CLASSIFY_ACCEPTED: &str = r#"{
    "type": "object", "required": ["block_id", "confidence", "reason"],
    "properties": {
        "block_id": { "type": "string", "minLength": 1 },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "reason": { "type": "string" }
    }
}"#;

const REWORD_ACCEPTED: &str = r#"{
    "type": "object", "required": ["block_id", "reworded_content"],
    "properties": {
        "block_id": { "type": "string", "minLength": 1 },
        "reworded_content": { "type": "string", "minLength": 1 }
    }
}"#;

const INTEGRATE_ACCEPTED: &str = r#"{
    "type": "object", "required": ["knowledge_block_id", "target_page", "action", "confidence", "reasoning"],
    "properties": {
        "knowledge_block_id": { "type": "string", "minLength": 1 },
        "target_page": { "type": "string", "minLength": 1 },
        "action": { "enum": ["add_section", "add_under", "replace", "skip_exists"] },
        "target_block_id": { "type": ["string", "null"] },
        "target_block_title": { "type": ["string", "null"] },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "reasoning": { "type": "string" }
    }
}"#;

/// Settings shared by the phases.
const PHASE: TaskSpec = TaskSpec {
    name: "",
    description: "",
    schema_version: "",
    prompt: PromptFiles { id: "", system: "", user: "" },
    answer: AnswerKind::Text,
    accepts: None,
    render,
    // Rules for notes are applied elsewhere, without a call.
    local: None,
    limits: TaskLimits {
        input_chars: 60_000,
        title_chars: 240,
        output_tokens: 4_000,
        typical_output_tokens: 400,
        example_batch: 1,
    },
    retry: INTERACTIVE,
    temperature: None,
    // The timeout of the first byte is left to the model: a local one may take minutes to read a long prompt.
    timeouts: TaskTimeouts { first_byte: None, idle: Some(Duration::from_mins(1)), whole: None },
    context_tokens: Some(32_768),
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::ModelAlone,
    stored_answers: StoredAnswers::OfModels,
    skipped_above_share: None,
    is_pinned: false,
    logged_phase: None,
};

/// The input of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JournalInput {
    /// Describes the graph's indentation in plain text.
    pub indent_style: String,
    /// XML, in which everything from the notes is escaped.
    pub material: String,
}

/// Wraps the input. `task`: one of the three above.
#[must_use]
pub fn input(task: Task, input: JournalInput) -> TaskInput {
    TaskInput::new(task, input)
}

fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    let JournalInput { indent_style, material } = input.get()?;
    let language = context.language.to_owned();
    Ok(PromptValues::of(vec![
        ("indent_style", indent_style.clone()),
        ("material", material.clone()),
        ("language", language),
    ]))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::check_answer;

    fn lines() -> [(Task, Value); 3] {
        [
            (CLASSIFY, json!({ "block_id": "b1", "confidence": 0.9, "reason": "r" })),
            (REWORD, json!({ "block_id": "b1", "reworded_content": "Tugs pull 65 tonnes." })),
            (
                INTEGRATE,
                json!({ "knowledge_block_id": "b1", "target_page": "Tugs", "action": "add_section",
                        "confidence": 0.9, "reasoning": "r" }),
            ),
        ]
    }

    #[test]
    fn a_line_may_lack_optional_fields_and_have_unknown_ones() {
        for (task, mut line) in lines() {
            assert_eq!(check_answer(task, &line), Ok(()), "{line}");
            line["comment"] = json!("of the model's own");
            assert_eq!(check_answer(task, &line), Ok(()), "{line}");
        }
    }

    #[test]
    fn what_is_accepted_has_the_fields_of_the_strict_schema() {
        for (task, _) in lines() {
            let spec = task.spec();
            let parsed = |text: Option<&str>| serde_json::from_str::<Value>(text.unwrap()).unwrap();
            let (strict, accepted) = (parsed(spec.answer.schema()), parsed(spec.accepts));
            assert_eq!(strict["properties"], accepted["properties"], "{}", task.as_str());
            let required = accepted["required"].as_array().unwrap();
            assert!(required.iter().all(|field| strict["required"].as_array().unwrap().contains(field)), "{accepted}");
        }
    }

    #[test]
    fn a_line_without_a_required_field_or_out_of_range_is_refused() {
        for (task, line) in lines() {
            let names: Vec<String> = line.as_object().unwrap().keys().cloned().collect();
            for name in names {
                let mut without = line.clone();
                without.as_object_mut().unwrap().remove(&name);
                assert!(check_answer(task, &without).is_err(), "{without}");
                let mut wrong = line.clone();
                wrong[&name] = json!([]);
                assert!(check_answer(task, &wrong).is_err(), "{wrong}");
            }
            let mut beyond = line.clone();
            beyond["confidence"] = json!(1.5);
            assert!(line.get("confidence").is_none() || check_answer(task, &beyond).is_err(), "{beyond}");
        }
    }
}
