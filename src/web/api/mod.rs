//! `/api/v1/…`: the services as JSON. A file a resource, each with its `routes()`.

mod digests;
mod search;
mod stories;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, IntoResponses, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use super::WebState;

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().merge(digests::routes()).merge(search::routes()).merge(stories::routes())
}

/// Why a request was not done.
#[derive(Debug, Serialize, ToSchema)]
struct ErrorBody {
    /// Always false.
    ok: bool,
    error: ErrorDetail,
}

#[derive(Debug, Serialize, ToSchema)]
struct ErrorDetail {
    /// For programs: `not_found`, `invalid_value`, `conflict`, …
    code: String,
    /// For people: what failed, why, and the next step.
    message: String,
    /// The value that was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

/// What any request of the API may be answered with.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "for the document")]
enum Errors {
    #[response(status = 400, description = "The request cannot be read")]
    BadRequest(ErrorBody),
    #[response(status = 401, description = "Nobody is signed in")]
    Unauthorised(ErrorBody),
    #[response(status = 403, description = "The role does not allow it, or another site asked for it")]
    Forbidden(ErrorBody),
    #[response(status = 404, description = "There is no such thing")]
    NotFound(ErrorBody),
    #[response(status = 409, description = "Something else holds it, as a run does a topic")]
    Conflict(ErrorBody),
    #[response(status = 413, description = "The body is too large")]
    TooLarge(ErrorBody),
    #[response(status = 415, description = "The body is no JSON")]
    WrongKind(ErrorBody),
    #[response(status = 421, description = "The server does not answer to that name")]
    Misdirected(ErrorBody),
    #[response(status = 422, description = "A value cannot be used; `field` names it")]
    Invalid(ErrorBody),
    #[response(status = 429, description = "Too many requests; see Retry-After")]
    TooMany(ErrorBody),
    #[response(status = 500, description = "Something of the server's broke")]
    Internal(ErrorBody),
    #[response(status = 503, description = "The database is away; see Retry-After")]
    Unavailable(ErrorBody),
}

/// Whose; the default topic where it is not said.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OfTopic {
    /// A topic's name.
    topic: Option<String>,
}

impl OfTopic {
    fn name(&self) -> &str {
        self.topic.as_deref().unwrap_or("default")
    }
}
