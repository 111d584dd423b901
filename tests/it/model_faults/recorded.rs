//! What a real server of chat completions once said, heard through each way it can arrive.

use std::sync::Arc;
use std::time::Duration;

use aha_llm::error::CallError;
use aha_llm::settings::Egress;
use aha_llm::transport::{Http, Timeouts};
use serde_json::Value;
use tokio::net::TcpListener;

use super::cell::{call, serve};
use crate::support::responses::recorded;
use crate::support::responses::wire::{End, Reply};

#[tokio::test]
async fn a_real_server_is_understood() {
    let http = Http::within(Egress::Any);
    for (name, kind, tokens) in [
        ("llama_cpp_chat_enforced", "ok", Some((213, 91))),
        ("llama_cpp_chat_stream", "ok", Some((51, 60))),
        ("llama_cpp_chat_stream_cut", "truncated", Some((51, 12))),
        ("llama_cpp_context_exceeded", "refused_request", None),
    ] {
        for end in [End::Whole, End::Dripping] {
            let (status, body) = recorded::read(name);
            let stream = body.is_string();
            let (kind_of_body, body) = match body {
                Value::String(events) => ("text/event-stream", events),
                body => ("application/json; charset=utf-8", body.to_string()),
            };
            let headers = vec![("content-type", kind_of_body.to_owned())];
            let reply = Reply { status, headers, body: body.into_bytes(), after: Duration::ZERO, end };
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let endpoint = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
            let serving = serve(listener, reply, Arc::default());
            let timeouts = Timeouts::of(Duration::from_secs(30));
            let exchanged = call(&http, "openai_compatible", &endpoint, stream, timeouts).await.exchanged;
            serving.abort();
            let found = exchanged.reply.outcome.as_ref().map_or_else(CallError::kind, |_| "ok");
            let usage = exchanged.reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!((found, usage, exchanged.unreadable), (kind, tokens, 0), "{name}: {exchanged:?}");
            if let Ok(text) = &exchanged.reply.outcome {
                assert!(serde_json::from_str::<Value>(text).unwrap().is_object(), "{name}: {text}");
                assert!(exchanged.reply.request_id.unwrap().starts_with("chatcmpl-"));
            }
            assert!(!stream || exchanged.streamed.starts_with('{'), "{name}: {}", exchanged.streamed);
        }
    }
}
