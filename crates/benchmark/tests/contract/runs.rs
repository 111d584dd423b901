//! The course of a run: interruptions, slow and missing servers, progress.

use std::time::{Duration, Instant};

use aha_benchmark::matching::{Thresholds, compare};
use aha_benchmark::report::{QuestionResult, Status};
use aha_benchmark::table::table;
use aha_benchmark::{Settings, files, run};
use tokio::net::TcpListener;

use super::cases::{CASES, OK};
use super::server::Behaviour::Say;
use super::server::{case, serve};
use super::{EXPECTED, TWENTY, benchmark, settings, truth};

#[tokio::test]
async fn an_interrupt_keeps_what_is_done() {
    let mut names: Vec<&str> = TWENTY.to_vec();
    names.push("hang");
    let settings = Settings { concurrency: 1, timeout: Duration::from_mins(1), ..settings(serve(CASES).await) };
    let (stopped, stop) = tokio::sync::oneshot::channel::<()>();
    let mut stopped = Some(stopped);
    let progress = |_: &QuestionResult, done: usize, _: usize| {
        if done == 20 {
            drop(stopped.take());
        }
    };
    let stop = async {
        let _ = stop.await;
    };
    let report = run(&settings, &truth(&names, EXPECTED), None, progress, stop).await.unwrap();
    assert_eq!((report.results.len(), report.is_interrupted, report.is_passed()), (20, true, false));
    let folder = tempfile::tempdir().unwrap();
    let (json, html) = files::write(&report, folder.path()).unwrap();
    assert_eq!(json.file_name().unwrap(), "benchmark_20260921T141320Z.json");
    assert!(std::fs::read_to_string(html).unwrap().contains("interrupted"));
    assert_eq!(files::load(&json).unwrap(), report);
    let (second, _) = files::write(&report, folder.path()).unwrap();
    assert_ne!(second, json, "no report is written over another");
}

#[tokio::test]
async fn a_first_question_that_hangs_withholds_no_other_result() {
    let mut names = vec!["hang"];
    names.extend(TWENTY);
    let settings = Settings { concurrency: 2, timeout: Duration::from_mins(1), ..settings(serve(CASES).await) };
    let (stopped, stop) = tokio::sync::oneshot::channel::<()>();
    let mut stopped = Some(stopped);
    let progress = |result: &QuestionResult, done: usize, _: usize| {
        assert_ne!(result.id, "hang");
        if done == 20 {
            drop(stopped.take());
        }
    };
    let stop = async {
        let _ = stop.await;
    };
    let truth = truth(&names, EXPECTED);
    let running = run(&settings, &truth, None, progress, stop);
    let report = tokio::time::timeout(Duration::from_secs(30), running).await.unwrap().unwrap();
    let kept: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!((kept.as_slice(), report.is_interrupted), (&TWENTY[..], true));
}

#[tokio::test]
async fn the_comparison_of_a_long_answer_counts_as_no_latency_of_others() {
    let (expected, answer) = ("ebb tide ".repeat(2_200), "flood water ".repeat(1_600));
    let started = Instant::now();
    let _ = compare(&answer, std::slice::from_ref(&expected), Thresholds::default());
    let comparison_ms = started.elapsed().as_secs_f64() * 1000.0;
    let body = format!(r#"{{"answer":"{answer}","citations":[]}}"#);
    let long = case("long", Say(OK, Box::leak(body.into_boxed_str())), Status::Fail, None, None, 1);
    let mut names = vec!["long"];
    names.extend(TWENTY);
    let settings = Settings { timeout: Duration::from_mins(1), ..settings(serve(&[long]).await) };
    let fields = format!("  expected_answer: {}\n  citation_required: false", expected.trim());
    let report = benchmark(&settings, &truth(&names, &fields), None).await;
    let others = report.results.iter().filter(|result| result.id != "long").filter_map(|result| result.latency_ms);
    let slowest_ms = others.fold(0.0, f64::max);
    assert!(slowest_ms < comparison_ms / 2.0, "{slowest_ms} ms, and a comparison takes {comparison_ms} ms");
}

#[tokio::test]
async fn progress_follows_the_answers_and_the_report_the_questions() {
    let mut names = vec!["hang-once"];
    names.extend(TWENTY);
    let mut finished = Vec::new();
    let progress = |result: &QuestionResult, _: usize, _: usize| finished.push(result.id.clone());
    let (settings, truth) = (settings(serve(CASES).await), truth(&names, EXPECTED));
    let report = run(&settings, &truth, None, progress, std::future::pending()).await.unwrap();
    let order: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(order, names);
    assert_eq!(finished.len(), 21);
    assert_ne!(finished[0], "hang-once");
}

#[tokio::test]
async fn a_server_that_is_gone_is_an_error_a_question_and_no_crash() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let report = benchmark(&settings(format!("http://{gone}").parse().unwrap()), &truth(&TWENTY, EXPECTED), None).await;
    assert_eq!((report.summary.errors, report.health.as_deref()), (20, None));
    assert!(report.results.iter().all(|result| result.attempts == 2));
    let shown = table(&report);
    assert!(shown.contains("Latency     – (no question was answered)") && !shown.contains(" 0 ms"), "{shown}");
}
