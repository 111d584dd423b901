//! Answers questions from the user's own items and documents, each sentence with its source, or refuses to answer.
//!
//! Input: a question and what it may be answered from. Output: an [`Answer`] with citations, or an [`AskError`]; there
//! is no answer without a citation. Called by the command `ask` and by the web. Sentences are extracted, at most 60
//! words. If a model is configured for the task `answer`, it writes the sentences from the passages, and each is
//! checked against those it cites.

pub mod description;
pub mod feedback;
mod negation;
mod passages;
mod support;
mod written;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_analysis::retrieval::{
    CandidatePassage, Extract, Question, SentenceVectors, SimilarityModels, answer, asks_for_own_feedback,
    best_passages, passage_texts, question_texts,
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
use passages::{Found, Passage, retrieve};
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    pub answer: String,
    /// The same text by sentence.
    pub sentences: Vec<CitedSentence>,
    /// At least one.
    pub citations: Vec<Citation>,
    /// Set if a newer text was preferred to an older one that contradicts it, or if no text is as recent as asked for.
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
    /// When the item was published, or the date of the document; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// `None` for a passage of a document.
    #[serde(skip)]
    pub item: Option<ItemId>,
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
    #[error("nothing in your sources answers this, so there is nothing to cite")]
    Unanswered,
    #[error(
        "this asks what you liked, saved or skipped, and answers come from texts only; list that with \
         aha-radar feedback list"
    )]
    OwnFeedback,
    #[error("there was no answer within {} s; ask again, or narrow it by topic", DEADLINE.as_secs_f64())]
    Timeout,
    #[error(transparent)]
    Service(#[from] ServiceError),
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

/// Loads the weights and the sentence model, which happens once a process. Loading goes on if the caller stops waiting,
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

/// Maximum number of words in a search that is suggested.
const MAX_SEARCHED_WORDS: usize = 8;

/// Returns a query with which a search finds the texts that have any content word of the question; `None` if it has no
/// such word.
#[must_use]
pub fn search_query(question: &str) -> Option<String> {
    let mut words = Question::new(&cleaned(question)).terms;
    words.truncate(MAX_SEARCHED_WORDS);
    (!words.is_empty()).then(|| words.join(" OR "))
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
    let started = Instant::now();
    if asks_for_own_feedback(text) {
        return Err(AskError::OwnFeedback);
    }
    load_models(app).await;
    let question = Question::new(text).asked_at(app.clock().now().as_millis());
    let Some(found) = retrieve(app, &question, request).await? else { return Err(AskError::EmptyStore) };
    on_found(found.documents());
    let found = Arc::new(found);
    let is_written = written::is_configured(app);
    let (picked, best) = pick(app, question, Arc::clone(&found), is_written).await?;
    if !is_written || best.is_empty() {
        return picked.ok_or(AskError::Unanswered);
    }
    let candidates = found.candidates();
    let given: Vec<&CandidatePassage<'_>> = best.iter().map(|passage| &candidates[*passage]).collect();
    let left = deadline().saturating_sub(started.elapsed()).saturating_sub(RESERVED_TIME);
    match written::write(app, text, &given, left).await {
        Written::Answer(sentences) => Ok(written_answer(sentences, &best, &candidates, &found)),
        Written::Refused => Err(AskError::Unanswered),
        Written::Unavailable(why) => {
            tracing::warn!(%why, "a question is answered without a model");
            let is_late = started.elapsed() + RESERVED_TIME >= deadline();
            let without = |answer| Answer {
                degraded: Some(format!("sentences were picked, as no model answered: {why}")),
                ..answer
            };
            picked.map(without).ok_or(if is_late { AskError::Timeout } else { AskError::Unanswered })
        }
    }
}

/// Extracts the sentences that answer the question, and for a model selects the passages most likely to.
async fn pick(
    app: &App,
    question: Question,
    found: Arc<Found>,
    is_written: bool,
) -> Result<(Option<Answer>, Vec<usize>), AskError> {
    let weights = embedding_weights::weights(app).await;
    let known = known_sentences(app, &question, &found).await?;
    let picking = tokio::task::spawn_blocking(move || {
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
    Ok(picking.await.map_err(ServiceError::from)?)
}

/// Passages that are encoded when a question is asked, if their vectors are not stored: this takes about a second.
const ENCODED_PASSAGES: usize = 12;

/// Returns the sentence vectors; `None` without a sentence model.
async fn known_sentences(
    app: &App,
    question: &Question,
    found: &Arc<Found>,
) -> Result<Option<KnownSentences>, AskError> {
    let Some(model) = sentences::model(app).await else { return Ok(None) };
    let (asked, all) = (question.clone(), Arc::clone(found));
    let choosing = tokio::task::spawn_blocking(move || {
        let candidates = all.candidates();
        let frequencies = Some(&all.frequencies);
        let texts = passage_texts(&candidates);
        let best = best_passages(&asked, &candidates, &SimilarityModels::shipped(), frequencies, ENCODED_PASSAGES);
        let of_best = best.into_iter().flat_map(|passage| texts[passage].clone());
        let needed: Vec<String> = question_texts(&asked).into_iter().chain(of_best).collect();
        (texts.into_iter().flatten().collect::<Vec<_>>(), needed)
    });
    let (texts, needed) = choosing.await.map_err(ServiceError::from)?;
    Ok(Some(sentences::load_or_compute(app, &model, texts, needed).await.map_err(ServiceError::from)?))
}

/// Builds the answer from sentences that a model wrote and its passages support. `best`: the passages sent to it.
fn written_answer(
    sentences: Vec<(String, Vec<usize>)>,
    best: &[usize],
    candidates: &[CandidatePassage<'_>],
    found: &Found,
) -> Answer {
    let mut citations: Vec<Citation> = Vec::new();
    let mut cite = |place: usize| {
        let passage = best[place];
        cited_place(&mut citations, &candidates[passage], &found.passages[passage], by_rank(place))
    };
    let sentences: Vec<CitedSentence> = sentences
        .into_iter()
        .map(|(text, places)| {
            let mut citations: Vec<usize> = Vec::new();
            for citation in places.into_iter().map(&mut cite) {
                // Two passages may be of one section.
                if !citations.contains(&citation) {
                    citations.push(citation);
                }
            }
            CitedSentence { text, citations }
        })
        .collect();
    Answer { answer: joined(&sentences), sentences, citations, note: None, degraded: None }
}

/// Returns the relevance of the passage with this index: the passage found first is the most relevant.
#[expect(clippy::cast_precision_loss, reason = "a place among a few passages")]
fn by_rank(place: usize) -> f64 {
    1.0 - place as f64 / (MAX_PASSAGES as f64 + 1.0)
}

fn cited(picked: &Extract, candidates: &[CandidatePassage<'_>], found: &Found) -> Answer {
    let mut citations: Vec<Citation> = Vec::new();
    let sentences: Vec<CitedSentence> = picked
        .quotes
        .iter()
        .map(|quote| {
            let relevance = (quote.score * picked.probability * 1000.0).round() / 1000.0;
            let (candidate, passage) = (&candidates[quote.passage], &found.passages[quote.passage]);
            let place = cited_place(&mut citations, candidate, passage, relevance);
            CitedSentence { text: quote.text.clone(), citations: vec![place] }
        })
        .collect();
    let name = |passage: usize| candidates[passage].document;
    let note = picked.outdated.map(|(old, new)| {
        format!("{} says otherwise and is older than {}, which is followed here", name(old), name(new))
    });
    let note = note.or_else(|| picked.older.map(older_note));
    Answer { answer: joined(&sentences), sentences, citations, note, degraded: None }
}

/// Says that an answer is older than the period that was asked for. `dated`: in Unix milliseconds; 0 if unknown.
fn older_note(dated: i64) -> String {
    let date: String = Timestamp::from_millis(dated).to_string().chars().take(10).collect();
    let newest = if dated == 0 { "the text quoted has no date".to_owned() } else { format!("the newest is of {date}") };
    format!("no text about it is as recent as asked for; {newest}")
}

/// Returns the index of a passage's citation, which is added unless its section of the same text is cited already.
fn cited_place(
    citations: &mut Vec<Citation>,
    candidate: &CandidatePassage<'_>,
    passage: &Passage,
    relevance_score: f64,
) -> usize {
    let is_cited = |one: &Citation| {
        let is_same_text = one.item == passage.item && one.url == passage.url;
        is_same_text && one.document == candidate.document && one.section == candidate.section
    };
    if let Some(place) = citations.iter().position(is_cited) {
        return place;
    }
    citations.push(Citation {
        document: candidate.document.to_owned(),
        section: candidate.section.to_owned(),
        relevance_score,
        url: passage.url.clone(),
        time: (candidate.dated != 0).then(|| Timestamp::from_millis(candidate.dated)),
        item: passage.item,
    });
    citations.len() - 1
}

fn joined(sentences: &[CitedSentence]) -> String {
    sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
