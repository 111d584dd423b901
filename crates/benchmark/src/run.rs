//! Sends every question and evaluates the answers. Called by the command `aha-radar benchmark`.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_net::endpoint::without_secrets;
use chrono::{DateTime, Utc};
use futures::StreamExt as _;
use secrecy::SecretString;
use serde_json::Value;
use thiserror::Error;
use url::Url;

use crate::baseline;
use crate::citations::{CheckedCitations, Citation, CitationStatus, check};
use crate::client::{Client, Outcome, Reply, without_controls};
use crate::files;
use crate::ground_truth::{GroundTruth, Question};
use crate::manifest::Manifest;
use crate::matching::{Thresholds, compare};
use crate::report::{QuestionResult, REPORT_VERSION, REQUIRED_ACCURACY, Report, Status, summarise, warnings};

/// How a benchmark is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Base address of the API, without `/ask`.
    pub api_url: Url,
    /// Sent as a bearer token, if the server requires one.
    pub token: Option<SecretString>,
    /// Limit of one attempt.
    pub timeout: Duration,
    pub thresholds: Thresholds,
    /// Maximum number of questions in flight at once.
    pub concurrency: usize,
    /// Name of the ground truth in the report.
    pub ground_truth: String,
    /// A report to compare with.
    pub baseline: Option<PathBuf>,
    /// Folder of earlier reports, and the number of them to compare with.
    pub trend: Option<(PathBuf, usize)>,
    /// Start time of the benchmark.
    pub now: DateTime<Utc>,
}

#[derive(Debug, Error)]
pub enum BenchmarkError {
    #[error("no HTTP client can be made: {0}")]
    Client(#[from] reqwest::Error),
    #[error("the baseline cannot be used: {0}")]
    Baseline(String),
}

/// Runs a benchmark. `progress` is called with each result as it arrives, the number of results and that of questions;
/// the report has them in the order of the questions. If `stop` completes first, it contains the results so far.
///
/// # Errors
/// When the baseline cannot be used or no HTTP client can be built. A failing server is not an error.
pub async fn run(
    settings: &Settings,
    truth: &GroundTruth,
    manifest: Option<&Manifest>,
    mut progress: impl FnMut(&QuestionResult, usize, usize),
    stop: impl Future<Output = ()>,
) -> Result<Report, BenchmarkError> {
    let before = settings.baseline.as_deref().map(files::load).transpose().map_err(BenchmarkError::Baseline)?;
    let client = Client::new(&settings.api_url, settings.timeout, settings.token.clone())?;
    let started = Instant::now();
    let mut stop = pin!(stop);
    let health = tokio::select! {
        health = client.health() => health,
        () = &mut stop => return Ok(report(settings, truth, manifest, None, &[], true, started, before.as_ref())),
    };
    let (client, thresholds) = (&client, settings.thresholds);
    let documents = manifest.cloned().map(Arc::new);
    let questions = futures::stream::iter(truth.questions.iter().cloned().enumerate());
    let results_stream = questions.map(|(place, question)| {
        let documents = documents.clone();
        async move {
            let reply = client.ask(&question.question).await;
            // On the blocking pool: comparing long texts takes seconds, which would count as other answers' latency.
            let evaluate = move || evaluate(&question, reply, thresholds, documents.as_deref());
            let evaluated = tokio::task::spawn_blocking(evaluate).await;
            (place, evaluated.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
        }
    });
    let mut results_stream = pin!(results_stream.buffer_unordered(settings.concurrency.max(1)));
    let mut results: Vec<(usize, QuestionResult)> = Vec::with_capacity(truth.questions.len());
    let is_interrupted = loop {
        tokio::select! {
            biased;
            () = &mut stop => break results.len() < truth.questions.len(),
            result = results_stream.next() => match result {
                Some(result) => {
                    progress(&result.1, results.len() + 1, truth.questions.len());
                    results.push(result);
                }
                None => break false,
            },
        }
    };
    results.sort_by_key(|(place, _)| *place);
    let results: Vec<QuestionResult> = results.into_iter().map(|(_, result)| result).collect();
    Ok(report(settings, truth, manifest, health, &results, is_interrupted, started, before.as_ref()))
}

#[expect(clippy::too_many_arguments, reason = "what a report is made of, in one place")]
fn report(
    settings: &Settings,
    truth: &GroundTruth,
    manifest: Option<&Manifest>,
    health: Option<String>,
    results: &[QuestionResult],
    is_interrupted: bool,
    started: Instant,
    before: Option<&Report>,
) -> Report {
    let summary = summarise(results, truth.questions.len(), manifest.map(Manifest::len));
    let mut warnings = warnings(&summary);
    if health.is_none() {
        warnings.push("GET /health was not answered".to_owned());
    }
    let mut report = Report {
        version: REPORT_VERSION.to_owned(),
        timestamp: settings.now,
        api_url: without_secrets(&settings.api_url),
        health,
        ground_truth: settings.ground_truth.clone(),
        ground_truth_version: truth.version.clone(),
        timeout_seconds: settings.timeout.as_secs_f64(),
        similarity_threshold: settings.thresholds.similarity,
        overlap_threshold: settings.thresholds.overlap,
        required_accuracy: REQUIRED_ACCURACY,
        concurrency: settings.concurrency,
        is_interrupted,
        duration_seconds: started.elapsed().as_secs_f64(),
        summary,
        warnings,
        regression: None,
        trend: settings.trend.as_ref().map(|(folder, last)| files::trend(folder, *last)).unwrap_or_default(),
        results: results.to_vec(),
    };
    if let (Some(before), Some(path)) = (before, &settings.baseline) {
        report.regression = Some(baseline::compare(&report, before, &path.display().to_string()));
    }
    report
}

/// Evaluates the reply to a question.
fn evaluate(question: &Question, reply: Reply, thresholds: Thresholds, manifest: Option<&Manifest>) -> QuestionResult {
    let verdict = match reply.outcome {
        Outcome::Answer(answer) => Verdict::of_answer(question, &answer, thresholds, manifest),
        Outcome::Broken(why) => Verdict::malformed(why),
        Outcome::Refused { code, message } => {
            // By the contract a response without a citation is this error: a server has no other way to say that the
            // documents do not answer the question.
            let is_right = question.expected_answer.is_none() && code == "CITATION_REQUIRED";
            Verdict::without_answer(if is_right { Status::Pass } else { Status::Error }, code, message)
        }
        Outcome::Failed { code, message } => Verdict::without_answer(Status::Error, code.to_owned(), message),
    };
    QuestionResult {
        id: question.id.clone(),
        category: question.category.clone(),
        question: question.question.clone(),
        expected_answer: question.expected_answer.clone(),
        status: verdict.status,
        citation_status: verdict.citation_status,
        answer: verdict.answer,
        similarity: verdict.similarity,
        overlap: verdict.overlap,
        citations: verdict.citations,
        is_expected_document: verdict.is_expected_document,
        latency_ms: reply.latency.map(|latency| latency.as_secs_f64() * 1000.0),
        http_status: reply.http_status,
        error: verdict.error,
        message: verdict.message,
        attempts: reply.attempts,
    }
}

/// What is found about one reply; the fields are those of [`QuestionResult`].
struct Verdict {
    status: Status,
    citation_status: Option<CitationStatus>,
    answer: Option<String>,
    similarity: f64,
    overlap: f64,
    citations: Vec<Citation>,
    is_expected_document: Option<bool>,
    error: Option<String>,
    message: Option<String>,
}

impl Verdict {
    fn without_answer(status: Status, error: String, message: String) -> Self {
        Self {
            status,
            citation_status: None,
            answer: None,
            similarity: 0.0,
            overlap: 0.0,
            citations: Vec::new(),
            is_expected_document: None,
            error: Some(error),
            message: Some(message),
        }
    }

    /// A malformed answer: status 200 without a valid answer violates the contract.
    fn malformed(why: String) -> Self {
        let citation_status = Some(CitationStatus::Invalid);
        Self { citation_status, ..Self::without_answer(Status::Fail, "INVALID_ANSWER".to_owned(), why) }
    }

    fn of_answer(question: &Question, answer: &Value, thresholds: Thresholds, manifest: Option<&Manifest>) -> Self {
        let malformed = |why: &str| Self::malformed(why.to_owned());
        let Some(fields) = answer.as_object() else { return malformed("the answer is no object") };
        let text = match fields.get("answer") {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            Some(Value::String(_)) => return malformed("the field answer is empty"),
            Some(_) => return malformed("the field answer is no text"),
            None => return malformed("the field answer is missing"),
        };
        let CheckedCitations { status, citations } = check(fields.get("citations"), manifest);
        let is_expected = |citation: &Citation| {
            question.citations.iter().any(|(document, _)| citation.document.as_ref() == Some(document))
        };
        let is_expected_document = (!question.citations.is_empty()).then(|| citations.iter().any(is_expected));
        let compared = compare(text, &question.accepted(), thresholds);
        let is_right = if question.expected_answer.is_some() { compared.is_match } else { admits_no_answer(text) };
        let is_cited = !question.citation_required || status == CitationStatus::Present;
        let message = match (is_right, is_cited) {
            (false, _) if compared.is_contradicted => {
                Some("the answer denies what was expected, or the other way round")
            }
            (false, _) => Some("the answer is not what was expected"),
            (true, false) => Some("the answer is right, but its citations are not"),
            (true, true) => None,
        };
        Self {
            status: if is_right && is_cited { Status::Pass } else { Status::Fail },
            citation_status: Some(status),
            answer: Some(stored_answer(text)),
            similarity: compared.similarity,
            overlap: compared.overlap,
            citations,
            is_expected_document,
            error: None,
            message: message.map(str::to_owned),
        }
    }
}

/// Returns whether an answer states that the documents do not contain the information.
fn admits_no_answer(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "not know",
        "n't know",
        "cannot answer",
        "can't answer",
        "no information",
        "not mentioned",
        "not stated",
        "not specified",
        "not contain",
        "does not say",
        "do not say",
        "not found",
    ];
    let lower = text.to_lowercase();
    WORDS.iter().any(|words| lower.contains(words))
}

/// Returns an answer as it is stored in the report: without control characters, at most 4,000 characters.
fn stored_answer(text: &str) -> String {
    const MAX_CHARS: usize = 4_000;
    text.split(['\n', '\r']).map(without_controls).collect::<Vec<_>>().join("\n").chars().take(MAX_CHARS).collect()
}
