//! Interprets the provider's errors, in a response or in the middle of a stream.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::error::CallError;
use crate::provider::failure::{error_body, of_status, retry_after};
use crate::transport::WireResponse;

/// Phrases in the message of a refused request when the credit or the monthly limit is used up.
const QUOTA_EXHAUSTED: [&str; 2] = ["credit balance is too low", "reached your specified api usage limits"];

pub(super) fn refusal(response: &WireResponse, now: SystemTime) -> CallError {
    error_of_response(response.status, &error_body(response), retry_after(response, now))
}

/// Converts an error's body. Its type takes precedence over the status, which errors within a stream do not have.
pub(super) fn error_of_response(status: u16, body: &Value, retry_after: Option<Duration>) -> CallError {
    let message = body["error"]["message"].as_str().unwrap_or_default().to_lowercase();
    let status = if QUOTA_EXHAUSTED.iter().any(|words| message.contains(words)) {
        402
    } else {
        body["error"]["type"].as_str().and_then(status_of).unwrap_or(status)
    };
    of_status(status, body, retry_after)
}

fn status_of(error_type: &str) -> Option<u16> {
    Some(match error_type {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_error_has_its_meaning() {
        for (status, error_type, message, kind) in [
            (400, "invalid_request_error", "max_tokens: too large", "refused_request"),
            (400, "invalid_request_error", "Your credit balance is too low to access the API.", "quota_exhausted"),
            (400, "invalid_request_error", "You have reached your specified API usage limits.", "quota_exhausted"),
            (401, "authentication_error", "invalid x-api-key", "unauthorized"),
            (402, "billing_error", "pay", "quota_exhausted"),
            (403, "permission_error", "no", "forbidden"),
            (404, "not_found_error", "model: claude-0", "unknown_model"),
            (413, "request_too_large", "large", "refused_request"),
            (429, "rate_limit_error", "slow", "rate_limited"),
            (500, "api_error", "oops", "server_error"),
            (504, "timeout_error", "late", "server_error"),
            (529, "overloaded_error", "Overloaded", "overloaded"),
            (500, "overloaded_error", "Overloaded", "overloaded"),
            (418, "teapot_error", "short and stout", "refused_request"),
        ] {
            let body = json!({"type": "error", "error": {"type": error_type, "message": message}}).to_string();
            let mut response = WireResponse { status, body: body.into_bytes(), ..WireResponse::default() };
            response.headers.insert("retry-after", "7".parse().unwrap());
            let error = refusal(&response, SystemTime::UNIX_EPOCH);
            assert_eq!(error.kind(), kind, "{status} {error_type}");
            if let CallError::RateLimited { retry_after, .. } | CallError::Overloaded { retry_after, .. } = error {
                assert_eq!(retry_after, Some(Duration::from_secs(7)));
            }
        }
        let page = WireResponse { status: 502, body: b"<html>".to_vec(), ..WireResponse::default() };
        assert_eq!(refusal(&page, SystemTime::UNIX_EPOCH).kind(), "server_error");
    }
}
