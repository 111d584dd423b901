//! Sends one question over HTTP. Input: a question. Output: the outcome, its latency and the number of attempts. The
//! server is not trusted: its answer may have any form, and at most [`MAX_BODY_BYTES`] of it are read.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::Url;

const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Pause before the retry.
const BACKOFF: Duration = Duration::from_millis(500);
/// The first attempt and one retry.
const ATTEMPTS: u32 = 2;
/// Maximum length of a server's message that is stored.
const MAX_MESSAGE_CHARS: usize = 500;

pub(crate) struct Client {
    http: reqwest::Client,
    ask: Url,
    health: Url,
    token: Option<SecretString>,
    timeout: Duration,
}

/// Result of sending a question.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) outcome: Outcome,
    /// Duration from the start of the attempt that was answered until the end of its answer. `None` if no answer was
    /// received.
    pub(crate) latency: Option<Duration>,
    pub(crate) http_status: Option<u16>,
    pub(crate) attempts: u32,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    /// Status 200 and JSON.
    Answer(Value),
    /// Status 200 without valid JSON: what is wrong with it.
    Broken(String),
    /// Any other status: the contract's error code (`INTERNAL_ERROR` for an unknown one) and the message.
    Refused { code: String, message: String },
    /// No answer was received.
    Failed { code: &'static str, message: String },
}

const CODES: [&str; 4] = ["CITATION_REQUIRED", "INVALID_REQUEST", "INTERNAL_ERROR", "TIMEOUT"];

impl Client {
    pub(crate) fn new(api: &Url, timeout: Duration, token: Option<SecretString>) -> Result<Self, reqwest::Error> {
        let http = aha_net::client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("aha-radar-benchmark/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let at = |path: &str| {
            let mut url = api.clone();
            url.set_path(&format!("{}{path}", api.path().trim_end_matches('/')));
            url
        };
        Ok(Self { http, ask: at("/ask"), health: at("/health"), token, timeout })
    }

    /// Returns the `status` field of `GET /health`, or the HTTP status if there is none. `None` if the server does not
    /// answer.
    pub(crate) async fn health(&self) -> Option<String> {
        let request_future = async {
            let response = self.authorised(self.http.get(self.health.clone())).send().await.ok()?;
            let status = response.status();
            let body = body(response).await.ok()?;
            let word = serde_json::from_slice::<Value>(&body).ok();
            let word = word.as_ref().and_then(|json| json.get("status")).and_then(Value::as_str).map(without_controls);
            Some(word.unwrap_or_else(|| status.to_string()))
        };
        tokio::time::timeout(self.timeout, request_future).await.ok().flatten()
    }

    /// Sends a question. Retries once, after a pause, if no answer was received because of a time-out or a failed
    /// connection. An answer is never retried, whatever it contains.
    pub(crate) async fn ask(&self, question: &str) -> Reply {
        let mut attempts = 1;
        loop {
            let reply = self.attempt(question, attempts).await;
            if attempts >= ATTEMPTS || !matches!(reply.outcome, Outcome::Failed { .. }) {
                return reply;
            }
            tokio::time::sleep(BACKOFF).await;
            attempts += 1;
        }
    }

    /// Sends a question once.
    async fn attempt(&self, question: &str, attempts: u32) -> Reply {
        let started = Instant::now();
        let request_future = async {
            let request = self.http.post(self.ask.clone()).header("content-type", "application/json");
            let request = request.body(json!({"question": question}).to_string());
            let response = self.authorised(request).send().await?;
            let status = response.status().as_u16();
            Ok::<_, reqwest::Error>((status, body(response).await?))
        };
        let response = tokio::time::timeout(self.timeout, request_future).await;
        let latency = started.elapsed();
        match response {
            Ok(Ok((status, body))) => {
                let outcome = read(status, &body);
                Reply { outcome, latency: Some(latency), http_status: Some(status), attempts }
            }
            // The URL may contain a key.
            Ok(Err(error)) => failed("CONNECTION_ERROR", causes(&error.without_url()), attempts),
            Err(_) => failed("TIMEOUT", format!("no answer within {} s", self.timeout.as_secs_f64()), attempts),
        }
    }

    fn authorised(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        }
    }
}

fn failed(code: &'static str, message: String, attempts: u32) -> Reply {
    Reply { outcome: Outcome::Failed { code, message }, latency: None, http_status: None, attempts }
}

/// Reads a response body. A body that ends early is a connection error. One that is too long is cut, so that it is no
/// valid JSON any more.
async fn body(response: reqwest::Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut chunks = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
        if body.len() > MAX_BODY_BYTES {
            break;
        }
    }
    Ok(body)
}

fn read(status: u16, body: &[u8]) -> Outcome {
    let json: Result<Value, _> = serde_json::from_slice(body);
    if status != 200 {
        let field = |name: &str| json.as_ref().ok().and_then(|json| json.get(name)).and_then(Value::as_str);
        // An error code outside the contract is treated as the general one.
        let code = field("error").filter(|code| CODES.contains(code)).unwrap_or("INTERNAL_ERROR");
        let given = field("error").filter(|given| *given != code).map(|given| format!("{}: ", without_controls(given)));
        let message = field("message").map_or_else(|| format!("HTTP status {status}"), without_controls);
        return Outcome::Refused { code: code.to_owned(), message: format!("{}{message}", given.unwrap_or_default()) };
    }
    match json {
        Ok(answer) => Outcome::Answer(answer),
        Err(_) if body.len() > MAX_BODY_BYTES => Outcome::Broken("the answer is too long".to_owned()),
        Err(_) => Outcome::Broken("the answer is no JSON".to_owned()),
    }
}

/// Returns a server's text without control characters, for a terminal and a report.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect()
}

fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    without_controls(&text)
}
