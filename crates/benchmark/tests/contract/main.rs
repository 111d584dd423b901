//! The benchmark against a server made from the contract alone, which honours it and breaks it in as many ways as a
//! question names.

#![expect(clippy::unwrap_used, reason = "a failed test is the report, in its helpers too")]

mod cases;
mod reports;
mod runs;
mod server;
mod verdicts;

use std::time::Duration;

use aha_benchmark::ground_truth::GroundTruth;
use aha_benchmark::manifest::Manifest;
use aha_benchmark::matching::Thresholds;
use aha_benchmark::report::{QuestionResult, Report};
use aha_benchmark::{Settings, run};
use chrono::{DateTime, Utc};

const TWENTY: [&str; 20] =
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];

fn truth(names: &[&str], fields: &str) -> GroundTruth {
    let question = |name: &&str| format!("- id: {name}\n  category: harbour\n  question: {name}?\n{fields}\n");
    let questions: Vec<String> = names.iter().map(question).collect();
    GroundTruth::parse(&format!("version: '1.0'\nquestions:\n{}", questions.concat())).unwrap()
}

const EXPECTED: &str =
    "  expected_answer: seven mooring rings\n  citations: [{document: Harbour.md, section: Mooring}]";

fn settings(api_url: url::Url) -> Settings {
    Settings {
        api_url,
        token: None,
        timeout: Duration::from_millis(400),
        thresholds: Thresholds::default(),
        concurrency: 8,
        ground_truth: "truth.yaml".to_owned(),
        baseline: None,
        trend: None,
        now: DateTime::<Utc>::from_timestamp(1_790_000_000, 0).unwrap(),
    }
}

async fn benchmark(settings: &Settings, truth: &GroundTruth, manifest: Option<&Manifest>) -> Report {
    run(settings, truth, manifest, |_, _, _| {}, std::future::pending()).await.unwrap()
}

fn found<'r>(report: &'r Report, id: &str) -> &'r QuestionResult {
    report.results.iter().find(|result| result.id == id).unwrap()
}
