//! Which answers pass, fail or are errors.

use aha_benchmark::citations::CitationStatus::Invalid;
use aha_benchmark::manifest::Manifest;
use aha_benchmark::report::Status;

use super::cases::CASES;
use super::server::serve;
use super::{EXPECTED, TWENTY, benchmark, found, settings, truth};

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
    // By the contract, from the start of a request to its response: the first one, silent until the timeout of 400 ms,
    // and the pause of 500 ms after it are no part of it.
    assert!(found(&report, "hang-once").latency_ms.unwrap() < 900.0);
    assert_eq!(found(&report, "good").is_expected_document, Some(true));
    assert_eq!(found(&report, "wrong").is_expected_document, Some(false));
}

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
