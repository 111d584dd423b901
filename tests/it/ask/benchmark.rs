//! `benchmark`, before it asks anything and with a server that cannot be reached.

use crate::support::radar::Radar;

#[test]
fn a_ground_truth_with_mistakes_is_refused_before_anything_is_asked() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let path = radar.folder().join("truth.yaml");
    std::fs::write(&path, "version: '1'\nquestions:\n- id: A\n  category: c\n  question: Q?\n").unwrap();
    let path = path.to_str().unwrap();
    let refused = radar.run(&["benchmark", "--validate-only", "--ground-truth", path]).exits(2);
    refused.says("at least 20").says("A: expected_answer is missing");
}

#[test]
fn a_results_folder_that_cannot_be_written_is_refused_before_anything_is_asked() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let file = radar.folder().join("file");
    std::fs::write(&file, "").unwrap();
    let results = file.join("results");
    let truth = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/ask/ground_truth.yaml");
    // Nothing listens there: each of the questions would be an error.
    let server = ["--api-url", "http://127.0.0.1:9", "--concurrency", "64"];
    let arguments = ["benchmark", "--ground-truth", truth, "--results-dir", results.to_str().unwrap()];
    radar.run(&[&arguments[..], &server[..]].concat()).exits(2).says("cannot be written").says("--results-dir");
}

#[test]
fn a_benchmark_waits_as_long_as_the_contract_says() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let truth = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/ask/ground_truth.yaml");
    // Nothing listens there.
    let server = ["--api-url", "http://127.0.0.1:9", "--concurrency", "64", "--json"];
    let report = radar.run(&[&["benchmark", "--ground-truth", truth], &server[..]].concat()).exits(1).json();
    assert_eq!(report["timeout_seconds"], 5.0);
}
