//! Decodes a Messages answer into a reply.

use std::time::SystemTime;

use serde_json::Value;

use super::failure;
use crate::error::CallError;
use crate::provider::failure::{is_success, model_name, short, success_body, tokens, tokens_of};
use crate::provider::{ModelRequest, Reply, Usage};
use crate::transport::WireResponse;

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    let header_id = response.header("request-id").map(short);
    if !is_success(response) {
        return Reply::failed(failure::refusal(response, now), header_id);
    }
    match success_body(response, now) {
        Ok(body) => Reply {
            outcome: outcome(request, &body),
            usage: usage(&body["usage"]),
            request_id: body["id"].as_str().map(short).or(header_id),
            model: model_name(&body["model"]),
        },
        Err(error) => Reply::failed(error, header_id),
    }
}

/// The provider reports tokens read from and written to a cache separately from the input. They are added to it here.
pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let fresh = tokens(&usage["input_tokens"])?;
    let (written, read) = (&usage["cache_creation_input_tokens"], &usage["cache_read_input_tokens"]);
    Some(Usage {
        input_tokens: tokens_of(&[&fresh.into(), written, read])?,
        cached_input_tokens: tokens(read),
        output_tokens: tokens(&usage["output_tokens"])?,
        reasoning_tokens: None,
    })
}

fn outcome(request: &ModelRequest, body: &Value) -> Result<String, CallError> {
    if body["type"] == "error" {
        return Err(failure::error_of_response(500, body, None));
    }
    let Some(blocks) = body["content"].as_array() else {
        return Err(CallError::NotTheInterface("it has no content".to_owned()));
    };
    let (mut words, mut tool_arguments) = (String::new(), String::new());
    for block in blocks {
        if block["type"] == "tool_use" { &mut tool_arguments } else { &mut words }.push_str(&block_text(block));
    }
    answer(request, body, if tool_arguments.is_empty() { words } else { tool_arguments })
}

/// Returns the text of a block. Arguments of a tool call count as an answer, thinking does not.
pub(super) fn block_text(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_use") if block["input"].is_object() => block["input"].to_string(),
        _ => String::new(),
    }
}

/// Returns the text as an answer if the stop reason shows that it is complete. `end` holds the reason and possibly its
/// details.
pub(super) fn answer(request: &ModelRequest, end: &Value, text: String) -> Result<String, CallError> {
    match end["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence" | "tool_use") if text.trim().is_empty() => {
            Err(CallError::Invalid("the answer is empty".to_owned()))
        }
        Some("end_turn" | "stop_sequence" | "tool_use") => Ok(text),
        Some("max_tokens" | "model_context_window_exceeded") => Err(CallError::Truncated(request.max_output_tokens)),
        Some("refusal") => {
            let why = end["stop_details"]["explanation"].as_str().unwrap_or("no reason given");
            Err(CallError::Declined(short(why)))
        }
        Some(other) => Err(CallError::Invalid(format!("the answer ended by {:?}", short(other)))),
        None => Err(CallError::NotTheInterface("it does not say why it ended".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::AnswerFormat;

    fn decoded(body: &Value) -> Reply {
        let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100);
        let mut response = WireResponse { status: 200, body: body.to_string().into_bytes(), ..WireResponse::default() };
        response.headers.insert("request-id", "req_9".parse().unwrap());
        reply(&request, &response, SystemTime::UNIX_EPOCH)
    }

    fn message(stop_reason: &str, content: &Value) -> Value {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
               "stop_reason": stop_reason, "stop_sequence": null,
               "usage": {"input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 4,
                         "output_tokens": 5}})
    }

    fn words() -> Value {
        json!([{"type": "thinking", "thinking": "{hm}", "signature": "x"}, {"type": "text", "text": "{\"a\""},
               {"type": "text", "text": ": 1}"}])
    }

    #[test]
    fn an_answer_is_its_text_with_usage_and_id() {
        let reply = decoded(&message("end_turn", &words()));
        assert_eq!(reply.outcome, Ok("{\"a\": 1}".to_owned()));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_input_tokens), (17, Some(4)));
        assert_eq!((usage.output_tokens, usage.reasoning_tokens), (5, None));
        assert_eq!(reply.request_id.as_deref(), Some("msg_1"));
        assert_eq!(reply.model.as_deref(), Some("m"));
        let mut nameless = message("end_turn", &words());
        nameless.as_object_mut().unwrap().remove("id");
        assert_eq!(decoded(&nameless).request_id.as_deref(), Some("req_9"));
    }

    #[test]
    fn what_a_tool_is_called_with_is_the_answer() {
        let call = json!({"type": "tool_use", "id": "t", "name": "triage_v1", "input": {"a": [1, "ü"]}});
        let reply = decoded(&message("tool_use", &json!([{"type": "text", "text": "Here it is:"}, call])));
        assert_eq!(reply.outcome, Ok("{\"a\":[1,\"ü\"]}".to_owned()));
    }

    #[test]
    fn what_ended_otherwise_is_no_answer() {
        for (stop_reason, kind) in [
            ("max_tokens", "truncated"),
            ("model_context_window_exceeded", "truncated"),
            ("refusal", "declined"),
            ("pause_turn", "invalid_answer"),
            ("invented", "invalid_answer"),
        ] {
            let reply = decoded(&message(stop_reason, &words()));
            assert_eq!(reply.outcome.unwrap_err().kind(), kind, "{stop_reason}");
            assert!(reply.usage.is_some(), "it is billed all the same");
        }
        for (body, kind) in [
            (message("end_turn", &json!([])), "invalid_answer"),
            (message("end_turn", &json!(null)), "not_the_interface"),
            (json!({"content": [{"type": "text", "text": "{}"}]}), "not_the_interface"),
            (json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}), "overloaded"),
            (json!([]), "not_the_interface"),
        ] {
            assert_eq!(decoded(&body).outcome.unwrap_err().kind(), kind, "{body}");
        }
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        for (field, value) in [
            ("input_tokens", json!(-1)),
            ("output_tokens", json!(null)),
            ("output_tokens", json!(1_000_000_000_000_i64)),
            ("cache_read_input_tokens", json!(-4)),
            ("cache_creation_input_tokens", json!(100_000_000)),
        ] {
            let mut body = message("end_turn", &words());
            body["usage"][field] = value;
            assert_eq!(decoded(&body).usage, None, "{field}");
        }
        let mut body = message("end_turn", &words());
        body["usage"] = json!({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": null});
        assert_eq!(decoded(&body).usage.map(|usage| (usage.input_tokens, usage.cached_input_tokens)), Some((1, None)));
    }
}
