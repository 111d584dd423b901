//! Renders a report as text for a terminal. Control characters were removed from all of its text before.

use std::fmt::Write as _;

use crate::report::{QuestionResult, Report, Status};
use crate::statistics::Latency;

/// Returns the questions that did not pass, followed by the figures.
#[must_use]
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    failures(&mut out, report);
    figures(&mut out, report);
    comparisons(&mut out, report);
    out
}

fn failures(out: &mut String, report: &Report) {
    let failed: Vec<&QuestionResult> = report.results.iter().filter(|r| r.status != Status::Pass).collect();
    if failed.is_empty() {
        return;
    }
    let width = failed.iter().map(|result| result.id.chars().count()).max().unwrap_or(0).max(2);
    let _ = writeln!(out, "{:width$}  status  citation  similar  overlap  what is wrong", "id");
    for result in failed {
        let citation = result.citation_status.map_or("-", citation_word);
        let what = [result.error.as_deref(), result.message.as_deref()];
        let what = what.into_iter().flatten().collect::<Vec<_>>().join(": ");
        let (id, status) = (&result.id, status_word(result.status));
        let (similarity, overlap) = (result.similarity, result.overlap);
        let _ = writeln!(out, "{id:width$}  {status:6}  {citation:8}  {similarity:7.2}  {overlap:7.2}  {what}");
    }
    out.push('\n');
}

fn line(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "{name:12}{text}");
}

fn figures(out: &mut String, report: &Report) {
    let (summary, percent) = (&report.summary, |share: f64| share * 100.0);
    line(out, "Questions", &format!("{} asked of {}", summary.completed, summary.questions));
    let verdict = if summary.accuracy >= report.required_accuracy { "enough" } else { "too few" };
    let counts = format!("{} PASS, {} FAIL, {} ERROR", summary.passed, summary.failed, summary.errors);
    let (accuracy, required) = (percent(summary.accuracy), percent(report.required_accuracy));
    line(out, "Accuracy", &format!("{accuracy:.1} %, {verdict} ({counts}; {required:.0} % required)"));
    for (category, group) in &summary.by_category {
        let accuracy = percent(group.accuracy);
        line(out, "", &format!("{accuracy:5.1} %  {} of {}  {category}", group.passed, group.questions));
    }
    let cited = &summary.citations;
    let counts = format!("{} PRESENT, {} MISSING, {} INVALID", cited.present, cited.missing, cited.invalid);
    let (coverage, validity) = (percent(cited.coverage), percent(cited.validity));
    line(out, "Citations", &format!("{counts}; coverage {coverage:.1} %, validity {validity:.1} %"));
    line(out, "Latency", &latency(&summary.latency));
    report.warnings.iter().for_each(|warning| line(out, "Warning", warning));
}

fn latency(latency: &Latency) -> String {
    if latency.count == 0 {
        return "– (no question was answered)".to_owned();
    }
    let Latency { p50, p95, p99, mean, median, std, .. } = latency;
    let spread = format!("mean {mean:.0} ms, median {median:.0} ms, std {std:.0} ms");
    format!("p50 {p50:.0} ms, p95 {p95:.0} ms, p99 {p99:.0} ms, {spread}")
}

fn comparisons(out: &mut String, report: &Report) {
    if let Some(regression) = &report.regression {
        let (accuracy, coverage) = (regression.accuracy_change * 100.0, regression.coverage_change * 100.0);
        let p95 = regression.p95_change_ms.map_or_else(|| "–".to_owned(), |change| format!("{change:+.0} ms"));
        let change = format!("accuracy {accuracy:+.1} points, p95 {p95}, coverage {coverage:+.1} points");
        line(out, "Baseline", &change);
        regression.regressions.iter().for_each(|what| line(out, "Regression", what));
        if !regression.newly_failing.is_empty() {
            line(out, "", &format!("passed then, and not now: {}", regression.newly_failing.join(", ")));
        }
    }
    for point in &report.trend {
        let at = point.timestamp.format("%Y-%m-%d %H:%M");
        let (accuracy, coverage) = (point.accuracy * 100.0, point.citation_coverage * 100.0);
        let p95 = point.p95_ms;
        line(out, "Before", &format!("{at}  accuracy {accuracy:5.1} %  p95 {p95:6.0} ms  coverage {coverage:5.1} %"));
    }
}

pub(crate) const fn citation_word(status: crate::citations::CitationStatus) -> &'static str {
    match status {
        crate::citations::CitationStatus::Present => "PRESENT",
        crate::citations::CitationStatus::Missing => "MISSING",
        crate::citations::CitationStatus::Invalid => "INVALID",
    }
}

pub(crate) const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Error => "ERROR",
    }
}
