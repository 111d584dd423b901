//! `aha-radar source import-miniflux`: feeds, stars and read marks of a Miniflux.

use std::collections::{BTreeMap, HashMap};

use aha_analysis::stories::preferences::terms_of;
use aha_content::canonical::canonical_url;
use aha_content::numbers::count;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::ItemId;
use aha_core::source::NewSource;
use aha_store::OpenMode;
use anyhow::Result;
use serde::Serialize;

use super::arguments::MinifluxArguments;
use super::dry_run::Scratch;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::config::Config;
use crate::services::feedback;
use crate::sources::miniflux::{MOST_ENTRIES, Mark, Marked, Miniflux, Subscription};

/// What was brought, or would be.
#[derive(Debug, Default, Serialize)]
struct Brought {
    dry_run: bool,
    topics: Vec<String>,
    sources: Counts,
    stars: Counts,
    reads: Counts,
    left_out: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    added: usize,
    known: usize,
}

pub(super) async fn run(config: Config, arguments: &MinifluxArguments) -> Result<Exit> {
    let token = config.sources.miniflux_token.clone().ok_or_else(|| {
        UsageError("set AHA_MINIFLUX_TOKEN (or AHA_MINIFLUX_TOKEN_FILE) to an API key of your Miniflux".to_owned())
    })?;
    let reader = Miniflux::at(&arguments.url, token).map_err(|error| UsageError(error.to_string()))?;
    let brought = if arguments.dry_run {
        let scratch = Scratch::new()?;
        bring(&scratch.app(config).await?, &reader, arguments).await?
    } else {
        bring(&super::app(config, OpenMode::CreateIfMissing).await?, &reader, arguments).await?
    };
    for reason in &brought.left_out {
        output::note(&output::one_safe_text(reason));
    }
    if arguments.json {
        output::print_json(&brought)?;
    } else {
        output::print(&output::one_safe_text(&in_words(&brought)))?;
    }
    Ok(if brought.left_out.is_empty() { Exit::Ok } else { Exit::Partial })
}

/// All is read before anything is stored: what fails on the way leaves nothing half done.
async fn bring(app: &App, reader: &Miniflux, arguments: &MinifluxArguments) -> Result<Brought> {
    let (fetcher, sites) = (app.fetcher(), &app.config().sources.sites);
    let found = reader.subscriptions(fetcher, sites).await?;
    let mut marks: Vec<(FeedbackKind, Vec<Marked>)> = Vec::new();
    if let Some(kind) = arguments.stars.kind() {
        marks.push((kind, reader.marked(fetcher, Mark::Starred, MOST_ENTRIES).await?));
    }
    marks.push((FeedbackKind::Read, reader.marked(fetcher, Mark::Read, usize::from(arguments.reads)).await?));
    let mut brought = Brought { dry_run: arguments.dry_run, left_out: found.unusable, ..Brought::default() };
    let topic_of = |feed: &Subscription| match &feed.category {
        Some(category) if arguments.categories_as_topics => category.clone(),
        _ => arguments.topic.clone(),
    };
    let mut by_topic: BTreeMap<String, Vec<&Subscription>> = BTreeMap::from([(arguments.topic.clone(), Vec::new())]);
    for feed in &found.feeds {
        by_topic.entry(topic_of(feed)).or_default().push(feed);
    }
    let is_known = |mark: &Marked| found.feeds.iter().any(|feed| feed.id == mark.feed);
    for (topic, feeds) in by_topic {
        let own: HashMap<i64, &Subscription> = feeds.iter().map(|feed| (feed.id, *feed)).collect();
        // What was marked of feeds that are not brought counts as well.
        let belongs = |mark: &&Marked| own.contains_key(&mark.feed) || (topic == arguments.topic && !is_known(mark));
        let said: Vec<FeedbackEvent> = marks
            .iter()
            .flat_map(|(kind, marks)| marks.iter().filter(belongs).map(|mark| (*kind, mark)))
            .map(|(kind, mark)| event(app, kind, mark, own.get(&mark.feed).copied()))
            .collect();
        if arguments.categories_as_topics && feeds.is_empty() && said.is_empty() {
            continue;
        }
        add(app, &topic, &feeds, &said, &mut brought).await?;
        brought.topics.push(topic);
    }
    Ok(brought)
}

async fn add(
    app: &App,
    topic: &str,
    feeds: &[&Subscription],
    said: &[FeedbackEvent],
    brought: &mut Brought,
) -> Result<()> {
    let now = app.clock().now();
    let topic = app.store().ensure_topic(topic, now).await?.id;
    let sources: Vec<NewSource> = feeds.iter().map(|feed| feed.source.clone()).collect();
    let counts = app.store().add_sources(topic, &sources, now).await?;
    brought.sources.added += counts.added;
    brought.sources.known += counts.known;
    let (reads, stars): (Vec<FeedbackEvent>, Vec<FeedbackEvent>) =
        said.iter().cloned().partition(|event| event.kind == FeedbackKind::Read);
    for (events, counts) in [(stars, &mut brought.stars), (reads, &mut brought.reads)] {
        let added = feedback::merge(app, topic, &events).await?;
        counts.added += added;
        counts.known += events.len() - added;
    }
    Ok(())
}

/// What is remembered of an entry: its words count whether or not the entry itself is here.
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

fn in_words(brought: &Brought) -> String {
    let part = |counts: &Counts, noun: &str| output::added(counts.added, counts.known, noun, &format!("{noun}s"));
    let parts = [part(&brought.sources, "source"), part(&brought.stars, "star"), part(&brought.reads, "read mark")];
    let would = if brought.dry_run { "would bring (nothing is stored): " } else { "" };
    let left_out = match brought.left_out.len() {
        0 => String::new(),
        n => format!("; {} left out", count(n, "feed", "feeds")),
    };
    format!("{would}{}{left_out}\ntopics: {}", parts.join("; "), brought.topics.join(", "))
}
