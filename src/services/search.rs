//! Search: items and documents by their words, and by their meaning where weights are set.
//!
//! A query is words, all of which have to occur; `"several words"` stand side by side, `-word` must not occur, `source:`, `topic:` and `since:`
//! narrow it. With weights in `AHA_EMBED_MODEL_DIR` what is near in meaning is found as well, unless there is a phrase: what the database ranks by words and
//! what the vectors rank is fused by reciprocal rank.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aha_analysis::static_model::Weights;
use aha_core::ids::{DigestItemId, ItemId, SourceId};
use aha_core::time::Timestamp;
use aha_store::terms::{each_word, query_stems};
use aha_store::{SearchHit, SearchQuery, forms};
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Result, ServiceError, meaning, stories, topics, vector_search};
use crate::app::App;
use crate::sentences;

/// Entries that are indexed in one transaction.
const INDEXED_AT_ONCE: i64 = 500;
/// Hits that are fused.
const CANDIDATES: i64 = 200;
/// Entries of like meaning that are read, of which filters and unwanted words leave some out.
const NEAREST: usize = 1_000;
/// Of a query.
const MAX_QUERY_CHARS: usize = 1_000;
const MAX_RESULTS: usize = 100;
/// Reciprocal rank fusion (Cormack et al. 2009).
const FUSION: f64 = 60.0;
/// Of an excerpt.
const EXCERPT_CHARS: usize = 240;

/// Makes the index again from the rows. How many items and passages it has now.
///
/// # Errors
/// When the database fails; what was indexed until then stays, and the next call begins anew.
pub async fn reindex(app: &App) -> Result<usize> {
    app.store().clear_search().await?;
    let mut total = 0;
    loop {
        let indexed = app.store().index_missing(INDEXED_AT_ONCE).await?;
        if indexed == 0 {
            sentences::make_all(app).await?;
            return Ok(total);
        }
        total += indexed;
    }
}

/// What is searched for, as a face gives it.
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
    /// Items that came since then are not found yet; `aha-radar reindex` mends it.
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
    /// The newest line of a digest that the item stood in.
    pub digest_item_id: Option<DigestItemId>,
    /// The text around the first word that was found, in parts.
    pub excerpt: Vec<ExcerptPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcerptPart {
    pub text: String,
    /// One of the words that were searched for.
    pub is_match: bool,
}

/// Searches.
///
/// # Errors
/// When the query holds no word, a filter names nothing, or the store fails.
pub async fn search(app: &App, request: &SearchRequest) -> Result<SearchResults> {
    let parsed = parse(&request.text)?;
    let topic = request.topic.as_ref().or(parsed.topic.as_ref());
    let sources = sources(app, topic, request.source.as_ref().or(parsed.source.as_ref())).await?;
    let since = request.since.as_ref().or(parsed.since.as_ref());
    let since = since.map(|text| since_when(text, app.clock().now())).transpose()?;
    let weights = meaning::weights(app).await;
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
        with_html: false,
        limit: if weights.is_some() { CANDIDATES } else { shown(request) },
    };
    if query.wanted.is_empty() {
        return Err(ServiceError::invalid("q", "the query holds no word to search for"));
    }
    let mut hits = app.store().search(&query).await?;
    if request.by != SearchBy::Words && !parsed.has_phrase {
        let by_words = if request.by == SearchBy::Meaning { Vec::new() } else { hits };
        hits = fused(app, weights.as_ref(), &parsed.wanted.join(" "), &query, by_words).await?;
    }
    hits.truncate(usize::try_from(shown(request)).unwrap_or(MAX_RESULTS));
    let items: Vec<ItemId> = hits.iter().filter_map(|hit| hit.item).collect();
    let lines = stories::newest_lines(app, &items).await?;
    let stems: BTreeSet<String> = parsed.wanted.iter().flat_map(|text| stems(text)).collect();
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

/// Results that are wanted; without weights no more are read, as their order stays.
fn shown(request: &SearchRequest) -> i64 {
    i64::try_from(request.limit.clamp(1, MAX_RESULTS)).unwrap_or(CANDIDATES)
}

/// Since when the index is behind.
async fn behind_since(app: &App) -> Result<Option<Timestamp>> {
    let now = app.clock().now();
    if app.index_checks().is_recent(now) {
        return Ok(None);
    }
    let since = app.store().search_behind_since().await?;
    if since.is_none() {
        app.index_checks().seen_complete(now);
    }
    Ok(since)
}

fn stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_word(text, |word| stems.extend(query_stems(word)));
    stems
}

/// A query, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parsed {
    wanted: Vec<String>,
    unwanted: Vec<String>,
    source: Option<String>,
    topic: Option<String>,
    since: Option<String>,
    /// Some of the wanted words are to stand side by side: what is like them in meaning is not meant.
    has_phrase: bool,
}

fn parse(text: &str) -> Result<Parsed> {
    if text.chars().count() > MAX_QUERY_CHARS {
        return Err(ServiceError::invalid("q", format!("the query has more than {MAX_QUERY_CHARS} characters")));
    }
    let mut parsed = Parsed::default();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (is_unwanted, from) = match rest.strip_prefix('-') {
            Some(from) => (true, from),
            None => (false, rest),
        };
        let (name, from) = match ["source:", "topic:", "since:"].iter().find(|name| from.starts_with(**name)) {
            Some(name) => (*name, &from[name.len()..]),
            None => ("", from),
        };
        let (word, behind) = word_of(from);
        rest = behind.trim_start();
        match (name, is_unwanted) {
            ("source:", _) => parsed.source = Some(word.to_owned()),
            ("topic:", _) => parsed.topic = Some(word.to_owned()),
            ("since:", _) => parsed.since = Some(word.to_owned()),
            (_, true) => parsed.unwanted.push(word.to_owned()),
            (_, false) => {
                parsed.has_phrase |= from.starts_with('"');
                parsed.wanted.push(word.to_owned());
            }
        }
    }
    parsed.wanted.retain(|word| !word.is_empty());
    parsed.unwanted.retain(|word| !word.is_empty());
    Ok(parsed)
}

/// Up to the closing quotation mark, or the next white space.
fn word_of(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// The sources that a topic and a name leave; `None` for all.
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

/// `2026-05-01`, an RFC 3339 time, or `30d`.
///
/// # Errors
/// When it is none of these.
pub fn since_when(text: &str, now: Timestamp) -> Result<Timestamp> {
    let days =
        text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok()).filter(|days| (0..=36_500).contains(days));
    if let Some(days) = days {
        let millis = TimeDelta::try_days(days).map_or(0, |days| days.num_milliseconds());
        return Ok(Timestamp::from_millis(now.as_millis() - millis));
    }
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Ok(Timestamp::from_millis(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis()));
    }
    let time =
        chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| Timestamp::from_millis(time.timestamp_millis()));
    time.ok_or_else(|| ServiceError::invalid("since", "since wants a date (2026-05-01), an RFC 3339 time, or 30d"))
}

/// What was found by words and what is near by meaning, by reciprocal rank of both; by words alone where there are no weights.
async fn fused(
    app: &App,
    weights: Option<&Arc<Weights>>,
    text: &str,
    query: &SearchQuery,
    by_words: Vec<SearchHit>,
) -> Result<Vec<SearchHit>> {
    let Some(weights) = weights else { return Ok(by_words) };
    let near = vector_search::nearest(app, weights, text, NEAREST).await?;
    let by_meaning = app.store().search_among(&near, query).await?;
    let mut scored: HashMap<i64, (f64, SearchHit)> = HashMap::new();
    for ranking in [by_words, by_meaning] {
        for (rank, hit) in ranking.into_iter().enumerate() {
            scored.entry(hit.entry).or_insert((0.0, hit)).0 += reciprocal(rank);
        }
    }
    let mut scored: Vec<(f64, SearchHit)> = scored.into_values().collect();
    scored.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.entry.cmp(&other.entry)));
    Ok(scored.into_iter().map(|(_, hit)| hit).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a rank among some hundred")]
fn reciprocal(rank: usize) -> f64 {
    1.0 / (FUSION + rank as f64 + 1.0)
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

/// The text around the first word of the query, with all of its words marked.
fn excerpt(text: &str, stems: &BTreeSet<String>) -> Vec<ExcerptPart> {
    // No stemmer changes a first letter of ASCII: most words need not be stemmed in all languages to be seen to be others.
    let may_be_wanted = |word: &str| {
        let first = word.chars().next().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_alphanumeric);
        first.is_none_or(|first| stems.iter().any(|stem| stem.starts_with(first)))
    };
    let is_wanted = |word: &str| may_be_wanted(word) && query_stems(word).iter().any(|stem| stems.contains(stem));
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#');
    let words: Vec<(usize, &str)> = text
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .take(5_000)
        .collect();
    let first = words.iter().find(|(_, word)| is_wanted(word)).map_or(0, |(at, _)| *at);
    let start = text.floor_char_boundary(first.saturating_sub(EXCERPT_CHARS / 3));
    let start = text[..start].rfind(char::is_whitespace).map_or(0, |at| at + 1).min(first);
    let start = text.ceil_char_boundary(start);
    let end = text.floor_char_boundary((start + EXCERPT_CHARS).min(text.len()));
    // Not within a word, unless it is longer than that.
    let last_space = || text[start..end].rfind(char::is_whitespace).map(|at| start + at).filter(|at| *at > first);
    let end = if end < text.len() { last_space().unwrap_or(end) } else { end };
    let mut parts: Vec<ExcerptPart> = Vec::new();
    let mut push = |text: &str, is_match: bool| {
        if !text.is_empty() {
            parts.push(ExcerptPart { text: text.replace('\n', " "), is_match });
        }
    };
    if start > 0 {
        push("… ", false);
    }
    let mut at = start;
    for (from, word) in words.into_iter().filter(|(from, word)| *from >= start && from + word.len() <= end) {
        if is_wanted(word) {
            push(&text[at..from], false);
            push(word, true);
            at = from + word.len();
        }
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(" …", false);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_taken_apart() {
        let parsed =
            parse(r#"heat "air source" -gas source:wire topic:home since:30d -"district heating" "open"#).unwrap();
        assert_eq!(parsed.wanted, ["heat", "air source", "open"]);
        assert_eq!(parsed.unwanted, ["gas", "district heating"]);
        assert_eq!((parsed.source.as_deref(), parsed.topic.as_deref()), (Some("wire"), Some("home")));
        assert_eq!(parsed.since.as_deref(), Some("30d"));
        assert!(parsed.has_phrase && !parse("heat pump -\"side by side\"").unwrap().has_phrase);
        assert!(parse(&"x".repeat(2_000)).is_err());
    }

    #[test]
    fn since_is_a_date_a_time_or_a_span() {
        let now = Timestamp::from_millis(86_400_000 * 40);
        assert_eq!(since_when("30d", now).unwrap().as_millis(), 86_400_000 * 10);
        assert_eq!(since_when("1970-01-02", now).unwrap().as_millis(), 86_400_000);
        assert_eq!(since_when("1970-01-02T00:00:01Z", now).unwrap().as_millis(), 86_401_000);
        assert!(since_when("yesterday", now).is_err());
    }

    #[test]
    fn an_excerpt_marks_the_words_in_all_their_forms() {
        let text =
            format!("{} The engines of the ferry fail. An engine is old.", "Filler of no use at all. ".repeat(20));
        let parts = excerpt(&text, &stems("engine"));
        let marked: Vec<&str> = parts.iter().filter(|part| part.is_match).map(|part| part.text.as_str()).collect();
        assert_eq!(marked, ["engines", "engine"]);
        assert!(parts[0].text.starts_with('…'));
        let long = format!("The engines {}", "hesitate ".repeat(60));
        let shown: String = excerpt(&long, &stems("engine")).into_iter().map(|part| part.text).collect();
        assert!(shown.ends_with("hesitate …"), "{shown}");
        let whole: String = excerpt("é ü", &stems("x")).into_iter().map(|part| part.text).collect();
        assert_eq!(whole, "é ü");
    }
}
