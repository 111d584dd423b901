//! Asks one question over HTTP. A question goes in; what came back, how long it took and after how many attempts comes out. A server may
//! answer whatever it likes: nothing of it is trusted, and no more than [`MAX_BODY_BYTES`] of it are read.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::Url;

const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Before the one retry; doubled if there were more.
const BACKOFF: Duration = Duration::from_millis(500);
/// The first attempt and one retry.
const ATTEMPTS: u32 = 2;
/// Of what is kept of a server's words.
const MAX_MESSAGE_CHARS: usize = 500;

pub(crate) struct Client {
    http: reqwest::Client,
    ask: Url,
    health: Url,
    token: Option<SecretString>,
    timeout: Duration,
}

/// What became of a question.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) outcome: Outcome,
    /// Of the last attempt, from its start to the end of the answer; `None` where none came.
    pub(crate) latency: Option<Duration>,
    pub(crate) http_status: Option<u16>,
    pub(crate) attempts: u32,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    /// Status 200 and JSON.
    Answer(Value),
    /// Status 200 and something else: why it is no answer.
    Broken(String),
    /// Any other status: the contract's code, as far as it is one, and the message.
    Refused { code: String, message: String },
    /// No answer.
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
            url.set_query(None);
            url
        };
        Ok(Self { http, ask: at("/ask"), health: at("/health"), token, timeout })
    }

    /// Whether the server says that it is well; `None` where it does not answer.
    pub(crate) async fn health(&self) -> Option<String> {
        let asking = async {
            let response = self.authorised(self.http.get(self.health.clone())).send().await.ok()?;
            let status = response.status();
            let body = body(response).await.ok()?;
            let word = serde_json::from_slice::<Value>(&body).ok();
            let word = word.as_ref().and_then(|json| json.get("status")).and_then(Value::as_str).map(shown);
            Some(word.unwrap_or_else(|| status.to_string()))
        };
        tokio::time::timeout(self.timeout, asking).await.ok().flatten()
    }

    /// One retry, after a pause, where no answer came: a time-out or a failed connection. What the server answers stands.
    pub(crate) async fn ask(&self, question: &str) -> Reply {
        let mut pause = BACKOFF;
        let mut attempts = 1;
        loop {
            let reply = self.attempt(question, attempts).await;
            if attempts >= ATTEMPTS || !matches!(reply.outcome, Outcome::Failed { .. }) {
                return reply;
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
            attempts += 1;
        }
    }

    async fn attempt(&self, question: &str, attempts: u32) -> Reply {
        let started = Instant::now();
        let asking = async {
            let request = self.http.post(self.ask.clone()).header("content-type", "application/json");
            let request = request.body(json!({"question": question}).to_string());
            let response = self.authorised(request).send().await?;
            let status = response.status().as_u16();
            Ok::<_, reqwest::Error>((status, body(response).await?))
        };
        let answered = tokio::time::timeout(self.timeout, asking).await;
        let latency = started.elapsed();
        match answered {
            Ok(Ok((status, body))) => {
                let outcome = read(status, &body);
                Reply { outcome, latency: Some(latency), http_status: Some(status), attempts }
            }
            Ok(Err(error)) => failed("CONNECTION_ERROR", causes(&error), attempts),
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

/// An answer that is cut off in the middle is a failed connection; one that is too long is cut here, and then no JSON.
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
        // A code that is not in the contract counts as the general one.
        let code = field("error").filter(|code| CODES.contains(code)).unwrap_or("INTERNAL_ERROR");
        let given = field("error").filter(|given| *given != code).map(|given| format!("{}: ", shown(given)));
        let message = field("message").map_or_else(|| format!("HTTP status {status}"), shown);
        return Outcome::Refused { code: code.to_owned(), message: format!("{}{message}", given.unwrap_or_default()) };
    }
    match json {
        Ok(answer) => Outcome::Answer(answer),
        Err(_) if body.len() > MAX_BODY_BYTES => Outcome::Broken("the answer is too long".to_owned()),
        Err(_) => Outcome::Broken("the answer is no JSON".to_owned()),
    }
}

/// Words of a server, for a terminal and a report.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect()
}

fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    shown(&text)
}
