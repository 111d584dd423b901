//! What was spent, on what, and how far the budget reaches.

use aha_core::money::MicroCredits;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use serde::Deserialize;

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::{Shell, html};
use crate::services::spending::{self, Period, SpendBy, SpendReport, SpendRow};

const DAYS: u16 = 30;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/spend", get(page))
}

#[derive(Template)]
#[template(path = "web/spend.html")]
struct SpendPage {
    shell: Shell,
    by: &'static str,
    days: u16,
    total: Row,
    unsettled: i64,
    rows: Vec<Row>,
    gauges: Vec<Gauge>,
    projected: String,
    run_cap: Option<String>,
    alerts: Vec<String>,
}

/// A line of the table.
struct Row {
    key: String,
    calls: i64,
    errors: i64,
    credits: String,
    /// Of the dearest line, of a hundred.
    share: i64,
}

/// A cap, and how much of it is used.
struct Gauge {
    name: &'static str,
    used: String,
    reserved: Option<String>,
    cap: Option<String>,
    percent: Option<i64>,
}

/// `?by=day`
#[derive(Debug, Deserialize)]
struct Query {
    by: Option<String>,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(query): JsonQuery<Query>,
) -> Result<Html<String>, Failure> {
    let (by, name) = match query.by.as_deref() {
        None | Some("day") => (SpendBy::Day, "day"),
        Some("purpose") => (SpendBy::Purpose, "purpose"),
        Some("model") => (SpendBy::Model, "model"),
        Some("topic") => (SpendBy::Topic, "topic"),
        Some(_) => return Err(Failure::invalid("by", "it is day, purpose, model or topic")),
    };
    let report = spending::report(state.app(), by, DAYS).await?;
    html(&filled(shell, name, report))
}

fn filled(shell: Shell, by: &'static str, report: SpendReport) -> SpendPage {
    let most = report.rows.iter().map(|row| row.microcredits).max().unwrap_or(0).max(1);
    let budget = report.budget;
    SpendPage {
        shell,
        by,
        days: report.days,
        unsettled: report.total.unsettled,
        total: row(&report.total, most),
        rows: report.rows.iter().map(|of| row(of, most)).collect(),
        gauges: vec![gauge("Today", &budget.day), gauge("This month", &budget.month)],
        projected: budget.month_projected_microcredits.to_string(),
        run_cap: budget.run_cap_microcredits.map(|cap| cap.to_string()),
        alerts: report.alerts,
    }
}

fn row(of: &SpendRow, most: i64) -> Row {
    Row {
        key: of.key.clone(),
        calls: of.calls,
        errors: of.errors,
        credits: MicroCredits(of.microcredits).to_string(),
        share: of.microcredits.saturating_mul(100) / most,
    }
}

fn gauge(name: &'static str, period: &Period) -> Gauge {
    let used = period.used_microcredits;
    let percent = |cap: MicroCredits| if cap.0 == 0 { 100 } else { (used.0.saturating_mul(100) / cap.0).clamp(0, 100) };
    Gauge {
        name,
        used: used.to_string(),
        reserved: Some(period.reserved_microcredits).filter(|reserved| reserved.0 > 0).map(|it| it.to_string()),
        cap: period.cap_microcredits.map(|cap| cap.to_string()),
        percent: period.cap_microcredits.map(percent),
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one == other
}
