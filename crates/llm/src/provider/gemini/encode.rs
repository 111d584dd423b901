//! Encodes a `generateContent` request.

use serde_json::{Value, json};

use crate::provider::keywords::with_known;
use crate::provider::turns::alternating;
use crate::provider::{AnswerFormat, ModelRequest, Role, Turn};
use crate::settings::Effort;

/// Schema keywords that the provider accepts.
const KEYWORDS: [&str; 16] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "enum",
    "anyOf",
    "oneOf",
    "minimum",
    "maximum",
    "$ref",
    "$defs",
    "description",
];

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    let mut body = json!({
        "contents": alternating(&request.turns).iter().map(content).collect::<Vec<_>>(),
        "generationConfig": generation_config(request),
    });
    let system = request.system_in_words();
    if !system.trim().is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    request.finish_body(&body)
}

fn content(turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "model",
    };
    json!({ "role": role, "parts": [{ "text": turn.content }] })
}

fn generation_config(request: &ModelRequest) -> Value {
    let mut config = json!({ "maxOutputTokens": request.max_output_tokens.max(1) });
    let sampling = [("temperature", request.sampling.temperature), ("topP", request.sampling.top_p)];
    for (name, value) in sampling.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        config[name] = value.into();
    }
    if request.format != AnswerFormat::Text {
        config["responseMimeType"] = "application/json".into();
    }
    if let AnswerFormat::Schema { schema, .. } = &request.format
        && request.capabilities.strict_schema
    {
        config["responseJsonSchema"] = with_known(schema, &|name, _| KEYWORDS.contains(&name));
    }
    if let Some(thinking) = request.effort.filter(|_| request.capabilities.reasoning_effort).and_then(|effort| {
        let name = request.model.rsplit('/').next().unwrap_or_default();
        thinking(name, effort)
    }) {
        config["thinkingConfig"] = thinking;
    }
    config
}

/// Returns the thinking settings; `None` where the family is unknown or does not support the level. The 2.5 models take
/// a number of tokens, of which some accept 0 and some do not. Models since 3 take a level and always think a little.
fn thinking(name: &str, effort: Effort) -> Option<Value> {
    if name.starts_with("gemini-2.5-") {
        let tokens = match effort {
            Effort::None if name.starts_with("gemini-2.5-pro") => 128,
            Effort::None => 0,
            Effort::Low => 1024,
            Effort::Medium => 8192,
            Effort::High => 24_576,
        };
        return Some(json!({ "thinkingBudget": tokens }));
    }
    let generation: u32 = name.strip_prefix("gemini-")?.split(['.', '-']).next()?.parse().ok()?;
    let level = match effort {
        _ if generation < 3 => return None,
        Effort::None | Effort::Low => "low",
        Effort::Medium if name.contains("-flash") => "medium",
        Effort::Medium => return None,
        Effort::High => "high",
    };
    Some(json!({ "thinkingLevel": level }))
}

#[cfg(test)]
mod tests {
    use crate::tasks::{Task, entity_extract, triage};

    use super::*;

    fn sent(request: &ModelRequest) -> Value {
        serde_json::from_slice(&body(request)).unwrap()
    }

    fn question(format: AnswerFormat) -> ModelRequest {
        ModelRequest::question("gemini-2.5-flash", "Judge.".to_owned(), "Why?".to_owned(), format, 250)
    }

    fn by_schema(task: Task) -> ModelRequest {
        let schema = crate::schema::wire_schema(task).unwrap();
        question(AnswerFormat::Schema { name: task.schema_version().to_owned(), schema })
    }

    #[test]
    fn a_request_in_text_is_this() {
        insta::assert_json_snapshot!(sent(&question(AnswerFormat::Text)));
    }

    #[test]
    fn a_request_by_a_schema_is_this() {
        let effort = Some(Effort::None);
        insta::assert_json_snapshot!(sent(&ModelRequest { effort, ..by_schema(entity_extract::TASK) }));
    }

    #[test]
    fn a_schema_that_is_not_enforced_is_told_in_words() {
        let mut request = by_schema(triage::TASK);
        request.capabilities.strict_schema = false;
        let body = sent(&request);
        assert!(body["generationConfig"].get("responseJsonSchema").is_none());
        assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
        assert!(body["systemInstruction"]["parts"][0]["text"].as_str().unwrap().contains("should_deep_summarize"));
    }

    #[test]
    fn a_conversation_in_a_stream_is_this() {
        let mut request = question(AnswerFormat::Json);
        request.turns.push(Turn { role: Role::Assistant, content: "Because.".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "And?".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "So?".to_owned() });
        request.sampling.temperature = Some(1.5);
        request.sampling.top_p = Some(0.9);
        request.stream = true;
        request.provider_specific.insert("labels".to_owned(), json!({"by": "radar"}));
        insta::assert_json_snapshot!(sent(&request));
    }

    #[test]
    fn an_effort_is_said_in_the_model_s_own_words() {
        let config = |model: &str, effort| {
            let request =
                ModelRequest { model: model.to_owned(), effort: Some(effort), ..question(AnswerFormat::Text) };
            sent(&request)["generationConfig"].get("thinkingConfig").cloned()
        };
        for (model, effort, expected) in [
            ("gemini-2.5-flash-lite", Effort::None, Some(json!({"thinkingBudget": 0}))),
            ("models/gemini-2.5-pro", Effort::None, Some(json!({"thinkingBudget": 128}))),
            ("gemini-2.5-flash", Effort::High, Some(json!({"thinkingBudget": 24_576}))),
            ("gemini-3.1-pro-preview", Effort::None, Some(json!({"thinkingLevel": "low"}))),
            ("gemini-3-pro-preview", Effort::Medium, None),
            ("gemini-3-flash-preview", Effort::Medium, Some(json!({"thinkingLevel": "medium"}))),
            ("gemini-10-flash", Effort::High, Some(json!({"thinkingLevel": "high"}))),
            ("gemini-2.0-flash", Effort::None, None),
            ("gemini-flash-latest", Effort::None, None),
            ("gemma-3-27b-it", Effort::Low, None),
        ] {
            assert_eq!(config(model, effort), expected, "{model}");
        }
    }
}
