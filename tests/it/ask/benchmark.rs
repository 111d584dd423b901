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

#[test]
fn a_value_that_cannot_be_used_is_named_with_what_is_allowed_before_anything_is_asked() {
    let truth = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/ask/ground_truth.yaml");
    let validate = ["benchmark", "--validate-only", "--ground-truth", truth];
    let radar = || Radar::at("2026-11-19T07:00:00Z");
    radar().run(&validate).exits(0);
    for (variable, value, allowed) in [
        ("BENCHMARK_TIMEOUT", "abc", "a number of seconds above 0"),
        ("BENCHMARK_TIMEOUT", "0", "a number of seconds above 0"),
        ("BENCHMARK_THRESHOLD", "2", "a number from 0 to 1"),
        ("BENCHMARK_API_URL", "x", "an http(s) URL"),
        ("BENCHMARK_API_URL", "ftp://h/", "an http(s) URL"),
    ] {
        let said = format!("{variable}={value:?} cannot be used: it expects {allowed}");
        radar().with(variable, value).run(&validate).exits(2).says(&said);
        radar().with(variable, value).run(&["benchmark", "--ground-truth", truth]).exits(2).says(&said);
    }
    let both = radar().with("BENCHMARK_TIMEOUT", "0").with("BENCHMARK_THRESHOLD", "2").run(&validate).exits(2);
    both.says("BENCHMARK_TIMEOUT=").says("BENCHMARK_THRESHOLD=");
    radar().run(&[&validate[..], &["--timeout", "0"]].concat()).exits(2).says("--timeout=\"0\" cannot be used");
    let secret = radar().with("BENCHMARK_API_URL", "ftp://u:hush@h/").run(&validate).exits(2);
    assert!(!secret.stderr.contains("hush"), "{}", secret.stderr);
}

#[test]
fn a_file_that_is_missing_is_named_without_a_line() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let refused = radar.run(&["benchmark", "--ground-truth", "nope.yaml"]).exits(2);
    assert!(refused.stderr.contains("nope.yaml cannot be read: "), "{}", refused.stderr);
    assert!(!refused.stderr.contains("line 0"), "{}", refused.stderr);
}
