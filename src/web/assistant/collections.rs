//! `/api/{todos,events,habits,goals}`: single records. Each change is one operation, validated and audited like any
//! other.

use aha_planner::apply::Record;
use aha_planner::record::{Item, Kind};
use aha_planner::unknown_fields;
use aha_planner::validate::{ErrorCode, parse_date};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::operations::answered;
use super::{DAY_FORM, bad_request};
use crate::services::planner::{self, Apply};
use crate::web::{Editor, Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// A day, as YYYY-MM-DD: only what is on it or later.
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    completed: Option<bool>,
    /// low, medium or high.
    #[serde(default)]
    priority: Option<String>,
}

fn kind_of(collection: &str) -> Result<Kind, Failure> {
    let kind = collection.strip_suffix('s').and_then(|name| name.parse().ok());
    kind.ok_or_else(|| Failure::not_found("there is nothing at this address"))
}

/// Records of a kind.
#[utoipa::path(
    get, path = "/api/{collection}", tag = "planner",
    params(("collection" = String, Path, description = "todos, events, habits or goals"), ListQuery),
    responses((status = 200, description = "the records, by day, time and id", body = Object), (status = 400, description = "a date of another form")),
)]
pub(super) async fn list(
    _: Reader,
    State(state): State<WebState>,
    PathOf(collection): PathOf<String>,
    JsonQuery(query): JsonQuery<ListQuery>,
) -> Result<Json<Value>, Failure> {
    let kind = kind_of(&collection)?;
    let planner = planner::planner(state.app()).await?;
    let records = if kind == Kind::Goal {
        json!(planner::goals(&planner.state))
    } else {
        let fits = filter(&query)?;
        let items = planner::items(&planner.state, kind);
        json!(items.into_iter().filter(|item| fits(item)).collect::<Vec<_>>())
    };
    let mut answer = Map::new();
    answer.insert(collection, records);
    answer.insert("version".to_owned(), json!(planner.version));
    Ok(Json(Value::Object(answer)))
}

fn filter(query: &ListQuery) -> Result<impl Fn(&Item) -> bool + use<>, Failure> {
    let day = |text: &Option<String>, code, otherwise| match text {
        None => Ok(otherwise),
        Some(text) => parse_date(text).ok_or_else(|| bad_request(code, DAY_FORM)),
    };
    let bounded = query.from.is_some() || query.to.is_some();
    let from = day(&query.from, "invalid_from", NaiveDate::MIN)?;
    let to = day(&query.to, "invalid_to", NaiveDate::MAX)?;
    let (completed, priority) = (query.completed, query.priority.clone());
    if priority.as_deref().is_some_and(|priority| !["low", "medium", "high"].contains(&priority)) {
        return Err(bad_request("invalid_priority", "priority is low, medium or high"));
    }
    Ok(move |item: &Item| {
        let due = match item.scheduled_for {
            None => !bounded,
            Some(anchor) => {
                item.recurrence.next_from(anchor, from.max(anchor)).is_some_and(|day| day >= from && day <= to)
            }
        };
        due && completed.is_none_or(|completed| completed == item.completed)
            && priority.as_deref().is_none_or(|priority| priority == item.priority.as_str())
    })
}

/// Adds a record.
#[utoipa::path(
    post, path = "/api/{collection}", tag = "planner", request_body = Object,
    params(("collection" = String, Path, description = "todos, events, habits or goals")),
    responses((status = 200, description = "the record", body = Object), (status = 400, description = "a field is missing or not of its form")),
)]
pub(super) async fn create(
    _: Editor,
    State(state): State<WebState>,
    PathOf(collection): PathOf<String>,
    JsonBody(body): JsonBody<Map<String, Value>>,
) -> Result<Response, Failure> {
    let kind = kind_of(&collection)?;
    operate(&state, kind, "create", None, body).await
}

/// One record.
#[utoipa::path(
    get, path = "/api/{collection}/{id}", tag = "planner",
    params(("collection" = String, Path, description = "todos, events, habits or goals"), ("id" = i64, Path,)),
    responses((status = 200, description = "the record", body = Object), (status = 404, description = "there is none")),
)]
pub(super) async fn one(
    _: Reader,
    State(state): State<WebState>,
    PathOf((collection, id)): PathOf<(String, i64)>,
) -> Result<Json<Value>, Failure> {
    let kind = kind_of(&collection)?;
    let records = planner::planner(state.app()).await?.state;
    let record = records.record((kind, id)).ok_or_else(missing)?;
    Ok(Json(json!({ kind.as_str(): record })))
}

/// Changes the fields that are named; the others stay.
#[utoipa::path(
    patch, path = "/api/{collection}/{id}", tag = "planner", request_body = Object,
    params(("collection" = String, Path, description = "todos, events, habits or goals"), ("id" = i64, Path,)),
    responses((status = 200, description = "the record", body = Object), (status = 400, description = "a field is not of its form"), (status = 404, description = "there is none")),
)]
pub(super) async fn change(
    _: Editor,
    State(state): State<WebState>,
    PathOf((collection, id)): PathOf<(String, i64)>,
    JsonBody(body): JsonBody<Map<String, Value>>,
) -> Result<Response, Failure> {
    let kind = kind_of(&collection)?;
    let operation = operation(kind, "update", Some(id), body);
    let warning = unknown_fields::record_warning(&operation);
    let outcome = planner::update(state.app(), kind, id, &operation).await?;
    answer(outcome, kind, warning)
}

/// Removes a record.
#[utoipa::path(
    delete, path = "/api/{collection}/{id}", tag = "planner",
    params(("collection" = String, Path, description = "todos, events, habits or goals"), ("id" = i64, Path,)),
    responses((status = 200, description = "it is gone", body = Object), (status = 404, description = "there was none")),
)]
pub(super) async fn remove(
    _: Editor,
    State(state): State<WebState>,
    PathOf((collection, id)): PathOf<(String, i64)>,
) -> Result<Response, Failure> {
    let kind = kind_of(&collection)?;
    operate(&state, kind, "delete", Some(id), Map::new()).await
}

/// Marks one day of what repeats as done, or with `"completed": false` as not done.
#[utoipa::path(
    patch, path = "/api/{collection}/{id}/occurrence", tag = "planner", request_body = Object,
    params(("collection" = String, Path, description = "todos, events or habits"), ("id" = i64, Path,)),
    responses((status = 200, description = "the record", body = Object), (status = 400, description = "not a day on which it is due"), (status = 404, description = "there is none")),
)]
pub(super) async fn occurrence(
    _: Editor,
    State(state): State<WebState>,
    PathOf((collection, id)): PathOf<(String, i64)>,
    JsonBody(body): JsonBody<Map<String, Value>>,
) -> Result<Response, Failure> {
    let kind = kind_of(&collection)?;
    operate(&state, kind, "complete_occurrence", Some(id), body).await
}

fn missing() -> Failure {
    Failure::not_found("there is no such record; it may have been removed meanwhile")
}

/// Applies one operation and returns its record.
async fn operate(
    state: &WebState,
    kind: Kind,
    action: &str,
    id: Option<i64>,
    fields: Map<String, Value>,
) -> Result<Response, Failure> {
    let operation = operation(kind, action, id, fields);
    let warning = unknown_fields::record_warning(&operation);
    let outcome = planner::apply(state.app(), vec![operation], None, None).await?;
    answer(outcome, kind, warning)
}

fn operation(kind: Kind, action: &str, id: Option<i64>, mut fields: Map<String, Value>) -> Value {
    for name in ["op", "type"] {
        fields.shift_remove(name);
    }
    fields.insert("kind".to_owned(), kind.as_str().into());
    fields.insert("action".to_owned(), action.into());
    if let Some(id) = id {
        fields.insert("id".to_owned(), id.into());
    }
    Value::Object(fields)
}

/// The warning takes the place of those of `apply`, which number the operations, of which the client sent none.
fn answer(outcome: Apply, kind: Kind, warning: Option<String>) -> Result<Response, Failure> {
    match outcome {
        Apply::Done { response, .. } => record_of(&response, kind, warning),
        Apply::Invalid(validation) => {
            let errors = validation.results.first().map(|result| result.errors.clone()).unwrap_or_default();
            if errors.contains(&ErrorCode::IdNotFound) {
                return Err(missing());
            }
            let code = errors.first().copied().unwrap_or(ErrorCode::InvalidOp);
            let error = json!({ "code": code, "message": code.in_words() });
            let body = json!({ "ok": false, "error": error, "errors": errors });
            Ok((StatusCode::BAD_REQUEST, Json(body)).into_response())
        }
        other => answered(other),
    }
}

/// Returns the only record of a response, with the batch by which the change can be undone.
fn record_of(response: &str, kind: Kind, warning: Option<String>) -> Result<Response, Failure> {
    let answer: Value = serde_json::from_str(response).map_err(|error| Failure::internal(&error))?;
    let result = &answer["results"][0];
    let mut body =
        json!({ "ok": true, "id": result["id"], "batchId": answer["batchId"], "version": answer["version"] });
    let record: Option<Record> = serde_json::from_value(result[kind.as_str()].clone()).ok();
    let record = record.map(|record| (kind.as_str(), json!(record)));
    let warnings = warning.map(|warning| ("warnings", json!([warning])));
    for (name, value) in record.into_iter().chain(warnings) {
        body[name] = value;
    }
    Ok(Json(body).into_response())
}
