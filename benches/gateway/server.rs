//! A server that answers every request with the same good verdict, by the Responses API and by chat completions.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{MethodRouter, post};
use serde_json::{Value, json};

/// Listens there, and says where that is. Each answer takes `after`.
pub async fn serve(address: &str, after: Duration) -> String {
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = Router::new()
        .route("/v1/responses", saying(&response(), after))
        .route("/v1/chat/completions", saying(&completion(), after));
    tokio::spawn(async move { axum::serve(listener, server).await.unwrap() });
    base
}

fn saying(body: &Value, after: Duration) -> MethodRouter {
    let body = body.to_string();
    post(move |_: Bytes| {
        let body = body.clone();
        async move {
            tokio::time::sleep(after).await;
            ([("content-type", "application/json")], body)
        }
    })
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
