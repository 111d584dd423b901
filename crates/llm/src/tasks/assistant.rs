//! The assistant's five tasks: they read a message of the owner's and what is planned, and answer with a route, operations, or words.
//!
//! A summary and an answer in words are words, no JSON. One input serves all of them. Without a model none is done here: rules read the message (`aha_planner::language`). Answers are not
//! kept: the same words mean something else when the records have changed.

use serde::Serialize;
use serde_json::Value;

use super::{
    AnswerKind, Enabled, KeptAnswers, PromptFiles, PromptValues, RenderContext, RenderError, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip,
};
use crate::fence::fenced;
use crate::retry_policy::{INTERACTIVE, RetryPolicy};

/// A message with what it is read against.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssistantInput {
    /// The owner's date with its day of the week.
    pub today: String,
    pub timezone: String,
    pub message: String,
    /// The last turns, oldest first.
    pub conversation: Vec<String>,
    /// What is planned.
    pub records: Value,
    /// What the task is about besides: invalid operations with their errors, or the sentences to summarise.
    pub material: Value,
}

#[must_use]
pub fn input(task: Task, asked: AssistantInput) -> TaskInput {
    TaskInput::new(task, asked)
}

/// Whether a message is a plan, talk, or too unclear to act on.
pub const ROUTE: Task = Task::of(&ROUTE_SPEC);

static ROUTE_SPEC: TaskSpec = TaskSpec {
    name: "assistant_route",
    schema_version: "assistant_route_v1",
    prompt: PromptFiles {
        id: "assistant_route_v1",
        system: include_str!("../../../../prompts/assistant_route_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_route_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/assistant_route_v1.json")),
    accepts: Some(ROUTE_ACCEPTED),
    limits: limits(300, 120),
    ..COMMON
};

/// A model without a strict mode leaves out what it has nothing to say about.
const ROUTE_ACCEPTED: &str = r#"{
    "type": "object", "required": ["decision", "confidence"],
    "properties": {
        "decision": { "enum": ["chat", "plan", "clarify"] },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "question": { "type": ["string", "null"] }
    }
}"#;

/// Operations as they were written: the planner shapes and checks each, and says what is wrong with it.
const OPERATIONS_ACCEPTED: &str = r#"{
    "type": "object", "required": ["operations"],
    "properties": { "operations": { "type": "array", "items": { "type": "object" } } }
}"#;

/// Operations that a message asks for.
pub const PROPOSE: Task = Task::of(&PROPOSE_SPEC);

static PROPOSE_SPEC: TaskSpec = TaskSpec {
    name: "assistant_propose",
    schema_version: "assistant_propose_v1",
    prompt: PromptFiles {
        id: "assistant_propose_v1",
        system: include_str!("../../../../prompts/assistant_propose_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_propose_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/assistant_propose_v1.json")),
    accepts: Some(OPERATIONS_ACCEPTED),
    limits: limits(2000, 400),
    ..COMMON
};

/// Invalid operations again, corrected.
pub const REPAIR: Task = Task::of(&REPAIR_SPEC);

static REPAIR_SPEC: TaskSpec = TaskSpec {
    name: "assistant_repair",
    schema_version: "assistant_repair_v1",
    prompt: PromptFiles {
        id: "assistant_repair_v1",
        system: include_str!("../../../../prompts/assistant_repair_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_repair_v1/user.md"),
    },
    answer: AnswerKind::Object(include_str!("../../../../schemas/assistant_repair_v1.json")),
    accepts: Some(OPERATIONS_ACCEPTED),
    limits: limits(2000, 400),
    ..COMMON
};

/// Operations in words.
pub const SUMMARY: Task = Task::of(&SUMMARY_SPEC);

static SUMMARY_SPEC: TaskSpec = TaskSpec {
    name: "assistant_summary",
    schema_version: "assistant_summary_v1",
    prompt: PromptFiles {
        id: "assistant_summary_v1",
        system: include_str!("../../../../prompts/assistant_summary_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_summary_v1/user.md"),
    },
    answer: AnswerKind::Text,
    limits: limits(300, 100),
    ..COMMON
};

/// An answer in words.
pub const CHAT: Task = Task::of(&CHAT_SPEC);

static CHAT_SPEC: TaskSpec = TaskSpec {
    name: "assistant_chat",
    schema_version: "assistant_chat_v1",
    prompt: PromptFiles {
        id: "assistant_chat_v1",
        system: include_str!("../../../../prompts/assistant_chat_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_chat_v1/user.md"),
    },
    answer: AnswerKind::Text,
    limits: limits(400, 120),
    ..COMMON
};

/// What the five have in common; the fields of the prompt and the answer are each one's own.
const COMMON: TaskSpec = TaskSpec {
    name: "",
    schema_version: "",
    prompt: PromptFiles { id: "", system: "", user: "" },
    answer: AnswerKind::Text,
    accepts: None,
    render,
    local: None,
    limits: limits(0, 0),
    retry: RetryPolicy { repairs: 1, falls_back: true, ..INTERACTIVE },
    temperature: Some(0.2),
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::ModelAlone,
    kept: KeptAnswers::None,
    spared_from: None,
    is_pinned: false,
    logged_phase: None,
};

const fn limits(output_tokens: u32, usual_output_tokens: u32) -> TaskLimits {
    TaskLimits { input_chars: 16_000, title_chars: 240, output_tokens, usual_output_tokens, example_batch: 1 }
}

fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    let asked: &AssistantInput = input.get()?;
    let material = if asked.material.is_null() { String::new() } else { fenced(&asked.material)? };
    Ok(PromptValues::of(vec![
        ("today", asked.today.clone()),
        ("timezone", asked.timezone.clone()),
        ("conversation", fenced(&asked.conversation)?),
        ("message", fenced(&clip(&asked.message, context.input_chars))?),
        ("records", clip(&fenced(&asked.records)?, context.input_chars)),
        ("material", material),
    ]))
}
