//! Encodes a request for the Responses API.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::provider::messages::{self, Message};
use crate::provider::{AnswerFormat, ModelRequest, effort};

/// The provider's minimum.
const MIN_OUTPUT_TOKENS: u32 = 16;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: Vec<Message<'a>>,
    max_output_tokens: u32,
    store: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { name: &'a str, strict: bool, schema: &'a Value },
    JsonObject,
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    request.finish_body(&Body {
        model: &request.model,
        input: messages::of_turns(request),
        max_output_tokens: request.max_output_tokens.max(MIN_OUTPUT_TOKENS),
        store: false,
        instructions: request.system_in_words(),
        text: format(request).map(|format| Text { format }),
        reasoning: effort::word(request).map(|effort| Reasoning { effort }),
        temperature: request.sampling.temperature,
        top_p: request.sampling.top_p,
        stream: request.stream.then_some(true),
    })
}

fn format(request: &ModelRequest) -> Option<Format<'_>> {
    match &request.format {
        AnswerFormat::Text => None,
        AnswerFormat::Schema { name, schema } if request.capabilities.strict_schema => {
            Some(Format::JsonSchema { name, strict: true, schema })
        }
        AnswerFormat::Json | AnswerFormat::Schema { .. } => Some(Format::JsonObject),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::{Role, Turn};
    use crate::settings::Effort;

    fn request(model: &str, effort: Option<Effort>) -> ModelRequest {
        let schema = crate::schema::wire_schema(crate::tasks::triage::TASK).unwrap();
        let format = AnswerFormat::Schema { name: "triage_v1".to_owned(), schema };
        let (system, user) = ("Judge.".to_owned(), "<stories>[]</stories>".to_owned());
        ModelRequest { effort, ..ModelRequest::question(model, system, user, format, 250) }
    }

    fn sent(model: &str, effort: Option<Effort>) -> Value {
        serde_json::from_slice(&body(&request(model, effort))).unwrap()
    }

    #[test]
    fn a_request_is_this() {
        insta::assert_json_snapshot!(sent("gpt-5.1-mini", Some(Effort::None)));
    }

    #[test]
    fn no_effort_is_said_in_the_model_s_own_words() {
        for (model, word) in [
            ("gpt-5.1", Some("none")),
            ("gpt-5-mini", Some("minimal")),
            ("o4-mini", Some("low")),
            ("openai/gpt-oss-20b", Some("low")),
            ("gpt-4o-mini", None),
            ("my-own-model", None),
        ] {
            assert_eq!(sent(model, Some(Effort::None))["reasoning"]["effort"].as_str(), word, "{model}");
        }
        assert_eq!(sent("my-own-model", Some(Effort::High))["reasoning"]["effort"], "high");
        assert!(sent("gpt-4o", Some(Effort::High)).get("reasoning").is_none());
        assert!(sent("gpt-5.1", None).get("reasoning").is_none());
        let mut untold = request("gpt-5.1", Some(Effort::High));
        untold.capabilities.reasoning_effort = false;
        assert!(!String::from_utf8(body(&untold)).unwrap().contains("reasoning"));
    }

    #[test]
    fn a_conversation_and_its_terms_are_sent_as_they_are() {
        let mut request = ModelRequest::question("m", String::new(), "Why?".to_owned(), AnswerFormat::Json, 9);
        request.turns.push(Turn { role: Role::Assistant, content: "Because.".to_owned() });
        request.sampling.temperature = Some(0.5);
        request.provider_specific.insert("service_tier".to_owned(), "flex".into());
        let body: Value = serde_json::from_slice(&body(&request)).unwrap();
        assert_eq!(body["instructions"], "Answer with exactly one JSON object and nothing else.");
        assert_eq!(body["input"][1], json!({"role": "assistant", "content": "Because."}));
        assert_eq!(body["text"]["format"], json!({"type": "json_object"}));
        assert_eq!((&body["temperature"], &body["max_output_tokens"]), (&0.5.into(), &16.into()));
        assert_eq!(body["service_tier"], "flex");
        assert!(body.get("stream").is_none());
    }
}
