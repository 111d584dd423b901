//! A server that answers every request with the same good verdict, by the Responses API and by chat completions, after
//! a time that the story's number tells.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{MethodRouter, post};
use serde_json::{Value, json};

/// How long answers take.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub usual: Duration,
    /// The most that an answer takes more or less than usual, of 1.
    pub spread: f64,
}

impl Pace {
    pub const fn always(usual: Duration) -> Self {
        Self { usual, spread: 0.0 }
    }

    /// Spread evenly over any row of numbers, as multiples of the golden ratio are.
    pub fn of(self, number: usize) -> Duration {
        let part = (f64::from(u32::try_from(number).unwrap()) * 0.618_033_988_75).fract();
        self.usual.mul_f64(1.0 + self.spread * (2.0 * part - 1.0))
    }
}

/// Where a request says which story it is about.
pub const NUMBERED: &str = "Story number ";

/// Listens there, and says where that is.
pub async fn serve(address: &str, pace: Pace) -> String {
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = Router::new()
        .route("/v1/responses", saying(&response(), pace))
        .route("/v1/chat/completions", saying(&completion(), pace));
    tokio::spawn(async move { axum::serve(listener, server).await.unwrap() });
    base
}

fn saying(body: &Value, pace: Pace) -> MethodRouter {
    let body = body.to_string();
    post(move |request: Bytes| {
        let body = body.clone();
        async move {
            let after = pace.of(number(&request));
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            ([("content-type", "application/json")], body)
        }
    })
}

fn number(request: &[u8]) -> usize {
    let request = std::str::from_utf8(request).unwrap();
    let (_, rest) = request.split_once(NUMBERED).unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

fn verdict() -> String {
    json!({"results": [{"id": "s1", "aha_score": 61, "reason": "It says something new.", "is_relevant": true,
        "is_novel": true, "categories": ["bench"], "should_deep_summarize": false}]})
    .to_string()
}

fn response() -> Value {
    json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "bench",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": verdict()}]}],
        "usage": {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}})
}

fn completion() -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1_763_510_400, "model": "bench",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": verdict()}}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}})
}
