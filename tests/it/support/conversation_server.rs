//! A provider for conversations: answers every question the same way each time, in one piece or as a stream, and
//! remembers what it was asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use futures::StreamExt as _;
use serde_json::{Value, json};

use super::radar::Radar;

pub const KEY: &str = "sk-conversation-0123456789";
/// Tokens of every answer, in and out.
pub const TOKENS: (i64, i64) = (100, 10);
/// Far more than any request of the tests reserves.
pub const MANY_TOKENS: (i64, i64) = (600_000, 500_000);

/// How the next answers come out; when none is left, well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedAnswer {
    Good,
    /// Not what was asked for.
    Prose,
    /// With words around it.
    Fenced,
    /// With a number where the schema has a string.
    Number,
    Status(u16),
    /// A stream that breaks off in the middle.
    CutStream,
    /// Refuses with 400 what is not to be a stream.
    StreamAlone,
    /// In one piece, whatever was asked for.
    Whole,
    /// With a usage of no tokens at all.
    NoTokens,
    /// With [`MANY_TOKENS`].
    ManyTokens,
}

#[derive(Debug)]
struct State {
    fates: Mutex<Vec<PlannedAnswer>>,
    requests: Mutex<Vec<Value>>,
    delay: Duration,
}

/// The server, which goes with the value.
#[derive(Debug)]
pub struct ConversationServer {
    state: Arc<State>,
    base: String,
    _runtime: tokio::runtime::Runtime,
}

impl ConversationServer {
    /// Each answer, or each piece of a stream, takes `delay`.
    pub fn start(fates: &[PlannedAnswer], delay: Duration) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let state = Arc::new(State { fates: Mutex::new(fates.to_vec()), requests: Mutex::default(), delay });
        let answering = Arc::clone(&state);
        let app =
            axum::Router::new().route("/v1/responses", post(move |body: Bytes| answer(Arc::clone(&answering), body)));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { state, base, _runtime: runtime }
    }

    /// The installation asks this provider, at 1 credit for 1,000 tokens in and 2 for those out.
    pub fn serve(&self, radar: Radar) -> Radar {
        self.settings().into_iter().fold(radar, |radar, (name, value)| radar.with(&name, &value))
    }

    pub fn settings(&self) -> Vec<(String, String)> {
        let settings = [
            ("OPENAI_BASE_URL", self.base.as_str()),
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_MODEL", "conversation-model"),
            ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "1"),
            ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "2"),
        ];
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    /// Its address.
    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn requests(&self) -> Vec<Value> {
        self.state.requests.lock().unwrap().clone()
    }
}

/// What an answer costs in micro-credits.
pub const fn price() -> i64 {
    TOKENS.0 * 1_000 + TOKENS.1 * 2_000
}

async fn answer(state: Arc<State>, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    state.requests.lock().unwrap().push(asked.clone());
    let fate = {
        let mut fates = state.fates.lock().unwrap();
        if fates.is_empty() { PlannedAnswer::Good } else { fates.remove(0) }
    };
    if let PlannedAnswer::Status(status) = fate {
        let body = json!({"error": {"message": "on order", "code": "on_order"}}).to_string();
        return (StatusCode::from_u16(status).unwrap(), [("content-type", "application/json")], body).into_response();
    }
    if fate == PlannedAnswer::StreamAlone && asked["stream"] != true {
        let message = "This model only support stream mode, please enable the stream parameter to access the model.";
        let body = json!({"error": {"message": message, "code": "invalid_parameter_error"}}).to_string();
        return (StatusCode::BAD_REQUEST, [("content-type", "application/json")], body).into_response();
    }
    let said = match fate {
        PlannedAnswer::Prose => "I would rather not say.".to_owned(),
        PlannedAnswer::Fenced => format!("Here you are:\n```json\n{}\n```\nHope it helps.", said(&asked)),
        PlannedAnswer::Number => with_number(&said(&asked)),
        _ => said(&asked),
    };
    if asked["stream"] == true && fate != PlannedAnswer::Whole {
        return streamed(&said, fate == PlannedAnswer::CutStream, state.delay);
    }
    tokio::time::sleep(state.delay).await;
    let mut whole = whole(&said);
    if fate == PlannedAnswer::NoTokens {
        whole["usage"] = json!({"input_tokens": 0, "output_tokens": 0, "total_tokens": 0});
    }
    if fate == PlannedAnswer::ManyTokens {
        whole["usage"] = json!({"input_tokens": MANY_TOKENS.0, "output_tokens": MANY_TOKENS.1});
    }
    ([("content-type", "application/json")], whole.to_string()).into_response()
}

/// The same question gets the same answer.
fn said(asked: &Value) -> String {
    let question = asked["input"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let number = question.bytes().fold(7_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003);
    if asked["text"]["format"]["type"] != "json_schema" {
        return format!("You asked: {question}");
    }
    let answer = if question.contains("whole number from 1 to 5") {
        (number % 5 + 1).to_string()
    } else {
        let options: Vec<&str> = question.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        options.get(number % options.len().max(1)).unwrap_or(&"yes").to_string()
    };
    json!({"answer": answer, "reason": "It is so."}).to_string()
}

/// The answer with its digits as a JSON number.
fn with_number(said: &str) -> String {
    let mut answer: Value = serde_json::from_str(said).unwrap();
    answer["answer"] = answer["answer"].as_str().unwrap().parse::<i64>().unwrap().into();
    answer.to_string()
}

fn whole(said: &str) -> Value {
    json!({"id": "resp_talk", "object": "response", "status": "completed", "error": null, "model": "conversation-model-1",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}],
        "usage": {"input_tokens": TOKENS.0, "output_tokens": TOKENS.1, "total_tokens": TOKENS.0 + TOKENS.1}})
}

fn streamed(said: &str, cut: bool, delay: Duration) -> Response {
    let mut events = vec![json!({"type": "response.created", "response": {"id": "resp_talk"}})];
    let words: Vec<&str> = said.split_inclusive(' ').collect();
    let kept = if cut { words.len() / 2 } else { words.len() };
    events.extend(words[..kept].iter().map(|word| json!({"type": "response.output_text.delta", "delta": word})));
    if !cut {
        events.push(json!({"type": "response.completed", "response": whole(said)}));
    }
    let pieces = futures::stream::iter(events).then(move |event| async move {
        tokio::time::sleep(delay).await;
        Ok::<_, std::io::Error>(format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
    });
    ([("content-type", "text/event-stream")], Body::from_stream(pieces)).into_response()
}
