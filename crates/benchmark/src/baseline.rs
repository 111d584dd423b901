//! Compares a benchmark with an earlier one.

use std::collections::HashMap;

use crate::report::{QuestionResult, Regression, Report, Status};

/// Loss of accuracy or coverage, as a share, that is not yet reported as a regression.
const TOLERATED_SHARE: f64 = 0.02;
/// Relative increase of the 95th percentile that is not yet a regression. A difference below [`NOISE_MS`] never is one.
const TOLERATED_SLOWDOWN: f64 = 0.2;
const NOISE_MS: f64 = 50.0;

/// Returns the changes of `now` since `baseline`. `name` is the baseline's name in the report.
#[must_use]
pub fn compare(now: &Report, baseline: &Report, name: &str) -> Regression {
    let before: HashMap<&str, Status> = baseline.results.iter().map(|r| (r.id.as_str(), r.status)).collect();
    let changed = |to_pass: bool| {
        let of = |result: &&QuestionResult| {
            let passes = result.status == Status::Pass;
            before.get(result.id.as_str()).is_some_and(|then| (*then == Status::Pass) != passes && passes == to_pass)
        };
        now.results.iter().filter(of).map(|result| result.id.clone()).collect()
    };
    let (old, new) = (&baseline.summary, &now.summary);
    let is_measured = old.latency.count > 0 && new.latency.count > 0;
    let mut regression = Regression {
        baseline: name.to_owned(),
        accuracy_change: new.accuracy - old.accuracy,
        p95_change_ms: is_measured.then_some(new.latency.p95 - old.latency.p95),
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
    let tolerated_ms = (old.latency.p95 * TOLERATED_SLOWDOWN).max(NOISE_MS);
    if regression.p95_change_ms.is_some_and(|change| change > tolerated_ms) {
        let (old, new) = (old.latency.p95, new.latency.p95);
        regression.regressions.push(format!("the 95th percentile of the latency rose from {old:.0} to {new:.0} ms"));
    }
    regression
}
