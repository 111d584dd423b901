//! `POST /ask` and `/v1/ask`, by their contract, and a batch of questions under `/api/v1`.
//!
//! Every answer has a citation: a question without one gets 400 `CITATION_REQUIRED`.

use aha_core::account::Role;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::form::SentForm;
use super::{Failure, JsonBody, Reader, WebState};
use crate::ask::{Answer, AskError, AskRequest, Citation, CitedSentence, ask, feedback};
use crate::services::{ErrorKind, ServiceError};

/// Maximum number of questions in a batch, and how many are answered concurrently.
const MAX_BATCH: usize = 50;
const MAX_CONCURRENT: usize = 2;

#[derive(Debug, Deserialize, ToSchema)]
struct QuestionBody {
    /// The question, in a sentence.
    #[schema(min_length = 1, max_length = 2000)]
    question: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct AnswerBody {
    answer: String,
    /// At least one.
    citations: Vec<CitationBody>,
    /// A note that a newer text was preferred to an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct CitationBody {
    document: String,
    section: String,
    /// From 0 to 1.
    relevance_score: f64,
}

/// An answer under `/api/v1`, which also says which sentence comes from which citation.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CitedAnswerBody {
    answer: String,
    /// The answer by sentence.
    sentences: Vec<AnswerSentence>,
    /// At least one.
    citations: Vec<AnswerSource>,
    /// A note that a newer text was preferred to an older one, that no text is recent, or that no model answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AnswerSentence {
    text: String,
    /// Indices in `citations`, from 0.
    citations: Vec<usize>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AnswerSource {
    document: String,
    section: String,
    /// From 0 to 1.
    relevance_score: f64,
    /// Of an item.
    url: Option<String>,
    /// When the item was published, or the date of the document; null if unknown.
    time: Option<String>,
}

/// `{"error","message"}`, of the contract.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AskFailure {
    /// `CITATION_REQUIRED`, `INVALID_REQUEST`, `INTERNAL_ERROR` or `TIMEOUT`.
    error: String,
    message: String,
}

#[derive(Debug, Deserialize, ToSchema)]
struct BatchBody {
    /// Up to 50 questions.
    questions: Vec<String>,
    topic: Option<String>,
    /// Parts of names or addresses of sources, of which any applies; without any, of all sources.
    #[serde(default)]
    source: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct FeedbackBody {
    #[schema(min_length = 1, max_length = 2000)]
    question: String,
    /// Null where the question was refused.
    answer: Option<String>,
    /// Whether the answer, or the refusal, is right.
    is_right: bool,
}

#[derive(Debug, Serialize, ToSchema)]
struct FeedbackList {
    /// The oldest first.
    feedback: Vec<FeedbackBody>,
}

#[derive(Debug, Serialize, ToSchema)]
struct BatchAnswers {
    /// In the order of the questions.
    answers: Vec<BatchAnswer>,
}

#[derive(Debug, Serialize, ToSchema)]
struct BatchAnswer {
    question: String,
    answer: Option<CitedAnswerBody>,
    /// Why there is none.
    failure: Option<AskFailure>,
}

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(ask_one))
        .routes(routes!(ask_one_v1))
        .routes(routes!(ask_batch))
        .routes(routes!(list_feedback, give_feedback))
}

/// Answers a question from what was read, with its sources.
#[utoipa::path(post, path = "/ask", tag = "ask", request_body = QuestionBody, responses(
    (status = 200, body = AnswerBody), (status = 400, body = AskFailure), (status = 504, body = AskFailure)))]
async fn ask_one(_: Reader, State(state): State<WebState>, body: JsonBody<QuestionBody>) -> Answered {
    answer(&state, body).await
}

/// The same.
#[utoipa::path(post, path = "/v1/ask", tag = "ask", request_body = QuestionBody, responses(
    (status = 200, body = AnswerBody), (status = 400, body = AskFailure), (status = 504, body = AskFailure)))]
async fn ask_one_v1(_: Reader, State(state): State<WebState>, body: JsonBody<QuestionBody>) -> Answered {
    answer(&state, body).await
}

type Answered = Result<Json<AnswerBody>, Failure>;

async fn answer(state: &WebState, JsonBody(QuestionBody { question }): JsonBody<QuestionBody>) -> Answered {
    let request = AskRequest { question, ..AskRequest::default() };
    Ok(Json(body_of(ask(state.app(), &request).await?)))
}

/// Answers several questions, each on its own.
#[utoipa::path(post, path = "/api/v1/ask/batch", tag = "ask", request_body = BatchBody, responses(
    (status = 200, body = BatchAnswers)))]
async fn ask_batch(
    _: Reader,
    State(state): State<WebState>,
    JsonBody(BatchBody { questions, topic, source }): JsonBody<BatchBody>,
) -> Result<Json<BatchAnswers>, Failure> {
    if questions.is_empty() || questions.len() > MAX_BATCH {
        return Err(Failure::invalid("questions", format!("send from 1 to {MAX_BATCH} questions")));
    }
    let asked = questions.into_iter().map(|question| {
        let (state, topic, sources) = (state.clone(), topic.clone(), source.clone());
        async move {
            let request = AskRequest { question: question.clone(), topic, sources, since: None };
            match ask(state.app(), &request).await {
                Ok(answer) => BatchAnswer { question, answer: Some(cited_body_of(answer)), failure: None },
                Err(error) => BatchAnswer { question, answer: None, failure: Some(failure_of(&error)) },
            }
        }
    });
    let answers = futures::stream::iter(asked).buffered(MAX_CONCURRENT).collect().await;
    Ok(Json(BatchAnswers { answers }))
}

/// Feedback on answers: of all users for an editor or admin, otherwise your own.
#[utoipa::path(get, path = "/api/v1/ask/feedback", tag = "ask", responses((status = 200, body = FeedbackList)))]
async fn list_feedback(Reader(who): Reader, State(state): State<WebState>) -> Result<Json<FeedbackList>, Failure> {
    let only = (who.role < Role::Editor).then_some(who.name.as_str());
    let ratings = feedback::list(state.app(), only).await?;
    let body = |one: feedback::AnswerRating| FeedbackBody {
        question: one.question,
        answer: one.answer,
        is_right: one.is_right,
    };
    Ok(Json(FeedbackList { feedback: ratings.into_iter().map(body).collect() }))
}

/// Records whether an answer, or a refusal, is right; replaces your earlier feedback on that question.
#[utoipa::path(post, path = "/api/v1/ask/feedback", tag = "ask", request_body = FeedbackBody, responses(
    (status = 204, description = "The feedback is stored"), (status = 400, description = "The question is empty or too long")))]
async fn give_feedback(
    Reader(who): Reader,
    State(state): State<WebState>,
    JsonBody(FeedbackBody { question, answer, is_right }): JsonBody<FeedbackBody>,
) -> Result<StatusCode, Failure> {
    feedback::record(state.app(), &who.name, &question, answer.as_deref(), is_right).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns what the form of the ask page asks.
pub(super) fn request_of(form: &SentForm) -> AskRequest {
    let filled = |name: &str| Some(form.text(name).to_owned()).filter(|text| !text.is_empty());
    AskRequest {
        question: form.text("question").to_owned(),
        topic: filled("topic"),
        sources: form.all("source").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        since: filled("since"),
    }
}

/// The fields of the contract, and the notes.
fn body_of(answer: Answer) -> AnswerBody {
    let note = notes_of(&answer);
    let citation = |one: Citation| CitationBody {
        document: one.document,
        section: one.section,
        relevance_score: one.relevance_score,
    };
    AnswerBody { answer: answer.answer, citations: answer.citations.into_iter().map(citation).collect(), note }
}

/// Returns what is to be known of an answer: of older documents, and of a model that did not answer.
fn notes_of(answer: &Answer) -> Option<String> {
    let notes: Vec<&str> = [&answer.note, &answer.degraded].into_iter().flatten().map(String::as_str).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

pub(super) fn cited_body_of(answer: Answer) -> CitedAnswerBody {
    let note = notes_of(&answer);
    let sentence = |one: CitedSentence| AnswerSentence { text: one.text, citations: one.citations };
    let citation = |one: Citation| AnswerSource {
        document: one.document,
        section: one.section,
        relevance_score: one.relevance_score,
        url: one.url,
        time: one.time.map(|time| time.to_string()),
    };
    CitedAnswerBody {
        answer: answer.answer,
        sentences: answer.sentences.into_iter().map(sentence).collect(),
        citations: answer.citations.into_iter().map(citation).collect(),
        note,
    }
}

pub(super) fn failure_of(error: &AskError) -> AskFailure {
    AskFailure { error: code(error).1.to_owned(), message: shown(error) }
}

fn code(error: &AskError) -> (StatusCode, &'static str) {
    match (error, error.code()) {
        (AskError::Timeout | AskError::Busy, Some(code)) => (StatusCode::GATEWAY_TIMEOUT, code),
        (_, Some(code)) => (StatusCode::BAD_REQUEST, code),
        (AskError::Service(error), None) if is_of_request(error) => (StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        (_, None) => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR"),
    }
}

/// Whether the request is to blame: a wrong value, or a topic that does not exist.
const fn is_of_request(error: &ServiceError) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound)
}

fn shown(error: &AskError) -> String {
    match error {
        AskError::Service(error) if !is_of_request(error) => {
            tracing::error!(%error, "a question failed");
            "the question could not be answered; the server's log says why".to_owned()
        }
        error => error.to_string(),
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let (status, code) = code(&error);
        Self::new(status, code, shown(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_is_not_answered_in_time_gets_the_code_of_the_contract() {
        for error in [AskError::Timeout, AskError::Busy] {
            assert_eq!(code(&error), (StatusCode::GATEWAY_TIMEOUT, "TIMEOUT"));
        }
    }

    #[test]
    fn every_note_is_returned() {
        let answer = |note: Option<&str>, degraded: Option<&str>| Answer {
            note: note.map(str::to_owned),
            degraded: degraded.map(str::to_owned),
            ..Answer::default()
        };
        let notes = |note, degraded| notes_of(&answer(note, degraded));
        assert_eq!(notes(None, None), None);
        assert_eq!(notes(Some("a.md is older"), None).as_deref(), Some("a.md is older"));
        assert_eq!(
            notes(Some("a.md is older"), Some("no model answered")).as_deref(),
            Some("a.md is older; no model answered")
        );
    }
}
