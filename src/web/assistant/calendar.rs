//! `GET /api/agenda` and `GET /api/calendar.ics`: the agenda, as JSON and as a calendar.

use aha_planner::validate::parse_date;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::Value;

use super::{DAY_FORM, bad_request};
use crate::services::planner;
use crate::web::{Failure, JsonQuery, Reader, WebState};

/// Without an end date an agenda covers a week.
const DEFAULT_DAYS: u64 = 6;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AgendaQuery {
    /// YYYY-MM-DD; today without it.
    #[serde(default)]
    from: Option<String>,
    /// YYYY-MM-DD, included; six days later without it.
    #[serde(default)]
    to: Option<String>,
}

/// Every occurrence between two days.
#[utoipa::path(
    get, path = "/api/agenda", tag = "planner", params(AgendaQuery),
    responses(
        (status = 200, description = "`days`, by day, time and id: items without `notes` and `completedDates`", body = Object),
        (status = 400, description = "a date of another form"),
    ),
)]
pub(super) async fn agenda(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(query): JsonQuery<AgendaQuery>,
) -> Result<Json<Value>, Failure> {
    let day = |text: &str, code| parse_date(text).ok_or_else(|| bad_request(code, DAY_FORM));
    let from = match &query.from {
        Some(text) => day(text, "invalid_from")?,
        None => planner::today(state.app()).await?.date,
    };
    let to = match &query.to {
        Some(text) => day(text, "invalid_to")?,
        None => from + chrono::Days::new(DEFAULT_DAYS),
    };
    let agenda = planner::agenda(state.app(), from, to).await?;
    serde_json::to_value(&agenda).map(Json).map_err(|error| Failure::internal(&error))
}

/// All events, todos and habits as a calendar (RFC 5545) to subscribe to.
#[utoipa::path(
    get, path = "/api/calendar.ics", tag = "planner",
    responses((status = 200, description = "a calendar", content_type = "text/calendar", body = String)),
)]
pub(super) async fn calendar(_: Reader, State(state): State<WebState>) -> Result<impl IntoResponse, Failure> {
    let text = planner::calendar(state.app()).await?;
    Ok(([(header::CONTENT_TYPE, "text/calendar; charset=utf-8")], text))
}
