//! Encodes a request as a single prompt: `POST …/api/generate`, with `format: "json"` for any JSON object.
//!
//! A schema is described in the system prompt: this API is chosen for servers and models that do not enforce one.

use serde_json::{Map, Value};
use url::Url;

use super::encode::{finish, think};
use crate::provider::{AnswerFormat, Capabilities, ModelRequest, Role};

/// Fields of the request itself; all other fields that the user sets are options of the model.
const FIELDS: [&str; 12] = [
    "model",
    "prompt",
    "system",
    "suffix",
    "images",
    "template",
    "context",
    "format",
    "stream",
    "raw",
    "think",
    "keep_alive",
];

/// Whether an endpoint uses this API.
pub(super) fn is_generate_endpoint(endpoint: &Url) -> bool {
    endpoint.path().trim_end_matches('/').ends_with("/generate")
}

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    let with_schema_in_prompt =
        ModelRequest { capabilities: Capabilities { strict_schema: false, ..request.capabilities }, ..request.clone() };
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.as_str().into());
    let system = with_schema_in_prompt.system_in_words();
    if !system.is_empty() {
        body.insert("system".to_owned(), system.into());
    }
    body.insert("prompt".to_owned(), prompt(request).into());
    // Ollama streams by default.
    body.insert("stream".to_owned(), request.stream.into());
    if request.format != AnswerFormat::Text {
        body.insert("format".to_owned(), "json".into());
    }
    body.extend(think(request).map(|think: Value| ("think".to_owned(), think)));
    finish(request, body, &FIELDS)
}

/// Returns the prompt: the single turn, or several as a transcript, because this API has no roles.
fn prompt(request: &ModelRequest) -> String {
    if let [turn] = request.turns.as_slice() {
        return turn.content.clone();
    }
    let speaker = |role| if role == Role::Assistant { "Assistant" } else { "User" };
    let messages: Vec<String> =
        request.turns.iter().map(|turn| format!("{}: {}", speaker(turn.role), turn.content)).collect();
    messages.join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::Turn;

    fn request() -> ModelRequest {
        let schema = json!({ "type": "object", "required": ["decision"] }).into();
        let format = AnswerFormat::Schema { name: "n".to_owned(), schema };
        ModelRequest::question("deepcoder:14b", "Route.".to_owned(), "add milk".to_owned(), format, 300)
    }

    fn sent(request: &ModelRequest) -> Value {
        serde_json::from_slice(&body(request)).unwrap()
    }

    #[test]
    fn a_schema_is_told_in_words_and_the_format_is_json() {
        let mut request = request();
        request.provider_specific = json!({ "num_ctx": 8192, "keep_alive": "5m" }).as_object().unwrap().clone();
        let sent = sent(&request);
        let system = sent["system"].as_str().unwrap();
        assert!(system.starts_with("Route.\n\nAnswer with exactly one JSON object") && system.contains("\"decision\""));
        let expected = json!({ "model": "deepcoder:14b", "system": system, "prompt": "add milk", "stream": false, "format": "json",
                               "keep_alive": "5m", "options": { "num_predict": 300, "num_ctx": 8192 } });
        assert_eq!(sent, expected);
    }

    #[test]
    fn several_turns_are_a_transcript_and_a_text_has_no_format() {
        let mut request = ModelRequest { format: AnswerFormat::Text, stream: true, ..request() };
        request.turns.push(Turn { role: Role::Assistant, content: "{}".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "Not quite.".to_owned() });
        let sent = sent(&request);
        assert_eq!(sent["prompt"], "User: add milk\n\nAssistant: {}\n\nUser: Not quite.");
        assert_eq!((sent.get("format"), &sent["stream"], &sent["system"]), (None, &json!(true), &json!("Route.")));
    }

    #[test]
    fn only_an_endpoint_of_this_name_is_asked_by_it() {
        let asked = |url: &str| is_generate_endpoint(&Url::parse(url).unwrap());
        assert!(asked("http://127.0.0.1:11434/api/generate") && asked("http://h/x/api/generate/"));
        assert!(!asked("http://127.0.0.1:11434/api/chat") && !asked("http://h/generate/api/chat"));
    }
}
