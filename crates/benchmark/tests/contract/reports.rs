//! What is made of a run's results: files, comparisons with earlier reports, pages and tables.

use aha_benchmark::report::Status;
use aha_benchmark::statistics::Latency;
use aha_benchmark::{Settings, files};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::cases::{CASES, OK};
use super::server::Behaviour::Say;
use super::server::{Case, case, serve};
use super::{EXPECTED, TWENTY, benchmark, settings, truth};

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
async fn no_report_is_written_over_one_of_the_same_second() {
    let folder = tempfile::tempdir().unwrap();
    let report = benchmark(&settings(serve(CASES).await), &truth(&TWENTY, EXPECTED), None).await;
    let mut paths: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8).map(|_| scope.spawn(|| files::write(&report, folder.path()).unwrap().0)).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 8, "{paths:?}");
    assert!(paths.iter().all(|path| files::load(path).unwrap() == report && path.with_extension("html").exists()));
    std::fs::remove_file(&paths[0]).unwrap();
    assert!(!paths.contains(&files::write(&report, folder.path()).unwrap().0), "its page is still there");
}

#[tokio::test]
async fn the_query_of_the_address_is_sent_and_no_secret_of_it_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sent, mut received) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let _ = sent.send(request.lines().next().unwrap_or_default().to_owned());
        }
    });
    let api = format!("http://somebody:passw0rd@{address}/?api_key=k3y").parse().unwrap();
    let report = benchmark(&settings(api), &truth(&TWENTY, EXPECTED), None).await;
    let mut requests = Vec::new();
    while let Ok(request) = received.try_recv() {
        requests.push(request);
    }
    for expected in ["GET /health?api_key=k3y ", "POST /ask?api_key=k3y "] {
        assert!(requests.iter().any(|request| request.starts_with(expected)), "{expected}: {requests:?}");
    }
    assert_eq!(report.api_url, format!("http://{address}/"));
    assert_eq!(report.results[0].error.as_deref(), Some("CONNECTION_ERROR"));
    let table = aha_benchmark::table::table(&report);
    for text in [serde_json::to_string(&report).unwrap(), aha_benchmark::html::page(&report), table] {
        assert!(!["somebody", "passw0rd", "k3y"].iter().any(|secret| text.contains(secret)), "{text}");
    }
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
async fn without_an_answer_in_the_baseline_no_change_of_the_latency_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let api = serve(CASES).await;
    let mut before = benchmark(&settings(api.clone()), &truth(&TWENTY, EXPECTED), None).await;
    before.summary.latency = Latency::default();
    let (path, _) = files::write(&before, folder.path()).unwrap();
    let report = benchmark(&Settings { baseline: Some(path), ..settings(api) }, &truth(&TWENTY, EXPECTED), None).await;
    assert_eq!(report.regression.as_ref().unwrap().p95_change_ms, None);
    let table = aha_benchmark::table::table(&report);
    assert!(table.contains("p95 –, coverage"), "{table}");
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
