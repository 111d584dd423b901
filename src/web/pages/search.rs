//! Search in items, digests and documents.

use aha_core::time::Timestamp;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::super::guard::is_asked_here;
use super::super::{Failure, JsonQuery, Reader, WebState};
use super::topic_links::{TopicLinks, encoded};
use super::{Choice, SPANS, Shell, choices, day, for_page, html, problem_of};
use crate::digest::sanitise::{Link, short_text};
use crate::services::search::{self, ExcerptPart, SearchBy, SearchRequest, SearchResult};

/// Maximum number of results on the page.
const SHOWN: usize = 50;
const MAX_TITLE_CHARS: usize = 200;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/search", get(page))
}

/// `?q=WORDS&topic=NAME&source=NAME&since=30d`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SearchQuery {
    q: String,
    topic: String,
    source: String,
    since: String,
}

#[derive(Template)]
#[template(path = "web/search.html")]
struct SearchPage {
    shell: Shell,
    topics: TopicLinks,
    wanted: SearchQuery,
    spans: Vec<Choice>,
    /// `None` without words and filters.
    results: Option<Vec<Found>>,
    /// The time since which items are not indexed yet, or with their accents.
    behind: Option<String>,
    /// How parts of the query were read.
    notes: Vec<String>,
    /// How to find more than nothing.
    suggestion: Option<String>,
    problem: Option<String>,
}

/// An item or a passage of a document.
struct Found {
    title: String,
    /// The item's story, if a digest showed it.
    story: Option<String>,
    /// `None` for a passage of a document.
    item: Option<String>,
    link: Link,
    source: String,
    document: Option<String>,
    section: String,
    day: String,
    machine_time: String,
    excerpt: Vec<ExcerptPart>,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    headers: HeaderMap,
    JsonQuery(wanted): JsonQuery<SearchQuery>,
) -> Result<Response, Failure> {
    let topics = TopicLinks::read(state.app(), None).await?;
    let spans = choices(&SPANS, wanted.since.trim());
    let mut page = SearchPage {
        shell,
        topics,
        wanted,
        spans,
        results: None,
        behind: None,
        notes: Vec::new(),
        suggestion: None,
        problem: None,
    };
    let request = request(&page.wanted, is_asked_here(&headers));
    let is_filtered = request.topic.is_some() || request.source.is_some() || request.since.is_some();
    if request.text.trim().is_empty() && !is_filtered {
        return Ok(html(&page)?.into_response());
    }
    match search::search(state.app(), &request).await {
        Ok(found) => {
            page.behind = found.behind_since.map(day);
            page.notes = found.notes;
            page.notes.extend(found.by_words_alone.map(|text| for_page(&text)));
            page.suggestion = found.suggestion.map(|suggestion| for_page(&suggestion));
            page.results = Some(found.results.into_iter().map(Found::of).collect());
            Ok(html(&page)?.into_response())
        }
        Err(error) => {
            page.problem = Some(problem_of(error)?);
            Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response())
        }
    }
}

/// `may_cost`: whether a provider may be asked for the meaning.
fn request(wanted: &SearchQuery, may_cost: bool) -> SearchRequest {
    let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    SearchRequest {
        text: wanted.q.clone(),
        topic: filled(&wanted.topic),
        source: filled(&wanted.source),
        since: filled(&wanted.since),
        limit: SHOWN,
        by: if may_cost { SearchBy::Both } else { SearchBy::Words },
    }
}

impl Found {
    fn of(result: SearchResult) -> Self {
        let at: Timestamp = result.time;
        Self {
            title: short_text(&result.title, MAX_TITLE_CHARS),
            story: result.digest_item_id.map(|id| id.to_string()),
            item: result.item_id,
            link: Link::of(result.url.as_deref()),
            source: result.source.unwrap_or_default(),
            document: result.document,
            section: result.section.unwrap_or_default(),
            day: day(at),
            machine_time: at.to_string(),
            excerpt: result.excerpt,
        }
    }
}
