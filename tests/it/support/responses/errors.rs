//! The refusals: a status of HTTP and the error object that belongs to it.

use std::time::Duration;

use serde_json::{Value, json};

use super::call::Call;
use super::wire::{End, Reply};

/// What a refusal says.
#[derive(Debug)]
pub struct Refused {
    status: u16,
    kind: &'static str,
    code: Option<&'static str>,
    message: String,
    retry_after: Option<String>,
}

impl Refused {
    pub fn new(status: u16, kind: &'static str, code: Option<&'static str>, message: &str) -> Self {
        Self { status, kind, code, message: message.to_owned(), retry_after: None }
    }

    pub fn invalid(message: &str) -> Self {
        Self::new(400, "invalid_request_error", None, message)
    }

    /// A careless server: it says the key again.
    pub fn wrong_key(authorization: &str) -> Self {
        let message = format!("Incorrect API key provided: {authorization}. You can find your API key at the mock.");
        Self::new(401, "invalid_request_error", Some("invalid_api_key"), &message)
    }

    pub fn model_not_found(call: &Call) -> Self {
        let message = format!("The model `{}` does not exist or you do not have access to it.", call.model());
        Self::new(404, "invalid_request_error", Some("model_not_found"), &message)
    }

    pub fn rate_limited(retry_after: Option<String>) -> Self {
        let message = "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1.";
        Self { retry_after, ..Self::new(429, "requests", Some("rate_limit_exceeded"), message) }
    }

    pub fn insufficient_quota() -> Self {
        let message = "You exceeded your current quota, please check your plan and billing details.";
        Self::new(429, "insufficient_quota", Some("insufficient_quota"), message)
    }

    /// What usually comes with a status.
    pub fn usual(status: u16, call: &Call) -> Self {
        match status {
            401 => Self::wrong_key(call.headers.get("authorization").map_or("", String::as_str)),
            403 => {
                let code = Some("unsupported_country_region_territory");
                Self::new(403, "request_forbidden", code, "Country, region, or territory not supported")
            }
            404 => Self::model_not_found(call),
            429 => Self::rate_limited(None),
            503 => Self::new(503, "server_error", Some("slow_down"), "The engine is currently overloaded."),
            529 => Self::new(529, "overloaded_error", None, "Overloaded"),
            500.. => Self::new(status, "server_error", None, "The server had an error while processing your request."),
            _ => Self { status, ..Self::invalid("Invalid request.") },
        }
    }

    fn json(&self) -> Value {
        json!({ "error": { "message": self.message, "type": self.kind, "param": null, "code": self.code } })
    }

    /// The JSON, and what is sent: for 502 a proxy's page instead.
    pub fn reply(self) -> (Value, Reply) {
        let error = self.json();
        let (kind, body) = match self.status {
            502 => ("text/html", PAGE.as_bytes().to_vec()),
            _ => ("application/json", error.to_string().into_bytes()),
        };
        let mut headers = vec![("content-type", kind.to_owned())];
        headers.extend(self.retry_after.map(|value| ("retry-after", value)));
        (error, Reply { status: self.status, headers, body, after: Duration::ZERO, end: End::Whole })
    }
}

/// What a proxy says when it has nothing to say.
pub const PAGE: &str =
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1></body>\r\n</html>\r\n";
