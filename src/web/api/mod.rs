//! `/api/v1/…`: the services as JSON. One file per resource, each with its `routes()`.

mod command_requests;
mod deep_dive;
mod digests;
mod feed_token;
mod items;
mod models;
mod page;
mod query;
mod runs;
mod saved;
mod search;
mod sources;
mod spend;
mod stories;
mod topics;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use super::{Failure, WebState};
use crate::services::id_prefix::{MIN_DIGITS, id_prefix};

pub(super) use command_requests::with_requests;
pub(super) use query::{check_addresses, wrong_method};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .merge(digests::routes())
        .merge(stories::routes())
        .merge(deep_dive::routes())
        .merge(saved::routes())
        .merge(items::routes())
        .merge(search::routes())
        .merge(sources::routes())
        .merge(topics::routes())
        .merge(runs::routes())
        .merge(spend::routes())
        .merge(models::routes())
        .merge(feed_token::routes())
}

/// Why a request failed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorBody {
    /// Always false.
    ok: bool,
    error: ErrorDetail,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorDetail {
    /// For programs: `not_found`, `invalid_value`, `conflict`, …
    code: String,
    /// For people: what failed, why, and the next step.
    message: String,
    /// The value that was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

/// The topic; the default topic if omitted.
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

/// Checks an id of a path, which may be the beginning of one. `what` is the kind of thing.
///
/// # Errors
/// When it is no id.
fn check_id(what: &str, id: &str) -> Result<(), Failure> {
    let expected = || format!("there is no {what} of that id; give it, or {MIN_DIGITS} or more of its first digits");
    id_prefix(id).map(drop).ok_or_else(|| Failure::not_found(expected()))
}
