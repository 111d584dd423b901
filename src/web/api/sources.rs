//! Sources: lists, adds, changes and removes them, discovers the feeds of an address, and exchanges lists with other
//! programs.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::extract::body;
use super::super::{Editor, Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};
use super::page::PageQuery;
use super::{OfTopic, check_id};
use crate::services::sources::add::{self, AddedSources, DiscoveredFeed, SourcesToAdd};
use crate::services::sources::test::{TestedSource, test_in_turn};
use crate::services::sources::{self, ListedSource, SourceChange, SourceHistory, SourceShare, SourcesAdded, opml};
use crate::services::{ErrorKind, ServiceError};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(list, add_all))
        .routes(routes!(one, change, remove))
        .routes(routes!(discover))
        .routes(routes!(test))
        .routes(routes!(export, import))
}

#[derive(Debug, Serialize)]
struct Sources {
    sources: Vec<SharedSource>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct SharedSource {
    #[serde(flatten)]
    listed: ListedSource,
    /// About its items of the last two weeks; null if it had none.
    share: Option<SourceShare>,
}

/// Sources of one topic or of all topics, by topic and address.
#[utoipa::path(get, path = "/api/v1/sources", tag = "sources", params(OfTopic, PageQuery),
    responses((status = 200, description = "`sources`, each with its topic, health, cadence and `share` (`items` of the last two weeks, and those `shown` by a digest), and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<Sources>, Failure> {
    let listed = sources::list(state.app(), of.topic.as_deref()).await?;
    let (listed, next) =
        page.of(listed, |ListedSource { topic, source }| ((topic.clone(), source.url.clone()), source.id.to_string()))?;
    let topics: BTreeSet<&str> = listed.iter().map(|listed| listed.topic.as_str()).collect();
    let mut shares = HashMap::new();
    for topic in topics {
        shares.extend(sources::shares(state.app(), topic).await?.iter().map(|(source, share)| (*source, *share)));
    }
    let sources =
        listed.into_iter().map(|listed| SharedSource { share: shares.get(&listed.source.id).copied(), listed });
    Ok(Json(Sources { sources: sources.collect(), next }))
}

/// Maximum number of addresses of one request, each of which is read.
const MAX_LOCATIONS: usize = 200;

/// Sources to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSources {
    /// Addresses of feeds or of pages that name one, or short names such as `hn:top`. Paths of files are refused.
    #[schema(min_items = 1, max_items = 200)]
    locations: Vec<String>,
    /// Created if it does not exist; `default` if omitted.
    topic: Option<String>,
    /// The name to show, of a single source.
    title: Option<String>,
    /// Multiplies the score of its stories.
    #[schema(minimum = 0.1, maximum = 3.0)]
    weight: Option<f64>,
    /// Read the pages that its teasers link to.
    #[serde(default)]
    full_text: bool,
    /// Add the addresses as they are, without fetching them.
    #[serde(default)]
    as_is: bool,
}

/// Adds sources. Of existing ones only weight and full text are changed.
#[utoipa::path(post, path = "/api/v1/sources", tag = "sources", request_body = NewSources,
    responses((status = 201, description = "The number of new sources, and the `urls` that are read", body = Object)))]
async fn add_all(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(new): JsonBody<NewSources>,
) -> Result<(StatusCode, Json<AddedSources>), Failure> {
    if new.locations.is_empty() {
        return Err(Failure::invalid("locations", "name at least one address"));
    }
    if new.locations.len() > MAX_LOCATIONS {
        let message = format!("at most {MAX_LOCATIONS} addresses a request; send the rest in further ones");
        return Err(Failure::invalid("locations", message));
    }
    let topic = OfTopic { topic: new.topic }.name().to_owned();
    check_topic(&topic)?;
    let NewSources { locations, title, weight, full_text, as_is, .. } = new;
    let wanted = SourcesToAdd { locations, topic, title, weight, as_is, full_text, allow_paths: false };
    let added = add::add(state.app(), &wanted, &mut |_| {}).await.map_err(|error| unread("locations", error))?;
    Ok((StatusCode::CREATED, Json(added)))
}

fn check_topic(topic: &str) -> Result<(), Failure> {
    let message = "a topic has a name";
    if topic.trim().is_empty() { Err(Failure::invalid("topic", message)) } else { Ok(()) }
}

/// Reports an address that cannot be used or read as an error in the request, as the client chose it.
fn unread(field: &'static str, error: ServiceError) -> Failure {
    match error.kind() {
        ErrorKind::Fetch | ErrorKind::Files => Failure::invalid(field, error.to_string()),
        ErrorKind::InvalidInput if matches!(error.field(), Some("locations" | "location")) => {
            Failure::invalid(field, error.to_string())
        }
        _ => error.into(),
    }
}

async fn find(state: &WebState, id: &str) -> Result<ListedSource, Failure> {
    check_id("source", id)?;
    Ok(sources::find(state.app(), id, None).await?)
}

/// One source with its last fetches.
#[utoipa::path(get, path = "/api/v1/sources/{id}", tag = "sources", params(("id" = String, Path, description = "The id of a source, or its first digits")),
    responses((status = 200, description = "The source, and `fetches`, the newest first", body = Object)))]
async fn one(
    _: Reader,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
) -> Result<Json<SourceHistory>, Failure> {
    let listed = find(&state, &id).await?;
    Ok(Json(sources::history(state.app(), listed).await?))
}

/// Changes the given settings of a source.
#[utoipa::path(patch, path = "/api/v1/sources/{id}", tag = "sources", request_body = SourceChange,
    params(("id" = String, Path, description = "The id of a source, or its first digits")),
    responses((status = 200, description = "The source after the change", body = Object)))]
async fn change(
    _: Editor,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    JsonBody(wanted): JsonBody<SourceChange>,
) -> Result<Json<ListedSource>, Failure> {
    let listed = find(&state, &id).await?;
    sources::change(state.app(), &listed.source, wanted).await?;
    Ok(Json(find(&state, &id).await?))
}

/// Removes a source; its items stay in old digests.
#[utoipa::path(delete, path = "/api/v1/sources/{id}", tag = "sources", params(("id" = String, Path, description = "The id of a source, or its first digits")),
    responses((status = 204, description = "The source is removed")))]
async fn remove(_: Editor, State(state): State<WebState>, PathOf(id): PathOf<String>) -> Result<StatusCode, Failure> {
    let listed = find(&state, &id).await?;
    sources::remove(state.app(), &listed.source).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A web address.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Address {
    #[schema(min_length = 1)]
    address: String,
}

#[derive(Debug, Serialize)]
struct Discovered {
    feeds: Vec<DiscoveredFeed>,
}

/// The feeds found at an address, or named by the page there. Nothing is added.
#[utoipa::path(post, path = "/api/v1/sources/discover", tag = "sources", request_body = Address,
    responses((status = 200, description = "`feeds`, each with its `url` and `title`", body = Object)))]
async fn discover(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(Address { address }): JsonBody<Address>,
) -> Result<Json<Discovered>, Failure> {
    let found = add::discover(state.app(), &address).await.map_err(|error| unread("address", error))?;
    Ok(Json(Discovered { feeds: found.into_feeds() }))
}

/// Fetches a source without storing its items. A search is charged.
#[utoipa::path(post, path = "/api/v1/sources/test", tag = "sources", request_body = Address,
    responses((status = 200, description = "`feed`, `items` and `problems`", body = Object),
        (status = 402, description = "A search costs money, and the budget is used up", body = super::ErrorBody)))]
async fn test(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(Address { address }): JsonBody<Address>,
) -> Result<Json<TestedSource>, Failure> {
    let tested = test_in_turn(state.app(), address).await;
    tested.map(Json).map_err(|error| unread("address", error))
}

/// A topic's sources as OPML.
#[utoipa::path(get, path = "/api/v1/sources/opml", tag = "sources", params(OfTopic),
    responses((status = 200, description = "A list that feed readers import", content_type = "text/x-opml", body = String)))]
async fn export(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<impl IntoResponse, Failure> {
    let text = opml::export(state.app(), of.name()).await?;
    Ok(([(header::CONTENT_TYPE, "text/x-opml; charset=utf-8")], text))
}

#[derive(Debug, Serialize)]
struct Imported {
    #[serde(flatten)]
    counts: SourcesAdded,
    /// Number of outlines that cannot be used; some are listed with the reason.
    unusable_count: usize,
    unusable: Vec<String>,
}

/// Adds the sources of an OPML list; existing ones are not changed.
#[utoipa::path(post, path = "/api/v1/sources/opml", tag = "sources", params(OfTopic),
    request_body(content = String, content_type = "text/x-opml"),
    responses((status = 200, description = "`added`, `known` and `unusable` sources", body = Object)))]
async fn import(
    _: Editor,
    State(state): State<WebState>,
    JsonQuery(of): JsonQuery<OfTopic>,
    request: Request,
) -> Result<Json<Imported>, Failure> {
    const KINDS: [&str; 4] = ["text/x-opml", "text/xml", "application/xml", "application/x-opml"];
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let media_type = kind.split(';').next().unwrap_or_default().trim();
    if !KINDS.iter().any(|known| media_type.eq_ignore_ascii_case(known)) {
        let message = "a list of sources is OPML: send `Content-Type: text/x-opml`";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
    }
    check_topic(of.name())?;
    let bytes = body(request, &state).await?;
    let listed = opml::read(state.app(), &bytes, "the list")?;
    let counts = opml::import(state.app(), "the list", &listed, of.name()).await?;
    Ok(Json(Imported { counts, unusable_count: listed.unusable_count, unusable: listed.unusable }))
}
