//! Digests: the archive by pages, and one by its id.

use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::{Errors, OfTopic};
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one))
}

const USUAL_LIMIT: usize = 30;
const MOST: usize = 200;

/// Which part of the archive.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Of this topic alone.
    topic: Option<String>,
    /// The first day, as 2026-11-19.
    first: Option<String>,
    /// The last day.
    last: Option<String>,
    /// Digests in the answer: 1 to 200.
    limit: Option<usize>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

#[derive(Debug, Serialize)]
struct List {
    digests: Vec<ArchivedDigest>,
    /// The cursor of what comes next; null at the end.
    next: Option<String>,
}

/// Where an answer ended: the day and id of its last digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    day: NaiveDate,
    id: DigestId,
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let (day, id) = text.split_once('.')?;
        Some(Self { day: day.parse().ok()?, id: id.parse().ok()? })
    }

    fn of(digest: &ArchivedDigest) -> String {
        format!("{}.{}", digest.day, digest.entry.head.id)
    }
}

/// Digests, the newest first.
#[utoipa::path(get, path = "/api/v1/digests", tag = "digests", params(ListQuery),
    responses((status = 200, description = "A page of the archive", body = Object), Errors))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(query): JsonQuery<ListQuery>,
) -> Result<Json<List>, Failure> {
    let limit = query.limit.unwrap_or(USUAL_LIMIT);
    if !(1..=MOST).contains(&limit) {
        return Err(Failure::invalid("limit", "it is 1 to 200"));
    }
    let wrong = || Failure::invalid("cursor", "it is not the `next` of an answer");
    let cursor = query.cursor.as_deref().map(|text| Cursor::parse(text).ok_or_else(wrong)).transpose()?;
    let last = day("last", query.last.as_deref())?;
    let filter = ArchiveFilter {
        topic: query.topic,
        first: day("first", query.first.as_deref())?,
        last: cursor.map(|cursor| cursor.day).or(last),
        limit: usize::MAX,
    };
    let mut found = digests::archive(state.app(), &filter).await?;
    if let Some(cursor) = cursor {
        let at = found.iter().position(|digest| digest.entry.head.id == cursor.id).ok_or_else(wrong)?;
        found.drain(..=at);
    }
    let next = found.get(limit.saturating_sub(1)).filter(|_| found.len() > limit).map(Cursor::of);
    found.truncate(limit);
    Ok(Json(List { digests: found, next }))
}

fn day(field: &'static str, text: Option<&str>) -> Result<Option<NaiveDate>, Failure> {
    let wrong = || Failure::invalid(field, "it is a day as 2026-11-19");
    text.map(|text| text.parse().map_err(|_| wrong())).transpose()
}

/// One digest: `latest` of a topic, or by its id.
#[utoipa::path(get, path = "/api/v1/digests/{id}", tag = "digests", params(("id" = String, Path, description = "`latest`, or an id"), OfTopic),
    responses((status = 200, description = "The digest with its stories", body = Object), Errors))]
async fn one(
    _: Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Json<Digest>, Failure> {
    if id != digests::LATEST && id.parse::<DigestId>().is_err() {
        return Err(Failure::not_found("there is no digest of that id"));
    }
    Ok(Json(digests::find(state.app(), &id, of.name()).await?))
}
