//! `GET /api/v1/search`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::guard::is_asked_here;
use super::super::{Failure, JsonQuery, Reader, WebState};
use super::with_requests;
use crate::services::search::{self, SearchBy, SearchRequest, SearchResult, SearchResults};

/// Default number of results.
const LIMIT: usize = 20;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// Words that must all occur; a "phrase"; -word to exclude; one OR other; begin*; source:, topic: and since: as
    /// filters, of several sources or topics any. Capitals and accents make no difference.
    q: String,
    topic: Option<String>,
    source: Option<String>,
    /// A date (from midnight UTC), an RFC 3339 time, or 30d.
    since: Option<String>,
    limit: Option<usize>,
    /// `both` (default), `words` or `meaning`; without weights in `AHA_EMBED_MODEL_DIR` or an embedding model only words.
    #[param(inline)]
    by: Option<SearchBy>,
}

#[derive(Debug, Serialize, ToSchema)]
struct FoundBody {
    query: String,
    /// How parts of the query were read that can be meant in another way.
    notes: Vec<String>,
    /// Why meaning was not compared, although a provider's model is set for it; null if it was.
    by_words_alone: Option<String>,
    /// What was added since then is not found yet, or only with its accents as written.
    behind_since: Option<String>,
    /// How to find more; null if there are results.
    suggestion: Option<String>,
    results: Vec<ResultBody>,
}

#[derive(Debug, Serialize, ToSchema)]
struct ResultBody {
    title: String,
    url: Option<String>,
    source: Option<String>,
    document: Option<String>,
    section: Option<String>,
    time: String,
    item_id: Option<String>,
    /// The newest story of a digest that the item belongs to.
    story_id: Option<String>,
    excerpt: Vec<PartBody>,
}

#[derive(Debug, Serialize, ToSchema)]
struct PartBody {
    text: String,
    /// Whether it is one of the words that were searched for.
    is_match: bool,
}

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new().routes(routes!(find))
}

/// Searches items and documents.
#[utoipa::path(get, path = "/api/v1/search", tag = "search", params(Wanted), responses((status = 200, body = FoundBody)))]
async fn find(
    _: Reader,
    State(state): State<WebState>,
    headers: HeaderMap,
    wanted: JsonQuery<Wanted>,
) -> Result<Json<FoundBody>, Failure> {
    let JsonQuery(Wanted { q, topic, source, since, limit, by }) = wanted;
    let by = if is_asked_here(&headers) { by.unwrap_or_default() } else { SearchBy::Words };
    let request = SearchRequest { text: q, topic, source, since, limit: limit.unwrap_or(LIMIT), by };
    let SearchResults { query, notes, by_words_alone, behind_since, suggestion, results } =
        search::search(state.app(), &request).await?;
    let by_words_alone = by_words_alone.map(|text| with_requests(&text));
    let behind_since = behind_since.map(|since| since.to_string());
    let suggestion = suggestion.map(|text| with_requests(&text));
    let results = results.into_iter().map(body_of).collect();
    Ok(Json(FoundBody { query, notes, by_words_alone, behind_since, suggestion, results }))
}

fn body_of(result: SearchResult) -> ResultBody {
    let SearchResult { title, url, source, document, section, time, item_id, digest_item_id, excerpt, .. } = result;
    let excerpt = excerpt.into_iter().map(|part| PartBody { text: part.text, is_match: part.is_match }).collect();
    let (time, story_id) = (time.to_string(), digest_item_id.map(|id| id.to_string()));
    ResultBody { title, url, source, document, section, time, item_id, story_id, excerpt }
}
