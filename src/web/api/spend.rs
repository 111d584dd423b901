//! Spending, and the rows of the ledger.

use aha_core::time::Timestamp;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Admin, Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};
use super::page::{PageQuery, cut};
use crate::services::calls::{self, CallQuery, CallRecord};
use crate::services::spending::{self, AdjustedCall, SpendBy, SpendReport};

const DEFAULT_DAYS: u16 = 30;
const MAX_DAYS: u16 = 3_660;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(report)).routes(routes!(list)).routes(routes!(adjust))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum By {
    #[default]
    Day,
    Purpose,
    Model,
    Topic,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SpendQuery {
    /// What each row sums up; `day` if omitted.
    #[param(inline)]
    by: Option<By>,
    /// Number of days, today included; 30 if omitted.
    #[param(minimum = 1, maximum = 3660)]
    days: Option<u16>,
}

/// What was spent, on what, and what is left of the budget.
#[utoipa::path(get, path = "/api/v1/spend", tag = "spend", params(SpendQuery),
    responses((status = 200, description = "`rows`, `total`, `budget` and `alerts`; amounts are micro-credits", body = Object)))]
async fn report(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(SpendQuery { by, days }): JsonQuery<SpendQuery>,
) -> Result<Json<SpendReport>, Failure> {
    let by = match by.unwrap_or_default() {
        By::Day => SpendBy::Day,
        By::Purpose => SpendBy::Purpose,
        By::Model => SpendBy::Model,
        By::Topic => SpendBy::Topic,
    };
    let days = days.unwrap_or(DEFAULT_DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(Failure::invalid("days", format!("it must be a number from 1 to {MAX_DAYS}")));
    }
    Ok(Json(spending::report(state.app(), by, days).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CallsQuery {
    /// The id of a run or of its digest.
    run: Option<String>,
    /// `reserved`, `ok`, `error` or `unsettled`.
    state: Option<String>,
    /// Such as `triage`.
    purpose: Option<String>,
}

#[derive(Debug, Serialize)]
struct Calls {
    calls: Vec<CallRecord>,
    next: Option<String>,
}

/// Calls to models and searches, the newest first; each attempt counts as one.
#[utoipa::path(get, path = "/api/v1/calls", tag = "spend", params(CallsQuery, PageQuery),
    responses((status = 200, description = "`calls` with their tokens and costs, and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(CallsQuery { run, state: call_state, purpose }): JsonQuery<CallsQuery>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<Calls>, Failure> {
    let (limit, after) = (page.limit()?, page.read(place)?);
    let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let query = CallQuery { run, state: call_state, purpose, after, limit: wanted };
    let found = calls::list(state.app(), query).await?;
    let (calls, next) = cut(found, limit, |call| format!("{}.{}", call.started_at.as_millis(), call.id));
    Ok(Json(Calls { calls, next }))
}

/// Parses a cursor: the end of a page.
fn place(cursor: &str) -> Option<(Timestamp, String)> {
    let (millis, id) = cursor.split_once('.')?;
    Some((Timestamp::from_millis(millis.parse().ok()?), id.to_owned()))
}

/// The actual cost of a call.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Cost {
    /// In credits, of at most six decimals, such as `0.0125`.
    credits: String,
    /// How the cost is known, for example from an invoice.
    #[schema(min_length = 1)]
    reason: String,
}

/// Records the actual cost of a call.
#[utoipa::path(post, path = "/api/v1/calls/{id}/adjustment", tag = "spend", request_body = Cost,
    params(("id" = String, Path, description = "The id of a call, or its first digits")),
    responses((status = 200, description = "The call `before` and `after`", body = Object)))]
async fn adjust(
    _: Admin,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(Cost { credits, reason }): JsonBody<Cost>,
) -> Result<Json<AdjustedCall>, Failure> {
    Ok(Json(spending::adjust(state.app(), &id, &credits, &reason).await?))
}
