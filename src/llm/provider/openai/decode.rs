//! A Responses answer as our reply.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::llm::error::CallError;
use crate::llm::provider::{ModelRequest, Reply, Usage};
use crate::llm::transport::WireResponse;

/// No exchange uses more tokens than this: a number above it is a mistake, and would use up any budget.
const MAX_PLAUSIBLE_TOKENS: i64 = 100_000_000;
/// Characters of a server's message that are kept.
const MESSAGE_CHARS: usize = 300;
/// Nobody is waited for longer than this, whatever a header says.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    let header_id = response.header("x-request-id").map(short);
    if !(200..300).contains(&response.status) {
        return Reply { outcome: Err(refusal(response, now)), usage: None, request_id: header_id };
    }
    let body: Value = match serde_json::from_slice(&response.body) {
        Ok(body @ Value::Object(_)) => body,
        Ok(_) => return not_the_interface("it is no JSON object", header_id),
        Err(error) => return not_the_interface(&error.to_string(), header_id),
    };
    let usage = usage(&body);
    Reply {
        outcome: outcome(request, &body, usage.as_ref()),
        usage,
        request_id: body["id"].as_str().map(short).or(header_id),
    }
}

fn not_the_interface(why: &str, request_id: Option<String>) -> Reply {
    Reply { outcome: Err(CallError::NotTheInterface(why.to_owned())), usage: None, request_id }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS).collect()
}

/// What an error's status and body say.
fn refusal(response: &WireResponse, now: SystemTime) -> CallError {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let error = &body["error"];
    let told = error["message"].as_str().or_else(|| error.as_str()).or_else(|| body["message"].as_str());
    let message = told.map_or_else(|| "no reason given".to_owned(), short);
    let code = error["code"].as_str().or_else(|| error["type"].as_str()).unwrap_or_default();
    let status = response.status;
    match status {
        401 => CallError::Unauthorized(message),
        403 => CallError::Forbidden(message),
        404 => CallError::UnknownModel(message),
        402 => CallError::QuotaExhausted(message),
        429 if code == "insufficient_quota" => CallError::QuotaExhausted(message),
        429 => CallError::RateLimited { message, retry_after: retry_after(response, now) },
        503 | 529 => CallError::Overloaded { status, message, retry_after: retry_after(response, now) },
        408 => CallError::Server { status, message },
        400..=499 => CallError::Refused { status, message },
        _ => CallError::Server { status, message },
    }
}

/// Seconds, or a date.
fn retry_after(response: &WireResponse, now: SystemTime) -> Option<Duration> {
    if let Some(ms) = response.header("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(ms).min(MAX_RETRY_AFTER));
    }
    let text = response.header("retry-after")?;
    let wait = if let Ok(seconds) = text.parse::<f64>() {
        Duration::try_from_secs_f64(seconds.max(0.0)).ok()?
    } else {
        let until = SystemTime::from(chrono::DateTime::parse_from_rfc2822(text).ok()?);
        until.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

fn usage(body: &Value) -> Option<Usage> {
    let usage = &body["usage"];
    let count = |value: &Value| value.as_i64().filter(|n| (0..=MAX_PLAUSIBLE_TOKENS).contains(n));
    Some(Usage {
        input_tokens: count(&usage["input_tokens"])?,
        cached_input_tokens: count(&usage["input_tokens_details"]["cached_tokens"]),
        output_tokens: count(&usage["output_tokens"])?,
        reasoning_tokens: count(&usage["output_tokens_details"]["reasoning_tokens"]),
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
    let text = text(body)?;
    // Some servers call an answer complete that they cut off at the limit: a whole JSON object ends with a brace.
    let at_the_limit = usage.is_some_and(|usage| usage.output_tokens >= i64::from(request.max_output_tokens));
    if at_the_limit && !text.trim_end().trim_end_matches('`').trim_end().ends_with('}') {
        return Err(CallError::Truncated(request.max_output_tokens));
    }
    Ok(text)
}

/// The text of all messages, or the first refusal.
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
    if text.trim().is_empty() { Err(CallError::Invalid("the answer is empty".to_owned())) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> ModelRequest {
        ModelRequest {
            model: "m".into(),
            system: String::new(),
            user: String::new(),
            schema_name: "x".into(),
            schema: json!({}),
            max_output_tokens: 100,
            effort: None,
        }
    }

    fn decoded(status: u16, headers: &[(&'static str, &str)], body: &Value) -> Reply {
        let mut response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        for (name, value) in headers {
            response.headers.insert(*name, value.parse().unwrap());
        }
        // 2026-11-22T08:00:00Z
        reply(&request(), &response, SystemTime::UNIX_EPOCH + Duration::from_hours(498_704))
    }

    fn answer(text: &str) -> Value {
        json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "output": [
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
    }

    #[test]
    fn each_status_has_its_meaning() {
        let error = |code: &str| json!({"error": {"message": "why", "code": code}});
        for (status, code, kind) in [
            (400, "", "refused_request"),
            (401, "invalid_api_key", "unauthorized"),
            (403, "", "forbidden"),
            (404, "model_not_found", "unknown_model"),
            (429, "rate_limit_exceeded", "rate_limited"),
            (429, "insufficient_quota", "quota_exhausted"),
            (500, "", "server_error"),
            (502, "", "server_error"),
            (503, "", "overloaded"),
            (529, "", "overloaded"),
        ] {
            let reply = decoded(status, &[], &error(code));
            assert_eq!(reply.outcome.unwrap_err().kind(), kind, "{status} {code}");
        }
        assert_eq!(decoded(204, &[], &json!(null)).outcome.unwrap_err().kind(), "not_the_interface");
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let wait = |value: &str| match decoded(429, &[("retry-after", value)], &json!({})).outcome {
            Err(CallError::RateLimited { retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("Sun, 22 Nov 2026 08:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(wait("Sun, 22 Nov 2026 07:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("-3"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("999999999999"), Some(MAX_RETRY_AFTER));
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
