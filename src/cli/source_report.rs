//! `aha-radar source test`: reads feeds and shows their content. It stores nothing except the cost of a search.

use aha_content::numbers::count;
use anyhow::Result;
use serde::Serialize;

use super::exit::Exit;
use super::output;
use crate::config::Config;
use crate::digest::sanitise::escape_hidden;
use crate::services::sources::test::{SourceTester, TestedFeed, TestedSource};

/// One line of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    tested: TestedSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) async fn run(config: &Config, locations: &[String], json: bool) -> Result<Exit> {
    let reader = SourceTester::new(config)?;
    let mut failed = 0;
    for location in locations {
        let report = match Box::pin(reader.test(location)).await {
            Ok(tested) => Report { tested, error: None },
            Err(error) => {
                failed += 1;
                let error = error.to_string();
                let problems = vec![error.clone()];
                Report {
                    tested: TestedSource { feed: TestedFeed::default(), items: vec![], problems },
                    error: Some(error),
                }
            }
        };
        if json {
            output::print(&escape_hidden(&serde_json::to_string(&report)?))?;
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

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn in_words(location: &str, report: &Report) -> String {
    const SHOWN: usize = 10;
    if let Some(error) = &report.error {
        return format!("{location}\n  failed: {error}\n");
    }
    let TestedSource { feed, items, problems } = &report.tested;
    let title = given(feed.title.as_deref()).unwrap_or("(no title)");
    let format = feed.format.as_deref().unwrap_or("unknown format");
    let mut lines =
        vec![location.to_owned(), format!("  {title} · {format} · {}", count(items.len(), "item", "items"))];
    for item in items.iter().take(SHOWN) {
        let date = item.published_at.map_or_else(|| "no date".to_owned(), |at| at.to_string());
        lines.push(format!(
            "  {date:20}  {}",
            given(item.title.as_deref()).or(item.url.as_deref()).unwrap_or("(neither title nor link)")
        ));
    }
    if items.len() > SHOWN {
        lines.push(format!("  and {} more", items.len() - SHOWN));
    }
    lines.extend(problems.iter().map(|problem| format!("  repaired: {problem}")));
    lines.push(String::new());
    lines.join("\n")
}
