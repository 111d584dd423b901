//! The results of a benchmark, as they are stored and displayed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::citations::{Citation, CitationStatus};
use crate::statistics::{Latency, SLOW_P95_MS, share};

/// Minimum share of questions that must pass.
pub const REQUIRED_ACCURACY: f64 = 0.8;

/// Version of the report's file format.
pub const REPORT_VERSION: &str = "1.0";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// The answer is correct, and has valid citations if they are required.
    Pass,
    Fail,
    /// No answer was received, or the server answered with an error.
    Error,
}

/// The result of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionResult {
    pub id: String,
    pub category: String,
    pub question: String,
    pub expected_answer: Option<String>,
    pub status: Status,
    /// `None` if there was no answer with citations to check.
    pub citation_status: Option<CitationStatus>,
    pub answer: Option<String>,
    pub similarity: f64,
    pub overlap: f64,
    pub citations: Vec<Citation>,
    /// Whether at least one document that the ground truth lists for the question was cited. `None` if it lists none
    /// or there was no answer.
    pub is_expected_document: Option<bool>,
    /// From the start of the request to its whole response; of a retried question, of the request that was answered.
    pub latency_ms: Option<f64>,
    pub http_status: Option<u16>,
    /// The contract's error code, or the kind of fault in a malformed answer.
    pub error: Option<String>,
    pub message: Option<String>,
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Citations {
    pub present: usize,
    pub missing: usize,
    pub invalid: usize,
    /// Share of the answers with at least one citation.
    pub presence: f64,
    /// Share of all citations that are valid.
    pub validity: f64,
    /// Share of the answers that have citations, all of them valid.
    pub coverage: f64,
    /// Number of distinct documents that were cited.
    pub documents: usize,
    /// Share of the manifest's documents that were cited. `None` without a manifest.
    pub manifest_coverage: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Group {
    pub questions: usize,
    pub passed: usize,
    pub accuracy: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub questions: usize,
    pub completed: usize,
    pub passed: usize,
    pub failed: usize,
    pub errors: usize,
    /// Passed questions as a share of the completed ones.
    pub accuracy: f64,
    pub latency: Latency,
    pub citations: Citations,
    pub by_category: BTreeMap<String, Group>,
}

/// A complete benchmark report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub version: String,
    pub timestamp: DateTime<Utc>,
    pub api_url: String,
    /// The status reported by `GET /health`.
    pub health: Option<String>,
    pub ground_truth: String,
    pub ground_truth_version: String,
    pub timeout_seconds: f64,
    pub similarity_threshold: f64,
    pub overlap_threshold: f64,
    pub required_accuracy: f64,
    pub concurrency: usize,
    pub is_interrupted: bool,
    pub duration_seconds: f64,
    pub summary: Summary,
    pub warnings: Vec<String>,
    #[serde(default)]
    pub regression: Option<Regression>,
    #[serde(default)]
    pub trend: Vec<TrendPoint>,
    pub results: Vec<QuestionResult>,
}

/// What changed since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    pub baseline: String,
    pub accuracy_change: f64,
    /// `None` if no question was answered now or in the baseline.
    pub p95_change_ms: Option<f64>,
    pub coverage_change: f64,
    /// Questions that passed in the baseline and do not now.
    pub newly_failing: Vec<String>,
    /// Questions that pass now and did not in the baseline.
    pub newly_passing: Vec<String>,
    /// Messages about every figure that got worse by more than the tolerance.
    pub regressions: Vec<String>,
}

/// An earlier benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendPoint {
    pub file: String,
    pub timestamp: DateTime<Utc>,
    pub accuracy: f64,
    pub p95_ms: f64,
    pub citation_coverage: f64,
}

impl Report {
    /// Returns whether enough questions passed. An interrupted benchmark never passes.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        !self.is_interrupted && self.summary.accuracy >= REQUIRED_ACCURACY
    }
}

/// Summarises the results of the questions that were asked. `documents` is the number of documents in the manifest.
pub(crate) fn summarise(results: &[QuestionResult], questions: usize, documents: Option<usize>) -> Summary {
    let count = |status: Status| results.iter().filter(|result| result.status == status).count();
    let latencies: Vec<f64> = results.iter().filter_map(|result| result.latency_ms).collect();
    let mut by_category: BTreeMap<String, Group> = BTreeMap::new();
    for result in results {
        let group = by_category.entry(result.category.clone()).or_default();
        group.questions += 1;
        group.passed += usize::from(result.status == Status::Pass);
        group.accuracy = share(group.passed, group.questions);
    }
    let passed = count(Status::Pass);
    Summary {
        questions,
        completed: results.len(),
        passed,
        failed: count(Status::Fail),
        errors: count(Status::Error),
        accuracy: share(passed, results.len()),
        latency: Latency::of(&latencies),
        citations: citations(results, documents),
        by_category,
    }
}

fn citations(results: &[QuestionResult], documents: Option<usize>) -> Citations {
    let count = |status| results.iter().filter(|result| result.citation_status == Some(status)).count();
    let [present, missing, invalid] =
        [CitationStatus::Present, CitationStatus::Missing, CitationStatus::Invalid].map(count);
    let all: Vec<&Citation> = results.iter().flat_map(|result| &result.citations).collect();
    let whole = all.iter().filter(|citation| citation.problems.is_empty());
    let mut cited: Vec<&str> = whole.clone().filter_map(|citation| citation.document.as_deref()).collect();
    cited.sort_unstable();
    cited.dedup();
    let answers = present + missing + invalid;
    Citations {
        present,
        missing,
        invalid,
        presence: share(present + invalid, answers),
        validity: share(whole.count(), all.len()),
        coverage: share(present, answers),
        documents: cited.len(),
        manifest_coverage: documents.map(|documents| share(cited.len(), documents)),
    }
}

/// Returns warnings about slow answers, invalid citations and errors.
pub(crate) fn warnings(summary: &Summary) -> Vec<String> {
    let mut warnings = Vec::new();
    if summary.latency.p95 > SLOW_P95_MS {
        warnings
            .push(format!("the 95th percentile of the latency is {:.1} s, above 10 s", summary.latency.p95 / 1000.0));
    }
    if summary.citations.invalid > 0 {
        warnings.push(format!("answers with malformed or unknown citations: {}", summary.citations.invalid));
    }
    if summary.errors > 0 {
        warnings.push(format!("questions that ended in an error: {}", summary.errors));
    }
    warnings
}
