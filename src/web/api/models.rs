//! Models and settings: their values, and whether the models answer.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Admin, Editor, Failure, JsonBody, WebState};
use crate::services::diagnostics::{self, Finding};
use crate::services::models::configured::{self, ConfiguredModel};
use crate::services::models::{self, CheckedModel};
use crate::services::spending;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(check)).routes(routes!(settings))
}

#[derive(Debug, Serialize)]
struct Models {
    models: Vec<ConfiguredModel>,
}

/// The models that are configured, on what terms, and for which tasks. None is asked.
#[utoipa::path(get, path = "/api/v1/models", tag = "models",
    responses((status = 200, description = "`models`; keys are masked, and prices are micro-credits for a million tokens", body = Object)))]
async fn list(_: Editor, State(state): State<WebState>) -> Json<Models> {
    Json(Models { models: configured::list(state.app().config()) })
}

/// Which models to ask.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// Their names; all that are configured where none is given.
    #[serde(default)]
    models: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Checked {
    models: Vec<CheckedModel>,
}

/// Asks each model one cheap question, which costs what it costs.
#[utoipa::path(post, path = "/api/v1/models/check", tag = "models", request_body = Named,
    responses((status = 200, description = "Whether each answers, its `latency_ms` and cost", body = Object),
        (status = 402, description = "The budget is used up", body = super::ErrorBody)))]
async fn check(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(Named { models }): JsonBody<Named>,
) -> Result<Json<Checked>, Failure> {
    spending::check_headroom(state.app()).await?;
    Ok(Json(Checked { models: Box::pin(models::check(state.app(), &models)).await? }))
}

#[derive(Debug, Serialize)]
struct Settings {
    settings: Vec<Finding>,
}

/// What is set, keys masked, and what is wrong with it.
#[utoipa::path(get, path = "/api/v1/settings", tag = "settings",
    responses((status = 200, description = "`settings`, each with its `level`, `what` and `text`", body = Object)))]
async fn settings(_: Admin, State(state): State<WebState>) -> Json<Settings> {
    Json(Settings { settings: diagnostics::masked_settings(state.app().config()) })
}
