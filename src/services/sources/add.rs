//! Adds sources by address, path or short name; from a page, the feed that it links to.

use std::fmt::{self, Write as _};

use aha_content::fold::is_invisible;
use aha_core::ids::TopicId;
use aha_core::source::{NewSource, Source, SourceKind};
use aha_store::SourcesAdded;
use futures::FutureExt as _;
use serde::Serialize;

use super::{Result, ServiceError, SourceChange, change, topics};
use crate::app::App;
use crate::config::Config;
use crate::sources::Connector as _;
use crate::sources::discover::{Discovery, FoundFeed, is_like_feed_address};
use crate::sources::feed::FeedConnector;
use crate::sources::fetch::FetchError;
use crate::sources::{SourceLocation, location_from_argument, source_of_page, web_location_from_argument};

/// Sources to add, and how to read them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourcesToAdd {
    /// Addresses, short names, or paths if `allow_paths`.
    pub locations: Vec<String>,
    pub topic: String,
    /// The name to show, if only one source is added.
    pub title: Option<String>,
    pub weight: Option<f64>,
    /// Add it without fetching the address.
    pub as_is: bool,
    pub full_text: bool,
    /// Whether a local file may be a source. Never set for remote users.
    pub allow_paths: bool,
}

/// The result of adding sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddedSources {
    #[serde(flatten)]
    pub counts: SourcesAdded,
    /// The addresses of the sources.
    pub urls: Vec<String>,
}

/// Information about a source that is being added.
#[derive(Debug)]
pub enum AddNote {
    /// A page was given, and its only feed is added.
    FeedOfPage { page: String, feed: String },
    /// The source could not be read now, and is added all the same.
    Unread { url: String, error: FetchError },
    /// A search was added although no search is configured.
    NoSearch,
}

impl fmt::Display for AddNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FeedOfPage { page, feed } => write!(f, "{page} is a page; its feed {feed} is taken"),
            Self::Unread { url, error } => {
                let test = format!("`aha-radar source test {}`", in_quotes(url));
                write!(f, "{url} could not be read now and is taken as it is: {error}. {test} tries it again")
            }
            Self::NoSearch => f.write_str(
                "no search is configured yet: such sources are off until AHA_SIGNAL_URL is set; see .env.example",
            ),
        }
    }
}

/// What is checked of an address that looks like a feed's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FeedCheck {
    /// That its host name can be resolved.
    Host,
    /// That it can be read.
    Content,
}

/// Adds sources to a topic, which is created if it does not exist. For sources that exist already, weight and full text
/// are set if given. `note` is called as information becomes available, also before an error.
///
/// # Errors
/// When a location, the title or the weight cannot be used, or a page has no feed or several.
pub async fn add(app: &App, new: &SourcesToAdd, note: &mut (dyn FnMut(AddNote) + Send)) -> Result<AddedSources> {
    add_checked(app, new, FeedCheck::Host, note).await
}

/// Adds sources as [`add`] does, and fetches also the addresses that look like a feed's, for a user who waits for the
/// notes: a feed that cannot be read now is added, and `note` gets the reason.
///
/// # Errors
/// As [`add`].
pub async fn add_and_read(
    app: &App,
    new: &SourcesToAdd,
    note: &mut (dyn FnMut(AddNote) + Send),
) -> Result<AddedSources> {
    add_checked(app, new, FeedCheck::Content, note).await
}

async fn add_checked(
    app: &App,
    new: &SourcesToAdd,
    check: FeedCheck,
    note: &mut (dyn FnMut(AddNote) + Send),
) -> Result<AddedSources> {
    if new.title.is_some() && new.locations.len() > 1 {
        return Err(ServiceError::invalid("title", "title expects a single source; add the others without it"));
    }
    let wanted = SourceChange { enabled: None, weight: new.weight, full_text: new.full_text.then_some(true) };
    wanted.check()?;
    let mut sources = Vec::new();
    for location in &new.locations {
        let location = resolve_location(app.config(), location, new.allow_paths).map_err(unusable)?;
        let SourceLocation { kind, url } =
            if new.as_is { location } else { resolved(app, location, check, note).await? };
        let title = new.title.as_ref().map(|title| title.chars().filter(|c| !is_invisible(*c)).collect());
        sources.push(NewSource {
            kind,
            url,
            title,
            weight: new.weight,
            full_text: new.full_text,
            ..NewSource::default()
        });
    }
    let now = app.clock().now();
    let topic = topics::ensure(app, &new.topic).await?;
    let counts = app.store().add_sources(topic.id, &sources, now).await?;
    for source in app.store().sources(topic.id).await? {
        if sources.iter().any(|new| new.url == source.url) {
            change(app, &source, wanted).await?;
        }
    }
    if sources.iter().any(|new| new.kind == SourceKind::Signal) && app.config().sources.search.is_none() {
        note(AddNote::NoSearch);
    }
    Ok(AddedSources { counts, urls: sources.into_iter().map(|source| source.url).collect() })
}

fn unusable(message: String) -> ServiceError {
    ServiceError::Invalid { field: "locations", message }
}

/// Parses a location, or returns what is wrong with it. Files of this machine are accepted only with `allow_paths`.
pub(super) fn resolve_location(
    config: &Config,
    location: &str,
    allow_paths: bool,
) -> std::result::Result<SourceLocation, String> {
    let sites = &config.sources.sites;
    if allow_paths {
        return location_from_argument(location, sites).map_err(|error| error.to_string());
    }
    let refused = || format!("{location:?} is no web address; local files can only be added on the command line");
    web_location_from_argument(location, sites).map_err(|error| error.to_string())?.ok_or_else(refused)
}

/// Resolves a location to a feed, if that can be determined now. An address that looks like a feed's is taken as it is,
/// whatever the check finds.
async fn resolved(
    app: &App,
    location: SourceLocation,
    check: FeedCheck,
    note: &mut (dyn FnMut(AddNote) + Send),
) -> Result<SourceLocation> {
    if location.kind != SourceKind::Feed {
        return Ok(location);
    }
    if location.url.starts_with("http") && is_like_feed_address(&location.url) {
        if let Err(error) = check_feed(app, &location, check).await {
            note(AddNote::Unread { url: location.url.clone(), error });
        }
        return Ok(location);
    }
    if location.url.starts_with("http") {
        return feed_of(app, location, note).await;
    }
    // A file that is no feed now is unlikely to become one.
    read_feed(app, &location).await?;
    Ok(location)
}

/// Checks an address that looks like a feed's. The host name is resolved first, as that has a short time limit.
async fn check_feed(app: &App, location: &SourceLocation, check: FeedCheck) -> std::result::Result<(), FetchError> {
    app.fetcher().resolve(&location.url).boxed().await?;
    match check {
        FeedCheck::Host => Ok(()),
        FeedCheck::Content => read_feed(app, location).await,
    }
}

async fn read_feed(app: &App, location: &SourceLocation) -> std::result::Result<(), FetchError> {
    let new = NewSource { kind: location.kind, url: location.url.clone(), ..NewSource::default() };
    let source = Source::never_fetched(TopicId::of(&["source add"]), &new);
    FeedConnector.fetch(&source, app.fetcher()).await.map(|_| ())
}

/// Returns the address itself if it is a feed's or cannot be read now; else that of the page's only feed.
async fn feed_of(
    app: &App,
    location: SourceLocation,
    note: &mut (dyn FnMut(AddNote) + Send),
) -> Result<SourceLocation> {
    match crate::sources::discover::discover(app.fetcher(), &location.url).boxed().await {
        Ok(Discovery::Feed) => Ok(location),
        Ok(Discovery::Page(mut found)) if found.len() == 1 => {
            let url = found.remove(0).url;
            note(AddNote::FeedOfPage { page: location.url, feed: url.clone() });
            Ok(source_of_page(&url, &app.config().sources.sites)
                .unwrap_or(SourceLocation { kind: SourceKind::Feed, url }))
        }
        Ok(Discovery::Page(found)) => Err(ServiceError::invalid("locations", choice(&location.url, &found))),
        Err(error @ (FetchError::NoFeed { .. } | FetchError::NotAFeed { .. })) => Err(error.into()),
        Err(error) => {
            note(AddNote::Unread { url: location.url.clone(), error });
            Ok(location)
        }
    }
}

fn choice(page: &str, found: &[FoundFeed]) -> String {
    let mut text = format!("{page} is a page with {} feeds; add the one you want:", found.len());
    for feed in found {
        let title = feed.title.as_deref().unwrap_or("no title");
        let _ = write!(text, "\n  aha-radar source add {}   {title}", in_quotes(&feed.url));
    }
    text
}

/// Returns an address for a command to be pasted into a shell.
fn in_quotes(url: &str) -> String {
    format!("'{}'", url.replace('\'', "%27"))
}

/// A feed at an address, or one that the page there links to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiscoveredFeed {
    pub url: String,
    /// Its title in the page.
    pub title: Option<String>,
}

/// What was found at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discovered {
    /// The address is a source itself: a feed, or a short name such as `hn:top`. Contains the address that is fetched.
    Itself { url: String },
    /// The address is that of a page with these feeds, at least one.
    Page(Vec<DiscoveredFeed>),
}

impl Discovered {
    /// Returns the feeds to choose from.
    #[must_use]
    pub fn into_feeds(self) -> Vec<DiscoveredFeed> {
        match self {
            Self::Itself { url } => vec![DiscoveredFeed { url, title: None }],
            Self::Page(feeds) => feeds,
        }
    }
}

/// Determines whether an address is a source itself or that of a page with feeds.
///
/// # Errors
/// When the address cannot be used or read, or links to no feed.
pub async fn discover(app: &App, address: &str) -> Result<Discovered> {
    let SourceLocation { kind, url } = resolve_location(app.config(), address, false).map_err(unusable)?;
    if kind != SourceKind::Feed {
        return Ok(Discovered::Itself { url });
    }
    Ok(match crate::sources::discover::discover(app.fetcher(), &url).boxed().await? {
        Discovery::Feed => Discovered::Itself { url },
        Discovery::Page(found) => {
            let feeds = found.into_iter().map(|feed| DiscoveredFeed { url: feed.url, title: feed.title });
            Discovered::Page(feeds.collect())
        }
    })
}
