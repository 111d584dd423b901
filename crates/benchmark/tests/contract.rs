//! The benchmark against a server made from the contract alone, which honours it and breaks it in as many ways as a
//! question names.

#![expect(clippy::unwrap_used, reason = "a failed test is the report, in its helpers too")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aha_benchmark::citations::CitationStatus::{Invalid, Missing, Present};
use aha_benchmark::ground_truth::GroundTruth;
use aha_benchmark::manifest::Manifest;
use aha_benchmark::matching::Thresholds;
use aha_benchmark::report::{QuestionResult, Report, Status};
use aha_benchmark::{Settings, files, run};
use chrono::{DateTime, Utc};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const GOOD: &str = r#"{"answer":"Seven mooring rings.","citations":[{"document":"Harbour.md","section":"Mooring","relevance_score":0.9}]}"#;

/// What the server does with a question that is its name: status line and body, or something worse.
#[derive(Clone, Copy)]
enum Behaviour {
    Say(&'static str, &'static str),
    Hang,
    Close,
    /// Promises more than it sends.
    Cut,
    /// Sends byte by byte, for longer than anybody waits.
    Drip,
    Huge,
    NoHttp,
    /// Closes the connection at the first attempt, answers at the second.
    CloseOnce,
    /// Is silent at the first attempt.
    HangOnce,
}

use Behaviour::{Close, CloseOnce, Cut, Drip, Hang, HangOnce, Huge, NoHttp, Say};
use Status::{Error, Fail, Pass};

#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    behaviour: Behaviour,
    status: Status,
    citation: Option<aha_benchmark::citations::CitationStatus>,
    error: Option<&'static str>,
    attempts: u32,
}

const fn case(
    name: &'static str,
    behaviour: Behaviour,
    status: Status,
    citation: Option<aha_benchmark::citations::CitationStatus>,
    error: Option<&'static str>,
    attempts: u32,
) -> Case {
    Case { name, behaviour, status, citation, error, attempts }
}

const OK: &str = "200 OK";

const BROKEN: Option<&str> = Some("INVALID_ANSWER");

const CASES: &[Case] = &[
    case("good", Say(OK, GOOD), Pass, Some(Present), None, 1),
    case(
        "unknown-fields",
        Say(
            OK,
            r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","page":3}],"model":"x","usage":{}}"#,
        ),
        Pass,
        Some(Present),
        None,
        1,
    ),
    case(
        "no-score",
        Say(
            OK,
            r#"{"answer":"There are seven mooring rings, three of them old.","citations":[{"document":"H","section":"M"}]}"#,
        ),
        Pass,
        Some(Present),
        None,
        1,
    ),
    case(
        "wrong",
        Say(OK, r#"{"answer":"Nine bollards.","citations":[{"document":"H","section":"M"}]}"#),
        Fail,
        Some(Present),
        None,
        1,
    ),
    case(
        "empty-citations",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[]}"#),
        Fail,
        Some(Missing),
        None,
        1,
    ),
    case("no-citations", Say(OK, r#"{"answer":"seven mooring rings"}"#), Fail, Some(Missing), None, 1),
    case(
        "null-citations",
        Say(OK, r#"{"answer":"seven mooring rings","citations":null}"#),
        Fail,
        Some(Missing),
        None,
        1,
    ),
    case(
        "citations-text",
        Say(OK, r#"{"answer":"seven mooring rings","citations":"Harbour.md"}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "no-section",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "one-of-two",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M"},{"section":"M"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "empty-document",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":" ","section":"M"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "score-above-1",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","relevance_score":7}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "score-text",
        Say(
            OK,
            r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","relevance_score":"1"}]}"#,
        ),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "number-citation",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[7]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case("no-answer", Say(OK, r#"{"citations":[{"document":"H","section":"M"}]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("answer-number", Say(OK, r#"{"answer":7,"citations":[]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("answer-blank", Say(OK, r#"{"answer":" ","citations":[]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("array", Say(OK, "[1,2]"), Fail, Some(Invalid), BROKEN, 1),
    case("no-json", Say(OK, "seven mooring rings"), Fail, Some(Invalid), BROKEN, 1),
    case("half-json", Say(OK, r#"{"answer":"seven"#), Fail, Some(Invalid), BROKEN, 1),
    case("no-body", Say(OK, ""), Fail, Some(Invalid), BROKEN, 1),
    case(
        "not-utf-8",
        Say(OK, "{\"answer\":\"seven mooring rings\",\"citations\":[\u{0}]}"),
        Fail,
        Some(Invalid),
        BROKEN,
        1,
    ),
    case("huge", Huge, Fail, Some(Invalid), BROKEN, 1),
    case(
        "citation-required",
        Say("400 Bad Request", r#"{"error":"CITATION_REQUIRED","message":"no source"}"#),
        Error,
        None,
        Some("CITATION_REQUIRED"),
        1,
    ),
    case(
        "invalid-request",
        Say("400 Bad Request", r#"{"error":"INVALID_REQUEST","message":"no"}"#),
        Error,
        None,
        Some("INVALID_REQUEST"),
        1,
    ),
    case(
        "timeout-code",
        Say("504 Gateway Timeout", r#"{"error":"TIMEOUT","message":"late"}"#),
        Error,
        None,
        Some("TIMEOUT"),
        1,
    ),
    case(
        "new-code",
        Say("429 Too Many Requests", r#"{"error":"SLOW_DOWN","message":"later"}"#),
        Error,
        None,
        Some("INTERNAL_ERROR"),
        1,
    ),
    case("server-error", Say("500 Internal Server Error", "<html>oops</html>"), Error, None, Some("INTERNAL_ERROR"), 1),
    case("not-found", Say("404 Not Found", ""), Error, None, Some("INTERNAL_ERROR"), 1),
    case("redirect", Say("302 Found", ""), Error, None, Some("INTERNAL_ERROR"), 1),
    case("created", Say("201 Created", GOOD), Error, None, Some("INTERNAL_ERROR"), 1),
    case("hang", Hang, Error, None, Some("TIMEOUT"), 2),
    case("drip", Drip, Error, None, Some("TIMEOUT"), 2),
    case("close", Close, Error, None, Some("CONNECTION_ERROR"), 2),
    case("cut", Cut, Error, None, Some("CONNECTION_ERROR"), 2),
    case("no-http", NoHttp, Error, None, Some("CONNECTION_ERROR"), 2),
    case("close-once", CloseOnce, Pass, Some(Present), None, 2),
    case("hang-once", HangOnce, Pass, Some(Present), None, 2),
];

/// Serves until the runtime ends; returns its address.
async fn serve(cases: &[Case]) -> url::Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let cases: Arc<HashMap<&str, Case>> = Arc::new(cases.iter().map(|case| (case.name, *case)).collect());
    let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(answer(stream, Arc::clone(&cases), Arc::clone(&seen)));
        }
    });
    format!("http://{address}/").parse().unwrap()
}

async fn answer(mut stream: TcpStream, cases: Arc<HashMap<&str, Case>>, seen: Arc<Mutex<HashMap<String, usize>>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let body = loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        if text.starts_with("GET /health") {
            return say(&mut stream, OK, r#"{"status":"ok"}"#).await;
        }
        assert!(text.starts_with("POST /ask "), "{text}");
        if let Some((_, body)) = text.split_once("\r\n\r\n").filter(|(_, body)| body.ends_with('}')) {
            break body.to_owned();
        }
    };
    let question: serde_json::Value = serde_json::from_str(&body).unwrap();
    let name = question["question"].as_str().unwrap().trim_end_matches('?').to_owned();
    let attempt = {
        let mut seen = seen.lock().unwrap();
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        *count
    };
    let behaviour = cases.get(name.as_str()).map_or(Say(OK, GOOD), |case| case.behaviour);
    match behaviour {
        CloseOnce | HangOnce if attempt > 1 => say(&mut stream, OK, GOOD).await,
        Say(status, body) => say(&mut stream, status, body).await,
        Huge => say(&mut stream, OK, &format!(r#"{{"answer":"{}","citations":[]}}"#, "x".repeat(6_000_000))).await,
        Cut => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"answer\":").await;
        }
        NoHttp => {
            let _ = stream.write_all(b"SSH-2.0-harbour\r\n").await;
        }
        Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n").await;
            for _ in 0..100 {
                tokio::time::sleep(Duration::from_millis(50)).await;
                if stream.write_all(b" ").await.is_err() {
                    return;
                }
            }
        }
        Hang | HangOnce => tokio::time::sleep(Duration::from_mins(1)).await,
        Close | CloseOnce => {}
    }
}

async fn say(stream: &mut TcpStream, status: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body.as_bytes()).await;
}

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

#[tokio::test]
async fn a_server_that_breaks_the_contract_gets_the_right_verdict_for_each_way() {
    let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
    let report = benchmark(&settings(serve(CASES).await), &truth(&names, EXPECTED), None).await;
    assert_eq!((report.results.len(), report.health.as_deref()), (names.len(), Some("ok")));
    for case in CASES {
        let result = found(&report, case.name);
        let verdict = (result.status, result.citation_status, result.error.as_deref(), result.attempts);
        assert_eq!(verdict, (case.status, case.citation, case.error, case.attempts), "{}: {result:?}", case.name);
    }
    let order: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(order, names, "the results stand in the order of the questions");
    let summary = &report.summary;
    assert_eq!(summary.passed + summary.failed + summary.errors, names.len());
    assert!(!report.is_passed());
    assert!(found(&report, "hang").latency_ms.is_none() && found(&report, "good").latency_ms.is_some());
    assert_eq!(found(&report, "good").is_expected_document, Some(true));
    assert_eq!(found(&report, "wrong").is_expected_document, Some(false));
}

const TWENTY: [&str; 20] =
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];

#[tokio::test]
async fn what_needs_no_citation_passes_without_and_what_is_unknown_is_to_be_refused() {
    let mut names = vec!["empty-citations", "citations-text", "citation-required"];
    names.extend(TWENTY);
    let without = format!("{EXPECTED}\n  citation_required: false");
    let report = benchmark(&settings(serve(CASES).await), &truth(&names, &without), None).await;
    assert_eq!(found(&report, "empty-citations").status, Status::Pass);
    assert_eq!(found(&report, "citation-required").status, Status::Error);
    let unknown = "  expected_answer: null\n  citation_required: false";
    let report = benchmark(&settings(serve(CASES).await), &truth(&names, unknown), None).await;
    assert_eq!(found(&report, "citation-required").status, Status::Pass);
    assert_eq!(found(&report, "a").status, Status::Fail);
}

#[tokio::test]
async fn a_manifest_uncovers_invented_documents() {
    let manifest = Manifest::parse("[{document: Harbour.md, sections: [Mooring]}, Tides.md]").unwrap();
    let mut names = vec!["no-score"];
    names.extend(TWENTY);
    let report = benchmark(&settings(serve(CASES).await), &truth(&names, EXPECTED), Some(&manifest)).await;
    let invented = found(&report, "no-score");
    assert_eq!((invented.status, invented.citation_status), (Status::Fail, Some(Invalid)));
    assert_eq!(report.summary.citations.manifest_coverage, Some(0.5));
    assert_eq!(report.summary.passed, 20);
    assert!(report.is_passed());
}

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

#[test]
fn a_folder_that_cannot_be_written_is_found_without_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("a/b");
    files::check_writable(&new).unwrap();
    assert_eq!(std::fs::read_dir(&new).unwrap().count(), 0);
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(files::check_writable(&folder.path().join("file/results")).is_err());
}

#[tokio::test]
async fn a_server_that_is_gone_is_an_error_a_question_and_no_crash() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let report = benchmark(&settings(format!("http://{gone}").parse().unwrap()), &truth(&TWENTY, EXPECTED), None).await;
    assert_eq!((report.summary.errors, report.health), (20, None));
    assert!(report.results.iter().all(|result| result.attempts == 2));
}

#[tokio::test]
async fn a_regression_and_a_trend_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let truth_of = |names: &[&str]| truth(names, EXPECTED);
    let api = serve(CASES).await;
    let before = benchmark(&settings(api.clone()), &truth_of(&TWENTY), None).await;
    let (path, _) = files::write(&before, folder.path()).unwrap();
    let worse = r#"{"answer":"none","citations":[]}"#;
    let worse: Vec<Case> =
        TWENTY[..5].iter().map(|name| case(name, Say(OK, worse), Status::Fail, None, None, 1)).collect();
    let settings =
        Settings { baseline: Some(path), trend: Some((folder.path().to_owned(), 3)), ..settings(serve(&worse).await) };
    let report = benchmark(&settings, &truth_of(&TWENTY), None).await;
    let regression = report.regression.as_ref().unwrap();
    assert_eq!(regression.newly_failing, ["a", "b", "c", "d", "e"]);
    assert!(regression.regressions[0].contains("100.0 % to 75.0 %"), "{regression:?}");
    assert_eq!((report.trend.len(), report.trend[0].accuracy), (1, 1.0));
    let table = aha_benchmark::table::table(&report);
    assert!(table.contains("75.0 %, too few") && table.contains("Regression"), "{table}");
}

#[tokio::test]
async fn what_a_server_says_cannot_reach_the_page_or_the_terminal() {
    let evil = r#"{"answer":"<script>alert(1)</script>\u001b[2Jseven","citations":[{"document":"<img src=x>","section":"\u001b]0;x\u0007"}]}"#;
    let evil: Vec<Case> = TWENTY.iter().map(|name| case(name, Say(OK, evil), Status::Fail, None, None, 1)).collect();
    let report = benchmark(&settings(serve(&evil).await), &truth(&TWENTY, EXPECTED), None).await;
    let page = aha_benchmark::html::page(&report);
    assert!(!page.contains("<script>") && !page.contains("<img src") && page.contains("&lt;script&gt;"));
    assert!(!page.contains('\u{1b}') && !aha_benchmark::table::table(&report).contains('\u{1b}'));
}
