//! Digests: the paginated archive, and one by its id.

use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use axum::Json;
use axum::extract::State;
use chrono::{Days, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::page::{PageQuery, cut};
use super::{OfTopic, check_id};
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one))
}

/// The part of the archive to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only digests of this topic.
    topic: Option<String>,
    /// The first day, such as 2026-11-19.
    #[param(format = Date)]
    first: Option<String>,
    /// The last day.
    #[param(format = Date)]
    last: Option<String>,
}

#[derive(Debug, Serialize)]
struct List {
    digests: Vec<ArchivedDigest>,
    /// The cursor of the next page; null at the end.
    next: Option<String>,
}

/// The end of a page: the day and id of its last digest.
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

/// How much later the day of a digest can be than that of one whose window ends later: time zones are up to 26 hours
/// apart.
const MOST_LATER: Days = Days::new(2);

/// Digests, the newest first.
#[utoipa::path(get, path = "/api/v1/digests", tag = "digests", params(ListQuery, PageQuery),
    responses((status = 200, description = "`digests` without their stories, and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(query): JsonQuery<ListQuery>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<List>, Failure> {
    let (limit, cursor) = (page.limit()?, page.read(Cursor::parse)?);
    let last = day("last", query.last.as_deref())?;
    let filter = ArchiveFilter {
        topic: query.topic,
        first: day("first", query.first.as_deref())?,
        last: cursor.and_then(|cursor| cursor.day.checked_add_days(MOST_LATER)).into_iter().chain(last).min(),
        limit: if cursor.is_some() { usize::MAX } else { limit + 1 },
    };
    let mut found = digests::archive(state.app(), &filter).await?;
    if let Some(cursor) = cursor {
        // If the digest was removed, the page begins with those of its day.
        let named = found.iter().position(|digest| digest.entry.head.id == cursor.id).map(|at| at + 1);
        let of_its_day = || found.iter().position(|digest| digest.day <= cursor.day).unwrap_or(found.len());
        found.drain(..named.unwrap_or_else(of_its_day));
    }
    let (digests, next) = cut(found, limit, Cursor::of);
    Ok(Json(List { digests, next }))
}

fn day(field: &'static str, text: Option<&str>) -> Result<Option<NaiveDate>, Failure> {
    let wrong = || Failure::invalid(field, "it must be a day such as 2026-11-19");
    text.map(|text| text.parse().map_err(|_| wrong())).transpose()
}

/// One digest by its id; `latest` for a topic's newest.
#[utoipa::path(get, path = "/api/v1/digests/{id}", tag = "digests", params(("id" = String, Path, description = "`latest`, an id or its first digits, or the last day of a window"), OfTopic),
    responses((status = 200, description = "The digest with its stories", body = Object)))]
async fn one(
    _: Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Json<Digest>, Failure> {
    if id != digests::LATEST {
        check_id("digest", &id)?;
    }
    Ok(Json(digests::find(state.app(), &id, of.name()).await?))
}
