//! The page for questions: shows the answer with its sources, or why there is none and what to do about it.

use aha_content::documents::row_cells;
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::topic_links::{TopicLinks, encoded};
use super::{Choice, SPANS, Shell, choices, day, for_page, html, wants_json};
use crate::app::App;
use crate::ask::{self, Answer, AskError, AskRequest, CitedSentence, MAX_QUESTION_CHARS, feedback};
use crate::digest::sanitise::{Link, short_text};
use crate::services::search::suggested_query;
use crate::services::{ErrorKind, stories};
use crate::web::ask::request_of;
use crate::web::form::SentForm;

const MAX_TITLE_CHARS: usize = 200;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/ask", get(page))
        .route("/ask/answer", get(to_form).post(answer))
        .route("/ask/feedback", post(rate))
}

#[derive(Template)]
#[template(path = "web/ask.html")]
struct AskPage {
    shell: Shell,
    topics: TopicLinks,
    topic: String,
    /// The names of sources that were chosen.
    source_names: Vec<String>,
    question: String,
    spans: Vec<Choice>,
    answered: Option<Answered>,
    refusal: Option<Refusal>,
    /// What follows from the rating of an answer that was just stored; empty without one.
    said: &'static str,
    /// Whether a model writes the answer, so that the page shows what it reads meanwhile.
    is_written: bool,
}

/// An answer, prepared for display.
struct Answered {
    /// The whole text.
    text: String,
    sentences: Vec<CitedSentence>,
    sources: Vec<Cited>,
    note: Option<String>,
    degraded: Option<String>,
}

/// A source that an answer cites.
struct Cited {
    document: String,
    section: String,
    link: Link,
    /// The item's story in a digest.
    story: Option<String>,
    /// The day of the item or document; empty if unknown.
    day: String,
    machine_time: String,
}

/// Why there is no answer, and what to try.
struct Refusal {
    why: String,
    next: Next,
    /// A search for any of the question's rarest words; empty if none occurs.
    search_query: String,
    /// Whether only a topic, some sources or a time was searched.
    is_narrowed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// There is nothing to answer from yet.
    ReadSomething,
    /// Nothing that was read answers the question.
    AskOtherwise,
    /// The input has to be corrected.
    Correct,
}

/// `?question=…` or `?q=…` fills in the form; a link never asks the question.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AskQuery {
    #[serde(alias = "q")]
    question: String,
    topic: String,
    source: String,
    since: String,
    /// `right` or `wrong` after an answer was rated.
    said: String,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(query): JsonQuery<AskQuery>,
) -> Result<Html<String>, Failure> {
    html(&begin(&state, shell, query).await?)
}

async fn begin(state: &WebState, shell: Shell, query: AskQuery) -> Result<AskPage, Failure> {
    let topics = TopicLinks::read(state.app(), None).await?;
    let spans = choices(&SPANS, &query.since);
    let AskQuery { question, topic, source, said, .. } = query;
    let source_names: Vec<String> = Some(source).filter(|name| !name.is_empty()).into_iter().collect();
    let said = rated_in_words(&said);
    let is_written = ask::is_written(state.app());
    Ok(AskPage { shell, topics, topic, source_names, question, spans, answered: None, refusal: None, said, is_written })
}

async fn answer(_: Reader, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let text = |name: &str| form.text(name).to_owned();
    let request = request_of(&form);
    let query =
        AskQuery { question: text("question"), topic: text("topic"), since: text("since"), ..AskQuery::default() };
    let mut page = begin(&state, shell, query).await?;
    page.source_names.clone_from(&request.sources);
    match ask::ask(state.app(), &request).await {
        Ok(answer) => {
            page.answered = Some(shown(&state, answer).await?);
            Ok(html(&page)?.into_response())
        }
        Err(error) => {
            let refusal = refusal(state.app(), error, &request).await?;
            let status = if refusal.next == Next::Correct { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
            page.refusal = Some(refusal);
            Ok((status, html(&page)?).into_response())
        }
    }
}

/// The address of an answer, opened or loaded again: a question is asked by the form only.
async fn to_form(State(state): State<WebState>) -> Redirect {
    Redirect::to(&format!("{}/ask", state.prefix()))
}

/// A longer question is not in the address after a rating: proxies refuse long addresses.
const MAX_ENCODED_BYTES: usize = 2_000;

/// Stores whether an answer, or a refusal, is right. The script gets the effect in words, and the answer stays; without
/// it the form is shown with the question.
async fn rate(
    Reader(who): Reader,
    State(state): State<WebState>,
    headers: HeaderMap,
    form: SentForm,
) -> Result<Response, Failure> {
    let (question, is_right) = (form.text("question"), form.text("is_right") == "yes");
    let answer = Some(form.text("answer")).filter(|answer| !answer.is_empty());
    feedback::record(state.app(), &who.name, question, answer, is_right).await?;
    let said = if is_right { "right" } else { "wrong" };
    if wants_json(&headers) {
        return Ok(Json(json!({ "message": rated_in_words(said) })).into_response());
    }
    let question = Some(encoded(question)).filter(|question| question.len() <= MAX_ENCODED_BYTES).unwrap_or_default();
    Ok(Redirect::to(&format!("{}/ask?said={said}&question={question}", state.prefix())).into_response())
}

/// Describes what follows from a rating.
fn rated_in_words(said: &str) -> &'static str {
    match said {
        "right" => "Noted as right. It becomes a question of your own benchmark: “aha-radar ask --export”.",
        "wrong" => "Noted as wrong. Your own benchmark leaves it out.",
        _ => "",
    }
}

async fn shown(state: &WebState, answer: Answer) -> Result<Answered, Failure> {
    let items: Vec<_> = answer.citations.iter().filter_map(|citation| citation.item).collect();
    let lines = stories::newest_lines(state.app(), &items).await?;
    let cited = answer.citations.into_iter().map(|citation| Cited {
        document: short_text(&citation.document, MAX_TITLE_CHARS),
        section: short_text(citation.shown_section().unwrap_or_default(), MAX_TITLE_CHARS),
        link: Link::of(citation.url.as_deref()),
        story: citation.item.and_then(|item| lines.get(&item)).map(ToString::to_string),
        day: citation.time.map(day).unwrap_or_default(),
        machine_time: citation.time.map(|time| time.to_string()).unwrap_or_default(),
    });
    let text = answer.answer;
    Ok(Answered {
        text,
        sources: cited.collect(),
        sentences: answer.sentences,
        note: answer.note.map(|note| for_page(&note)),
        degraded: answer.degraded.map(|why| for_page(&why)),
    })
}

/// Returns what the reader can do about the error; other errors get an error page.
async fn refusal(app: &App, error: AskError, request: &AskRequest) -> Result<Refusal, Failure> {
    let (why, read_as) = match &error {
        AskError::Unanswered { read_as, note: Some(note) } => (format!("{error} ({note})"), read_as.clone()),
        error => (error.to_string(), None),
    };
    let next = match error {
        AskError::Empty | AskError::TooLong => Next::Correct,
        AskError::EmptyStore => Next::ReadSomething,
        AskError::Unanswered { .. } | AskError::OwnFeedback | AskError::Timeout | AskError::Busy => Next::AskOtherwise,
        AskError::Service(error) => match error.kind() {
            ErrorKind::InvalidInput | ErrorKind::NotFound => Next::Correct,
            _ => return Err(error.into()),
        },
    };
    // The refusal is to be shown also if the words cannot be counted.
    let suggested = suggested_query(app, read_as.as_ref().unwrap_or(&request.question)).await;
    let search_query = suggested.unwrap_or_default().unwrap_or_default();
    let why = for_page(&why);
    Ok(Refusal { why, next, search_query, is_narrowed: request.is_narrowed() })
}

/// Returns whether a sentence is a row of a table, which is shown on a line of its own.
fn is_row(text: &str) -> bool {
    row_cells(text).is_some()
}
