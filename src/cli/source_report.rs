//! `aha-radar source test`: reads feeds and shows what is in them, storing nothing but, of a search, what it has cost.

use aha_content::feed::ParsedFeed;
use aha_content::numbers::count;
use aha_core::ids::TopicId;
use aha_core::item::NewItem;
use aha_core::source::{NewSource, Source};
use aha_core::time::Timestamp;
use aha_llm::{CallScope, Paid};
use aha_store::{Gone, OpenMode};
use anyhow::Result;
use serde::Serialize;

use super::exit::Exit;
use super::output;
use crate::app::{connectors, fetch_config};
use crate::config::Config;
use crate::pipeline::search::search;
use crate::sources::fetch::Fetcher;
use crate::sources::signal::{Found, SearchResult};
use crate::sources::{Connectors, FetchOutcome, FetchResult, Place, place_from_argument};

/// One line of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    feed: FeedReport,
    items: Vec<ItemReport>,
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct FeedReport {
    title: Option<String>,
    link: Option<String>,
    description: Option<String>,
    language: Option<String>,
    format: Option<String>,
}

#[derive(Debug, Serialize)]
struct ItemReport {
    external_id: Option<String>,
    title: Option<String>,
    url: Option<String>,
    author: Option<String>,
    published_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    summary: Option<String>,
    content: Option<String>,
}

pub(super) async fn run(config: &Config, locations: &[String], json: bool) -> Result<Exit> {
    let fetcher = Fetcher::new(fetch_config(config))?;
    let connectors = connectors(config);
    let mut failed = 0;
    for location in locations {
        let report = match fetch(config, &connectors, &fetcher, location).await {
            Ok(feed) => report(feed),
            Err(error) => {
                failed += 1;
                let error = error.to_string();
                Report { feed: FeedReport::default(), items: vec![], problems: vec![error.clone()], error: Some(error) }
            }
        };
        if json {
            output::print(&serde_json::to_string(&report)?)?;
        } else {
            output::print(&output::one_safe_text(&in_words(location, &report)))?;
        }
    }
    Ok(match failed {
        0 => Exit::Ok,
        n if n == locations.len() => Exit::Failed,
        _ => Exit::Partial,
    })
}

async fn fetch(config: &Config, connectors: &Connectors, fetcher: &Fetcher, location: &str) -> Result<ParsedFeed> {
    let Place { kind, url } = place_from_argument(location, &config.sources.sites)?;
    let new = NewSource { kind: kind.to_owned(), url, ..NewSource::default() };
    let source = Source::unseen(TopicId::of(&["source test"]), &new);
    let connector =
        connectors.of(&source.kind).ok_or_else(|| anyhow::anyhow!("no connector reads feeds in this build"))?;
    let result = match &config.sources.search {
        Some(_) if source.kind == "signal" => searched(config, &source).await?,
        _ => connector.fetch(&source, fetcher).await?,
    };
    match result.outcome {
        FetchOutcome::Feed(feed) => Ok(feed),
        FetchOutcome::Results(found) => Ok(results(found)),
        FetchOutcome::NotModified => {
            anyhow::bail!("the server says the feed has not changed, although nothing was read before")
        }
    }
}

/// A search is charged for: it goes over the ledger and under the caps, as in a run.
async fn searched(config: &Config, source: &Source) -> Result<FetchResult> {
    let app = super::app(config.clone(), OpenMode::CreateIfMissing).await?;
    // The time tells one test from the next.
    let scope = CallScope { attempt: app.clock().wall().as_millis(), ..super::llm::scope(&app, "") };
    app.store().sweep_calls(Gone::Expired(app.clock().wall())).await?;
    match search(&app, &scope, source).await? {
        Paid::Asked(result) => Ok(result?),
        Paid::NoBudget(used_up) => anyhow::bail!(used_up.why),
        Paid::Interrupted => anyhow::bail!("the search was interrupted before it was made; do it again"),
    }
}

/// What a search found, unread: its fields are told apart by a model, and that is paid for in runs alone.
fn results(found: Found) -> ParsedFeed {
    let item = |result: SearchResult| NewItem { content_markup: Some(result.result.to_string()), ..NewItem::default() };
    ParsedFeed {
        title: Some(found.title),
        link: None,
        description: Some("results as the search returns them; runs have a model tell their fields apart".to_owned()),
        language: None,
        format: "signal".to_owned(),
        items: found.results.into_iter().map(item).collect(),
        problems: Vec::new(),
    }
}

fn report(feed: ParsedFeed) -> Report {
    Report {
        feed: FeedReport {
            title: feed.title,
            link: feed.link,
            description: feed.description,
            language: feed.language,
            format: Some(feed.format),
        },
        items: feed.items.into_iter().map(item).collect(),
        problems: feed.problems,
        error: None,
    }
}

fn item(item: NewItem) -> ItemReport {
    ItemReport {
        external_id: item.guid,
        title: item.title,
        url: item.url,
        author: item.byline.or(item.author),
        published_at: item.published_at,
        updated_at: item.updated_at,
        summary: item.summary_markup,
        content: item.content_markup,
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn in_words(location: &str, report: &Report) -> String {
    const SHOWN: usize = 10;
    if let Some(error) = &report.error {
        return format!("{location}\n  failed: {error}\n");
    }
    let title = given(report.feed.title.as_deref()).unwrap_or("(no title)");
    let format = report.feed.format.as_deref().unwrap_or("unknown format");
    let mut lines =
        vec![location.to_owned(), format!("  {title} · {format} · {}", count(report.items.len(), "item", "items"))];
    for item in report.items.iter().take(SHOWN) {
        let date = item.published_at.map_or_else(|| "no date".to_owned(), |at| at.to_string());
        lines.push(format!(
            "  {date:20}  {}",
            given(item.title.as_deref()).or(item.url.as_deref()).unwrap_or("(neither title nor link)")
        ));
    }
    if report.items.len() > SHOWN {
        lines.push(format!("  and {} more", report.items.len() - SHOWN));
    }
    lines.extend(report.problems.iter().map(|problem| format!("  mended: {problem}")));
    lines.push(String::new());
    lines.join("\n")
}
