//! What is logged of a call, by which it can be followed: that it began, what came, and how long it took.
//!
//! The texts themselves are told for the journal's own purposes alone: what is pasted or asked elsewhere stays out of the log.

use std::time::{Instant, SystemTime};

use aha_core::ids::CallId;
use aha_net::endpoint::without_secrets;

use super::exchange::{Exchanged, exchange};
use super::gateway::Gateway;
use super::provider::Turn;
use super::purchase::Sending;

/// Purposes whose messages may be logged begin so.
const TOLD_IN_FULL: &str = "journal_";

/// By what a call is known in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    pub(super) call: CallId,
    pub(super) purpose: &'static str,
    /// Stories, blocks or questions asked about.
    pub(super) items: usize,
}

impl Gateway {
    /// Exchanges, and tells the log (at `debug`).
    pub(super) async fn told_exchange(
        &self,
        label: Label,
        sending: &Sending<'_>,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Exchanged {
        let Label { call, purpose, items } = label;
        let Sending { wire, request, encoded } = sending;
        let in_full = purpose.starts_with(TOLD_IN_FULL);
        tracing::debug!(
            event = "llm_request_started",
            request_id = %call,
            phase = purpose,
            model = request.model,
            endpoint = without_secrets(&wire.server.endpoint),
            items,
            messages = if in_full { messages(&request.system, &request.turns) } else { String::new() },
        );
        let (begun, mut chunks) = (Instant::now(), 0_u64);
        let now = SystemTime::from(self.parts.clock.wall().to_utc());
        let mut told = |text: &str| {
            chunks += 1;
            let data = if in_full { text } else { "" };
            tracing::debug!(event = "llm_response_chunk", request_id = %call, chunk_num = chunks, data);
            on_text(text);
        };
        let exchanged = exchange(&*self.parts.transport, wire, request, encoded, now, &mut told).await;
        tracing::debug!(
            event = "llm_request_completed",
            request_id = %call,
            total_chunks = chunks,
            duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            error = exchanged.reply.outcome.as_ref().err().map_or("", |error| error.kind()),
        );
        exchanged
    }
}

fn messages(system: &str, turns: &[Turn]) -> String {
    let turns = turns.iter().map(|turn| serde_json::json!({ "role": turn.role.as_str(), "content": turn.content }));
    let system = serde_json::json!({ "role": "system", "content": system });
    std::iter::once(system).chain(turns).collect::<serde_json::Value>().to_string()
}
