//! Search: finds items and documents by words, and by meaning if embedding weights are set.
//!
//! All words of a query have to occur; `"several words"` have to be adjacent, `-word` must not occur, `source:`,
//! `topic:` and `since:` narrow it and cannot be negated. A query of such filters alone lists the newest entries that
//! pass them. With weights in `AHA_EMBED_MODEL_DIR`, entries of similar meaning are found as well, unless the query
//! contains a phrase. The lexical rank and the rank by meaning are combined by reciprocal rank fusion.

mod excerpt;
mod query;
mod vectors;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aha_analysis::static_model::Weights;
use aha_content::search_terms::text_stems;
use aha_core::ids::{DigestItemId, ItemId, SourceId};
use aha_core::time::Timestamp;
use aha_store::{SearchHit, SearchQuery, forms};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Result, ServiceError, stories, topics};
use crate::app::App;
use crate::embedding_weights;
use crate::sentences;
use excerpt::excerpt;
use query::{Parsed, parse};

pub use excerpt::ExcerptPart;
pub use query::since_when;

/// Entries indexed in one transaction.
const ENTRIES_PER_TRANSACTION: i64 = 500;
/// Entries of which the ranks are fused.
const CANDIDATES: i64 = 200;
/// Maximum number of entries of similar meaning, before filters and excluded words apply.
const NEAREST: usize = 1_000;
const MAX_RESULTS: usize = 100;
/// The constant k of reciprocal rank fusion (Cormack et al. 2009).
const RRF_K: f64 = 60.0;

/// Rebuilds the index from the rows and returns the number of items and passages in it.
///
/// # Errors
/// When the database fails. Entries indexed before that stay, and the next call starts anew.
pub async fn reindex(app: &App) -> Result<usize> {
    app.store().clear_search().await?;
    let mut total = 0;
    loop {
        let indexed = app.store().index_missing(ENTRIES_PER_TRANSACTION).await?;
        if indexed == 0 {
            sentences::recompute_all(app).await?;
            return Ok(total);
        }
        total += indexed;
    }
}

/// A search as an interface passes it.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    pub text: String,
    pub topic: Option<String>,
    pub source: Option<String>,
    /// A date, an RFC 3339 time, or `30d`.
    pub since: Option<String>,
    pub limit: usize,
    pub by: SearchBy,
}

/// By what it is searched. Without weights in `AHA_EMBED_MODEL_DIR` there is nothing but words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchBy {
    /// Words and meaning, their ranks fused.
    #[default]
    Both,
    Words,
    Meaning,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResults {
    pub query: String,
    /// Items since then are not found yet; `aha-radar reindex` adds them.
    pub behind_since: Option<Timestamp>,
    pub results: Vec<SearchResult>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    pub title: String,
    pub url: Option<String>,
    pub source: Option<String>,
    /// The document's name; null for an item.
    pub document: Option<String>,
    pub section: Option<String>,
    pub time: Timestamp,
    pub item_id: Option<String>,
    /// The item's newest digest line.
    pub digest_item_id: Option<DigestItemId>,
    /// The text around the first match, in parts.
    pub excerpt: Vec<ExcerptPart>,
}

/// Searches items and documents.
///
/// # Errors
/// When the query contains neither a word nor a filter, a filter matches nothing, or the store fails.
pub async fn search(app: &App, request: &SearchRequest) -> Result<SearchResults> {
    let parsed = parse(&request.text)?;
    let topic = request.topic.as_ref().or(parsed.topic.as_ref());
    let source = request.source.as_ref().or(parsed.source.as_ref());
    let sources = sources(app, topic, source).await?;
    let since = request.since.as_ref().or(parsed.since.as_ref());
    let is_filtered = topic.is_some() || source.is_some() || since.is_some();
    let since = since.map(|text| since_when(text, app.clock().now())).transpose()?;
    let weights = embedding_weights::weights(app).await;
    if request.by == SearchBy::Meaning && weights.is_none() {
        let why = "searching by meaning needs weights: name their folder in AHA_EMBED_MODEL_DIR";
        return Err(ServiceError::invalid("by", why));
    }
    let query = SearchQuery {
        wanted: parsed.wanted.iter().map(|text| forms(text)).filter(|forms| !forms.is_empty()).collect(),
        unwanted: parsed.unwanted.iter().map(|text| forms(text)).filter(|forms| !forms.is_empty()).collect(),
        is_any: false,
        sources,
        since,
        limit: if weights.is_some() { CANDIDATES } else { shown(request) },
    };
    let mut entries = if parsed.wanted.is_empty() && is_filtered {
        app.store().newest_entries(&query).await?
    } else {
        matching(app, request.by, &parsed, &query, weights.as_ref()).await?
    };
    entries.truncate(usize::try_from(shown(request)).unwrap_or(MAX_RESULTS));
    let hits = app.store().search_hits(&entries, false).await?;
    let items: Vec<ItemId> = hits.iter().filter_map(|hit| hit.item).collect();
    let lines = stories::newest_lines(app, &items).await?;
    let stems: BTreeSet<String> = parsed.wanted.iter().flat_map(|text| text_stems(text)).collect();
    Ok(SearchResults {
        query: request.text.clone(),
        behind_since: behind_since(app).await?,
        results: hits
            .into_iter()
            .map(|hit| SearchResult {
                digest_item_id: hit.item.and_then(|item| lines.get(&item).copied()),
                ..result(hit, &stems)
            })
            .collect(),
    })
}

/// Returns the entries that the query's words match, best first.
async fn matching(
    app: &App,
    by: SearchBy,
    parsed: &Parsed,
    query: &SearchQuery,
    weights: Option<&Arc<Weights>>,
) -> Result<Vec<i64>> {
    if query.wanted.is_empty() {
        let why = "the query holds no word to search for; add one, or list the newest with source:, topic: or since:";
        return Err(ServiceError::invalid("q", why));
    }
    let entries = match by {
        SearchBy::Meaning => Vec::new(),
        SearchBy::Words | SearchBy::Both => app.store().find_entries(query).await?,
    };
    if by == SearchBy::Words || parsed.has_phrase {
        return Ok(entries);
    }
    fused(app, weights, &parsed.wanted.join(" "), query, entries).await
}

/// Returns the number of results to show. Without weights only these are read, as their order does not change.
fn shown(request: &SearchRequest) -> i64 {
    i64::try_from(request.limit.clamp(1, MAX_RESULTS)).unwrap_or(CANDIDATES)
}

/// Returns the time since which items are missing from the index; `None` if it is complete.
async fn behind_since(app: &App) -> Result<Option<Timestamp>> {
    let now = app.clock().now();
    if app.index_checks().is_recent(now) {
        return Ok(None);
    }
    let since = app.store().oldest_unindexed().await?;
    if since.is_none() {
        app.index_checks().record_complete(now);
    }
    Ok(since)
}

/// Returns the sources that match a topic and a name; `None` for all.
pub(crate) async fn sources(app: &App, topic: Option<&String>, name: Option<&String>) -> Result<Option<Vec<SourceId>>> {
    if topic.is_none() && name.is_none() {
        return Ok(None);
    }
    let topics = match topic {
        Some(topic) => vec![topics::find(app, topic).await?],
        None => app.store().topics().await?,
    };
    let wanted = name.map(|name| name.to_lowercase());
    let mut found = Vec::new();
    for topic in topics {
        let is_wanted = |source: &aha_core::source::Source| {
            let title = source.title.as_deref().unwrap_or_default().to_lowercase();
            wanted.as_ref().is_none_or(|name| title.contains(name) || source.url.to_lowercase().contains(name))
        };
        found.extend(app.store().sources(topic.id).await?.iter().filter(|s| is_wanted(s)).map(|source| source.id));
    }
    if let (true, Some(name)) = (found.is_empty(), name) {
        return Err(ServiceError::not_found("source", format!("no source's name or address contains '{name}'")));
    }
    Ok(Some(found))
}

/// Combines the entries found by words with those of similar meaning by reciprocal rank fusion. Without weights, the
/// former stay as they are.
async fn fused(
    app: &App,
    weights: Option<&Arc<Weights>>,
    text: &str,
    query: &SearchQuery,
    by_words: Vec<i64>,
) -> Result<Vec<i64>> {
    let Some(weights) = weights else { return Ok(by_words) };
    let near = vectors::nearest(app, weights, text, NEAREST).await?;
    let by_meaning = app.store().keep_entries(&near, query).await?;
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for ranking in [by_words, by_meaning] {
        for (rank, entry) in ranking.into_iter().enumerate() {
            *scores.entry(entry).or_default() += reciprocal(rank);
        }
    }
    let mut ranked: Vec<(i64, f64)> = scores.into_iter().collect();
    ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    Ok(ranked.into_iter().map(|(entry, _)| entry).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a rank among some hundred")]
fn reciprocal(rank: usize) -> f64 {
    1.0 / (RRF_K + rank as f64 + 1.0)
}

fn result(hit: SearchHit, stems: &BTreeSet<String>) -> SearchResult {
    let excerpt = excerpt(&hit.text, stems);
    let title = hit.title.or_else(|| hit.document.clone()).or_else(|| hit.url.clone()).unwrap_or_default();
    SearchResult {
        title,
        url: hit.url,
        source: hit.source,
        document: hit.document,
        section: hit.section,
        time: hit.time,
        item_id: hit.item.map(|item| item.to_string()),
        digest_item_id: None,
        excerpt,
    }
}
