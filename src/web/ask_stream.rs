//! `POST /api/v1/ask/stream` and the page's `/ask/stream`: answers a question with progress as server-sent events.
//!
//! `found` names the documents, then comes `answer` or `failure`, and `done` at the end. If the client disconnects, the
//! work continues: a model's answer is stored, and asking again costs nothing.

use std::convert::Infallible;

use axum::Router;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::routing::post;
use futures::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::ask::{cited_body_of, failure_of, request_of};
use super::form::SentForm;
use super::{Failure, JsonBody, Reader, WebState};
use crate::ask::{AskRequest, ask_reporting, checked};

#[derive(Debug, Deserialize, ToSchema)]
struct StreamBody {
    /// The question, in a sentence.
    #[schema(min_length = 1, max_length = 2000)]
    question: String,
    topic: Option<String>,
    /// Parts of names or addresses of sources, of which any applies; without any, of all sources.
    #[serde(default)]
    source: Vec<String>,
}

/// Maximum number of document names that are sent.
const MAX_NAMES: usize = 8;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(ask_stream))
}

pub(super) fn page_routes() -> Router<WebState> {
    Router::new().route("/ask/stream", post(ask_stream_from_form))
}

/// Answers a question in events: `found`, then `answer` or `failure`, and `done`.
#[utoipa::path(post, path = "/api/v1/ask/stream", tag = "ask", request_body = StreamBody, responses(
    (status = 200, description = "events", content_type = "text/event-stream", body = String)))]
async fn ask_stream(
    _: Reader,
    State(state): State<WebState>,
    JsonBody(StreamBody { question, topic, source }): JsonBody<StreamBody>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    checked(&question)?;
    Ok(events(state, AskRequest { question, topic, sources: source, since: None }))
}

/// The same for the form of the ask page.
async fn ask_stream_from_form(
    _: Reader,
    State(state): State<WebState>,
    form: SentForm,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let request = request_of(&form);
    checked(&request.question)?;
    Ok(events(state, request))
}

fn events(state: WebState, request: AskRequest) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (sender, receiver) = unbounded_channel::<(&'static str, Value)>();
    let app = state.app().clone();
    app.spawn(async move {
        let found = |mut documents: Vec<String>| {
            documents.truncate(MAX_NAMES);
            let _ = sender.send(("found", json!({ "documents": documents })));
        };
        let (name, data) = match ask_reporting(state.app(), &request, &found).await {
            Ok(answer) => ("answer", json!(cited_body_of(answer))),
            Err(error) => ("failure", json!(failure_of(&error))),
        };
        let _ = sender.send((name, data));
        let _ = sender.send(("done", json!(true)));
    });
    let next = async |mut receiver: UnboundedReceiver<(&'static str, Value)>| {
        let (name, data) = receiver.recv().await?;
        Some((Ok(Event::default().event(name).data(data.to_string())), receiver))
    };
    Sse::new(unfold(receiver, next)).keep_alive(KeepAlive::default())
}
