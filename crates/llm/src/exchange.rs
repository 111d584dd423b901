//! One exchange with a server: sends what a dialect encoded, and has the dialect read what comes back.
//!
//! Comes in: an encoded request. Goes out: the reply, and of a stream all text that came before it ended. The key is taken out of
//! whatever the server says.

use std::time::SystemTime;

use aha_net::redact::Redactor;
use futures::StreamExt as _;
use reqwest::header::CONTENT_TYPE;

use super::error::CallError;
use super::provider::{ModelRequest, Reply, StreamReader, short};
use super::router::Wire;
use super::stream::{Decoder, Frame};
use super::streaming_only;
use super::transport::{Transport, WireRequest, WireStream};

/// What came of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchanged {
    pub reply: Reply,
    /// The text of a stream up to where it ended, be it complete or not; empty for an answer in one piece.
    pub streamed: String,
    /// Events of the stream that could not be read and were passed over.
    pub unreadable: u32,
}

impl From<Reply> for Exchanged {
    fn from(reply: Reply) -> Self {
        Self { reply, streamed: String::new(), unreadable: 0 }
    }
}

impl From<CallError> for Exchanged {
    fn from(error: CallError) -> Self {
        Self::from(Reply { outcome: Err(error), usage: None, request_id: None })
    }
}

/// Asks. `on_text` is handed each piece of a streamed answer as it comes; `now` is for a `Retry-After` that is a date.
pub async fn exchange(
    transport: &dyn Transport,
    wire: &Wire,
    request: &ModelRequest,
    encoded: &WireRequest,
    now: SystemTime,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Exchanged {
    let redactor = Redactor::of(wire.server.key.as_ref());
    let mut exchanged = asked(transport, wire, request, encoded, now, on_text).await;
    // Once more, of what was read: the bytes may have spelled the key otherwise.
    let reply = &mut exchanged.reply;
    reply.request_id = reply.request_id.take().map(|id| redactor.text(id));
    reply.outcome = match std::mem::replace(&mut reply.outcome, Ok(String::new())) {
        Ok(text) => Ok(redactor.text(text)),
        Err(error) => Err(error.in_words(|words| redactor.text(words))),
    };
    if let (Err(error), false) = (&reply.outcome, request.stream)
        && let Some(why) = streaming_only::wanted_by(error)
    {
        tracing::info!(
            model = request.model,
            why,
            "the model answers as a stream alone, and is asked for one from now on"
        );
        wire.streaming_only.remember(&request.model);
        reply.outcome = Err(CallError::StreamingOnly(why.to_owned()));
    }
    // No answer takes no tokens: a server that says so does not count.
    reply.usage = reply.usage.filter(|usage| usage.input_tokens > 0 || usage.output_tokens > 0);
    // Some servers answer in one piece whatever they were asked: it is shown all the same.
    if let (Ok(text), true, true) = (&reply.outcome, request.stream, exchanged.streamed.is_empty()) {
        on_text(text);
    }
    exchanged
}

async fn asked(
    transport: &dyn Transport,
    wire: &Wire,
    request: &ModelRequest,
    encoded: &WireRequest,
    now: SystemTime,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Exchanged {
    let answer = match transport.open(encoded, wire.timeouts).await {
        Ok(answer) => answer,
        Err(error) => return error.into(),
    };
    if request.stream && is_stream(&answer) {
        return streamed(wire, request, answer, on_text).await;
    }
    match answer.collect().await {
        Ok(mut response) => {
            Redactor::of(wire.server.key.as_ref()).bytes(&mut response.body);
            wire.dialect.decode(request, &response, now).into()
        }
        Err(error) => error.into(),
    }
}

/// An error comes in one piece, and some servers give the answer so too, whatever they were asked; a page is no stream either.
fn is_stream(answer: &WireStream) -> bool {
    let content_type = answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (200..300).contains(&answer.status) && !["application/json", "text/html"].contains(&kind.as_str())
}

async fn streamed(
    wire: &Wire,
    request: &ModelRequest,
    mut answer: WireStream,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Exchanged {
    let header_id = answer.headers.get("x-request-id").and_then(|value| value.to_str().ok()).map(short);
    let mut listener = Listener {
        reader: wire.dialect.reader(request),
        redactor: Redactor::of(wire.server.key.as_ref()),
        on_text,
        pending: String::new(),
        text: String::new(),
        unreadable: 0,
    };
    let mut decoder = wire.dialect.framing().decoder();
    let mut broken = None;
    while let Some(chunk) = answer.chunks.next().await {
        let heard = chunk.and_then(|chunk| listener.hear_all(&mut decoder, &chunk));
        if let Err(error) = heard {
            broken = Some(error);
            break;
        }
        if listener.reader.is_over() {
            break;
        }
    }
    // A last line that cannot be read was cut off, which says nothing about the server.
    if let Some(frame) = decoder.finish().filter(|_| !listener.reader.is_over()) {
        listener.hear(frame);
    }
    let rest = std::mem::take(&mut listener.pending);
    listener.show(&rest);
    let Listener { mut reader, text, unreadable, .. } = listener;
    if unreadable > 0 {
        tracing::warn!(unreadable, model = request.model, "events of a stream could not be read and were passed over");
    }
    let mut reply = reader.close(&text, broken);
    reply.request_id = reply.request_id.or(header_id);
    Exchanged { reply, streamed: text, unreadable }
}

/// Hands frames to the dialect's reader, and gathers the text.
struct Listener<'a> {
    reader: Box<dyn StreamReader + 'a>,
    redactor: Redactor<'a>,
    on_text: &'a mut (dyn FnMut(&str) + Send),
    /// Not handed on yet: the end of the text, as long as it may become the key.
    pending: String,
    text: String,
    unreadable: u32,
}

impl Listener<'_> {
    fn hear_all(&mut self, decoder: &mut Decoder, chunk: &[u8]) -> Result<(), CallError> {
        let frames = decoder.push(chunk).map_err(|_| CallError::NotTheInterface("an event has no end".to_owned()))?;
        for frame in frames {
            if !self.reader.is_over() && !self.hear(frame) {
                self.unreadable += 1;
            }
        }
        Ok(())
    }

    /// Whether the frame could be read.
    fn hear(&mut self, mut frame: Frame) -> bool {
        let mut data = std::mem::take(&mut frame.data).into_bytes();
        self.redactor.bytes(&mut data);
        frame.data = String::from_utf8(data).unwrap_or_default();
        match self.reader.event(&frame) {
            Ok(Some(text)) => {
                self.pending.push_str(&text);
                let ready = self.redactor.ready(&mut self.pending);
                self.show(&ready);
                true
            }
            Ok(None) => true,
            Err(why) => {
                tracing::debug!(why = why.0, "an event of a stream cannot be read");
                false
            }
        }
    }

    fn show(&mut self, text: &str) {
        if !text.is_empty() {
            (self.on_text)(text);
            self.text.push_str(text);
        }
    }
}
