//! `aha-radar search` and `aha-radar reindex`.

use std::fmt::Write as _;

use aha_content::numbers::count;
use anyhow::Result;

use super::arguments::{SearchArguments, SearchedBy};
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::services::search::{ExcerptPart, SearchBy, SearchRequest, SearchResult, reindex as reindex_all, search};

pub(super) async fn run(app: &App, arguments: SearchArguments) -> Result<Exit> {
    let SearchArguments { query, topic, source, since, limit, by, json } = arguments;
    let by = match by {
        SearchedBy::Both => SearchBy::Both,
        SearchedBy::Words => SearchBy::Words,
        SearchedBy::Meaning => SearchBy::Meaning,
    };
    let request = SearchRequest { text: query.join(" "), topic, source, since, limit, by };
    let found = search(app, &request).await?;
    if let Some(since) = found.behind_since {
        output::note(&format!("items added since {since} are not found yet; `aha-radar reindex` adds them"));
    }
    if json {
        output::print_json(&found)?;
        return Ok(Exit::Ok);
    }
    if found.results.is_empty() {
        output::note("nothing was found");
        return Ok(Exit::Ok);
    }
    let is_coloured = output::colour_on_stdout();
    let texts: Vec<String> = found.results.iter().map(|result| shown(result, is_coloured)).collect();
    output::print(&texts.join("\n"))?;
    Ok(Exit::Ok)
}

fn shown(result: &SearchResult, is_coloured: bool) -> String {
    let safe = output::one_safe_text;
    let mut text = format!("{}\n", safe(&result.title).replace('\n', " "));
    let day = result.time.to_string().chars().take(10).collect::<String>();
    let place = [result.section.as_ref(), result.document.as_ref().or(result.source.as_ref()), result.url.as_ref()];
    let place = place.into_iter().flatten().map(|part| safe(part)).collect::<Vec<_>>().join(" · ");
    let _ = writeln!(text, "  {day} · {place}");
    let part = |part: &ExcerptPart| {
        let words = safe(&part.text).replace('\n', " ");
        match (part.is_match, is_coloured) {
            (true, true) => format!("\u{1b}[1m{words}\u{1b}[0m"),
            (true, false) => format!("*{words}*"),
            (false, _) => words,
        }
    };
    let _ = writeln!(text, "  {}", result.excerpt.iter().map(part).collect::<String>().trim());
    text
}

/// Rebuilds the index from the rows.
pub(super) async fn reindex(app: &App) -> Result<Exit> {
    let total = reindex_all(app).await?;
    output::print(&format!("{} indexed", count(total, "item or passage", "items and passages")))?;
    Ok(Exit::Ok)
}
