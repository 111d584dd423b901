//! Search: finds items and documents by words, and by meaning if embedding weights are set.
//!
//! All words of a query have to occur, of `one OR other` either; `"several words"` have to be adjacent, `-word` must
//! not occur, `begin*` stands for all words that begin so. `source:`, `topic:` and `since:` narrow it and cannot be
//! negated; of several sources or topics any applies. A query of filters alone lists the newest entries that pass them.
//! With weights in `AHA_EMBED_MODEL_DIR`, or a provider's embedding model, entries of similar meaning are found as well,
//! unless the query contains a phrase. The lexical rank and the rank by meaning are combined by reciprocal rank fusion. In the lexical rank,
//! entries with the very words of the query come before those with other forms of them.

mod exact;
mod filters;
mod meaning;
mod query;
mod question_words;
mod suggestions;
mod vectors;

use std::collections::HashMap;
use std::sync::Arc;

use aha_content::excerpt::{Excerpts, Pattern};
use aha_content::index_terms::Forms;
use aha_core::ids::{DigestItemId, ItemId, SourceId, TopicId};
use aha_core::time::Timestamp;
use aha_store::{SearchHit, SearchQuery};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use super::stories::{self, StoryLine};
use super::{Result, ServiceError};
use crate::app::{App, IndexCheck};
use crate::sentences;
use meaning::Meaning;
use query::{Parsed, Term, parse, shown};
use suggestions::{no_word, suggestion};

pub use aha_content::excerpt::ExcerptPart;
pub use query::since_when;
pub use question_words::suggested_query;

/// Entries indexed in one transaction.
const ENTRIES_PER_TRANSACTION: i64 = 500;
/// Entries of which the ranks are fused.
const CANDIDATES: i64 = 200;
/// Maximum number of entries of similar meaning, before filters and excluded words apply.
const NEAREST: usize = 1_000;
const MAX_RESULTS: usize = exact::MAX_RANKED;
/// A later time to search from is an error. Today's date in a time zone ahead of UTC can be in the future.
const MAX_AHEAD_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// The constant k of reciprocal rank fusion (Cormack et al. 2009).
const RRF_K: f64 = 60.0;

/// Searches whose texts are compared with the query at the same time.
const MAX_COMPARING: usize = 4;
static COMPARING: Semaphore = Semaphore::const_new(MAX_COMPARING);

/// Rebuilds the index from the rows and returns the number of items and passages in it.
///
/// # Errors
/// When the database fails. Entries indexed before that stay, and the next call starts anew.
pub async fn reindex(app: &App) -> Result<usize> {
    app.store().clear_search().await?;
    let indexed = index_missing(app).await?;
    sentences::recompute_all(app).await?;
    Ok(indexed)
}

/// Indexes what is not indexed, such as all of it after a migration that empties the index, and returns how much it was.
///
/// # Errors
/// When the database fails. Entries indexed before that stay.
pub async fn index_missing(app: &App) -> Result<usize> {
    app.index_checks().forget();
    let mut total = 0;
    loop {
        let indexed = app.store().index_missing(ENTRIES_PER_TRANSACTION).await?;
        if indexed == 0 {
            app.index_checks().forget();
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

/// By what it is searched. Without weights in `AHA_EMBED_MODEL_DIR` or an embedding model there is nothing but words.
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
    /// How parts of the query were read that can be meant in another way.
    pub notes: Vec<String>,
    /// Why meaning was not compared, although a provider's model is set for it; null if it was.
    pub by_words_alone: Option<String>,
    /// What was added since then is not indexed, or was by an earlier version; `aha-radar reindex` indexes it again.
    pub behind_since: Option<Timestamp>,
    /// How to find more; null if there are results.
    pub suggestion: Option<String>,
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
    /// The item's newest digest line, of the topics searched if they have one.
    pub digest_item_id: Option<DigestItemId>,
    /// The id that `item` and `feedback` take, if the digests of these topics leave the item's story out.
    pub unshown_id: Option<DigestItemId>,
    /// The text around the first match, in parts.
    pub excerpt: Vec<ExcerptPart>,
}

/// Searches items and documents.
///
/// # Errors
/// When the query contains neither a word nor a filter, a filter is unknown or matches nothing, or the store fails.
pub async fn search(app: &App, request: &SearchRequest) -> Result<SearchResults> {
    let parsed = parsed(request)?;
    let topics: Vec<&str> = parsed.topics.iter().map(String::as_str).collect();
    let names: Vec<&str> = parsed.sources.iter().map(String::as_str).collect();
    let sources = filters::sources_of(app, &topics, &names).await?;
    let is_filtered = sources.is_some() || parsed.since.is_some();
    let since = parsed.since.as_ref().map(|text| past(text, app.clock().now())).transpose()?;
    let meaning = Meaning::of(app, request.by).await?.map(Arc::new);
    let query = SearchQuery {
        wanted: parsed.wanted.iter().map(|group| group.iter().flat_map(Term::forms).collect::<Forms>()).collect(),
        unwanted: parsed.unwanted.iter().map(Term::forms).collect(),
        is_any: false,
        sources,
        since,
        limit: if meaning.is_some() { CANDIDATES } else { i64::try_from(MAX_RESULTS).unwrap_or(CANDIDATES) },
    };
    let Matches { mut entries, read, by_words_alone } =
        if parsed.wanted.is_empty() && !parsed.has_other_text && is_filtered {
            Matches { entries: app.store().newest_entries(&query).await?, ..Matches::default() }
        } else {
            matching(app, request.by, &parsed, &query, meaning.as_ref()).await?
        };
    entries.truncate(usize::try_from(max_results(request)).unwrap_or(MAX_RESULTS));
    let hits = contents(app, &entries, read).await?;
    let items: Vec<ItemId> = hits.iter().filter_map(|hit| hit.item).collect();
    let lines = story_lines(app, &items, &topics).await?;
    let suggestion = if hits.is_empty() { Some(suggestion(app, &parsed).await?) } else { None };
    let terms = parsed.wanted.concat();
    let with_excerpts = compute(move || {
        let mut excerpts = Excerpts::of(terms.iter().map(|term| Pattern::of(&term.text, term.is_beginning)).collect());
        let with_excerpt = |hit: SearchHit| {
            let line = hit.item.and_then(|item| lines.get(&item));
            let id = |is_shown| line.filter(|line| line.is_shown == is_shown).map(|line| line.id);
            SearchResult { digest_item_id: id(true), unshown_id: id(false), ..result(hit, &mut excerpts) }
        };
        hits.into_iter().map(with_excerpt).collect::<Vec<SearchResult>>()
    });
    let results = with_excerpts.await?;
    let behind_since = behind_since(app).await?;
    let (query, notes) = (request.text.clone(), parsed.notes);
    Ok(SearchResults { query, notes, by_words_alone, behind_since, suggestion, results })
}

/// Computes something on a blocking thread, so that it delays no other request.
async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let turn = COMPARING.acquire().await;
    // The work has its turn until it ends, even if the caller stops waiting.
    let computing = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    Ok(computing.await?)
}

/// Returns what these entries contain, in the given order. What was `read` already is not read again.
async fn contents(app: &App, entries: &[i64], read: Vec<SearchHit>) -> Result<Vec<SearchHit>> {
    let mut known: HashMap<i64, SearchHit> = read.into_iter().map(|hit| (hit.entry, hit)).collect();
    let missing: Vec<i64> = entries.iter().copied().filter(|entry| !known.contains_key(entry)).collect();
    if !missing.is_empty() {
        known.extend(app.store().search_hits(&missing, false).await?.into_iter().map(|hit| (hit.entry, hit)));
    }
    Ok(entries.iter().filter_map(|entry| known.remove(entry)).collect())
}

/// Returns the digest line of each item's story in the topics of these names; without a name, in any.
async fn story_lines(app: &App, items: &[ItemId], topics: &[&str]) -> Result<HashMap<ItemId, StoryLine>> {
    let chosen: Vec<TopicId> = match topics {
        [] => Vec::new(),
        names => filters::chosen_topics(app.store().topics().await?, names)?.iter().map(|topic| topic.id).collect(),
    };
    stories::lines(app, items, &chosen).await
}

/// Parses the query, and adds the filters that are given beside it.
fn parsed(request: &SearchRequest) -> Result<Parsed> {
    let mut parsed = parse(&request.text)?;
    let is_given = |value: &&String| !value.trim().is_empty();
    parsed.topics.extend(request.topic.as_ref().filter(is_given).cloned());
    parsed.sources.extend(request.source.as_ref().filter(is_given).cloned());
    if let Some(since) = request.since.as_ref().filter(is_given) {
        parsed.add_since(since)?;
    }
    Ok(parsed)
}

/// Parses a time to search from.
///
/// # Errors
/// When it is no time, or in the future.
fn past(text: &str, now: Timestamp) -> Result<Timestamp> {
    let since = since_when(text, now)?;
    if since.as_millis() - now.as_millis() <= MAX_AHEAD_MILLIS {
        return Ok(since);
    }
    let why = format!("{} is in the future (it is {now}), so nothing can be newer; give an earlier date", shown(text));
    Err(ServiceError::invalid("since", why))
}

/// What a query found.
#[derive(Default)]
struct Matches {
    /// Best first.
    entries: Vec<i64>,
    /// What some of them contain.
    read: Vec<SearchHit>,
    /// Why they were found by words alone, although meaning could be compared too.
    by_words_alone: Option<String>,
}

/// Returns the entries that the query's words match, or that are near in meaning.
async fn matching(
    app: &App,
    by: SearchBy,
    parsed: &Parsed,
    query: &SearchQuery,
    meaning: Option<&Arc<Meaning>>,
) -> Result<Matches> {
    if query.wanted.is_empty() {
        return Err(no_word(parsed));
    }
    let (entries, read) = match by {
        SearchBy::Meaning => (Vec::new(), Vec::new()),
        SearchBy::Words | SearchBy::Both => {
            let found = app.store().find_entries(query).await?;
            exact::as_written_first(app, &parsed.wanted, found).await?
        }
    };
    let Some(meaning) = meaning.filter(|_| !parsed.has_phrase) else {
        return Ok(Matches { entries, read, ..Matches::default() });
    };
    let words: Vec<&str> = parsed.wanted.iter().flatten().map(|term| term.text.as_str()).collect();
    let near = match vectors::nearest(app, meaning, &words.join(" "), NEAREST).await {
        Ok(Some(near)) => near,
        Ok(None) if by == SearchBy::Meaning => return Err(meaning::no_vectors()),
        Ok(None) => return Ok(Matches { entries, read, ..Matches::default() }),
        Err(error) if by == SearchBy::Both && meaning::is_of_provider(&error) => {
            let by_words_alone = Some(format!("found by words alone: {error}"));
            return Ok(Matches { entries, read, by_words_alone });
        }
        Err(error) => return Err(error),
    };
    let near = app.store().keep_entries(&near, query).await?;
    Ok(Matches { entries: fused([entries, near]), read, by_words_alone: None })
}

/// Combines rankings by reciprocal rank fusion.
fn fused(rankings: [Vec<i64>; 2]) -> Vec<i64> {
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for ranking in rankings {
        for (rank, entry) in ranking.into_iter().enumerate() {
            *scores.entry(entry).or_default() += reciprocal(rank);
        }
    }
    let mut ranked: Vec<(i64, f64)> = scores.into_iter().collect();
    ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    ranked.into_iter().map(|(entry, _)| entry).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a rank among some hundred")]
fn reciprocal(rank: usize) -> f64 {
    1.0 / (RRF_K + rank as f64 + 1.0)
}

/// Returns the number of results to show.
fn max_results(request: &SearchRequest) -> i64 {
    i64::try_from(request.limit.clamp(1, MAX_RESULTS)).unwrap_or(CANDIDATES)
}

/// Returns the time since which items or documents are missing from the index, or have terms of an earlier version;
/// `None` if it is complete.
async fn behind_since(app: &App) -> Result<Option<Timestamp>> {
    let now = app.clock().now();
    if let Some(known) = app.index_checks().recent(now) {
        return Ok(known.behind_since);
    }
    let behind_since = app.store().oldest_unindexed().await?;
    app.index_checks().record(IndexCheck { at: now, behind_since });
    Ok(behind_since)
}

/// Returns the sources that match a topic and a name; `None` for all.
pub(crate) async fn sources(app: &App, topic: Option<&String>, name: Option<&String>) -> Result<Option<Vec<SourceId>>> {
    let topics: Vec<&str> = topic.map(String::as_str).into_iter().collect();
    let names: Vec<&str> = name.map(String::as_str).into_iter().collect();
    filters::sources_of(app, &topics, &names).await
}

fn result(hit: SearchHit, excerpts: &mut Excerpts) -> SearchResult {
    let excerpt = excerpts.excerpt(&hit.text);
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
        unshown_id: None,
        excerpt,
    }
}
