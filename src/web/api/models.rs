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

/// The configured models with their terms and tasks. None is called.
#[utoipa::path(get, path = "/api/v1/models", tag = "models",
    responses((status = 200, description = "`models`; keys are masked, and prices are micro-credits per million tokens", body = Object)))]
async fn list(_: Editor, State(state): State<WebState>) -> Json<Models> {
    Json(Models { models: configured::list(state.app().config()) })
}

/// The models to test.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// Their names; all configured models if omitted.
    #[serde(default)]
    models: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Checked {
    models: Vec<CheckedModel>,
}

/// Tests each model with one short question, which is charged.
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

/// The settings, with keys masked, and what is wrong with them.
#[utoipa::path(get, path = "/api/v1/settings", tag = "settings",
    responses((status = 200, description = "`settings`, each with its `level`, `what` and `text`", body = Object)))]
async fn settings(_: Admin, State(state): State<WebState>) -> Json<Settings> {
    Json(Settings { settings: diagnostics::masked_settings(state.app().config()) })
}
