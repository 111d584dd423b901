//! Answers questions from the user's own items and documents, each sentence with its source, or refuses to answer.
//!
//! Input: a question and what it may be answered from. Output: an [`Answer`] with citations, or an [`AskError`]; there
//! is no answer without a citation. Called by the command `ask` and by the web. Sentences are extracted, at most 60
//! words. If a model is configured for the task `answer`, it writes the sentences from the passages, and each is
//! checked against those it cites.

mod cited;
mod courtesy;
pub mod description;
pub mod feedback;
mod negation;
mod passages;
mod processor;
mod spelling;
mod support;
mod versions;
mod written;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_analysis::retrieval::{
    CandidatePassage, Question, SentenceVectors, SimilarityModels, answer, asks_for_own_feedback, best_passages,
    passage_texts, question_texts,
};
use aha_analysis::text::space::Space;
use aha_core::failpoint;
use aha_core::ids::ItemId;
use aha_core::time::Timestamp;
use serde::Serialize;
use thiserror::Error;

use crate::app::App;
use crate::embedding_weights;
use crate::sentences::{self, KnownSentences};
use crate::services::ServiceError;
use cited::{cited, written_answer};
use passages::{Found, retrieve};
use processor::Processor;
use spelling::ReadQuestion;
use written::Written;

/// Time limit for the whole answer: by the contract of `POST /ask` a client waits 5 s for it to arrive.
pub const DEADLINE: Duration = Duration::from_millis(4_500);
/// Maximum length of a question.
pub const MAX_QUESTION_CHARS: usize = 2_000;

/// A question, as an interface passes it.
#[derive(Debug, Clone, Default)]
pub struct AskRequest {
    pub question: String,
    pub topic: Option<String>,
    /// Names, or parts of names or addresses, of which any applies; of all sources if there are none.
    pub sources: Vec<String>,
    /// A date, an RFC 3339 time, or `30d`.
    pub since: Option<String>,
}

impl AskRequest {
    /// Returns whether only a part of what was read may be used.
    #[must_use]
    pub fn is_narrowed(&self) -> bool {
        self.topic.is_some() || !self.sources.is_empty() || self.since.is_some()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    pub answer: String,
    /// The same text by sentence.
    pub sentences: Vec<CitedSentence>,
    /// At least one.
    pub citations: Vec<Citation>,
    /// Set if a newer text was preferred to an older one that contradicts it, if no text is as recent as asked for, or
    /// if a word of the question was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why a configured model did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CitedSentence {
    pub text: String,
    /// Indices of its citations in those of the answer, from 0.
    pub citations: Vec<usize>,
}

impl CitedSentence {
    /// Returns its citations as readers see them: numbered from 1 in brackets, without spaces.
    #[must_use]
    pub fn numbers(&self) -> String {
        self.citations.iter().map(|place| format!("[{}]", place + 1)).collect::<Vec<_>>().concat()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Citation {
    pub document: String,
    pub section: String,
    /// From 0 to 1.
    pub relevance_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When the item was published, or the date that the document states; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// `None` for a passage of a document.
    #[serde(skip)]
    pub item: Option<ItemId>,
    #[serde(skip)]
    pub title: Option<String>,
}

impl Citation {
    /// Returns the section as readers see it; `None` if it has none, it repeats the name or the title, or is the beginning
    /// of an item.
    #[must_use]
    pub fn shown_section(&self) -> Option<&str> {
        let is_repeated = self.section == self.document || self.title.as_deref() == Some(&self.section);
        let is_beginning = self.item.is_some() && self.section == "Paragraph 1";
        (!self.section.is_empty() && !is_repeated && !is_beginning).then_some(&self.section)
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AskError {
    #[error("the question is empty; ask in a sentence")]
    Empty,
    #[error("the question has more than {MAX_QUESTION_CHARS} characters; ask for one thing at a time")]
    TooLong,
    #[error(
        "there is nothing to answer from yet; add documents (aha-radar source add FOLDER --type documents) or run once"
    )]
    EmptyStore,
    #[error("found no answer in your sources, so there is nothing to cite")]
    Unanswered {
        /// The question as it was read, if a word of it was corrected.
        read_as: Option<String>,
        /// How the words were read.
        note: Option<String>,
    },
    #[error(
        "this asks what you liked, saved or skipped, and answers come from texts only; list that with \
         aha-radar feedback list"
    )]
    OwnFeedback,
    #[error("there was no answer within {} s; ask again, or narrow it by topic", DEADLINE.as_secs_f64())]
    Timeout,
    #[error("too many questions are being answered to begin this one in time; ask again in some seconds")]
    Busy,
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl AskError {
    /// Returns the code of the contract of `POST /ask` for it; `None` for an error that is not of answering.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::TooLong => Some("INVALID_REQUEST"),
            Self::EmptyStore | Self::Unanswered { .. } | Self::OwnFeedback => Some("CITATION_REQUIRED"),
            Self::Timeout | Self::Busy => Some("TIMEOUT"),
            Self::Service(_) => None,
        }
    }
}

/// Returns whether a model writes the answers, which takes longer.
#[must_use]
pub fn is_written(app: &App) -> bool {
    written::is_configured(app)
}

/// Answers a question.
///
/// # Errors
/// When there is no answer with a citation, or not in time.
pub async fn ask(app: &App, request: &AskRequest) -> Result<Answer, AskError> {
    ask_reporting(app, request, &|_| {}).await
}

/// Like [`ask`], but calls `on_found` with the names of the documents and items in which passages were found, the most
/// likely first, before these are read.
///
/// # Errors
/// When there is no answer with a citation, or not in time.
pub async fn ask_reporting(
    app: &App,
    request: &AskRequest,
    on_found: &(dyn Fn(Vec<String>) + Send + Sync),
) -> Result<Answer, AskError> {
    let text = checked(&request.question)?;
    tokio::time::timeout(deadline(), answered(app, &text, request, on_found)).await.unwrap_or(Err(AskError::Timeout))
}

/// Loads the weights and the sentence model, unless they are loaded. Loading goes on if the caller stops waiting,
/// so that a later question finds them.
pub async fn load_models(app: &App) {
    let app = app.clone();
    let loading = tokio::spawn(async move {
        embedding_weights::weights(&app).await;
        sentences::model(&app).await;
    });
    // Whatever fails is logged there, and the question is answered without.
    let _ = loading.await;
}

/// Returns the question as it is searched for: on one line, without control characters.
///
/// # Errors
/// When nothing is left of it, or it has more than [`MAX_QUESTION_CHARS`] characters.
pub fn checked(question: &str) -> Result<String, AskError> {
    // Counted as sent, as the API describes it.
    if question.chars().count() > MAX_QUESTION_CHARS {
        return Err(AskError::TooLong);
    }
    let text = cleaned(question);
    if text.is_empty() { Err(AskError::Empty) } else { Ok(text) }
}

/// Replaces control characters and collapses white space.
fn cleaned(question: &str) -> String {
    let plain: String = question.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// [`DEADLINE`], except in tests of something else, which must pass on a busy machine as well.
fn deadline() -> Duration {
    failpoint::pause("AHA_ANSWER_MS", DEADLINE)
}

/// How long a question waits for a processor. One that begins later is hardly answered in time, and only delays the
/// next.
fn longest_wait() -> Duration {
    deadline() * 2 / 3
}

/// The model's time limit is the deadline less the time for retrieval, and less this, for the work after it.
const RESERVED_TIME: Duration = Duration::from_millis(150);
/// Maximum number of passages sent to a model. Of 40 questions about 24 documents, 33 find the passage that answers
/// them among the first 8, 35 among the first 12, and no more among the first 24.
const MAX_PASSAGES: usize = 12;

async fn answered(
    app: &App,
    text: &str,
    request: &AskRequest,
    on_found: &(dyn Fn(Vec<String>) + Send + Sync),
) -> Result<Answer, AskError> {
    let (started, text) = (Instant::now(), courtesy::removed(text));
    if asks_for_own_feedback(text) {
        return Err(AskError::OwnFeedback);
    }
    load_models(app).await;
    let processor = Processor::free(app.processors(), longest_wait().saturating_sub(started.elapsed())).await?;
    let read = spelling::read(app, text).await?;
    let question = Question::new(&read.text).asked_at(app.clock().now().as_millis());
    let Some(found) = retrieve(app, &processor, &question, request).await? else { return Err(AskError::EmptyStore) };
    on_found(found.documents());
    let found = Arc::new(found);
    let is_written = written::is_configured(app);
    let (picked, best) = pick(app, &processor, question, Arc::clone(&found), is_written).await?;
    // A model computes elsewhere.
    drop(processor);
    let picked = picked.map(|answer| noting(answer, &read));
    if !is_written || best.is_empty() {
        return picked.ok_or_else(|| unanswered(&read));
    }
    let candidates: Vec<CandidatePassage<'_>> = best.iter().map(|passage| found.candidate(*passage)).collect();
    let given: Vec<&CandidatePassage<'_>> = candidates.iter().collect();
    let left = deadline().saturating_sub(started.elapsed()).saturating_sub(RESERVED_TIME);
    match written::write(app, text, &given, left).await {
        Written::Answer(sentences) => Ok(noting(written_answer(sentences, &best, &candidates, &found), &read)),
        Written::Refused => Err(unanswered(&read)),
        Written::Unavailable(why) => {
            tracing::warn!(%why, "a question is answered without a model");
            let is_late = started.elapsed() + RESERVED_TIME >= deadline();
            let without = |answer| Answer {
                degraded: Some(format!("sentences were picked, as no model answered: {why}")),
                ..answer
            };
            picked.map(without).ok_or_else(|| if is_late { AskError::Timeout } else { unanswered(&read) })
        }
    }
}

fn unanswered(read: &ReadQuestion) -> AskError {
    let note = read.note();
    AskError::Unanswered { read_as: note.is_some().then(|| read.text.clone()), note }
}

/// Adds to an answer how the question was read.
fn noting(answer: Answer, read: &ReadQuestion) -> Answer {
    let notes: Vec<String> = read.note().into_iter().chain(answer.note).collect();
    Answer { note: (!notes.is_empty()).then(|| notes.join("; ")), ..answer }
}

/// Extracts the sentences that answer the question, and for a model selects the passages most likely to.
async fn pick(
    app: &App,
    processor: &Processor,
    question: Question,
    found: Arc<Found>,
    is_written: bool,
) -> Result<(Option<Answer>, Vec<usize>), AskError> {
    let weights = embedding_weights::weights(app).await;
    let known = known_sentences(app, processor, &question, &found).await?;
    let picking = processor.compute(move || {
        let meaning = SimilarityModels::with(
            weights.as_deref().map(|weights| weights as &dyn Space),
            known.as_ref().map(|known| known as &dyn SentenceVectors),
        );
        let (candidates, frequencies) = (found.candidates(), Some(&found.frequencies));
        let picked = answer(&question, &candidates, &meaning, frequencies);
        if let Some(best) = &picked {
            let (probability, evidence, text) = (best.probability, best.evidence, best.text());
            tracing::debug!(probability, ?evidence, text, best.is_answered, "the best answer found");
        }
        let picked = picked.filter(|picked| picked.is_answered);
        let best = if is_written {
            best_passages(&question, &candidates, &meaning, frequencies, MAX_PASSAGES)
        } else {
            Vec::new()
        };
        (picked.map(|picked| cited(&picked, &candidates, &found)), best)
    });
    picking.await
}

/// Passages that are encoded when a question is asked, if their vectors are not stored: this takes about a second.
const ENCODED_PASSAGES: usize = 12;

/// Returns the sentence vectors; `None` without a sentence model.
async fn known_sentences(
    app: &App,
    processor: &Processor,
    question: &Question,
    found: &Arc<Found>,
) -> Result<Option<KnownSentences>, AskError> {
    let Some(model) = sentences::model(app).await else { return Ok(None) };
    let (asked, all) = (question.clone(), Arc::clone(found));
    let choosing = processor.compute(move || {
        let candidates = all.candidates();
        let frequencies = Some(&all.frequencies);
        let texts = passage_texts(&candidates);
        let best = best_passages(&asked, &candidates, &SimilarityModels::shipped(), frequencies, ENCODED_PASSAGES);
        let of_best = best.into_iter().flat_map(|passage| texts[passage].clone());
        let needed: Vec<String> = question_texts(&asked).into_iter().chain(of_best).collect();
        (texts.into_iter().flatten().collect::<Vec<_>>(), needed)
    });
    let (texts, needed) = choosing.await?;
    let app = app.clone();
    let loading = async move { sentences::load_or_compute(&app, &model, texts, needed).await };
    Ok(Some(processor.wait(loading).await?.map_err(ServiceError::from)?))
}

#[cfg(test)]
mod tests;
