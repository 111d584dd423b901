//! The whole `Response` object around an answer, with all its fields.

use serde_json::{Value, json};

use super::answer::draw;
use super::call::Call;

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Completed,
    /// With the reason of `incomplete_details`.
    Incomplete(&'static str),
    Failed {
        with_usage: bool,
    },
}

/// What is put in the envelope.
#[derive(Debug)]
pub struct Draft {
    pub text: String,
    pub refusal: Option<String>,
    /// Whether there is a message at all.
    pub message: bool,
    pub ending: Ending,
    pub tokens: Tokens,
}

/// What the model has used, truly.
#[derive(Debug, Clone, Copy)]
pub struct Tokens {
    pub input: u64,
    pub cached: u64,
    /// Reasoning included.
    pub output: u64,
    pub reasoning: u64,
}

impl Tokens {
    pub fn usage(self) -> Value {
        json!({
            "input_tokens": self.input,
            "input_tokens_details": { "cached_tokens": self.cached, "cache_write_tokens": 0 },
            "output_tokens": self.output,
            "output_tokens_details": { "reasoning_tokens": self.reasoning },
            "total_tokens": self.input + self.output,
        })
    }
}

/// An id that looks like the provider's and is always the same for the same call.
pub fn id(kind: &str, call: &Call) -> String {
    format!("{kind}_{:016x}{:016x}", draw(&format!("{kind} {}", call.number)), call.number)
}

/// The name under which a model answers.
pub fn dated(model: &str) -> String {
    format!("{model}-2026-01-01")
}

pub fn response(call: &Call, draft: &Draft) -> Value {
    let (status, reason) = match draft.ending {
        Ending::Completed => ("completed", None),
        Ending::Incomplete(reason) => ("incomplete", Some(reason)),
        Ending::Failed { .. } => ("failed", None),
    };
    let failed = matches!(draft.ending, Ending::Failed { .. });
    let created_at = 1_767_225_600 + call.number;
    let error = json!({ "code": "server_error", "message": "The model had a problem. You can retry your request." });
    let free_text = json!({ "format": { "type": "text" } });
    json!({
        "id": id("resp", call),
        "object": "response",
        "created_at": created_at,
        "status": status,
        "background": false,
        "completed_at": if status == "completed" { json!(created_at + 1) } else { Value::Null },
        "error": if failed { error } else { Value::Null },
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": call.body["instructions"],
        "max_output_tokens": call.body["max_output_tokens"],
        "max_tool_calls": null,
        "model": dated(call.model()),
        "output": output(call, draft, status),
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": { "effort": call.body["reasoning"]["effort"], "summary": null },
        "service_tier": "default",
        "store": call.body["store"].as_bool().unwrap_or(true),
        "temperature": 1.0,
        "text": call.body.get("text").unwrap_or(&free_text),
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": if draft.ending == (Ending::Failed { with_usage: false }) { Value::Null } else { draft.tokens.usage() },
        "metadata": {},
    })
}

fn output(call: &Call, draft: &Draft, status: &str) -> Value {
    let mut items = Vec::new();
    if matches!(draft.ending, Ending::Failed { .. }) {
        return json!(items);
    }
    if draft.tokens.reasoning > 0 {
        items.push(json!({ "id": id("rs", call), "type": "reasoning", "summary": [] }));
    }
    if draft.message {
        let content = match &draft.refusal {
            Some(refusal) => json!({ "type": "refusal", "refusal": refusal }),
            None => json!({ "type": "output_text", "text": draft.text, "annotations": [], "logprobs": [] }),
        };
        items.push(json!({
            "id": id("msg", call), "type": "message", "role": "assistant", "status": status, "content": [content],
        }));
    }
    json!(items)
}
