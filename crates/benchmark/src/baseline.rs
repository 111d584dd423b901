//! Comparing with earlier benchmarks: one that is the baseline, and the last ones of a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::report::{Report, Status, TrendPoint};

/// Points of accuracy or coverage that may be lost without being called a regression.
const TOLERATED_SHARE: f64 = 0.02;
/// How much slower the 95th percentile may be, and what difference is noise anyway.
const TOLERATED_SLOWDOWN: f64 = 0.2;
const NOISE_MS: f64 = 50.0;

/// What changed since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    pub baseline: String,
    pub accuracy_change: f64,
    pub p95_change_ms: f64,
    pub coverage_change: f64,
    /// Questions that passed then and do not now.
    pub newly_failing: Vec<String>,
    /// Questions that pass now and did not then.
    pub newly_passing: Vec<String>,
    /// What got worse by more than is tolerated, in words.
    pub regressions: Vec<String>,
}

/// Reads a stored report.
///
/// # Errors
/// When the file cannot be read or is no report, in words.
pub fn load(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is no report of a benchmark: {error}", path.display()))
}

/// Compares with a baseline.
#[must_use]
pub fn compare(now: &Report, baseline: &Report, name: &str) -> Regression {
    let before: HashMap<&str, Status> = baseline.results.iter().map(|r| (r.id.as_str(), r.status)).collect();
    let changed = |to_pass: bool| {
        let of = |result: &&crate::report::QuestionResult| {
            let passes = result.status == Status::Pass;
            before.get(result.id.as_str()).is_some_and(|then| (*then == Status::Pass) != passes && passes == to_pass)
        };
        now.results.iter().filter(of).map(|result| result.id.clone()).collect()
    };
    let (old, new) = (&baseline.summary, &now.summary);
    let mut regression = Regression {
        baseline: name.to_owned(),
        accuracy_change: new.accuracy - old.accuracy,
        p95_change_ms: new.latency.p95 - old.latency.p95,
        coverage_change: new.citations.coverage - old.citations.coverage,
        newly_failing: changed(false),
        newly_passing: changed(true),
        regressions: Vec::new(),
    };
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    if regression.accuracy_change < -TOLERATED_SHARE {
        let (old, new) = (percent(old.accuracy), percent(new.accuracy));
        regression.regressions.push(format!("accuracy fell from {old} to {new}"));
    }
    if regression.coverage_change < -TOLERATED_SHARE {
        let (old, new) = (percent(old.citations.coverage), percent(new.citations.coverage));
        regression.regressions.push(format!("citation coverage fell from {old} to {new}"));
    }
    if regression.p95_change_ms > (old.latency.p95 * TOLERATED_SLOWDOWN).max(NOISE_MS) {
        let (old, new) = (old.latency.p95, new.latency.p95);
        regression.regressions.push(format!("the 95th percentile of the latency rose from {old:.0} to {new:.0} ms"));
    }
    regression
}

/// The last benchmarks of a folder, oldest first. What is no report is left out.
#[must_use]
pub fn trend(folder: &Path, last: usize) -> Vec<TrendPoint> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).filter(|path| is_report(path)).collect();
    paths.sort();
    let mut points: Vec<TrendPoint> = paths
        .iter()
        .filter_map(|path| {
            let report = load(path).ok()?;
            Some(TrendPoint {
                file: path.file_name()?.to_string_lossy().into_owned(),
                timestamp: report.timestamp,
                accuracy: report.summary.accuracy,
                p95_ms: report.summary.latency.p95,
                citation_coverage: report.summary.citations.coverage,
            })
        })
        .collect();
    points.sort_by(|a, b| (a.timestamp, &a.file).cmp(&(b.timestamp, &b.file)));
    points.split_off(points.len().saturating_sub(last))
}

fn is_report(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with("benchmark_") && path.extension().is_some_and(|extension| extension == "json")
}
