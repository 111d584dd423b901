//! `GET /api/assistant/message/stream`: answers a message with progress as server-sent events.
//!
//! The work continues if the client disconnects. Its events are buffered for a while, so that a client that reconnects
//! with `Last-Event-ID` gets those it missed and pays for nothing twice.

use std::collections::HashMap;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Sent, Sse};
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use futures::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};

use super::message::MessageBody;
use crate::assistant::{self, Answer, Decision, Event, Message};
use crate::web::guard::is_asked_here;
use crate::web::{Editor, Failure, JsonQuery, WebState};

/// Interval between heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long the events of a stream are kept after its end.
const RETENTION: Duration = Duration::from_mins(5);
/// Number of streams from which those that have ended are dropped. If as many are in progress, no other begins.
const MAX_STREAMS: usize = 64;
/// Seconds until a retry when that many are in progress.
const RETRY_AFTER_S: u64 = 10;

/// One event: its name and its data.
type Line = (&'static str, String);

/// The events of one message so far; the last one is `done`.
#[derive(Debug)]
struct Work {
    events: watch::Sender<Vec<Line>>,
}

/// The streams in progress and those that ended recently, by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<String, Arc<Work>>>>);

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StreamQuery {
    /// 1 to 4000 characters.
    message: String,
    /// JSON: what was said before, as `[{"role", "text"}]`.
    #[serde(default)]
    transcript: String,
    /// JSON, as in the body of `POST /api/assistant/message`.
    #[serde(default)]
    options: String,
    /// JSON: the question that was asked, and what was chosen.
    #[serde(default)]
    clarify: String,
    /// `plan` (default), `chat` or `auto`.
    #[serde(default)]
    mode: String,
}

/// Answers a message in events: `stage`, `clarify`, `ops`, `summary`, `result`, `heartbeat`, and `done` at the end.
#[utoipa::path(
    get, path = "/api/assistant/message/stream", tag = "assistant", params(StreamQuery),
    responses(
        (status = 200, description = "events", content_type = "text/event-stream", body = String),
        (status = 204, description = "the stream that `Last-Event-ID` names has ended"),
        (status = 400, description = "no message, or not of this form"),
        (status = 429, description = "too many messages are being answered"),
        (status = 503, description = "the server is stopping"),
    ),
)]
pub(super) async fn message_stream(
    _: Editor,
    State(state): State<WebState>,
    Extension(streams): Extension<Streams>,
    headers: HeaderMap,
    JsonQuery(query): JsonQuery<StreamQuery>,
) -> Result<Response, Failure> {
    // The request may cost money.
    if !is_asked_here(&headers) {
        return Err(Failure::forbidden("a page of another site asked for this; open this server's own page for it"));
    }
    if let Some((name, seen)) = last_seen(&headers) {
        return Ok(streams.resumed(name, seen).await);
    }
    let body = MessageBody::of_query(query.message, &query.transcript, &query.options, &query.clarify, query.mode);
    streams.started(state, body.into_message()?).await
}

/// Parses `NAME:NUMBER`: the last event that the client received.
fn last_seen(headers: &HeaderMap) -> Option<(String, usize)> {
    let (name, number) = headers.get("last-event-id")?.to_str().ok()?.split_once(':')?;
    Some((name.to_owned(), number.parse().ok()?))
}

impl Streams {
    /// Returns the events of a stream after number `seen`.
    async fn resumed(&self, name: String, seen: usize) -> Response {
        match self.0.lock().await.get(&name) {
            Some(work) if !work.is_over_at(seen) => events(name, work, seen).into_response(),
            // Received to its end, or dropped already: with this status a browser stops reconnecting.
            _ => StatusCode::NO_CONTENT.into_response(),
        }
    }

    /// Answers a message in a task of its own. Its events can be resumed until a while after its end.
    #[expect(clippy::disallowed_methods, reason = "the name of a stream must not be guessed, AHA_NOW or not")]
    async fn started(self, state: WebState, message: Message) -> Result<Response, Failure> {
        let mut kept = self.0.lock().await;
        make_room(&mut kept)?;
        let name = format!("{:016x}", rand::random::<u64>());
        let work = Arc::new(Work { events: watch::Sender::new(Vec::new()) });
        let response = events(name.clone(), &work, 0).into_response();
        let (app, answered) = (state.app().clone(), Arc::clone(&work));
        let answering = app.spawn_unless_stopping(async move {
            ended(&answered, Box::pin(run(&state, &message, &answered))).await;
        });
        let Some(answering) = answering else { return Err(Failure::stopping()) };
        kept.insert(name.clone(), work);
        drop(kept);
        // In a task of its own, for which a process that stops does not wait.
        tokio::spawn(async move {
            let _ = answering.await;
            tokio::time::sleep(RETENTION).await;
            self.0.lock().await.remove(&name);
        });
        Ok(response)
    }
}

/// Drops the streams that have ended if there are many. An error if as many are in progress.
fn make_room(kept: &mut HashMap<String, Arc<Work>>) -> Result<(), Failure> {
    if kept.len() >= MAX_STREAMS {
        kept.retain(|_, work| !work.is_over());
    }
    if kept.len() < MAX_STREAMS {
        return Ok(());
    }
    let message = format!("{MAX_STREAMS} messages are being answered; send this one again when some of them are done");
    Err(Failure::too_many(message, RETRY_AFTER_S))
}

impl Work {
    fn emit(&self, name: &'static str, data: &Value) {
        self.events.send_modify(|events| events.push((name, data.to_string())));
    }

    fn is_over(&self) -> bool {
        self.events.borrow().last().is_some_and(|(name, _)| *name == "done")
    }

    /// Returns whether event number `seen` was the last.
    fn is_over_at(&self, seen: usize) -> bool {
        self.is_over() && seen >= self.events.borrow().len()
    }
}

/// Waits for `answering`, which sends the events. If it panics, ends the stream with an error in its place.
async fn ended(work: &Work, answering: impl Future<Output = ()>) {
    if AssertUnwindSafe(answering).catch_unwind().await.is_err() {
        tracing::error!("answering a message panicked");
        work.emit("error", &json!({ "message": "the server could not do this; its log says why" }));
        work.emit("done", &json!(true));
    }
}

/// Answers the message and sends the events.
async fn run(state: &WebState, message: &Message, work: &Work) {
    let answer = assistant::answer(state.app(), message, |event| emit(work, &event)).await;
    match answer {
        Ok(answer) => emit_result(work, &answer),
        Err(error) => {
            let failure = Failure::from(error);
            work.emit("error", &json!({ "message": failure.message() }));
        }
    }
    work.emit("done", &json!(true));
}

fn emit(work: &Work, event: &Event) {
    match event {
        Event::Stage(stage) => work.emit("stage", &json!({ "stage": stage })),
        Event::Clarify(question) => work.emit("clarify", &json!(question)),
        Event::Ops(ops) => work.emit("ops", &json!(ops)),
        Event::Summary(text) => work.emit("summary", &json!({ "text": text })),
    }
}

/// Sends the result of a plan or a question; a chat sends only its summary.
fn emit_result(work: &Work, answer: &Answer) {
    if answer.decision != Decision::Chat {
        work.emit("result", &json!(answer));
    }
}

/// Sends the events after number `seen`, then new ones, with heartbeats in between. The first block has only an id: it
/// is no event, but a browser names it in `Last-Event-ID` if the connection breaks before the first event.
fn events(name: String, work: &Work, seen: usize) -> Sse<impl Stream<Item = Result<Sent, Infallible>> + use<>> {
    let follower = Follower { name, events: work.events.subscribe(), sent: seen, is_named: false, over: false };
    Sse::new(unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok(event), follower))
    }))
}

struct Follower {
    name: String,
    events: watch::Receiver<Vec<Line>>,
    /// Number of events that were sent.
    sent: usize,
    /// Whether the client knows the name of the stream.
    is_named: bool,
    over: bool,
}

impl Follower {
    async fn next(&mut self) -> Option<Sent> {
        if self.over {
            return None;
        }
        if !self.is_named {
            self.is_named = true;
            return Some(Sent::default().id(self.id()));
        }
        loop {
            let next = self.events.borrow_and_update().get(self.sent).cloned();
            if let Some((name, data)) = next {
                self.sent += 1;
                self.over = name == "done";
                return Some(Sent::default().event(name).id(self.id()).data(data));
            }
            match tokio::time::timeout(HEARTBEAT, self.events.changed()).await {
                Ok(Ok(())) => {}
                // The work was dropped with the server, before it ended.
                Ok(Err(_)) => return None,
                Err(_) => return Some(Sent::default().event("heartbeat").data("{}")),
            }
        }
    }

    /// Returns the id of the last event that was sent.
    fn id(&self) -> String {
        format!("{}:{}", self.name, self.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_whose_work_panics_ends_with_an_error() {
        let work = Work { events: watch::Sender::new(Vec::new()) };
        ended(&work, async { assert!(work.is_over(), "the expected failure of a test") }).await;
        let names: Vec<&str> = work.events.borrow().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["error", "done"]);
        assert!(work.is_over());
        ended(&work, async {}).await;
        assert_eq!(work.events.borrow().len(), 2, "work that ends by itself has sent its own events");
    }

    #[test]
    fn no_stream_begins_while_too_many_are_in_progress() {
        let work = || Arc::new(Work { events: watch::Sender::new(Vec::new()) });
        let mut kept: HashMap<String, Arc<Work>> = (0..MAX_STREAMS).map(|name| (name.to_string(), work())).collect();
        assert_eq!(make_room(&mut kept).unwrap_err().status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(kept.len(), MAX_STREAMS);
        kept["3"].emit("done", &json!(true));
        assert!(make_room(&mut kept).is_ok());
        assert_eq!(kept.len(), MAX_STREAMS - 1);
    }
}
