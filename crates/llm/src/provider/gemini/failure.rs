//! Interprets the provider's errors, in a response or in the middle of a stream.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::error::CallError;
use crate::provider::failure::{MAX_RETRY_AFTER, error_body, of_status, retry_after};
use crate::transport::WireResponse;

/// Phrases in a 429 response that mean that waiting a minute does not help.
const QUOTA_EXHAUSTED: [&str; 3] = ["per day", "credits are depleted", "spending cap"];

pub(super) fn refusal(response: &WireResponse, now: SystemTime) -> CallError {
    error_of_response(response.status, &error_body(response), retry_after(response, now))
}

/// Converts an error within a response of success status, which contains its own status.
pub(super) fn error_in_stream(body: &Value) -> CallError {
    let code = body["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let status = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
    error_of_response(status, body, None)
}

fn error_of_response(status: u16, body: &Value, header_wait: Option<Duration>) -> CallError {
    let error = &body["error"];
    let wait = details_of_type(error, "RetryInfo").find_map(|info| delay(info["retryDelay"].as_str()?)).or(header_wait);
    let status = match error["status"].as_str() {
        _ if is_bad_key(error) => 401,
        Some("RESOURCE_EXHAUSTED") if is_used_up(error) => 402,
        // The provider does not serve this account, or not in its region.
        Some("FAILED_PRECONDITION") => 403,
        _ => status,
    };
    of_status(status, body, wait)
}

/// Returns the details of an error with a given type, which is the last part of the type URL.
fn details_of_type<'a>(error: &'a Value, kind: &'static str) -> impl Iterator<Item = &'a Value> {
    let all = error["details"].as_array().into_iter().flatten();
    all.filter(move |detail| detail["@type"].as_str().is_some_and(|name| name.ends_with(kind)))
}

/// Whether the key is invalid, which this API reports as a bad request.
fn is_bad_key(error: &Value) -> bool {
    details_of_type(error, "ErrorInfo").any(|info| info["reason"] == "API_KEY_INVALID")
        || error["message"].as_str().is_some_and(|message| message.starts_with("API key not valid"))
}

/// Whether the quota is per day, or zero.
fn is_used_up(error: &Value) -> bool {
    let message = error["message"].as_str().unwrap_or_default().to_lowercase();
    let is_long = |violation: &Value| {
        violation["quotaId"].as_str().is_some_and(|id| id.contains("PerDay")) || violation["quotaValue"] == "0"
    };
    QUOTA_EXHAUSTED.iter().any(|words| message.contains(words))
        || details_of_type(error, "QuotaFailure")
            .filter_map(|failure| failure["violations"].as_array())
            .flatten()
            .any(is_long)
}

/// Parses a duration in the API's format: `17s`, `0.5s`.
fn delay(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds.max(0.0)).ok()?.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, body: &Value) -> CallError {
        let response = WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
        refusal(&response, SystemTime::UNIX_EPOCH)
    }

    fn error(code: u16, status: &str, message: &str, details: &Value) -> Value {
        json!({"error": {"code": code, "message": message, "status": status, "details": details}})
    }

    fn quota(id: &str, value: &str) -> Value {
        json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaMetric": "requests", "quotaId": id, "quotaValue": value}]},
               {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}])
    }

    #[test]
    fn each_error_has_its_meaning() {
        let info = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
        for (code, status, message, details, kind) in [
            (400, "INVALID_ARGUMENT", "Unknown name \"foo\"", json!([]), "refused_request"),
            (400, "INVALID_ARGUMENT", "API key expired.", info, "unauthorized"),
            (400, "INVALID_ARGUMENT", "API key not valid. Please pass one.", json!(null), "unauthorized"),
            (400, "FAILED_PRECONDITION", "User location is not supported.", json!([]), "forbidden"),
            (401, "UNAUTHENTICATED", "who?", json!([]), "unauthorized"),
            (403, "PERMISSION_DENIED", "no", json!([]), "forbidden"),
            (404, "NOT_FOUND", "models/x is not found", json!([]), "unknown_model"),
            (429, "RESOURCE_EXHAUSTED", "Quota exceeded", quota("RequestsPerMinutePerProject", "10"), "rate_limited"),
            (429, "RESOURCE_EXHAUSTED", "Quota exceeded", quota("RequestsPerDayPerProject", "20"), "quota_exhausted"),
            (429, "RESOURCE_EXHAUSTED", "Quota exceeded", quota("TokensPerMinute", "0"), "quota_exhausted"),
            (429, "RESOURCE_EXHAUSTED", "You passed 20 requests per day", json!([]), "quota_exhausted"),
            (429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", json!([]), "quota_exhausted"),
            (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted", json!("odd"), "rate_limited"),
            (500, "INTERNAL", "oops", json!([]), "server_error"),
            (503, "UNAVAILABLE", "The model is overloaded.", json!([]), "overloaded"),
            (504, "DEADLINE_EXCEEDED", "late", json!([]), "server_error"),
        ] {
            let body = error(code, status, message, &details);
            assert_eq!(refused(code, &body).kind(), kind, "{body}");
            assert_eq!(refused(code, &json!([body])).kind(), kind, "in a list: {body}");
            assert_eq!(error_in_stream(&body).kind(), kind, "in a stream: {body}");
        }
        assert_eq!(refused(500, &json!([])).kind(), "server_error");
        assert_eq!(error_in_stream(&json!({"error": {"code": 99_999}})).kind(), "server_error");
    }

    #[test]
    fn it_says_how_long_to_wait() {
        let wait = |text: &str| {
            let details = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": text}]);
            match refused(429, &error(429, "RESOURCE_EXHAUSTED", "slow", &details)) {
                CallError::RateLimited { retry_after, .. } => retry_after,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(wait("17s"), Some(Duration::from_secs(17)));
        assert_eq!(wait("0.5s"), Some(Duration::from_millis(500)));
        assert_eq!(wait("-3s"), Some(Duration::ZERO));
        assert_eq!(wait("1e300s"), None);
        assert_eq!(wait("99999999s"), Some(MAX_RETRY_AFTER));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("NaNs"), Some(Duration::ZERO));
    }
}
