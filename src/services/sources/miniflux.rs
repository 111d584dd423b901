//! Imports feeds, stars and read marks from Miniflux.

use std::collections::{BTreeMap, HashMap};

use aha_analysis::preferences::terms_of;
use aha_content::canonical::canonical_url;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::ItemId;
use aha_core::source::NewSource;
use serde::Serialize;

use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::config::Config;
use crate::services::feedback::{self, FeedbackUser};
use crate::sources::miniflux::{MAX_ENTRIES, Mark, Marked, Miniflux, Subscription};

/// What to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinifluxImport {
    pub topic: String,
    /// Import each category into a topic with its name, instead of all into one.
    pub categories_as_topics: bool,
    /// The feedback that a star becomes; `None` ignores stars.
    pub stars: Option<FeedbackKind>,
    /// How many of the entries last read are imported as read.
    pub reads: usize,
}

/// The result of an import.
#[derive(Debug, Default, Serialize)]
pub struct MinifluxImported {
    pub topics: Vec<String>,
    pub sources: ImportCounts,
    pub stars: ImportCounts,
    pub reads: ImportCounts,
    /// The feeds that cannot be used, each with the reason.
    pub left_out: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
pub struct ImportCounts {
    pub added: usize,
    pub known: usize,
}

/// Returns a client for the Miniflux at an address, with the configured token.
///
/// # Errors
/// When no token is set or the address cannot be used.
pub fn connect(config: &Config, address: &str) -> Result<Miniflux> {
    let token = config.sources.miniflux_token.clone().ok_or_else(|| {
        let message = "set AHA_MINIFLUX_TOKEN (or AHA_MINIFLUX_TOKEN_FILE) to an API key of your Miniflux";
        ServiceError::invalid("AHA_MINIFLUX_TOKEN", message)
    })?;
    Miniflux::at(address, token).map_err(|error| ServiceError::invalid("url", error.to_string()))
}

/// Imports its feeds and marks. Everything is read before anything is stored: if the Miniflux cannot be read, nothing
/// is imported. If the store fails, what was stored before remains, and another import adds the rest.
///
/// # Errors
/// When it cannot be read or the store fails.
pub async fn import(app: &App, reader: &Miniflux, wanted: &MinifluxImport) -> Result<MinifluxImported> {
    let (fetcher, sites) = (app.fetcher(), &app.config().sources.sites);
    let found = reader.subscriptions(fetcher, sites).await?;
    let mut marks: Vec<(FeedbackKind, Vec<Marked>)> = Vec::new();
    if let Some(kind) = wanted.stars {
        marks.push((kind, reader.marked(fetcher, Mark::Starred, MAX_ENTRIES).await?));
    }
    marks.push((FeedbackKind::Read, reader.marked(fetcher, Mark::Read, wanted.reads).await?));
    let mut imported = MinifluxImported { left_out: found.unusable, ..MinifluxImported::default() };
    let topic_of = |feed: &Subscription| match &feed.category {
        Some(category) if wanted.categories_as_topics => category.clone(),
        _ => wanted.topic.clone(),
    };
    let mut by_topic: BTreeMap<String, Vec<&Subscription>> = BTreeMap::from([(wanted.topic.clone(), Vec::new())]);
    for feed in &found.feeds {
        by_topic.entry(topic_of(feed)).or_default().push(feed);
    }
    let is_known = |mark: &Marked| found.feeds.iter().any(|feed| feed.id == mark.feed);
    for (topic, feeds) in by_topic {
        let own: HashMap<i64, &Subscription> = feeds.iter().map(|feed| (feed.id, *feed)).collect();
        // Marks in feeds that are not imported count as well.
        let belongs = |mark: &&Marked| own.contains_key(&mark.feed) || (topic == wanted.topic && !is_known(mark));
        let events: Vec<FeedbackEvent> = marks
            .iter()
            .flat_map(|(kind, marks)| marks.iter().filter(belongs).map(|mark| (*kind, mark)))
            .map(|(kind, mark)| event(app, kind, mark, own.get(&mark.feed).copied()))
            .collect();
        if wanted.categories_as_topics && feeds.is_empty() && events.is_empty() {
            continue;
        }
        add(app, &topic, &feeds, &events, &mut imported).await?;
        imported.topics.push(topic);
    }
    Ok(imported)
}

async fn add(
    app: &App,
    topic: &str,
    feeds: &[&Subscription],
    events: &[FeedbackEvent],
    imported: &mut MinifluxImported,
) -> Result<()> {
    let now = app.clock().now();
    let topic = topics::ensure(app, topic).await?.id;
    let sources: Vec<NewSource> = feeds.iter().map(|feed| feed.source.clone()).collect();
    let counts = app.store().add_sources(topic, &sources, now).await?;
    imported.sources.added += counts.added;
    imported.sources.known += counts.known;
    let (reads, stars): (Vec<FeedbackEvent>, Vec<FeedbackEvent>) =
        events.iter().cloned().partition(|event| event.kind == FeedbackKind::Read);
    for (events, counts) in [(stars, &mut imported.stars), (reads, &mut imported.reads)] {
        let added = feedback::merge(app, FeedbackUser::owner(), topic, &events).await?;
        counts.added += added;
        counts.known += events.len() - added;
    }
    Ok(())
}

/// Builds the feedback event of an entry: its words count whether or not the entry itself is stored here.
fn event(app: &App, kind: FeedbackKind, mark: &Marked, feed: Option<&Subscription>) -> FeedbackEvent {
    let address = canonical_url(&mark.url).unwrap_or_else(|| mark.url.clone());
    let now = app.clock().now();
    FeedbackEvent {
        item_id: ItemId::of(&["url", &address]),
        kind,
        title: mark.title.clone(),
        source: feed.and_then(|feed| feed.source.title.clone()).unwrap_or_default(),
        author: mark.author.clone(),
        terms: terms_of(&mark.title, &mark.text),
        given_at: mark.at.map_or(now, |at| at.min(now)),
    }
}
