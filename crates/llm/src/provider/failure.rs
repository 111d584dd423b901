//! Interprets an error's status and body for all dialects, whose wording differs.

use std::time::{Duration, SystemTime};

use aha_content::escapes::without_escapes;
use serde_json::Value;

use crate::error::CallError;
use crate::provider::{AnswerFormat, ModelRequest, Unreadable, Usage};
use crate::stream::Frame;
use crate::transport::WireResponse;

/// Maximum plausible tokens of an exchange, as no model reads or writes as many at once. A larger number is a mistake,
/// and would use up any budget.
const MAX_PLAUSIBLE_TOKENS: i64 = 10_000_000;
/// Maximum characters of a server's message.
const MESSAGE_CHARS: usize = 300;
/// Maximum wait, whatever a header requests.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);

/// Returns a server's message in a form that may be shown and stored.
pub fn short(text: &str) -> String {
    without_escapes(text).chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS).collect()
}

/// Returns the model's name that an answer contains.
pub(super) fn model_name(value: &Value) -> Option<String> {
    value.as_str().map(|name| short(name.trim())).filter(|name| !name.is_empty())
}

/// Returns a token count if it is plausible.
pub(super) fn tokens(value: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number in the range")]
    let whole = |number: f64| {
        let is_whole = number.fract() == 0.0 && (0.0..1e15).contains(&number);
        is_whole.then_some(number as i64)
    };
    value.as_i64().or_else(|| value.as_f64().and_then(whole)).filter(|n| (0..=MAX_PLAUSIBLE_TOKENS).contains(n))
}

/// Returns the sum of counts, of which any may be missing, if it is plausible.
pub(super) fn tokens_of(parts: &[&Value]) -> Option<i64> {
    let counts: Option<Vec<i64>> = parts.iter().filter(|part| !part.is_null()).map(|part| tokens(part)).collect();
    counts.map(|counts| counts.iter().sum()).filter(|sum| *sum <= MAX_PLAUSIBLE_TOKENS)
}

/// Returns the body of a success, or the error of the response.
pub(super) fn success_body(response: &WireResponse, now: SystemTime) -> Result<Value, CallError> {
    if !is_success(response) {
        return Err(refusal(response, now));
    }
    let why = match serde_json::from_slice(&response.body) {
        Ok(body @ Value::Object(_)) => return Ok(body),
        Ok(_) => "it is no JSON object".to_owned(),
        Err(_) if response.body.trim_ascii_start().starts_with(b"<") => "it is a page of HTML".to_owned(),
        Err(error) => format!("it is no JSON: {error}"),
    };
    Err(CallError::NotTheInterface(why))
}

pub(super) fn is_success(response: &WireResponse) -> bool {
    (200..300).contains(&response.status)
}

/// Parses the data of an event.
pub(super) fn event_data(frame: &Frame) -> Result<Value, Unreadable> {
    serde_json::from_str(&frame.data).map_err(|error| Unreadable(error.to_string()))
}

/// Returns the text of an answer that its server reports as complete, unless it is empty or was cut off nevertheless.
pub(super) fn whole_text(request: &ModelRequest, text: &str, usage: Option<&Usage>) -> Result<String, CallError> {
    // Some servers report an answer as complete that was cut off at the limit. A complete JSON object ends with a
    // brace. A plain text may end with anything; a count above the limit shows that the server did not apply it.
    let max = i64::from(request.max_output_tokens);
    let at_the_limit = usage.is_some_and(|usage| match request.format {
        AnswerFormat::Text => usage.output_tokens == max,
        _ => usage.output_tokens >= max,
    });
    if at_the_limit && !text.trim_end().trim_end_matches('`').trim_end().ends_with('}') {
        return Err(CallError::Truncated(request.max_output_tokens));
    }
    if text.trim().is_empty() {
        return Err(CallError::Invalid("the answer is empty".to_owned()));
    }
    Ok(text.to_owned())
}

/// Returns the error for a stream that ended too early without an error.
pub(super) fn ended_early() -> CallError {
    CallError::Interrupted("the stream ended before the answer did".to_owned())
}

/// Returns the error that a body or an event contains despite a success status: `{"error": …}` or `{"object": "error",
/// …}`.
pub(super) fn within_success(body: &Value) -> Option<CallError> {
    let error = &body["error"];
    if error.is_object() || error.as_str().is_some_and(|words| !words.is_empty()) {
        return Some(of_status(implied_status(error), body, None));
    }
    (body["object"] == "error").then(|| of_error_object(body))
}

/// Converts an error object that is not wrapped in a body.
pub(super) fn of_error_object(error: &Value) -> CallError {
    of_status(implied_status(error), &serde_json::json!({ "error": error }), None)
}

/// Returns the status that corresponds to an error. Some servers give it as the code, others only as a word. 200 where
/// neither is given.
fn implied_status(error: &Value) -> u16 {
    let code = &error["code"];
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    if let Some(status) = number.and_then(|number| u16::try_from(number).ok()).filter(|n| (400..600).contains(n)) {
        return status;
    }
    match code.as_str().or_else(|| error["type"].as_str()).unwrap_or_default() {
        "invalid_api_key" | "authentication_error" => 401,
        "model_not_found" => 404,
        "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" => 429,
        "invalid_request_error" | "context_length_exceeded" => 400,
        "overloaded_error" => 503,
        _ => 200,
    }
}

/// Converts a response with an error status.
pub(super) fn refusal(response: &WireResponse, now: SystemTime) -> CallError {
    of_status(response.status, &error_body(response), retry_after(response, now))
}

/// Returns an error's body, unwrapped from the list that some servers use; null where it is not JSON.
pub(super) fn error_body(response: &WireResponse) -> Value {
    match serde_json::from_slice(&response.body).unwrap_or_default() {
        Value::Array(bodies) => bodies.into_iter().next().unwrap_or_default(),
        body => body,
    }
}

/// Converts a status and a body `{"error": {"message", "code" or "type"}}`.
pub(super) fn of_status(status: u16, body: &Value, retry_after: Option<Duration>) -> CallError {
    let error = &body["error"];
    let flat = || body["message"].as_str().or_else(|| body["detail"].as_str());
    let message_text = error["message"].as_str().or_else(|| error.as_str()).or_else(flat);
    let message = message_text.map_or_else(|| "no reason given".to_owned(), short);
    let is_quota = [&error["code"], &error["type"]].into_iter().any(|word| word == "insufficient_quota");
    match status {
        401 => CallError::Unauthorized(message),
        403 => CallError::Forbidden(message),
        404 => CallError::UnknownModel(message),
        402 => CallError::QuotaExhausted(message),
        429 if is_quota => CallError::QuotaExhausted(message),
        429 => CallError::RateLimited { message, retry_after },
        503 | 529 => CallError::Overloaded { status, message, retry_after },
        408 => CallError::Server { status, message },
        400..=499 => CallError::Refused { status, message },
        _ => CallError::Server { status, message },
    }
}

/// Reads the wait that a response requests, given in seconds or as a date.
pub(super) fn retry_after(response: &WireResponse, now: SystemTime) -> Option<Duration> {
    if let Some(ms) = response.header("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(ms).min(MAX_RETRY_AFTER));
    }
    Some(aha_net::retry_after::retry_after(&response.headers, now)?.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, headers: &[(&'static str, &str)], body: &Value) -> CallError {
        let mut response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        for (name, value) in headers {
            response.headers.insert(*name, value.parse().unwrap());
        }
        // 2026-11-22T08:00:00Z
        refusal(&response, SystemTime::UNIX_EPOCH + Duration::from_hours(498_704))
    }

    #[test]
    fn a_count_of_tokens_may_be_written_with_a_point() {
        let counts = [json!(1000.0), json!(12), json!(1.5), json!(-1.0), json!(1e30), json!("12")];
        assert_eq!(counts.each_ref().map(tokens), [Some(1000), Some(12), None, None, None, None]);
    }

    #[test]
    fn a_page_of_html_is_named() {
        let body = b"  <!doctype html>".to_vec();
        let response = WireResponse { status: 200, body, ..WireResponse::default() };
        let failed = success_body(&response, SystemTime::UNIX_EPOCH).unwrap_err().to_string();
        assert!(failed.contains("it is a page of HTML") && failed.contains("check the address"), "{failed}");
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
            assert_eq!(refused(status, &[], &error(code)).kind(), kind, "{status} {code}");
        }
    }

    #[test]
    fn an_error_within_a_success_is_told_by_its_code_or_its_words() {
        for (body, kind) in [
            (json!({"error": {"message": "why", "code": 429}}), "rate_limited"),
            (json!({"error": {"message": "why", "code": "500"}}), "server_error"),
            (json!({"error": {"message": "why", "code": "429", "type": "insufficient_quota"}}), "quota_exhausted"),
            (json!({"error": {"message": "why", "type": "overloaded_error"}}), "overloaded"),
            (json!({"error": {"message": "why", "code": "invalid_api_key"}}), "unauthorized"),
            (json!({"error": {"message": "why", "code": 200}}), "server_error"),
            (json!({"error": {"message": "why", "code": -7e300}}), "server_error"),
            (json!({"error": "why"}), "server_error"),
            (json!({"object": "error", "message": "why", "code": 404}), "unknown_model"),
        ] {
            let error = within_success(&body).unwrap();
            assert_eq!(error.kind(), kind, "{body}");
            assert!(error.to_string().contains("why"), "{error}");
        }
        for body in [json!({"error": null}), json!({"error": ""}), json!({}), json!([1])] {
            assert_eq!(within_success(&body), None, "{body}");
        }
    }

    #[test]
    fn a_complete_text_is_cut_off_at_the_limit_alone() {
        let whole = |format, text: &str, output_tokens| {
            let request = ModelRequest::question("m", String::new(), "Why?".to_owned(), format, 100);
            whole_text(&request, text, Some(&Usage { output_tokens, ..Usage::default() }))
        };
        assert_eq!(whole(AnswerFormat::Text, "Because.", 140), Ok("Because.".to_owned()));
        assert_eq!(whole(AnswerFormat::Text, "Because", 100), Err(CallError::Truncated(100)));
        assert_eq!(whole(AnswerFormat::Json, "{\"a\": 1", 140), Err(CallError::Truncated(100)));
        assert_eq!(whole(AnswerFormat::Json, "{\"a\": 1}", 140), Ok("{\"a\": 1}".to_owned()));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let wait = |value: &str| match refused(429, &[("retry-after", value)], &json!({})) {
            CallError::RateLimited { retry_after, .. } => retry_after,
            other => panic!("{other:?}"),
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("Sun, 22 Nov 2026 08:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(wait("Sun, 22 Nov 2026 07:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("-3"), None);
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("999999999999"), Some(MAX_RETRY_AFTER));
    }
}
