//! What was spent on what, what is left of the budget, and calls with unknown cost, which can be corrected.

use aha_core::money::MicroCredits;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::super::{Admin, Failure, JsonQuery, Reader, WebState};
use super::{Shell, for_page, html, minute, problem_of};
use crate::services::calls::{self, CallQuery};
use crate::services::spending::{self, Period, SpendBy, SpendReport, SpendRow};
use crate::web::form::SentForm;

const DAYS: u16 = 30;
/// Number of unsettled calls on the page.
const UNSETTLED: i64 = 100;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/spend", get(page)).route("/spend/adjust", post(adjust))
}

#[derive(Template)]
#[template(path = "web/spend.html")]
struct SpendPage {
    shell: Shell,
    by: &'static str,
    days: u16,
    total: Row,
    /// Whether anything cost something, so that there are shares of it.
    is_paid: bool,
    unsettled: i64,
    rows: Vec<Row>,
    gauges: Vec<Gauge>,
    projected: String,
    run_cap: Option<String>,
    alerts: Vec<String>,
    /// Calls with unknown cost.
    open: Vec<OpenCall>,
    /// Why the cost of a call that is not among them cannot be recorded, or the rows cannot be summed as asked.
    problem: Option<String>,
}

/// A call whose answer was lost: it remains charged with its reservation.
struct OpenCall {
    id: String,
    at: String,
    purpose: String,
    model: String,
    charged: String,
    error: Option<String>,
    /// Of its form, as typed if they could not be used.
    credits: String,
    reason: String,
    /// What is wrong with them.
    problem: Option<String>,
}

/// A row of the table.
struct Row {
    key: String,
    /// What a purpose is.
    in_words: Option<&'static str>,
    calls: i64,
    errors: i64,
    credits: String,
    /// Percentage of the largest row.
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
) -> Result<Response, Failure> {
    let (by, name, problem) = match query.by.as_deref() {
        None | Some("day") => (SpendBy::Day, "day", None),
        Some("purpose") => (SpendBy::Purpose, "purpose", None),
        Some("model") => (SpendBy::Model, "model", None),
        Some("topic") => (SpendBy::Topic, "topic", None),
        Some(by) => {
            let problem = format!("{by:?} is nothing that spending is summed by; choose day, purpose, model or topic.");
            (SpendBy::Day, "day", Some(problem))
        }
    };
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let report = spending::report(state.app(), by, DAYS).await?;
    let page = SpendPage { problem, ..filled(shell, name, report, open_calls(&state).await?) };
    Ok((status, html(&page)?).into_response())
}

async fn open_calls(state: &WebState) -> Result<Vec<OpenCall>, Failure> {
    let query = CallQuery { state: Some("unsettled".to_owned()), limit: UNSETTLED, ..CallQuery::default() };
    let open = calls::list(state.app(), query).await?.into_iter().map(|call| OpenCall {
        at: minute(call.started_at),
        purpose: call.purpose,
        model: format!("{}/{}", call.provider, call.model),
        charged: call.reserved_microcredits.map_or_else(|| "nothing".to_owned(), |it| MicroCredits(it).to_string()),
        error: call.error,
        id: call.id,
        credits: String::new(),
        reason: String::new(),
        problem: None,
    });
    Ok(open.collect())
}

/// Records what a call really cost.
async fn adjust(_: Admin, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let (call, credits, reason) = (form.text("call"), form.text("credits"), form.text("reason"));
    match spending::adjust(state.app(), call, credits, reason).await {
        Ok(_) => Ok(Redirect::to(&format!("{}/spend#unsettled", state.prefix())).into_response()),
        Err(error) => {
            let problem = problem_of(error)?;
            let report = spending::report(state.app(), SpendBy::Day, DAYS).await?;
            let mut open = open_calls(&state).await?;
            let problem = if let Some(sent) = open.iter_mut().find(|open| open.id == call) {
                credits.clone_into(&mut sent.credits);
                reason.clone_into(&mut sent.reason);
                sent.problem = Some(problem);
                None
            } else {
                Some(problem)
            };
            let page = SpendPage { problem, ..filled(shell, "day", report, open) };
            Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response())
        }
    }
}

fn filled(shell: Shell, by: &'static str, report: SpendReport, open: Vec<OpenCall>) -> SpendPage {
    let most = report.rows.iter().map(|row| row.microcredits).max().unwrap_or(0).max(1);
    let budget = report.budget;
    let described = |of: &SpendRow| {
        let in_words = if by == "purpose" { calls::purpose_in_words(&of.key) } else { None };
        Row { in_words, ..row(of, most) }
    };
    SpendPage {
        shell,
        by,
        days: report.days,
        unsettled: report.total.unsettled,
        is_paid: report.total.microcredits > 0,
        total: row(&report.total, most),
        rows: report.rows.iter().map(described).collect(),
        gauges: vec![gauge("Today", &budget.day), gauge("This month", &budget.month)],
        projected: budget.month_projected_microcredits.to_string(),
        run_cap: budget.run_cap_microcredits.map(|cap| cap.to_string()),
        alerts: report.alerts.iter().map(|alert| for_page(alert)).collect(),
        open,
        problem: None,
    }
}

fn row(of: &SpendRow, most: i64) -> Row {
    Row {
        key: of.key.clone(),
        in_words: None,
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
