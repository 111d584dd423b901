//! Sources: lists, finds and changes them. `add` adds them, `test` reads one without storing it, `opml` and `miniflux`
//! exchange them with other programs.

pub mod add;
pub mod miniflux;
pub mod opml;
pub mod test;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use aha_core::ids::SourceId;
use aha_core::source::Source;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

pub use aha_store::{FetchSummary, PastFetch, SourceShare, SourcesAdded};

use super::id_prefix::{self, id_prefix};
use super::{Result, ServiceError, digests, topics};
use crate::app::{App, SourceShares};
use crate::sources::is_location_of;

/// Number of fetches shown for a source.
const SHOWN_FETCHES: i64 = 20;

/// A source with the name of its topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedSource {
    pub topic: String,
    #[serde(flatten)]
    pub source: Source,
}

/// Lists the sources of one topic or of all, by topic and URL.
///
/// # Errors
/// When there is no such topic.
pub async fn list(app: &App, topic: Option<&str>) -> Result<Vec<ListedSource>> {
    let topics = match topic {
        Some(name) => vec![topics::find(app, name).await?],
        None => topics::list(app).await?,
    };
    let mut listed = Vec::new();
    for topic in topics {
        let sources = app.store().sources(topic.id).await?.into_iter();
        listed.extend(sources.map(|source| ListedSource { topic: topic.name.clone(), source }));
    }
    Ok(listed)
}

/// Returns the names of all sources, by id.
///
/// # Errors
/// When the store fails.
pub async fn names(app: &App) -> Result<BTreeMap<SourceId, String>> {
    let listed = list(app, None).await?.into_iter();
    Ok(listed.map(|listed| (listed.source.id, listed.source.display_name())).collect())
}

/// Returns the name under which a list shows a source: without a title, host and path, so that the sources of one host
/// have different names. Not for digests, feeds and models: a path may contain a key.
#[must_use]
pub fn listed_name(source: &Source) -> String {
    let has_title = source.title.as_deref().is_some_and(|title| !title.trim().is_empty());
    let url = Url::parse(&source.url).ok().filter(|_| !has_title);
    match url.as_ref().and_then(|url| Some((url.host_str()?, url.path()))) {
        Some((host, path)) => format!("{host}{}", path.trim_end_matches('/')),
        None => source.display_name(),
    }
}

/// Returns the source with that id.
///
/// # Errors
/// When there is none.
pub async fn by_id(app: &App, id: SourceId) -> Result<ListedSource> {
    let next = "`aha-radar source list` shows them";
    let none = || ServiceError::not_found("source", format!("there is no source {id}, or it was removed; {next}"));
    let source = app.store().source(id).await?.ok_or_else(none)?;
    let topic = topics::list(app).await?.into_iter().find(|topic| topic.id == source.topic_id).ok_or_else(none)?;
    Ok(ListedSource { topic: topic.name, source })
}

/// Finds one source: by its URL or an equivalent form of it, its name, or its id or the beginning of its id, of four
/// digits or more.
///
/// # Errors
/// When none or several match.
pub async fn find(app: &App, name: &str, topic: Option<&str>) -> Result<ListedSource> {
    let prefix = id_prefix(name);
    let is_meant = |listed: &ListedSource| {
        let source = &listed.source;
        let is_named = source.url == name || is_location_of(name, &source.url, &app.config().sources.sites);
        is_named
            || source.display_name() == name
            || listed_name(source) == name
            || prefix.as_ref().is_some_and(|prefix| source.id.to_string().starts_with(prefix))
    };
    let (mut found, others): (Vec<_>, Vec<_>) = list(app, topic).await?.into_iter().partition(is_meant);
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let meant = suggestion(name, &others);
            let message =
                format!("no source is {name:?}, or it was removed already;{meant} `aha-radar source list` shows them");
            Err(ServiceError::NotFound { what: "source", message })
        }
        several => {
            let is_one_url = found.iter().all(|listed| listed.source.url == found[0].source.url);
            let next_step = if is_one_url {
                let topics: Vec<String> = found.iter().map(|listed| format!("{:?}", listed.topic)).collect();
                format!("name its topic, on the command line with --topic, one of {}", topics.join(", "))
            } else {
                let lines = found.iter().map(|ListedSource { topic, source }| {
                    format!("{}  {}  {} (topic {topic})", source.id, source.display_name(), source.url)
                });
                format!("give the URL or more of the id of one:{}", id_prefix::named(lines))
            };
            Err(ServiceError::invalid("source", format!("{several} sources fit {name:?}; {next_step}")))
        }
    }
}

/// From this similarity on, of 0 to 1, a name is suggested for another.
const MIN_SIMILARITY: f64 = 0.6;
/// From this number of letters on, the beginning of a word is as good as the word.
const MIN_BEGINNING: usize = 3;
/// Maximum number of names suggested.
const MAX_SUGGESTED: usize = 3;

/// Formats ` did you mean "Wireline News"?`; empty if no name is similar.
fn suggestion(name: &str, others: &[ListedSource]) -> String {
    let names: BTreeSet<String> = others.iter().map(|listed| listed_name(&listed.source)).collect();
    let mut similar: Vec<(f64, String)> = names.into_iter().map(|known| (similarity(name, &known), known)).collect();
    similar.retain(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    similar.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let names: Vec<String> = similar.iter().take(MAX_SUGGESTED).map(|(_, known)| format!("{known:?}")).collect();
    if names.is_empty() { String::new() } else { format!(" did you mean {}?", names.join(" or ")) }
}

/// Returns how similar what was typed is to a name or one of its words, from 0 to 1.
fn similarity(typed: &str, name: &str) -> f64 {
    let (typed, name) = (typed.trim().to_lowercase(), name.to_lowercase());
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).chain([name.as_str()]);
    let is_beginning = |word: &str| typed.chars().count() >= MIN_BEGINNING && word.starts_with(typed.as_str());
    let of_word = |word| if is_beginning(word) { 1.0 } else { strsim::normalized_damerau_levenshtein(&typed, word) };
    words.map(of_word).fold(0.0, f64::max)
}

/// What is to be changed of a source; what is not named stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SourceChange {
    pub enabled: Option<bool>,
    /// Multiplies the score of its stories, from 0.1 to 3.
    #[schema(minimum = 0.1, maximum = 3.0)]
    pub weight: Option<f64>,
    /// Whether to read the pages that its teasers link to.
    pub full_text: Option<bool>,
}

impl SourceChange {
    /// # Errors
    /// When the weight is out of range.
    pub fn check(&self) -> Result<()> {
        if self.weight.is_none_or(|weight| (0.1..=3.0).contains(&weight)) {
            return Ok(());
        }
        Err(ServiceError::invalid("weight", "weight expects a number from 0.1 to 3"))
    }
}

/// Changes a source.
///
/// # Errors
/// When the weight is out of range or the source was removed meanwhile.
pub async fn change(app: &App, source: &Source, change: SourceChange) -> Result<()> {
    change.check()?;
    let SourceChange { enabled, weight, full_text } = change;
    Ok(app.store().change_source(source.id, aha_store::SourceChange { enabled, weight, full_text }).await?)
}

/// Removes a source; its items stay in old digests.
///
/// # Errors
/// When it was removed meanwhile.
pub async fn remove(app: &App, source: &Source) -> Result<()> {
    Ok(app.store().remove_source(source.id).await?)
}

/// A source with its last fetches, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceHistory {
    #[serde(flatten)]
    pub listed: ListedSource,
    pub fetches: Vec<PastFetch>,
}

/// Returns how the last fetches of each of a topic's sources ended, the newest first.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn fetch_summaries(app: &App, topic: &str) -> Result<HashMap<SourceId, Vec<FetchSummary>>> {
    let topic = topics::find(app, topic).await?;
    Ok(app.store().fetch_summaries(topic.id, SHOWN_FETCHES).await?)
}

/// The days over which items are counted.
const SHARE_DAYS: i64 = 14;
/// Shares are counted again after this time, or when there is a new digest.
const SHARE_CACHE_MILLIS: i64 = 60_000;

/// Returns how many of the items of each of a topic's sources in the last two weeks reached a digest.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn shares(app: &App, topic: &str) -> Result<Arc<SourceShares>> {
    let topic = topics::find(app, topic).await?;
    let digest = digests::latest_id(app, topic.id).await?;
    // Items that arrive between two digests change a share of two weeks by little.
    let fingerprint = format!("{digest:?} {}", app.clock().wall().as_millis() / SHARE_CACHE_MILLIS);
    if let Some(known) = app.share_cache().get(&topic.id, &fingerprint) {
        return Ok(known);
    }
    let shares = app.store().source_shares(topic.id, app.clock().now().days_before(SHARE_DAYS)).await?;
    let shares = Arc::new(shares);
    app.share_cache().put(topic.id, fingerprint, Arc::clone(&shares));
    Ok(shares)
}

/// Returns the last fetches of a source.
///
/// # Errors
/// When the store fails.
pub async fn history(app: &App, listed: ListedSource) -> Result<SourceHistory> {
    let fetches = app.store().last_fetches(listed.source.id, SHOWN_FETCHES).await?;
    Ok(SourceHistory { listed, fetches })
}
