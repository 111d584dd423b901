//! Decodes a Responses answer into a reply.

use std::time::SystemTime;

use serde_json::Value;

use crate::error::CallError;
use crate::provider::failure::{model_name, short, success_body, tokens, whole_text};
use crate::provider::{ModelRequest, Reply, Usage};
use crate::transport::WireResponse;

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    let header_id = response.header("x-request-id").map(short);
    match success_body(response, now) {
        Ok(body) => whole(request, &body, header_id),
        Err(error) => Reply::failed(error, header_id),
    }
}

/// Returns the reply for a response object, from an answer in one piece or the end of a stream.
pub(super) fn whole(request: &ModelRequest, body: &Value, header_id: Option<String>) -> Reply {
    let usage = usage(body);
    Reply {
        outcome: outcome(request, body, usage.as_ref()),
        usage,
        request_id: body["id"].as_str().map(short).or(header_id),
        model: model_name(&body["model"]),
    }
}

fn usage(body: &Value) -> Option<Usage> {
    let usage = &body["usage"];
    Some(Usage {
        input_tokens: tokens(&usage["input_tokens"])?,
        cached_input_tokens: tokens(&usage["input_tokens_details"]["cached_tokens"]),
        output_tokens: tokens(&usage["output_tokens"])?,
        reasoning_tokens: tokens(&usage["output_tokens_details"]["reasoning_tokens"]),
    })
}

fn outcome(request: &ModelRequest, body: &Value, usage: Option<&Usage>) -> Result<String, CallError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        let message = error["message"].as_str().map_or_else(|| "no reason given".to_owned(), short);
        return Err(match error["code"].as_str() {
            Some("rate_limit_exceeded") => CallError::RateLimited { message, retry_after: None },
            Some("invalid_prompt") => CallError::Declined(message),
            _ => CallError::Server { status: 200, message },
        });
    }
    if body["status"] == "incomplete" {
        return Err(match body["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => CallError::Filtered,
            _ => CallError::Truncated(request.max_output_tokens),
        });
    }
    if !body["output"].is_array() {
        return Err(CallError::NotTheInterface("it has no output".to_owned()));
    }
    whole_text(request, &text(body)?, usage)
}

/// Returns the text of all messages, or the first refusal as an error.
fn text(body: &Value) -> Result<String, CallError> {
    let messages = body["output"].as_array().into_iter().flatten().filter(|item| item["type"] == "message");
    let mut text = String::new();
    for part in messages.flat_map(|message| message["content"].as_array().into_iter().flatten()) {
        match part["type"].as_str() {
            Some("refusal") => {
                let words = part["refusal"].as_str().map_or_else(|| "no reason given".to_owned(), short);
                return Err(CallError::Declined(words));
            }
            _ => text.push_str(part["text"].as_str().unwrap_or_default()),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::AnswerFormat;

    fn request() -> ModelRequest {
        ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100)
    }

    fn decoded(status: u16, headers: &[(&'static str, &str)], body: &Value) -> Reply {
        let mut response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        for (name, value) in headers {
            response.headers.insert(*name, value.parse().unwrap());
        }
        reply(&request(), &response, SystemTime::UNIX_EPOCH)
    }

    fn answer(text: &str) -> Value {
        let model = " m-2026\u{1b}[2J\n";
        json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "model": model, "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5,
                      "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15}})
    }

    #[test]
    fn an_answer_is_its_text_with_usage_and_id() {
        let reply = decoded(200, &[("x-request-id", "req_9")], &answer("{}"));
        assert_eq!(reply.outcome, Ok("{}".to_owned()));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (10, 5));
        assert_eq!((usage.cached_input_tokens, usage.reasoning_tokens), (Some(4), Some(2)));
        assert_eq!(reply.request_id.as_deref(), Some("resp_1"));
        assert_eq!(reply.model.as_deref(), Some("m-2026"));
    }

    #[test]
    fn what_was_cut_off_declined_or_withheld_is_no_answer() {
        let changed = |change: fn(&mut Value)| {
            let mut body = answer("{\"results\": [");
            change(&mut body);
            decoded(200, &[], &body)
        };
        let incomplete = |reply: &Reply| reply.outcome.as_ref().unwrap_err().kind();
        let cut = changed(|body| {
            body["status"] = "incomplete".into();
            body["incomplete_details"] = json!({"reason": "max_output_tokens"});
        });
        assert_eq!(incomplete(&cut), "truncated");
        assert!(cut.usage.is_some(), "it is billed all the same");
        let filtered = changed(|body| {
            body["status"] = "incomplete".into();
            body["incomplete_details"] = json!({"reason": "content_filter"});
        });
        assert_eq!(incomplete(&filtered), "filtered");
        let silent = changed(|body| body["usage"]["output_tokens"] = 100.into());
        assert_eq!(incomplete(&silent), "truncated", "called complete, but cut off at the limit");
        let declined = changed(|body| body["output"][1]["content"][0] = json!({"type": "refusal", "refusal": "No."}));
        assert_eq!(incomplete(&declined), "declined");
        let empty = changed(|body| body["output"] = json!([]));
        assert_eq!(incomplete(&empty), "invalid_answer");
        let failed = changed(|body| body["error"] = json!({"code": "server_error", "message": "x"}));
        assert_eq!(incomplete(&failed), "server_error");
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        for (field, value) in [
            ("input_tokens", json!(-1)),
            ("output_tokens", json!(1_000_000_000_000_i64)),
            ("output_tokens", json!(null)),
            ("input_tokens", json!("10")),
        ] {
            let mut body = answer("{}");
            body["usage"][field] = value;
            assert_eq!(decoded(200, &[], &body).usage, None);
        }
        let mut body = answer("{}");
        body.as_object_mut().unwrap().remove("usage");
        assert_eq!(decoded(200, &[], &body).usage, None);
    }
}
