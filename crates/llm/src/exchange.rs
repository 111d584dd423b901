//! One exchange with a server: sends an encoded request, and lets the dialect read the response.
//!
//! Input: an encoded request. Output: a stream of the answer's text as it arrives, followed by the reply. The key is
//! redacted from everything that the server returns, and the server's other secrets from errors.

use std::pin::pin;
use std::time::{Duration, SystemTime};

use aha_net::redact::Redactor;
use futures::{Stream, StreamExt as _};
use reqwest::header::CONTENT_TYPE;
use tokio::sync::mpsc::UnboundedSender;

use super::error::CallError;
use super::provider::{ModelRequest, Reply, Secrets, StreamReader, short};
use super::router::Connection;
use super::stream::{Decoder, Frame, stream_from};
use super::streaming_only;
use super::tasks::TaskTimeouts;
use super::transport::{MAX_BODY_MIB, Timeouts, Transport, WireRequest, WireStream};

/// An encoded request and its server.
#[derive(Debug)]
pub struct EncodedRequest<'a> {
    pub wire: &'a Connection,
    pub request: ModelRequest,
    pub encoded: WireRequest,
    pub timeouts: Timeouts,
}

/// An event of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeEvent {
    /// A piece of the answer's text.
    Text(String),
    /// The last event.
    Ended(ExchangeResult),
}

/// The result of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeResult {
    pub reply: Reply,
    /// The text of a stream up to its end, complete or not; empty for an answer in one piece.
    pub streamed: String,
    /// Whether events of a stream arrived before it failed, so that work was done that may be charged.
    pub has_begun: bool,
    /// Number of stream events that could not be read and were skipped.
    pub unreadable: u32,
    /// The server closed the stream properly and between two events, but without the final event, which an answer in
    /// lines does not need.
    pub may_be_whole: bool,
}

impl From<Reply> for ExchangeResult {
    fn from(reply: Reply) -> Self {
        Self { reply, streamed: String::new(), has_begun: false, unreadable: 0, may_be_whole: false }
    }
}

impl From<CallError> for ExchangeResult {
    fn from(error: CallError) -> Self {
        Self::from(Reply::failed(error, None))
    }
}

impl<'a> EncodedRequest<'a> {
    /// Encodes a request, with the timeouts of its model.
    ///
    /// # Errors
    /// As for [`crate::provider::Dialect::encode`].
    pub fn new(wire: &'a Connection, request: ModelRequest) -> Result<Self, CallError> {
        let encoded = wire.dialect.encode(&request, &wire.server)?;
        Ok(Self { wire, request, encoded, timeouts: wire.timeouts })
    }

    /// Limits the timeouts to those of a task.
    #[must_use]
    pub fn within(mut self, task: TaskTimeouts) -> Self {
        let shorter = |model: Duration, task: Option<Duration>| task.map_or(model, |task| task.min(model));
        self.timeouts = Timeouts {
            first_byte: shorter(self.timeouts.first_byte, task.first_byte),
            idle: shorter(self.timeouts.idle, task.idle),
            whole: shorter(self.timeouts.whole, task.whole),
        };
        self
    }

    /// Sends the request. `now` is used for a `Retry-After` that is a date.
    pub fn exchange<'b>(
        &'b self,
        transport: &'b dyn Transport,
        now: SystemTime,
    ) -> impl Stream<Item = ExchangeEvent> + Send + 'b {
        stream_from(move |events| async move {
            let exchanged = self.exchanged(transport, now, &events).await;
            let _ = events.send(ExchangeEvent::Ended(exchanged));
        })
    }

    async fn exchanged(
        &self,
        transport: &dyn Transport,
        now: SystemTime,
        events: &UnboundedSender<ExchangeEvent>,
    ) -> ExchangeResult {
        let Self { wire, request, .. } = self;
        let mut exchanged = self.receive(transport, now, events).await;
        // Redacted again after decoding: the raw bytes may have contained the key in an escaped form.
        let (reply, secrets) = (&mut exchanged.reply, Secrets::of(&wire.server));
        reply.request_id = reply.request_id.take().map(|id| secrets.text(id));
        reply.model = reply.model.take().map(|name| secrets.text(name));
        reply.outcome = match std::mem::replace(&mut reply.outcome, Ok(String::new())) {
            Ok(text) => Ok(Redactor::of(wire.server.key.as_ref()).text(text)),
            Err(error) => Err(error.map_message(|words| secrets.text(words))),
        };
        if let (Err(error), false) = (&reply.outcome, request.stream)
            && let Some(why) = streaming_only::stream_requirement(error)
        {
            tracing::info!(
                model = request.model,
                why,
                "the model answers as a stream alone, and is asked for one from now on"
            );
            wire.streaming_only.remember(&request.model);
            reply.outcome = Err(CallError::StreamingOnly(why.to_owned()));
        }
        if let Some(usage) = reply.usage.filter(|usage| !usage.is_plausible()) {
            tracing::warn!(model = request.model, ?usage, "the reported token usage cannot be true");
            reply.usage = None;
        }
        // Every answer takes tokens, so a usage of zero is not a count.
        reply.usage = reply.usage.filter(|usage| usage.input_tokens > 0 || usage.output_tokens > 0);
        // Some servers answer in one piece although a stream was requested. The text is still emitted.
        if let (Ok(text), true, true) = (&reply.outcome, request.stream, exchanged.streamed.is_empty()) {
            let _ = events.send(ExchangeEvent::Text(text.clone()));
        }
        exchanged
    }

    async fn receive(
        &self,
        transport: &dyn Transport,
        now: SystemTime,
        events: &UnboundedSender<ExchangeEvent>,
    ) -> ExchangeResult {
        let Self { wire, request, encoded, timeouts } = self;
        let answer = match transport.open(encoded, *timeouts).await {
            Ok(answer) => answer,
            Err(error) => return error.into(),
        };
        if request.stream && is_stream(&answer) {
            return self.streamed(answer, events).await;
        }
        match answer.collect().await {
            Ok(mut response) => {
                wire.server.redact(&mut response);
                wire.dialect.decode(request, &response, now).into()
            }
            Err(error) => error.into(),
        }
    }

    async fn streamed(&self, mut answer: WireStream, events: &UnboundedSender<ExchangeEvent>) -> ExchangeResult {
        let Self { wire, request, .. } = self;
        let header_id = answer.headers.get("x-request-id").and_then(|value| value.to_str().ok()).map(short);
        let mut collector = StreamCollector {
            reader: wire.dialect.reader(request),
            redactor: Redactor::of(wire.server.key.as_ref()),
            events,
            pending: String::new(),
            text: String::new(),
            has_begun: false,
            unreadable: 0,
        };
        let mut decoder = wire.dialect.framing().decoder();
        let (mut stream_error, mut received_bytes) = (None, 0);
        while let Some(chunk) = answer.chunks.next().await {
            let within_limit = chunk.and_then(|chunk| {
                received_bytes += chunk.len();
                if received_bytes > MAX_BODY_MIB << 20 { Err(CallError::TooLarge(MAX_BODY_MIB)) } else { Ok(chunk) }
            });
            let read = within_limit.and_then(|chunk| collector.read_chunk(&mut decoder, &chunk));
            if let Err(error) = read {
                stream_error = Some(error);
                break;
            }
            if collector.reader.is_over() {
                break;
            }
        }
        let mut is_between_events = decoder.is_between_frames();
        // A last line that cannot be read was cut off, which does not count as unreadable.
        if let Some(frame) = decoder.finish().filter(|_| !collector.reader.is_over()) {
            is_between_events = collector.read_frame(frame);
        }
        let rest = std::mem::take(&mut collector.pending);
        collector.send(rest);
        let StreamCollector { mut reader, text, has_begun, unreadable, .. } = collector;
        if unreadable > 0 {
            let model = &request.model;
            tracing::warn!(unreadable, model, "events of a stream could not be read and were passed over");
        }
        let may_be_whole = stream_error.is_none() && is_between_events && reader.may_end_without_final_event();
        let mut reply = reader.close(&text, stream_error);
        reply.request_id = reply.request_id.or(header_id);
        ExchangeResult { reply, streamed: text, has_begun, unreadable, may_be_whole }
    }
}

/// How long an exchange continues after its reader has been dropped, so that its cost is known.
const GRACE_PERIOD: Duration = Duration::from_secs(30);

/// Reads an exchange, passing its text to `on_text`. It fails some time after the receiver of `reader` is dropped.
pub(super) async fn read_while_awaited<T>(
    exchange: impl Stream<Item = ExchangeEvent>,
    on_text: impl FnMut(String),
    reader: &UnboundedSender<T>,
    timeouts: Timeouts,
) -> ExchangeResult {
    tokio::select! {
        exchanged = read(exchange, on_text) => exchanged,
        error = fail_after_grace_period(reader, timeouts) => error.into(),
    }
}

async fn fail_after_grace_period<T>(reader: &UnboundedSender<T>, timeouts: Timeouts) -> CallError {
    reader.closed().await;
    tokio::time::sleep(GRACE_PERIOD.min(timeouts.whole)).await;
    CallError::Abandoned
}

/// Returns the result of an exchange, ignoring the other events.
pub async fn drain_to_result(exchange: impl Stream<Item = ExchangeEvent>) -> ExchangeResult {
    read(exchange, drop).await
}

async fn read(exchange: impl Stream<Item = ExchangeEvent>, mut on_text: impl FnMut(String)) -> ExchangeResult {
    let mut exchange = pin!(exchange);
    while let Some(event) = exchange.next().await {
        match event {
            ExchangeEvent::Text(piece) => on_text(piece),
            ExchangeEvent::Ended(exchanged) => return exchanged,
        }
    }
    CallError::Interrupted("the exchange ended without a reply".to_owned()).into()
}

/// Whether the response is a stream. Errors come in one piece, and some servers also give the answer so, whatever was
/// requested; an HTML page is not a stream either.
fn is_stream(answer: &WireStream) -> bool {
    let content_type = answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (200..300).contains(&answer.status) && !["application/json", "text/html"].contains(&kind.as_str())
}

/// Passes frames to the dialect's reader, and collects the text.
struct StreamCollector<'a> {
    reader: Box<dyn StreamReader + 'a>,
    redactor: Redactor<'a>,
    events: &'a UnboundedSender<ExchangeEvent>,
    /// The end of the text that is held back, because it may be the beginning of the key.
    pending: String,
    text: String,
    has_begun: bool,
    unreadable: u32,
}

impl StreamCollector<'_> {
    fn read_chunk(&mut self, decoder: &mut Decoder, chunk: &[u8]) -> Result<(), CallError> {
        let frames = decoder.push(chunk).map_err(|_| CallError::NotTheInterface("an event has no end".to_owned()))?;
        for frame in frames {
            if !self.reader.is_over() && !self.read_frame(frame) {
                self.unreadable += 1;
            }
        }
        Ok(())
    }

    /// Returns whether the frame could be read.
    fn read_frame(&mut self, mut frame: Frame) -> bool {
        let mut data = std::mem::take(&mut frame.data).into_bytes();
        self.redactor.bytes(&mut data);
        frame.data = String::from_utf8(data).unwrap_or_default();
        let event = self.reader.event(&frame);
        // Reasoning comes as events without text. An event that reports a failure ends the answer.
        self.has_begun |= event.is_ok() && !frame.data.trim().is_empty() && !self.reader.is_over();
        match event {
            Ok(Some(text)) => {
                self.pending.push_str(&text);
                let ready = self.redactor.ready(&mut self.pending);
                self.send(ready);
                true
            }
            Ok(None) => true,
            Err(why) => {
                tracing::debug!(why = why.0, "an event of a stream cannot be read");
                false
            }
        }
    }

    fn send(&mut self, text: String) {
        if !text.is_empty() {
            self.text.push_str(&text);
            let _ = self.events.send(ExchangeEvent::Text(text));
        }
    }
}
