//! `/api/v1/…`: the services as JSON. A file a resource, each with its `routes()`.

use utoipa_axum::router::OpenApiRouter;

use super::WebState;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
}
