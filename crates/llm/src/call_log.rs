//! Logs the course of a call: its start, the chunks received, and its duration.
//!
//! The texts themselves are logged only for tasks whose spec names a log phase. Texts that users paste or ask elsewhere
//! stay out of the log.

use std::time::{Instant, SystemTime};

use aha_core::ids::CallId;
use aha_net::endpoint::without_secrets;
use futures::{Stream, StreamExt as _};
use serde_json::{Map, Value};

use super::exchange::{EncodedRequest, ExchangeEvent, ExchangeResult};
use super::gateway::Gateway;
use super::tasks;
use super::turn::Turn;

/// Identifies a call in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    pub(super) call: CallId,
    pub(super) purpose: &'static str,
    /// Number of inputs; for the journal, of blocks.
    pub(super) items: usize,
    /// The answer is in lines: its reader logs each line with [`chunk`] and the end with [`completed`].
    pub(super) is_lines: bool,
}

impl Gateway {
    /// Sends the request and logs the events (at `debug`).
    pub(super) fn logged_exchange<'a>(
        &'a self,
        label: Label,
        encoded: &'a EncodedRequest<'_>,
    ) -> impl Stream<Item = ExchangeEvent> + Send + 'a {
        let Label { call, purpose, items, is_lines } = label;
        let request = &encoded.request;
        tracing::debug!(
            event = "llm_request_started",
            request_id = %call,
            phase = logged_phase(purpose).unwrap_or(purpose),
            model = request.model,
            endpoint = without_secrets(&encoded.wire.server.endpoint),
            num_blocks = items,
            messages = if is_logged_in_full(purpose) { messages(&request.system, &request.turns) } else { String::new() },
        );
        let (begun, mut chunks) = (Instant::now(), 0_u64);
        let now = SystemTime::from(self.parts.clock.wall().to_utc());
        encoded.exchange(&*self.parts.transport, now).inspect(move |event| match event {
            _ if is_lines => {}
            ExchangeEvent::Text(text) => {
                chunks += 1;
                let data = if is_logged_in_full(purpose) { text.as_str() } else { "" };
                tracing::debug!(event = "llm_response_chunk", request_id = %call, chunk_num = chunks, data);
            }
            ExchangeEvent::Ended(exchanged) => completed(call, chunks, begun, exchanged),
        })
    }
}

/// Logs an object of an answer in lines.
pub(super) fn chunk(call: CallId, purpose: &'static str, number: u64, object: &Map<String, Value>) {
    let data = if is_logged_in_full(purpose) { Value::Object(object.clone()).to_string() } else { String::new() };
    tracing::debug!(event = "llm_response_chunk", request_id = %call, chunk_num = number, data);
}

pub(super) fn completed(call: CallId, total_chunks: u64, begun: Instant, exchanged: &ExchangeResult) {
    tracing::debug!(
        event = "llm_request_completed",
        request_id = %call,
        total_chunks,
        duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        error = exchanged.reply.outcome.as_ref().err().map_or("", |error| error.kind()),
    );
}

fn is_logged_in_full(purpose: &str) -> bool {
    logged_phase(purpose).is_some()
}

/// Returns the log phase. A purpose that is not a task, such as embedding, has none.
fn logged_phase(purpose: &str) -> Option<&'static str> {
    tasks::by_name(purpose).and_then(|task| task.spec().logged_phase)
}

fn messages(system: &str, turns: &[Turn]) -> String {
    let turns = turns.iter().map(|turn| serde_json::json!({ "role": turn.role.as_str(), "content": turn.content }));
    let system = serde_json::json!({ "role": "system", "content": system });
    std::iter::once(system).chain(turns).collect::<serde_json::Value>().to_string()
}
