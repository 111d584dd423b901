//! Encodes a request for Ollama's chat API.

use serde_json::{Map, Value, json};

use crate::provider::{AnswerFormat, ModelRequest, RESERVED_FIELDS, effort, merge, messages};
use crate::settings::Effort;

/// Fields of the request itself; all other fields that the user sets are options of the model, such as `num_ctx`.
pub(super) const FIELDS: [&str; 11] = [
    "model",
    "messages",
    "tools",
    "format",
    "stream",
    "think",
    "keep_alive",
    "logprobs",
    "top_logprobs",
    "truncate",
    "shift",
];

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.as_str().into());
    body.insert("messages".to_owned(), json!(messages::with_system(request)));
    // Ollama streams by default.
    body.insert("stream".to_owned(), request.stream.into());
    let format = format(request).map(|format| ("format".to_owned(), format));
    body.extend(format);
    body.extend(think(request).map(|think| ("think".to_owned(), think)));
    finish(request, body, &FIELDS)
}

/// Adds the model's options and the user's fields: those in `fields` go into the request itself, all others into the
/// options.
pub(super) fn finish(request: &ModelRequest, mut body: Map<String, Value>, fields: &[&str]) -> Vec<u8> {
    let mut options = options(request);
    for (name, value) in request.provider_specific.iter().filter(|(name, _)| !RESERVED_FIELDS.contains(&name.as_str()))
    {
        match value {
            Value::Object(own) if name == "options" => merge(&mut options, own),
            _ if fields.contains(&name.as_str()) => drop(body.insert(name.clone(), value.clone())),
            _ => drop(options.insert(name.clone(), value.clone())),
        }
    }
    body.insert("options".to_owned(), options.into());
    Value::Object(body).to_string().into_bytes()
}

fn options(request: &ModelRequest) -> Map<String, Value> {
    let mut options = Map::new();
    options.insert("num_predict".to_owned(), request.max_output_tokens.into());
    // Without it the server silently truncates a longer prompt.
    options.extend(request.context_tokens.map(|tokens| ("num_ctx".to_owned(), tokens.into())));
    let sampling = [("temperature", request.sampling.temperature), ("top_p", request.sampling.top_p)];
    options.extend(sampling.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))));
    options
}

fn format(request: &ModelRequest) -> Option<Value> {
    match &request.format {
        AnswerFormat::Text => None,
        AnswerFormat::Schema { schema, .. } if request.capabilities.strict_schema => Some(Value::clone(schema)),
        AnswerFormat::Json | AnswerFormat::Schema { .. } => Some("json".into()),
    }
}

/// Most models can switch thinking on or off; OpenAI's open models always think, at some level.
pub(super) fn think(request: &ModelRequest) -> Option<Value> {
    if effort::is_open(&request.model) {
        return effort::word(request).map(|word| json!(word));
    }
    let effort = request.effort.filter(|_| request.capabilities.reasoning_effort)?;
    Some((effort != Effort::None).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Role, Turn};

    fn request(model: &str) -> ModelRequest {
        let schema = crate::schema::wire_schema(crate::tasks::triage::TASK).unwrap();
        let format = AnswerFormat::Schema { name: "triage_v1".to_owned(), schema };
        ModelRequest::question(model, "Judge.".to_owned(), "<stories>[]</stories>".to_owned(), format, 250)
    }

    fn sent(request: &ModelRequest) -> Value {
        serde_json::from_slice(&body(request)).unwrap()
    }

    #[test]
    fn a_request_is_this() {
        insta::assert_json_snapshot!(sent(&request("qwen3:8b")));
    }

    #[test]
    fn a_streamed_conversation_with_all_terms_is_this() {
        let mut request = request("qwen3:8b");
        request.turns.push(Turn { role: Role::Assistant, content: "{}".to_owned() });
        request.turns.push(Turn { role: Role::User, content: "Not quite.".to_owned() });
        request.capabilities.strict_schema = false;
        request.format = AnswerFormat::Schema { name: "n".to_owned(), schema: json!({"type": "object"}).into() };
        request.effort = Some(Effort::None);
        request.sampling.temperature = Some(0.5);
        request.sampling.top_p = Some(0.9);
        request.stream = true;
        let own = json!({"num_ctx": 32768, "keep_alive": "5m", "options": {"seed": 7}, "min_p": 0.1});
        request.provider_specific = own.as_object().unwrap().clone();
        insta::assert_json_snapshot!(sent(&request));
    }

    #[test]
    fn thinking_is_on_or_off_and_for_the_open_models_more_or_less() {
        for (model, effort, think) in [
            ("qwen3:8b", Some(Effort::High), json!(true)),
            ("qwen3:8b", Some(Effort::None), json!(false)),
            ("qwen3:8b", None, json!(null)),
            ("gpt-oss:20b", Some(Effort::High), json!("high")),
            ("gpt-oss:20b", Some(Effort::None), json!("low")),
            ("gpt-oss:20b", None, json!(null)),
        ] {
            let request = ModelRequest { effort, ..request(model) };
            assert_eq!(sent(&request)["think"], think, "{model} {effort:?}");
            let mut untold = request;
            untold.capabilities.reasoning_effort = false;
            assert!(sent(&untold).get("think").is_none(), "{model} {effort:?}");
        }
    }

    #[test]
    fn a_task_has_room_for_its_prompt_unless_the_owner_chose_another() {
        let request = ModelRequest { context_tokens: Some(32_768), ..request("m") };
        assert_eq!(sent(&request)["options"]["num_ctx"], 32_768);
        let mut chosen = request;
        chosen.provider_specific = json!({"options": {"num_ctx": 8192}}).as_object().unwrap().clone();
        assert_eq!(sent(&chosen)["options"]["num_ctx"], 8192);
    }

    #[test]
    fn a_text_has_no_format_and_an_object_any() {
        let with = |format| sent(&ModelRequest { format, ..request("m") });
        assert!(with(AnswerFormat::Text).get("format").is_none());
        assert_eq!(with(AnswerFormat::Json)["format"], "json");
    }
}
