//! Reads a source to show its content. Stores nothing except the cost of a search.

use std::sync::Arc;

use aha_content::feed::ParsedFeed;
use aha_core::fetch::FetchErrorKind;
use aha_core::ids::TopicId;
use aha_core::item::NewItem;
use aha_core::source::{NewSource, Source, SourceKind};
use aha_core::time::Timestamp;
use aha_llm::{Executed, NotSent};
use aha_store::{OpenMode, OrphanedCalls};
use serde::Serialize;

use super::add::resolve_location;
use super::{Result, ServiceError};
use crate::app::{App, connectors, fetch_config};
use crate::config::Config;
use crate::pipeline::RunError;
use crate::pipeline::paid_search::search;
use crate::services::models::scope;
use crate::services::turns::Turns;
use crate::sources::fetch::{FetchError, Fetcher};
use crate::sources::signal::{SearchResponse, SearchResult};
use crate::sources::{Connectors, FetchOutcome, FetchResult, SourceLocation};

/// The content of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedSource {
    pub feed: TestedFeed,
    pub items: Vec<TestedItem>,
    /// Errors in the source that were corrected.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TestedFeed {
    pub title: Option<String>,
    pub link: Option<String>,
    pub description: Option<String>,
    pub language: Option<String>,
    pub format: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedItem {
    pub external_id: Option<String>,
    pub title: Option<String>,
    pub url: Option<String>,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    /// As in the source: not sanitised.
    pub summary: Option<String>,
    pub content: Option<String>,
}

/// Reads sources without storing anything. It needs a database only for searches, which cost money.
#[derive(Debug)]
pub struct SourceTester {
    /// The app of the process that serves a remote user. Without one, the database is opened for each search.
    app: Option<App>,
    config: Config,
    fetcher: Arc<Fetcher>,
    connectors: Connectors,
    allow_paths: bool,
}

impl SourceTester {
    /// For a user at this machine, who may read its files.
    ///
    /// # Errors
    /// When no HTTP client can be built.
    pub fn new(config: &Config) -> Result<Self> {
        Ok(Self {
            fetcher: Arc::new(Fetcher::new(fetch_config(config))?),
            connectors: connectors(config),
            app: None,
            config: config.clone(),
            allow_paths: true,
        })
    }

    /// For a remote user, with the limits of the process that serves them.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self {
            fetcher: Arc::clone(app.fetcher()),
            connectors: connectors(app.config()),
            app: Some(app.clone()),
            config: app.config().clone(),
            allow_paths: false,
        }
    }

    /// Reads a source.
    ///
    /// # Errors
    /// When the location cannot be used or read.
    pub async fn test(&self, location: &str) -> Result<TestedSource> {
        let unusable = |message: String| ServiceError::invalid("location", message);
        let SourceLocation { kind, url } =
            resolve_location(&self.config, location, self.allow_paths).map_err(unusable)?;
        let new = NewSource { kind, url, ..NewSource::default() };
        let source = Source::never_fetched(TopicId::of(&["source test"]), &new);
        let result = match (&self.config.sources.search, self.connectors.of(source.kind)) {
            (Some(_), _) if source.kind == SourceKind::Signal => self.searched(&source).await?,
            (_, Some(connector)) => tokio::select! {
                result = connector.fetch(&source, &self.fetcher) => result?,
                () = self.stopped() => return Err(RunError::Interrupted.into()),
            },
            (_, None) => {
                let message = format!("a source of the kind {kind} is not tested alone; a run reads it");
                return Err(ServiceError::Conflict { message });
            }
        };
        match result.outcome {
            FetchOutcome::Feed(feed) => Ok(TestedSource::from(feed)),
            FetchOutcome::Results(found) => Ok(TestedSource::from(results(found))),
            FetchOutcome::NotModified => {
                let message =
                    "the server says the feed has not changed, although nothing was read before; try again later";
                Err(ServiceError::Conflict { message: message.to_owned() })
            }
        }
    }

    /// Waits until the process that serves the user is asked to stop. A search goes on then, as it costs money.
    async fn stopped(&self) {
        match &self.app {
            Some(app) => app.stopping().cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Searches with the process's app, or with one that is opened for this search.
    async fn searched(&self, source: &Source) -> Result<FetchResult> {
        if let Some(app) = &self.app {
            return searched(app, source).await;
        }
        let store = aha_store::open(self.config.database_url.as_str(), OpenMode::CreateIfMissing).await?;
        let app = App::new(self.config.clone(), store)?;
        let result = searched(&app, source).await;
        app.finish_background().await;
        result
    }
}

/// Maximum number of tests at the same time, each of which may wait long for its source, and of those that wait.
const MAX_RUNNING: usize = 8;
const MAX_WAITING: usize = 32;
static TESTS: Turns = Turns::new("tests of sources", MAX_RUNNING, MAX_WAITING);

/// Reads a source for a remote user, in its turn.
///
/// # Errors
/// When the location cannot be used or read, or too many tests wait already.
pub async fn test_in_turn(app: &App, location: String) -> Result<TestedSource> {
    let tester = SourceTester::of(app);
    TESTS.run(app, async move || tester.test(&location).await).await
}

/// A search costs money: it goes through the ledger and is limited by the caps, as in a run.
async fn searched(app: &App, source: &Source) -> Result<FetchResult> {
    let scope = scope(app, "");
    app.store().settle_orphaned_calls(OrphanedCalls::Expired(app.clock().wall())).await?;
    match search(app, &scope, source).await? {
        Executed::Answered(result) => Ok(result?),
        Executed::Failed(failed) => {
            let (kind, reason) = (FetchErrorKind::SearchFailed, failed.error.to_string());
            Err(FetchError::Search { kind, status: None, reason }.into())
        }
        Executed::NotSent(NotSent::NoBudget(exhausted)) => Err(ServiceError::no_budget(&exhausted.why)),
        Executed::NotSent(NotSent::CircuitOpen { why: message, .. } | NotSent::Unusable(message)) => {
            Err(ServiceError::Conflict { message })
        }
        Executed::NotSent(NotSent::Interrupted) => {
            let message = "the search was interrupted before it was made; do it again".to_owned();
            Err(ServiceError::Conflict { message })
        }
    }
}

/// Returns the results of a search as entries, without field extraction: a model does that, and it is paid for in runs
/// only.
fn results(found: SearchResponse) -> ParsedFeed {
    let item = |result: SearchResult| NewItem { content_markup: Some(result.result.to_string()), ..NewItem::default() };
    ParsedFeed {
        title: Some(found.title),
        link: None,
        description: Some("results as the search returns them; runs have a model tell their fields apart".to_owned()),
        language: None,
        format: "signal".to_owned(),
        items: found.results.into_iter().map(item).collect(),
        problems: Vec::new(),
        left_out: None,
    }
}

impl From<ParsedFeed> for TestedSource {
    fn from(feed: ParsedFeed) -> Self {
        Self {
            feed: TestedFeed {
                title: feed.title,
                link: feed.link,
                description: feed.description,
                language: feed.language,
                format: Some(feed.format),
            },
            items: feed.items.into_iter().map(TestedItem::from).collect(),
            problems: feed.problems,
        }
    }
}

impl From<NewItem> for TestedItem {
    fn from(item: NewItem) -> Self {
        Self {
            external_id: item.guid,
            title: item.title,
            url: item.url,
            author: item.byline.or(item.author),
            published_at: item.published_at,
            updated_at: item.updated_at,
            summary: item.summary_markup,
            content: item.content_markup.or(item.body_text),
        }
    }
}
