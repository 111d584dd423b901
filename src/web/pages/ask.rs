//! Ask: a question, and the answer with its sources, or why there is none and what to do about it.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::topic_links::{TopicLinks, encoded};
use super::{Choice, SPANS, SentForm, Shell, choices, html};
use crate::ask::{self, Answer, AskError, AskRequest, CitedSentence, MAX_QUESTION_CHARS, feedback};
use crate::digest::sanitise::{Link, short_text};
use crate::services::{ErrorKind, stories};

const MAX_TITLE_CHARS: usize = 200;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/ask", get(page)).route("/ask/answer", post(answer)).route("/ask/feedback", post(say))
}

#[derive(Template)]
#[template(path = "web/ask.html")]
struct AskPage {
    shell: Shell,
    topics: TopicLinks,
    topic: String,
    question: String,
    spans: Vec<Choice>,
    answered: Option<Answered>,
    refusal: Option<Refusal>,
    /// What was said of an answer was kept.
    is_noted: bool,
    /// A model writes the answer: what it reads is shown while it does.
    is_written: bool,
}

/// An answer as it is shown.
struct Answered {
    /// All of it.
    text: String,
    sentences: Vec<CitedSentence>,
    sources: Vec<Cited>,
    note: Option<String>,
    degraded: Option<String>,
}

/// What a sentence stands on.
struct Cited {
    document: String,
    section: String,
    link: Link,
    /// The story of a digest that the item belongs to.
    story: Option<String>,
}

/// Why there is no answer, and what to try.
struct Refusal {
    why: String,
    next: Next,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing was read yet.
    ReadSomething,
    /// It was read, and says nothing of this.
    AskOtherwise,
    /// What was typed has to be changed.
    Correct,
}

/// `?question=…`, to begin with; nothing is asked by following a link.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Begun {
    question: String,
    topic: String,
    since: String,
    /// `noted` after something was said of an answer.
    said: String,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(begun): JsonQuery<Begun>,
) -> Result<Html<String>, Failure> {
    html(&begin(&state, shell, begun).await?)
}

async fn begin(state: &WebState, shell: Shell, begun: Begun) -> Result<AskPage, Failure> {
    let topics = TopicLinks::read(state.app(), None).await?;
    let spans = choices(&SPANS, &begun.since);
    let Begun { question, topic, said, .. } = begun;
    let is_noted = said == "noted";
    let is_written = ask::is_written(state.app());
    Ok(AskPage { shell, topics, topic, question, spans, answered: None, refusal: None, is_noted, is_written })
}

async fn answer(_: Reader, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let text = |name: &str| form.text(name).to_owned();
    let filled = |name: &str| Some(text(name)).filter(|text| !text.is_empty());
    let request = AskRequest { question: text("question"), topic: filled("topic"), since: filled("since") };
    let begun = Begun { question: text("question"), topic: text("topic"), since: text("since"), ..Begun::default() };
    let mut page = begin(&state, shell, begun).await?;
    match ask::ask(state.app(), &request).await {
        Ok(answer) => {
            page.answered = Some(shown(&state, answer).await?);
            Ok(html(&page)?.into_response())
        }
        Err(error) => {
            let refusal = refusal(error)?;
            let status = if refusal.next == Next::Correct { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
            page.refusal = Some(refusal);
            Ok((status, html(&page)?).into_response())
        }
    }
}

/// Keeps whether an answer, or a refusal, is right.
async fn say(Reader(who): Reader, State(state): State<WebState>, form: SentForm) -> Result<Redirect, Failure> {
    let answer = Some(form.text("answer")).filter(|answer| !answer.is_empty());
    feedback::say(state.app(), &who.name, form.text("question"), answer, form.text("is_right") == "yes").await?;
    Ok(Redirect::to(&format!("{}/ask?said=noted", state.prefix())))
}

async fn shown(state: &WebState, answer: Answer) -> Result<Answered, Failure> {
    let items: Vec<_> = answer.citations.iter().filter_map(|citation| citation.item).collect();
    let lines = stories::newest_lines(state.app(), &items).await?;
    let cited = answer.citations.into_iter().map(|citation| Cited {
        document: short_text(&citation.document, MAX_TITLE_CHARS),
        section: short_text(&citation.section, MAX_TITLE_CHARS),
        link: Link::of(citation.url.as_deref()),
        story: citation.item.and_then(|item| lines.get(&item)).map(ToString::to_string),
    });
    let text = answer.answer;
    Ok(Answered {
        text,
        sources: cited.collect(),
        sentences: answer.sentences,
        note: answer.note,
        degraded: answer.degraded,
    })
}

/// What the reader can do about it; all else is an error page.
fn refusal(error: AskError) -> Result<Refusal, Failure> {
    let why = error.to_string();
    let next = match error {
        AskError::Empty | AskError::TooLong => Next::Correct,
        AskError::EmptyStore => Next::ReadSomething,
        AskError::Unanswered | AskError::Timeout => Next::AskOtherwise,
        AskError::Service(error) => match error.kind() {
            ErrorKind::InvalidInput | ErrorKind::NotFound => Next::Correct,
            _ => return Err(error.into()),
        },
    };
    Ok(Refusal { why, next })
}
