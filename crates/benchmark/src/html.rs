//! Renders a report as one self-contained HTML page: figures, plots as SVG, and every question. All text in it is
//! escaped.

use std::fmt::Write as _;

use crate::report::{QuestionResult, Report, Status};
use crate::statistics::Latency;
use crate::table::{citation_word, status_word};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}\
table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{border-bottom:1px solid #ddd;padding:.35rem .5rem;text-align:left;vertical-align:top}\
.pass{color:#17692f}.fail{color:#a12318}.error{color:#8a5a00}.figures{display:flex;flex-wrap:wrap;gap:1rem}.figures div{border:1px solid #ddd;border-radius:.4rem;padding:.5rem 1rem}\
h1,p,td:nth-child(3),td:nth-child(4){overflow-wrap:anywhere}\
.figures b{display:block;font-size:1.5rem}svg{max-width:100%;height:auto}small{color:#555}\
@media(prefers-color-scheme:dark){body{background:#16181a;color:#e6e6e6}td,th,.figures div{border-color:#3a3d40}.pass{color:#6fcf8a}.fail{color:#ff8f83}.error{color:#f0bd62}small{color:#aaa}}";

/// Returns the whole page.
#[must_use]
pub fn page(report: &Report) -> String {
    let summary = &report.summary;
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Benchmark of {0}</title><style>{STYLE}</style></head><body>\n<main>\n<h1>Benchmark of {0}</h1>\n<p><small>{1}, {2} ({3}), timeout {4} s{5}</small></p>\n",
        escaped(&report.api_url),
        report.timestamp.format("%Y-%m-%d %H:%M UTC"),
        escaped(&report.ground_truth),
        escaped(&report.ground_truth_version),
        report.timeout_seconds,
        if report.is_interrupted { ", interrupted" } else { "" },
    );
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let (p95, spread) = latency(&summary.latency);
    out.push_str("<div class=\"figures\">\n");
    for (name, figure, note) in [
        ("accuracy", percent(summary.accuracy), format!("{} of {} passed", summary.passed, summary.completed)),
        (
            "citation coverage",
            percent(summary.citations.coverage),
            format!("{} invalid, {} missing", summary.citations.invalid, summary.citations.missing),
        ),
        (
            "citation validity",
            percent(summary.citations.validity),
            format!("{} documents cited", summary.citations.documents),
        ),
        ("latency p95", p95, spread),
    ] {
        let _ = writeln!(out, "<div>{name}<b>{figure}</b><small>{note}</small></div>");
    }
    out.push_str("</div>\n");
    for warning in report.warnings.iter().chain(report.regression.iter().flat_map(|regression| &regression.regressions))
    {
        let _ = writeln!(out, "<p class=\"error\">{}</p>", escaped(warning));
    }
    out.push_str("<h2>Accuracy by category</h2>\n");
    out.push_str(&category_bars(report));
    out.push_str("<h2>Latency</h2>\n");
    out.push_str(&latency_histogram(report));
    trend(&mut out, report);
    out.push_str("<h2>Questions</h2>\n<table><tr><th>Id</th><th>Status</th><th>Question and answer</th><th>Cited</th><th>ms</th></tr>\n");
    report.results.iter().for_each(|result| row(&mut out, result));
    out.push_str("</table>\n</main>\n</body></html>\n");
    out
}

/// Returns the 95th percentile of the latency, and its other figures.
fn latency(latency: &Latency) -> (String, String) {
    if latency.count == 0 {
        return ("–".to_owned(), "no question was answered".to_owned());
    }
    let Latency { p50, p95, p99, mean, std, .. } = latency;
    (format!("{p95:.0} ms"), format!("p50 {p50:.0}, p99 {p99:.0}, mean {mean:.0}, std {std:.0} ms"))
}

fn trend(out: &mut String, report: &Report) {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    if !report.trend.is_empty() {
        out.push_str("<h2>Trend</h2>\n<table><tr><th>When</th><th>Accuracy</th><th>p95</th><th>Coverage</th></tr>\n");
        for point in &report.trend {
            let at = point.timestamp.format("%Y-%m-%d %H:%M");
            let _ = writeln!(
                out,
                "<tr><td>{at}</td><td>{}</td><td>{:.0} ms</td><td>{}</td></tr>",
                percent(point.accuracy),
                point.p95_ms,
                percent(point.citation_coverage)
            );
        }
        out.push_str("</table>\n");
    }
}

fn row(out: &mut String, result: &QuestionResult) {
    let class = match result.status {
        Status::Pass => "pass",
        Status::Fail => "fail",
        Status::Error => "error",
    };
    let cited: Vec<String> = result
        .citations
        .iter()
        .map(|citation| {
            let name = |part: &Option<String>| escaped(part.as_deref().unwrap_or("?"));
            let problems = escaped(&citation.problems.join(", "));
            format!(
                "{} · {} <small class=\"fail\">{problems}</small>",
                name(&citation.document),
                name(&citation.section)
            )
        })
        .collect();
    let answer = result.answer.as_deref().or(result.message.as_deref()).unwrap_or_default();
    let latency = result.latency_ms.map_or_else(|| "–".to_owned(), |latency| format!("{latency:.0}"));
    let _ = writeln!(
        out,
        "<tr><td>{}</td><td class=\"{class}\">{}<br><small>{}</small></td><td>{}<br>{}<br><small>expected: {}</small></td><td>{}</td><td>{latency}</td></tr>",
        escaped(&result.id),
        status_word(result.status),
        result.citation_status.map_or("", citation_word),
        escaped(&result.question),
        escaped(answer),
        escaped(result.expected_answer.as_deref().unwrap_or("(a refusal)")),
        cited.join("<br>"),
    );
}

fn category_bars(report: &Report) -> String {
    let groups = &report.summary.by_category;
    let mut out = svg(groups.len(), "Share of the questions that passed, by category");
    for (number, (category, group)) in groups.iter().enumerate() {
        let note = format!("{} of {}", group.passed, group.questions);
        bar(&mut out, number, category, group.accuracy, &note, "#2b7a4b");
    }
    out + "</svg>\n"
}

/// Histogram of the latencies. Each limit is two or two and a half times the one before.
fn latency_histogram(report: &Report) -> String {
    let latencies: Vec<f64> = report.results.iter().filter_map(|result| result.latency_ms).collect();
    let limits = [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, f64::INFINITY];
    let mut below = 0.0;
    let classes: Vec<(String, usize)> = limits
        .iter()
        .map(|limit| {
            let count = latencies.iter().filter(|latency| (below..*limit).contains(*latency)).count();
            let name = if limit.is_finite() {
                format!("{below:.0}–{limit:.0} ms")
            } else {
                format!("{below:.0} ms and more")
            };
            below = *limit;
            (name, count)
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    let max_count = classes.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let mut out = svg(classes.len(), "Answers by the time they took");
    for (number, (name, count)) in classes.iter().enumerate() {
        bar(&mut out, number, name, crate::statistics::share(*count, max_count), &count.to_string(), "#2f5d9b");
    }
    out + "</svg>\n"
}

const ROW_PIXELS: usize = 28;

fn svg(rows: usize, label: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 800 {}\" width=\"800\" role=\"img\" aria-label=\"{label}\">\n",
        rows.max(1) * ROW_PIXELS
    )
}

fn bar(out: &mut String, number: usize, name: &str, share: f64, note: &str, colour: &str) {
    let top = number * ROW_PIXELS;
    let width = share.clamp(0.0, 1.0) * 440.0;
    let _ = writeln!(
        out,
        "<text x=\"190\" y=\"{0}\" text-anchor=\"end\" font-size=\"14\" fill=\"currentColor\">{1}</text>\
         <rect x=\"200\" y=\"{2}\" width=\"{width:.1}\" height=\"20\" fill=\"{colour}\"/>\
         <text x=\"{3:.1}\" y=\"{0}\" font-size=\"14\" fill=\"currentColor\">{4}</text>",
        top + 18,
        escaped(name),
        top + 3,
        208.0 + width,
        escaped(note),
    );
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
