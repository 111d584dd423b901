//! Encodes a request for the Messages API.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::tool;
use crate::provider::keywords::with_known;
use crate::provider::turns::alternating;
use crate::provider::{AnswerFormat, ModelRequest, Role, Turn};
use crate::settings::Effort;

/// The provider's maximum; ours is 2.
const MAX_TEMPERATURE: f64 = 1.0;

/// Prefixes of the names of models that refuse a temperature.
const TAKES_NO_TEMPERATURE: [&str; 7] = [
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable-",
    "claude-mythos-",
];

/// Prefixes of the names of models that accept an effort; all others refuse it.
const TAKES_EFFORT: [&str; 10] = [
    "claude-opus-4-5",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-sonnet-4-6",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable-",
    "claude-mythos-",
];

/// Schema keywords that the provider accepts.
const KEYWORDS: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "description",
    "title",
];

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_output_tokens.max(1),
        "messages": alternating(&request.turns).iter().map(message).collect::<Vec<_>>(),
    });
    let system = system(request);
    if !system.trim().is_empty() {
        body["system"] = system.into();
    }
    if let Some((name, schema)) = tool(request) {
        let description = "Takes the answer. It is called exactly once.";
        body["tools"] = json!([{ "name": name, "description": description, "input_schema": schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": name, "disable_parallel_tool_use": true });
    }
    let output = output_config(request);
    if !output.is_empty() {
        body["output_config"] = output.into();
    }
    // Newer models refuse both at once, so temperature takes precedence.
    if let Some(temperature) = request.sampling.temperature {
        body["temperature"] = temperature.clamp(0.0, MAX_TEMPERATURE).into();
    } else if let Some(top_p) = request.sampling.top_p {
        body["top_p"] = top_p.into();
    }
    if request.stream {
        body["stream"] = true.into();
    }
    request.finish_body(&body)
}

/// Returns the system prompt. A tool describes the answer's format itself.
fn system(request: &ModelRequest) -> Cow<'_, str> {
    if tool(request).is_some() { Cow::Borrowed(&request.system) } else { request.system_in_words() }
}

fn message(turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({ "role": role, "content": turn.content })
}

/// Builds the output settings. Thinking is not requested: its budget would be taken from the answer's, and not every
/// model accepts one.
fn output_config(request: &ModelRequest) -> Map<String, Value> {
    let mut config = Map::new();
    if let AnswerFormat::Schema { schema, .. } = &request.format
        && request.capabilities.strict_schema
    {
        let schema = with_known(schema, &|name, _| KEYWORDS.contains(&name));
        config.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
    }
    if let Some(effort) = request.effort.filter(|_| takes_effort(request)) {
        let word = match effort {
            Effort::None | Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        };
        config.insert("effort".to_owned(), word.into());
    }
    config
}

pub(super) fn takes_temperature(model: &str) -> bool {
    !TAKES_NO_TEMPERATURE.iter().any(|known| model.starts_with(known))
}

fn takes_effort(request: &ModelRequest) -> bool {
    request.capabilities.reasoning_effort && TAKES_EFFORT.iter().any(|known| request.model.starts_with(known))
}

#[cfg(test)]
mod tests {
    use crate::tasks::triage;

    use super::*;
    use crate::provider::{Capabilities, Dialect as _, Server};

    fn sent(request: &ModelRequest) -> Value {
        serde_json::from_slice(&body(request)).unwrap()
    }

    fn question(format: AnswerFormat) -> ModelRequest {
        ModelRequest::question("claude-haiku-4-5", "Judge.".to_owned(), "Why?".to_owned(), format, 250)
    }

    fn triage() -> ModelRequest {
        let schema = crate::schema::wire_schema(triage::TASK).unwrap();
        question(AnswerFormat::Schema { name: "triage_v1".to_owned(), schema })
    }

    #[test]
    fn a_request_in_text_is_this() {
        insta::assert_json_snapshot!(sent(&question(AnswerFormat::Text)));
    }

    #[test]
    fn a_request_by_a_schema_is_this() {
        insta::assert_json_snapshot!(sent(&triage()));
    }

    #[test]
    fn a_request_by_a_tool_is_this() {
        let mut request = triage();
        request.capabilities.strict_schema = false;
        insta::assert_json_snapshot!(sent(&request));
    }

    #[test]
    fn a_conversation_in_a_stream_is_this() {
        let mut request = question(AnswerFormat::Json);
        request.turns.push(Turn { role: Role::Assistant, content: "Because.".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "And?".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "So?".to_owned() });
        request.sampling.temperature = Some(1.7);
        request.sampling.top_p = Some(0.9);
        request.stream = true;
        request.provider_specific.insert("service_tier".to_owned(), "auto".into());
        insta::assert_json_snapshot!(sent(&request));
    }

    #[test]
    fn an_effort_goes_to_models_that_take_one() {
        let word = |model: &str, effort| {
            let request = ModelRequest { model: model.to_owned(), effort, ..question(AnswerFormat::Text) };
            sent(&request)["output_config"]["effort"].as_str().map(str::to_owned)
        };
        assert_eq!(word("claude-opus-5", Some(Effort::None)).as_deref(), Some("low"));
        assert_eq!(word("claude-sonnet-4-6", Some(Effort::High)).as_deref(), Some("high"));
        assert_eq!(word("claude-haiku-4-5", Some(Effort::High)), None);
        assert_eq!(word("claude-opus-5", None), None);
        let capabilities = Capabilities { reasoning_effort: false, ..Capabilities::default() };
        let effort = Some(Effort::Low);
        let mute = ModelRequest { capabilities, effort, model: "claude-opus-5".to_owned(), ..triage() };
        assert!(sent(&mute)["output_config"].get("effort").is_none());
    }

    #[test]
    fn the_key_and_the_version_are_headers() {
        let endpoint: url::Url = "https://api.anthropic.com/v1/messages".parse().unwrap();
        let headers = reqwest::header::HeaderMap::default();
        let server = Server { endpoint: endpoint.clone(), key: Some("sk-ant-1".into()), headers };
        let encoded = super::super::Anthropic.encode(&triage(), &server).unwrap();
        assert_eq!(encoded.url, endpoint);
        assert_eq!(encoded.headers["x-api-key"], "sk-ant-1");
        assert!(encoded.headers["x-api-key"].is_sensitive());
        assert_eq!(encoded.headers["anthropic-version"], "2023-06-01");
    }
}
