//! Encodes a request for chat completions.

use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::provider::messages::{self, Message};
use crate::provider::{AnswerFormat, ModelRequest, effort};

/// The older name of the limit, which all compatible servers accept and OpenAI's reasoning models refuse.
const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

pub(super) fn body(request: &ModelRequest, endpoint: &Url) -> Vec<u8> {
    let limit_name = limit_name(request, endpoint);
    let limit = |name| (limit_name == name).then_some(request.max_output_tokens);
    let has_usage = request.stream && request.capabilities.usage_in_streams;
    request.finish_body(&Body {
        model: &request.model,
        messages: messages::with_system(request),
        max_tokens: limit(MAX_TOKENS),
        max_completion_tokens: limit(MAX_COMPLETION_TOKENS),
        response_format: format(request),
        reasoning_effort: effort::word(request),
        temperature: request.sampling.temperature,
        top_p: request.sampling.top_p,
        stream: request.stream.then_some(true),
        stream_options: has_usage.then_some(StreamOptions { include_usage: true }),
    })
}

/// Returns the user's name for the limit, else the one that the server most likely accepts.
fn limit_name(request: &ModelRequest, endpoint: &Url) -> &'static str {
    let own =
        [MAX_COMPLETION_TOKENS, MAX_TOKENS].into_iter().find(|name| request.provider_specific.contains_key(*name));
    own.unwrap_or_else(|| {
        let is_openai = endpoint.host_str() == Some("api.openai.com") || effort::is_openai_reasoner(&request.model);
        if is_openai { MAX_COMPLETION_TOKENS } else { MAX_TOKENS }
    })
}

fn format(request: &ModelRequest) -> Option<Format<'_>> {
    match &request.format {
        AnswerFormat::Text => None,
        AnswerFormat::Schema { name, schema } if request.capabilities.strict_schema => {
            Some(Format::JsonSchema { json_schema: JsonSchema { name, strict: true, schema } })
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

    fn request(model: &str) -> ModelRequest {
        let schema = crate::schema::wire_schema(crate::tasks::triage::TASK).unwrap();
        let format = AnswerFormat::Schema { name: "triage_v1".to_owned(), schema };
        ModelRequest::question(model, "Judge.".to_owned(), "<stories>[]</stories>".to_owned(), format, 250)
    }

    fn sent_to(request: &ModelRequest, endpoint: &str) -> Value {
        serde_json::from_slice(&body(request, &endpoint.parse().unwrap())).unwrap()
    }

    fn sent(request: &ModelRequest) -> Value {
        sent_to(request, "http://127.0.0.1:8080/v1/chat/completions")
    }

    #[test]
    fn a_request_is_this() {
        insta::assert_json_snapshot!(sent(&request("qwen3-8b")));
    }

    #[test]
    fn a_streamed_conversation_with_all_terms_is_this() {
        let mut request = request("openai/gpt-5.1");
        request.turns.push(Turn { role: Role::Assistant, content: "{}".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "Not quite.".to_owned() });
        request.capabilities.strict_schema = false;
        request.format = AnswerFormat::Schema { name: "n".to_owned(), schema: json!({"type": "object"}).into() };
        request.effort = Some(Effort::None);
        request.sampling.temperature = Some(0.5);
        request.sampling.top_p = Some(0.9);
        request.stream = true;
        request.provider_specific.insert("seed".to_owned(), 7.into());
        insta::assert_json_snapshot!(sent(&request));
    }

    #[test]
    fn the_limit_has_the_name_that_the_server_knows() {
        let name = |request: &ModelRequest, endpoint: &str| {
            let body = sent_to(request, endpoint);
            let names = [MAX_TOKENS, MAX_COMPLETION_TOKENS].into_iter().filter(|name| body.get(*name).is_some());
            names.collect::<Vec<_>>()
        };
        let (own, openai) = ("http://h/v1/chat/completions", "https://api.openai.com/v1/chat/completions");
        assert_eq!(name(&request("llama"), own), [MAX_TOKENS]);
        assert_eq!(name(&request("gpt-4o"), openai), [MAX_COMPLETION_TOKENS]);
        assert_eq!(name(&request("o3"), own), [MAX_COMPLETION_TOKENS]);
        assert_eq!(name(&request("openai/gpt-oss-120b"), own), [MAX_TOKENS]);
        let mut overridden = request("my-deployment");
        overridden.provider_specific.insert(MAX_COMPLETION_TOKENS.to_owned(), 99.into());
        assert_eq!(name(&overridden, own), [MAX_COMPLETION_TOKENS]);
    }

    #[test]
    fn what_a_server_cannot_do_is_not_asked_of_it() {
        let mut text = request("m");
        text.format = AnswerFormat::Text;
        text.effort = Some(Effort::High);
        text.capabilities.reasoning_effort = false;
        text.stream = true;
        text.capabilities.usage_in_streams = false;
        text.system = String::new();
        assert_eq!(
            sent(&text),
            json!({"model": "m", "messages": [{"role": "user", "content": "<stories>[]</stories>"}],
                   "max_tokens": 250, "stream": true})
        );
    }
}
