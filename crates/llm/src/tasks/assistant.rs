//! The assistant's five tasks: they read a message of the user and the planned records, and answer with a route,
//! operations, or text.
//!
//! A summary and a chat answer are plain text, not JSON. All five share one input type. `local` does none of them:
//! without a model, rules read the message (`aha_planner::language`). Answers are not stored, because the same message
//! means something else once the records have changed.

use serde::Serialize;
use serde_json::Value;

use super::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, clip,
};
use crate::fence::fenced;
use crate::retry_policy::{RetriedKinds, RetryPolicy, STANDARD};

/// A message with its context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssistantInput {
    /// The user's date with its day of the week.
    pub today: String,
    pub timezone: String,
    pub message: String,
    /// The last turns, oldest first.
    pub conversation: Vec<String>,
    /// The planned records.
    pub records: Value,
    /// Additional input of the task: invalid operations with their errors, or the sentences to summarise.
    pub material: Value,
}

#[must_use]
pub fn input(task: Task, asked: AssistantInput) -> TaskInput {
    TaskInput::new(task, asked)
}

/// Classifies a message as a plan, a chat, or too unclear to act on.
pub const ROUTE: Task = Task::of(&ROUTE_SPEC);

static ROUTE_SPEC: TaskSpec = TaskSpec {
    name: "assistant_route",
    description: "decides what a message asks for",
    schema_version: "assistant_route_v1",
    prompt: PromptFiles {
        id: "assistant_route_v1",
        system: include_str!("../../../../prompts/assistant_route_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_route_v1/user.md"),
    },
    answer: AnswerKind::FirstObject(include_str!("../../../../schemas/assistant_route_v1.json")),
    accepts: Some(ROUTE_ACCEPTED),
    limits: limits(300, 120),
    ..COMMON
};

/// A model without a strict mode omits fields without content.
const ROUTE_ACCEPTED: &str = r#"{
    "type": "object", "required": ["decision", "confidence"],
    "properties": {
        "decision": { "enum": ["chat", "plan", "clarify"] },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "question": { "type": ["string", "null"] }
    }
}"#;

/// Operations as written by the model: the planner normalises and validates each, and reports its errors.
const OPERATIONS_ACCEPTED: &str = r#"{
    "type": "object", "required": ["operations"],
    "properties": { "operations": { "type": "array", "items": { "type": "object" } } }
}"#;

/// Proposes the operations that a message asks for.
pub const PROPOSE: Task = Task::of(&PROPOSE_SPEC);

static PROPOSE_SPEC: TaskSpec = TaskSpec {
    name: "assistant_propose",
    description: "proposes changes to the plan",
    schema_version: "assistant_propose_v1",
    prompt: PromptFiles {
        id: "assistant_propose_v1",
        system: include_str!("../../../../prompts/assistant_propose_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_propose_v1/user.md"),
    },
    answer: AnswerKind::FirstObject(include_str!("../../../../schemas/assistant_propose_v1.json")),
    accepts: Some(OPERATIONS_ACCEPTED),
    limits: limits(2000, 400),
    ..COMMON
};

/// Corrects invalid operations.
pub const REPAIR: Task = Task::of(&REPAIR_SPEC);

static REPAIR_SPEC: TaskSpec = TaskSpec {
    name: "assistant_repair",
    description: "corrects a refused proposal",
    schema_version: "assistant_repair_v1",
    prompt: PromptFiles {
        id: "assistant_repair_v1",
        system: include_str!("../../../../prompts/assistant_repair_v1/system.md"),
        user: include_str!("../../../../prompts/assistant_repair_v1/user.md"),
    },
    answer: AnswerKind::FirstObject(include_str!("../../../../schemas/assistant_repair_v1.json")),
    accepts: Some(OPERATIONS_ACCEPTED),
    limits: limits(2000, 400),
    ..COMMON
};

/// Summarises operations in plain text.
pub const SUMMARY: Task = Task::of(&SUMMARY_SPEC);

static SUMMARY_SPEC: TaskSpec = TaskSpec {
    name: "assistant_summary",
    description: "describes proposed changes",
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

/// Answers in plain text.
pub const CHAT: Task = Task::of(&CHAT_SPEC);

static CHAT_SPEC: TaskSpec = TaskSpec {
    name: "assistant_chat",
    description: "answers a message",
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

/// Settings shared by all five; prompt and answer are set by each.
const COMMON: TaskSpec = TaskSpec {
    name: "",
    description: "",
    schema_version: "",
    prompt: PromptFiles { id: "", system: "", user: "" },
    answer: AnswerKind::Text,
    accepts: None,
    render,
    local: None,
    limits: limits(0, 0),
    retry: RetryPolicy { retried: RetriedKinds::TRANSPORT, ..STANDARD },
    temperature: Some(0.2),
    timeouts: TaskTimeouts { first_byte: None, idle: None, whole: None },
    context_tokens: None,
    enabled: Enabled::ByAnyModel,
    settings: TaskVariables::ModelAlone,
    stored_answers: StoredAnswers::None,
    skipped_above_share: None,
    is_pinned: false,
    logged_phase: None,
};

const fn limits(output_tokens: u32, typical_output_tokens: u32) -> TaskLimits {
    TaskLimits { input_chars: 16_000, title_chars: 240, output_tokens, typical_output_tokens, example_batch: 1 }
}

/// Maximum characters of a turn of the conversation, and of the question that the message answers.
const MAX_TURN_CHARS: usize = 2_000;

/// Lists of records, from the one that is shortened first.
const RECORD_LISTS: [&str; 3] = ["/backlog", "/week/items", "/goals"];

/// Returns the records in at most so many characters. What is left out is counted in `recordsLeftOut`.
fn fitting(mut records: Value, chars: usize) -> Result<String, RenderError> {
    let mut left_out = 0_usize;
    loop {
        let text = fenced(&records)?;
        if text.chars().count() <= chars {
            return Ok(text);
        }
        let is_shortened = RECORD_LISTS.iter().any(|list| {
            let list = records.pointer_mut(list).and_then(Value::as_array_mut);
            list.is_some_and(|list| list.pop().is_some())
        });
        if !is_shortened {
            return Ok(clip(&text, chars));
        }
        left_out += 1;
        records["recordsLeftOut"] = left_out.into();
    }
}

fn render(context: &RenderContext<'_>, inputs: &[&TaskInput]) -> Result<PromptValues, RenderError> {
    let Some(input) = inputs.first() else { return Ok(PromptValues::default()) };
    let asked: &AssistantInput = input.get()?;
    let material = if asked.material.is_null() { String::new() } else { fenced(&asked.material)? };
    let conversation: Vec<String> = asked.conversation.iter().map(|turn| clip(turn, MAX_TURN_CHARS)).collect();
    Ok(PromptValues::of(vec![
        ("today", asked.today.clone()),
        ("timezone", asked.timezone.clone()),
        ("conversation", fenced(&conversation)?),
        ("message", fenced(&clip(&asked.message, context.input_chars))?),
        ("records", fitting(asked.records.clone(), context.input_chars)?),
        ("material", clip(&material, context.input_chars)),
    ]))
}

#[cfg(test)]
mod tests {
    use aha_core::topic::BudgetTier;
    use serde_json::json;

    use super::*;

    #[test]
    fn long_turns_and_long_material_are_clipped() {
        let asked = AssistantInput {
            today: String::new(),
            timezone: String::new(),
            message: String::new(),
            conversation: vec![format!("user: {}", "x".repeat(9_000)), "assistant: Which one?".to_owned()],
            records: json!({}),
            material: json!(["y".repeat(9_000)]),
        };
        let context = RenderContext { input_chars: 4_000, title_chars: 240, language: "", tier: BudgetTier::Normal };
        let values = render(&context, &[&input(CHAT, asked)]).unwrap().values;
        let value = |name: &str| values.iter().find(|(known, _)| *known == name).unwrap().1.as_str();
        let turns: Vec<String> = serde_json::from_str(value("conversation")).unwrap();
        assert_eq!((turns[0].len(), turns[1].as_str()), (MAX_TURN_CHARS, "assistant: Which one?"));
        assert_eq!(value("material").len(), 4_000);
    }

    #[test]
    fn a_long_plan_keeps_its_goals_and_says_what_is_left_out() {
        let items =
            |count: usize| (0..count).map(|id| json!({ "id": id, "title": "x".repeat(100) })).collect::<Vec<_>>();
        let records =
            json!({ "week": { "items": items(3) }, "backlog": items(50), "goals": [{ "id": 60, "title": "Oslo" }] });
        let text = fitting(records.clone(), 2_000).unwrap();
        assert!(text.chars().count() <= 2_000);
        let kept: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&kept["goals"], &kept["week"]), (&records["goals"], &records["week"]));
        let listed = kept["backlog"].as_array().unwrap().len();
        assert_eq!(kept["recordsLeftOut"], 50 - listed);
        assert_eq!(fitting(records.clone(), 100_000).unwrap(), fenced(&records).unwrap());
    }
}
