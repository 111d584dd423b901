//! `POST /api/llm/dryrun`, `/api/llm/apply`, `/api/llm/undo`: validates, applies and undoes operations.

use aha_core::ids::BatchId;
use aha_planner::unknown_fields;
use aha_planner::validate::{ErrorCode, Validation};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::bad_request;
use crate::services::planner::{self, Apply, UndoOutcome};
use crate::web::{Editor, Failure, JsonBody, WebState};

/// A longer key is rejected.
const MAX_KEY_CHARS: usize = 255;
/// Seconds until a retry after a conflict with another request on the same records.
const RETRY_AFTER_S: u64 = 1;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct OperationsBody {
    /// At most 20.
    #[schema(value_type = Vec<Value>, max_items = 20)]
    operations: Value,
    /// The version of the records that they were proposed for: another one now is refused.
    #[schema(value_type = Option<i64>)]
    version: Value,
    /// The same as the header `Idempotency-Key`.
    #[schema(value_type = Option<String>)]
    idempotency_key: Value,
}

impl OperationsBody {
    fn operations(&self) -> Result<Vec<Value>, Failure> {
        let operations = self.operations.as_array().cloned();
        operations.ok_or_else(|| bad_request("missing_operations", "`operations` is a list"))
    }

    fn version(&self) -> Result<Option<i64>, Failure> {
        match &self.version {
            Value::Null => Ok(None),
            version => {
                version.as_i64().map(Some).ok_or_else(|| bad_request("invalid_version", "`version` is a whole number"))
            }
        }
    }
}

/// Says what is wrong with operations, and changes nothing.
#[utoipa::path(
    post, path = "/api/llm/dryrun", tag = "assistant", request_body = OperationsBody,
    responses(
        (status = 200, description = "`results` with the errors of each operation, and `warnings` of fields that are not used", body = Object),
        (status = 400, description = "no operations, or more than 20"),
    ),
)]
pub(super) async fn dry_run(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(body): JsonBody<OperationsBody>,
) -> Result<Response, Failure> {
    // Whatever `apply` would reject is rejected here, too.
    body.version()?;
    key(&HeaderMap::new(), &body)?;
    let operations = body.operations()?;
    let (version, validation) = planner::validate(state.app(), &operations).await?;
    if let Some(code) = as_a_whole(&validation) {
        return Ok(refused(code, &validation));
    }
    let invalid = validation.invalid_count();
    let answer = json!({
        "ok": true,
        "valid": validation.is_valid(),
        "version": version,
        "validCount": validation.results.len() - invalid,
        "invalidCount": invalid,
        "results": validation.results,
        "errors": validation.errors,
        "warnings": unknown_fields::warnings(&operations),
    });
    Ok(Json(answer).into_response())
}

/// Applies all operations, or none where one is invalid.
#[utoipa::path(
    post, path = "/api/llm/apply", tag = "assistant", request_body = OperationsBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "the same request with the same key gets the same answer for 24 hours")),
    responses(
        (status = 200, description = "`results`, `summary`, `batchId` (null if all was so already) and the new `version`; `warnings` if fields of the operations were not used", body = Object),
        (status = 400, description = "invalid operations, none, or more than 20"),
        (status = 409, description = "the records were changed since `version`, or a request with this key is under way"),
        (status = 422, description = "the key belongs to another request"),
    ),
)]
pub(super) async fn apply(
    _: Editor,
    State(state): State<WebState>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<OperationsBody>,
) -> Result<Response, Failure> {
    let key = key(&headers, &body)?;
    let outcome = planner::apply(state.app(), body.operations()?, body.version()?, key.as_deref()).await?;
    answered(outcome)
}

/// Builds the response to an attempt to apply.
pub(super) fn answered(outcome: Apply) -> Result<Response, Failure> {
    match outcome {
        Apply::Done { response, replayed } => {
            let kind = (header::CONTENT_TYPE, "application/json");
            let mut answer = (StatusCode::OK, [kind], Body::from(response)).into_response();
            if replayed {
                answer.headers_mut().insert("idempotency-replayed", header::HeaderValue::from_static("true"));
            }
            Ok(answer)
        }
        Apply::Invalid(validation) => {
            let code = as_a_whole(&validation).unwrap_or(ErrorCode::InvalidOperations);
            Ok(refused(code, &validation))
        }
        Apply::Changed { expected, found } => {
            let message = format!(
                "the records were changed since this was proposed (version {expected}, now {found}); look at it again and send it with the new version"
            );
            Err(Failure::new(StatusCode::CONFLICT, "state_changed", message))
        }
        Apply::KeyReused => {
            let message = "this Idempotency-Key was used for another request; use a new one for each";
            Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", message))
        }
        Apply::InFlight => {
            let message = "the same records are being changed by another request; try again in a second";
            Err(Failure::new(StatusCode::CONFLICT, "request_in_flight", message).after(RETRY_AFTER_S))
        }
    }
}

/// Returns what is wrong with the proposal as a whole, before its operations are checked.
fn as_a_whole(validation: &Validation) -> Option<ErrorCode> {
    let whole = [ErrorCode::MissingOperations, ErrorCode::TooManyOperations];
    validation.errors.iter().copied().find(|code| whole.contains(code))
}

fn refused(code: ErrorCode, validation: &Validation) -> Response {
    let error = json!({ "code": code, "message": code.in_words() });
    let body = json!({ "ok": false, "error": error, "max": aha_planner::MAX_OPERATIONS, "detail": validation });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

fn key(headers: &HeaderMap, body: &OperationsBody) -> Result<Option<String>, Failure> {
    let in_header = headers.get("idempotency-key").map(|key| key.to_str().map(ToOwned::to_owned));
    let key = match in_header {
        Some(key) => Some(key.map_err(|_| bad_request("invalid_idempotency_key", "the key is plain text"))?),
        None => match &body.idempotency_key {
            Value::Null => None,
            Value::String(key) => Some(key.clone()),
            _ => return Err(bad_request("invalid_idempotency_key", "the key is a text")),
        },
    };
    match key {
        Some(key) if key.trim().is_empty() || key.chars().count() > MAX_KEY_CHARS => {
            let message = format!("an Idempotency-Key has 1 to {MAX_KEY_CHARS} characters");
            Err(bad_request("invalid_idempotency_key", message))
        }
        key => Ok(key),
    }
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UndoBody {
    /// As `apply` answers it; without it the newest batch that was not undone.
    #[schema(value_type = Option<String>)]
    batch_id: Value,
}

/// Puts the records of a batch back as they were before it.
#[utoipa::path(
    post, path = "/api/llm/undo", tag = "assistant", request_body = UndoBody,
    responses(
        (status = 200, description = "`restored` records, and the new `version`", body = Object),
        (status = 404, description = "there is no such batch"),
        (status = 409, description = "it was undone before, or a record of it was changed since"),
        (status = 422, description = "the body has another field, such as a misspelled one"),
    ),
)]
pub(super) async fn undo(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(body): JsonBody<UndoBody>,
) -> Result<Json<Value>, Failure> {
    let wanted: Option<BatchId> = match &body.batch_id {
        Value::Null => None,
        id => {
            let parsed = id.as_str().and_then(|id| id.parse().ok());
            Some(parsed.ok_or_else(|| bad_request("invalid_batchId", "`batchId` is an id that `apply` answered"))?)
        }
    };
    let (batch, outcome) = planner::undo(state.app(), wanted).await?;
    let conflict = |code, message: String| Err(Failure::new(StatusCode::CONFLICT, code, message));
    match outcome {
        UndoOutcome::Undone { restored, version } => {
            Ok(Json(json!({ "ok": true, "batchId": batch, "restored": restored, "version": version })))
        }
        UndoOutcome::NotFound => Err(Failure::not_found("there is no such batch of operations")),
        UndoOutcome::AlreadyUndone => conflict("already_undone", "this batch was undone before".to_owned()),
        UndoOutcome::Changed(keys) => {
            let named: Vec<String> = keys.iter().map(|(kind, id)| format!("{kind} {id}")).collect();
            let message =
                format!("{} changed since, so undoing would lose that; undo the later change first", named.join(", "));
            conflict("state_changed", message)
        }
    }
}
