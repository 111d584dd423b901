//! `aha-radar source add`: new sources by address, path or short name; of a page, the feed that it names.

use std::fmt::Write as _;

use aha_core::ids::TopicId;
use aha_core::source::{NewSource, Source};
use anyhow::Result;

use super::arguments::AddArguments;
use super::exit::UsageError;
use super::output;
use crate::app::App;
use crate::sources::Connector as _;
use crate::sources::discover::{Discovery, FoundFeed, discover, is_like_feed_address};
use crate::sources::feed::FeedConnector;
use crate::sources::fetch::FetchError;
use crate::sources::{Place, place_from_argument, recognise};

pub(super) async fn run(app: &App, arguments: AddArguments) -> Result<()> {
    let AddArguments { locations, topic, title, weight, as_is, full_text } = arguments;
    if title.is_some() && locations.len() > 1 {
        return Err(UsageError("--title names a single source; add the others without it".to_owned()).into());
    }
    check_weight(weight)?;
    let mut sources = Vec::new();
    for location in &locations {
        let place = place_from_argument(location, &app.config().sources.sites)
            .map_err(|error| UsageError(error.to_string()))?;
        let Place { kind, url } = if as_is { place } else { looked_at(app, place).await? };
        let (kind, title) = (kind.to_owned(), title.clone());
        sources.push(NewSource { kind, url, title, weight, full_text, ..NewSource::default() });
    }
    let now = app.clock().now();
    let topic = app.store().ensure_topic(&topic, now).await?;
    let counts = app.store().add_sources(topic.id, &sources, now).await?;
    let mut said = output::sources_added(counts);
    for source in app.store().sources(topic.id).await? {
        if sources.iter().any(|new| new.url == source.url) {
            set(app, &source, weight, full_text.then_some(true)).await?;
        }
    }
    if let Some(weight) = weight {
        let _ = write!(said, "; their weight is now {weight}");
    }
    if sources.iter().any(|new| new.kind == "signal") && app.config().sources.search.is_none() {
        output::note("no search is configured yet: such sources are off until AHA_SIGNAL_URL is set; see .env.example");
    }
    output::print(&said)
}

pub(super) fn check_weight(weight: Option<f64>) -> Result<(), UsageError> {
    let fits = weight.is_none_or(|weight| (0.1..=3.0).contains(&weight));
    if fits { Ok(()) } else { Err(UsageError("--weight wants a number from 0.1 to 3".to_owned())) }
}

/// Changes what is given of a source.
pub(super) async fn set(app: &App, source: &Source, weight: Option<f64>, full_text: Option<bool>) -> Result<()> {
    if let Some(weight) = weight {
        app.store().set_source_weight(source.id, weight).await?;
    }
    if let Some(full_text) = full_text {
        app.store().set_source_full_text(source.id, full_text).await?;
    }
    Ok(())
}

/// What stands at a place, where that can be told now. An address that is written like a feed's is not asked for; its
/// name is fetched up.
async fn looked_at(app: &App, place: Place) -> Result<Place> {
    if place.kind != "feed" {
        return Ok(place);
    }
    if place.url.starts_with("http") && is_like_feed_address(&place.url) {
        if let Err(error) = app.fetcher().resolve(&place.url).await {
            note_unread(&place, &error);
        }
        return Ok(place);
    }
    if place.url.starts_with("http") {
        return feed_of(app, place).await;
    }
    // A file that is no feed now will hardly be one later.
    let new = NewSource { kind: place.kind.to_owned(), url: place.url.clone(), ..NewSource::default() };
    FeedConnector.fetch(&Source::unseen(TopicId::of(&["source add"]), &new), app.fetcher()).await?;
    Ok(place)
}

/// The address itself where it is a feed's or cannot be read now; else the one feed of the page there.
async fn feed_of(app: &App, place: Place) -> Result<Place> {
    match discover(app.fetcher(), &place.url).await {
        Ok(Discovery::Feed) => Ok(place),
        Ok(Discovery::Page(mut found)) if found.len() == 1 => {
            let url = found.remove(0).url;
            output::note(&format!("{} is a page; its feed {url} is added", place.url));
            Ok(recognise(&url, &app.config().sources.sites).unwrap_or(Place { kind: "feed", url }))
        }
        Ok(Discovery::Page(found)) => Err(UsageError(choice(&place.url, &found)).into()),
        Err(error @ (FetchError::NoFeed { .. } | FetchError::NotAFeed { .. })) => Err(error.into()),
        Err(error) => {
            note_unread(&place, &error);
            Ok(place)
        }
    }
}

fn note_unread(place: &Place, error: &FetchError) {
    output::note(&format!("{} is added as it is, as it could not be read now: {error}", place.url));
}

fn choice(page: &str, found: &[FoundFeed]) -> String {
    let mut text = format!("{page} is a page with {} feeds; add the one you want:", found.len());
    for feed in found {
        let title = feed.title.as_deref().unwrap_or("no title");
        let _ = write!(text, "\n  aha-radar source add '{}'   {title}", feed.url.replace('\'', "%27"));
    }
    text
}
