//! Our request as a Responses request.

use serde_json::{Value, json};

use crate::config::Effort;
use crate::llm::provider::ModelRequest;

/// The provider's least.
const MIN_OUTPUT_TOKENS: u32 = 16;

pub(super) fn body(request: &ModelRequest) -> Vec<u8> {
    let mut body = json!({
        "model": request.model,
        "instructions": request.system,
        "input": [{ "role": "user", "content": request.user }],
        "text": { "format": {
            "type": "json_schema",
            "name": request.schema_name,
            "strict": true,
            "schema": request.schema,
        } },
        "max_output_tokens": request.max_output_tokens.max(MIN_OUTPUT_TOKENS),
        "store": false,
    });
    if let Some(effort) = request.effort.and_then(|effort| effort_of(&request.model, effort)) {
        body["reasoning"] = json!({ "effort": effort });
    }
    // A value of strings, numbers and objects with string keys cannot fail to be written.
    serde_json::to_vec(&body).unwrap_or_else(|_| Value::Null.to_string().into_bytes())
}

/// The word for an effort, `None` where the model takes none. Only models from 5.1 on know `none`; the first of that family
/// has `minimal` as its least, the o-series `low`, and older models refuse the field.
fn effort_of(model: &str, effort: Effort) -> Option<&'static str> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let word = match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::None => return least(name),
    };
    (!takes_no_effort(name)).then_some(word)
}

fn least(name: &str) -> Option<&'static str> {
    if takes_no_effort(name) {
        return None;
    }
    if name.starts_with("gpt-5") && !name.starts_with("gpt-5.") {
        return Some("minimal");
    }
    if is_o_series(name) {
        return Some("low");
    }
    name.starts_with("gpt-").then_some("none")
}

fn takes_no_effort(name: &str) -> bool {
    ["gpt-3", "gpt-4", "chatgpt-"].iter().any(|old| name.starts_with(old))
}

fn is_o_series(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('o') && letters.next().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(model: &str, effort: Option<Effort>) -> ModelRequest {
        ModelRequest {
            model: model.to_owned(),
            system: "Judge.".to_owned(),
            user: "<stories>[]</stories>".to_owned(),
            schema_name: "triage_v1".to_owned(),
            schema: crate::llm::schema::wire_schema(crate::domain::task::Task::Triage).unwrap(),
            max_output_tokens: 250,
            effort,
        }
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
            ("gpt-4o-mini", None),
            ("my-own-model", None),
        ] {
            assert_eq!(sent(model, Some(Effort::None))["reasoning"]["effort"].as_str(), word, "{model}");
        }
        assert_eq!(sent("my-own-model", Some(Effort::High))["reasoning"]["effort"], "high");
        assert!(sent("gpt-4o", Some(Effort::High)).get("reasoning").is_none());
        assert!(sent("gpt-5.1", None).get("reasoning").is_none());
    }
}
