//! Decodes a chat completion into a reply.

use std::time::SystemTime;

use serde_json::Value;

use crate::error::CallError;
use crate::provider::failure::{model_name, short, success_body, tokens, whole_text, within_success};
use crate::provider::{ModelRequest, Reply, Usage};
use crate::transport::WireResponse;

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    let header_id = response.header("x-request-id").map(short);
    let body = match success_body(response, now) {
        Ok(body) => body,
        Err(error) => return Reply::failed(error, header_id),
    };
    let usage = usage(&body["usage"]);
    Reply {
        outcome: outcome(request, &body, usage.as_ref()),
        usage,
        request_id: body["id"].as_str().map(short).or(header_id),
        model: model_name(&body["model"]),
    }
}

/// Reads the usage. Some servers omit thinking tokens from the completion's tokens and count them only in the total.
pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let input_tokens = tokens(&usage["prompt_tokens"])?;
    let reported = tokens(&usage["completion_tokens"])?;
    let outside_input = tokens(&usage["total_tokens"]).map_or(0, |total| total - input_tokens);
    Some(Usage {
        input_tokens,
        cached_input_tokens: tokens(&usage["prompt_tokens_details"]["cached_tokens"]),
        output_tokens: reported.max(outside_input),
        reasoning_tokens: tokens(&usage["completion_tokens_details"]["reasoning_tokens"]),
    })
}

fn outcome(request: &ModelRequest, body: &Value, usage: Option<&Usage>) -> Result<String, CallError> {
    if let Some(error) = within_success(body) {
        return Err(error);
    }
    let Some(choices) = body["choices"].as_array() else {
        return Err(CallError::NotTheInterface("it has no choices".to_owned()));
    };
    let choice = choices.first().unwrap_or(&Value::Null);
    let MessageContent { text, refusal } = MessageContent::of(&choice["message"]);
    outcome_of(request, &text, &refusal, choice["finish_reason"].as_str(), usage)
}

/// The content of a message, or of a piece of one.
#[derive(Debug, Default)]
pub(super) struct MessageContent {
    pub(super) text: String,
    pub(super) refusal: String,
}

impl MessageContent {
    /// Reads the content: a text, or a list of parts, some of which may be thinking.
    pub(super) fn of(message: &Value) -> Self {
        let mut content = Self { text: String::new(), refusal: words(&message["refusal"]) };
        match &message["content"] {
            Value::String(text) => content.text.clone_from(text),
            Value::Array(parts) => parts.iter().for_each(|part| content.add(part)),
            _ => {}
        }
        content
    }

    fn add(&mut self, part: &Value) {
        match part["type"].as_str() {
            Some("text" | "output_text") => self.text.push_str(&words(&part["text"])),
            Some("refusal") => self.refusal.push_str(&words(&part["refusal"])),
            _ => {}
        }
    }
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the result of an answer that has ended. `finish` is why the model stopped.
pub(super) fn outcome_of(
    request: &ModelRequest,
    text: &str,
    refusal: &str,
    finish: Option<&str>,
    usage: Option<&Usage>,
) -> Result<String, CallError> {
    match finish {
        Some("length" | "model_length" | "max_tokens") => Err(CallError::Truncated(request.max_output_tokens)),
        Some("content_filter") => Err(CallError::Filtered),
        Some("error") => Err(CallError::Server { status: 200, message: "the model stopped with an error".to_owned() }),
        _ if !refusal.trim().is_empty() => Err(CallError::Declined(short(refusal))),
        _ => whole_text(request, text, usage),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::AnswerFormat;

    fn decoded(status: u16, body: &Value) -> Reply {
        decoded_as(AnswerFormat::Json, status, body)
    }

    fn decoded_as(format: AnswerFormat, status: u16, body: &Value) -> Reply {
        let mut response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        response.headers.insert("x-request-id", "req_9".parse().unwrap());
        let request = ModelRequest::question("m", String::new(), String::new(), format, 100);
        reply(&request, &response, SystemTime::UNIX_EPOCH)
    }

    fn answer() -> Value {
        json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "m-2026", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{}", "refusal": null}}],
            "usage": {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens": 5,
                      "completion_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15}})
    }

    fn changed(change: fn(&mut Value)) -> Reply {
        let mut body = answer();
        change(&mut body);
        decoded(200, &body)
    }

    fn kind(reply: &Reply) -> &'static str {
        reply.outcome.as_ref().unwrap_err().kind()
    }

    #[test]
    fn an_answer_is_its_text_with_usage_and_id() {
        let reply = decoded(200, &answer());
        assert_eq!(reply.outcome, Ok("{}".to_owned()));
        let usage =
            Usage { input_tokens: 10, cached_input_tokens: Some(4), output_tokens: 5, reasoning_tokens: Some(2) };
        assert_eq!(reply.usage, Some(usage));
        assert_eq!(reply.request_id.as_deref(), Some("chatcmpl-1"));
        assert_eq!(reply.model.as_deref(), Some("m-2026"));
    }

    #[test]
    fn parts_are_joined_without_the_thoughts_among_them() {
        let reply = changed(|body| {
            body["choices"][0]["message"]["content"] = json!([
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "{\"a\":"}, {"type": "text", "text": "1}"}, 7, "x"]);
        });
        assert_eq!(reply.outcome, Ok("{\"a\":1}".to_owned()));
    }

    #[test]
    fn what_was_cut_off_declined_or_withheld_is_no_answer() {
        let cut = changed(|body| body["choices"][0]["finish_reason"] = "length".into());
        assert_eq!(kind(&cut), "truncated");
        assert!(cut.usage.is_some(), "it is billed all the same");
        let silent = changed(|body| {
            body["choices"][0]["message"]["content"] = "{\"results\": [".into();
            body["usage"]["completion_tokens"] = 100.into();
        });
        assert_eq!(kind(&silent), "truncated", "called complete, but cut off at the limit");
        assert_eq!(kind(&changed(|body| body["choices"][0]["finish_reason"] = "content_filter".into())), "filtered");
        let declined = changed(|body| body["choices"][0]["message"] = json!({"content": null, "refusal": "No.\u{7}"}));
        assert_eq!(declined.outcome, Err(CallError::Declined("No.".to_owned())));
        assert_eq!(kind(&changed(|body| body["choices"] = json!([]))), "invalid_answer");
        assert_eq!(kind(&changed(|body| body["choices"][0]["message"]["content"] = Value::Null)), "invalid_answer");
    }

    #[test]
    fn a_text_above_the_limit_was_not_cut_off_by_the_server() {
        let mut body = answer();
        body["choices"][0]["message"]["content"] = "Paris.".into();
        let mut of = |tokens: i64| {
            body["usage"]["completion_tokens"] = tokens.into();
            decoded_as(AnswerFormat::Text, 200, &body)
        };
        assert_eq!(kind(&of(100)), "truncated");
        assert_eq!(of(5_020).outcome, Ok("Paris.".to_owned()));
    }

    #[test]
    fn what_is_no_chat_completion_is_told_so() {
        let failed = changed(|body| body["error"] = json!({"code": 502, "message": "x"}));
        assert_eq!(failed.outcome, Err(CallError::Server { status: 502, message: "x".to_owned() }));
        assert_eq!(kind(&changed(|body| *body = json!({"status": "ok"}))), "not_the_interface");
        assert_eq!(kind(&changed(|body| *body = json!(["choices"]))), "not_the_interface");
        let refused = decoded(400, &json!({"object": "error", "message": "too long", "code": 400}));
        assert_eq!(refused.outcome, Err(CallError::Refused { status: 400, message: "too long".to_owned() }));
        assert_eq!(refused.request_id.as_deref(), Some("req_9"));
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        for (field, value) in [
            ("prompt_tokens", json!(-1)),
            ("completion_tokens", json!(1_000_000_000_000_i64)),
            ("completion_tokens", json!(null)),
            ("prompt_tokens", json!("10")),
        ] {
            let mut body = answer();
            body["usage"][field] = value;
            assert_eq!(decoded(200, &body).usage, None);
        }
        assert_eq!(changed(|body| body["usage"] = Value::Null).usage, None);
        let silent_thoughts = changed(|body| body["usage"]["total_tokens"] = 75.into());
        assert_eq!(silent_thoughts.usage.map(|usage| usage.output_tokens), Some(65));
    }
}
