//! Decodes Ollama's answer into a reply.

use std::time::SystemTime;

use serde_json::Value;

use crate::error::CallError;
use crate::provider::failure::{ended_early, model_name, short, success_body, tokens, whole_text, within_success};
use crate::provider::{ModelRequest, Reply, Usage};
use crate::transport::WireResponse;

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    // Not set by Ollama itself, but possibly by a proxy in front of it.
    let request_id = response.header("x-request-id").map(short);
    let body = match success_body(response, now) {
        Ok(body) => body,
        Err(error) => return Reply::failed(error, request_id),
    };
    if let Some(error) = within_success(&body) {
        return Reply { usage: usage(&body), ..Reply::failed(error, request_id) };
    }
    let outcome = match text(&body) {
        Some(text) => last(request, &body, text).outcome,
        None => Err(CallError::NotTheInterface("it has no message and no response".to_owned())),
    };
    Reply { outcome, usage: usage(&body), request_id, model: model_name(&body["model"]) }
}

/// Returns the text of an answer or a stream's line: `message.content` of `/api/chat`, `response` of `/api/generate`.
pub(super) fn text(body: &Value) -> Option<&str> {
    match &body["message"] {
        Value::Object(message) => Some(message.get("content").and_then(Value::as_str).unwrap_or_default()),
        _ => body["response"].as_str(),
    }
}

/// Returns the reply for an answer in one piece, or for the last line of a stream, with its text.
pub(super) fn last(request: &ModelRequest, body: &Value, text: &str) -> Reply {
    let usage = usage(body);
    let outcome = match body["done_reason"].as_str() {
        Some("length") => Err(CallError::Truncated(request.max_output_tokens)),
        _ if body["done"] == false => Err(ended_early()),
        _ => whole_text(request, text, usage.as_ref()),
    };
    Reply { outcome, usage, request_id: None, model: model_name(&body["model"]) }
}

fn usage(body: &Value) -> Option<Usage> {
    Some(Usage {
        input_tokens: tokens(&body["prompt_eval_count"])?,
        cached_input_tokens: None,
        output_tokens: tokens(&body["eval_count"])?,
        reasoning_tokens: None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::AnswerFormat;

    fn decoded(status: u16, body: &Value) -> Reply {
        let response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100);
        reply(&request, &response, SystemTime::UNIX_EPOCH)
    }

    fn changed(change: fn(&mut Value)) -> Reply {
        let mut body = json!({"model": "qwen3:8b", "created_at": "2026-11-22T08:00:00Z", "done": true,
            "message": {"role": "assistant", "content": "{}", "thinking": "hm"}, "done_reason": "stop",
            "total_duration": 174_560_334, "prompt_eval_count": 11, "eval_count": 18});
        change(&mut body);
        decoded(200, &body)
    }

    fn kind(reply: &Reply) -> &'static str {
        reply.outcome.as_ref().unwrap_err().kind()
    }

    #[test]
    fn an_answer_is_its_text_with_usage() {
        let reply = changed(|_| ());
        assert_eq!(reply.outcome, Ok("{}".to_owned()));
        assert_eq!(reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((11, 18)));
        assert_eq!(reply.request_id, None);
        assert_eq!(reply.model.as_deref(), Some("qwen3:8b"));
    }

    #[test]
    fn an_answer_to_one_prompt_is_its_response() {
        let body = json!({"model": "m", "done": true, "done_reason": "stop", "response": "{\"a\": 1}", "context": [1, 2],
            "prompt_eval_count": 7, "eval_count": 5});
        let reply = decoded(200, &body);
        assert_eq!(reply.outcome, Ok("{\"a\": 1}".to_owned()));
        assert_eq!(reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((7, 5)));
        assert_eq!(kind(&decoded(200, &json!({"response": 7}))), "not_the_interface");
        assert_eq!(kind(&decoded(200, &json!({"response": "{", "done_reason": "length"}))), "truncated");
    }

    #[test]
    fn what_was_cut_off_or_is_empty_is_no_answer() {
        let cut = changed(|body| body["done_reason"] = "length".into());
        assert_eq!(kind(&cut), "truncated");
        assert!(cut.usage.is_some());
        let silent = changed(|body| {
            body["message"]["content"] = "{\"results\": [".into();
            body["eval_count"] = 100.into();
        });
        assert_eq!(kind(&silent), "truncated", "called complete, but cut off at the limit");
        assert_eq!(kind(&changed(|body| body["message"]["content"] = "".into())), "invalid_answer");
        assert_eq!(kind(&changed(|body| body["done"] = false.into())), "interrupted");
        assert!(changed(|body| drop(body.as_object_mut().unwrap().remove("done"))).outcome.is_ok());
    }

    #[test]
    fn errors_are_a_word_with_or_without_a_status() {
        let error = json!({"error": "model 'm' not found"});
        assert_eq!(decoded(404, &error).outcome, Err(CallError::UnknownModel("model 'm' not found".to_owned())));
        assert_eq!(kind(&decoded(503, &json!({"error": "server busy"}))), "overloaded");
        assert_eq!(kind(&decoded(200, &json!({"error": "llama runner has stopped"}))), "server_error");
        assert_eq!(kind(&decoded(200, &json!({"choices": []}))), "not_the_interface");
        assert_eq!(kind(&decoded(200, &json!({"message": 7}))), "not_the_interface");
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        assert_eq!(changed(|body| body["eval_count"] = (-1).into()).usage, None);
        assert_eq!(changed(|body| body["prompt_eval_count"] = 1_000_000_000_000_i64.into()).usage, None);
        assert_eq!(changed(|body| body["prompt_eval_count"] = Value::Null).usage, None);
    }
}
