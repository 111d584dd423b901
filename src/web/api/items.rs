//! Items as stored.

use aha_core::ids::{ItemId, SourceId};
use aha_core::time::Timestamp;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::page::{PageQuery, cut};
use crate::services::items::{self, ItemQuery, NamedItem, StoredItem};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ItemsQuery {
    /// Only items of this topic's sources.
    topic: Option<String>,
    /// The id of a source: only its items, whatever the topic.
    #[param(format = "uuid")]
    source: Option<String>,
}

#[derive(Debug, Serialize)]
struct Items {
    items: Vec<NamedItem>,
    next: Option<String>,
}

/// Items without their texts, the newest first.
#[utoipa::path(get, path = "/api/v1/items", tag = "items", params(ItemsQuery, PageQuery),
    responses((status = 200, description = "`items` with the names of their sources, and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(ItemsQuery { topic, source }): JsonQuery<ItemsQuery>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<Items>, Failure> {
    let wrong = || Failure::invalid("source", "it is the id of a source");
    let source: Option<SourceId> = source.map(|id| id.parse().map_err(|_| wrong())).transpose()?;
    let (limit, after) = (page.limit()?, page.read(place)?);
    let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let found = items::list(state.app(), &ItemQuery { topic, source, after, limit: wanted }).await?;
    let (items, next) = cut(found, limit, |named| format!("{}.{}", named.item.time.as_millis(), named.item.id));
    Ok(Json(Items { items, next }))
}

/// Parses a cursor: the end of a page.
fn place(cursor: &str) -> Option<(Timestamp, ItemId)> {
    let (millis, id) = cursor.split_once('.')?;
    Some((Timestamp::from_millis(millis.parse().ok()?), id.parse().ok()?))
}

/// One item with all its stored data.
#[utoipa::path(get, path = "/api/v1/items/{id}", tag = "items", params(("id" = String, Path, format = "uuid")),
    responses((status = 200, description = "The item with its `text`, and its sanitised `html` if that has more than the text", body = Object)))]
async fn one(
    _: Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
) -> Result<Json<StoredItem>, Failure> {
    let id: ItemId = id.parse().map_err(|_| Failure::not_found("there is no item of that id"))?;
    Ok(Json(items::find(state.app(), id).await?))
}
