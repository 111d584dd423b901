//! `aha-radar search` and `aha-radar reindex`.

use aha_content::numbers::count;
use anyhow::Result;

use super::arguments::{SearchArguments, SearchedBy};
use super::exit::Exit;
use super::item;
use super::late_calls;
use super::listing::hang;
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
    let found = search(app, &request).await;
    // The vector of a query can be late.
    late_calls::finish(app, "its cost is known").await;
    let found = found?;
    for note in found.notes.iter().chain(&found.by_words_alone) {
        output::note(note);
    }
    if let Some(since) = found.behind_since {
        output::note(&format!(
            "the index is incomplete or of an earlier version: what was added since {since} is not found yet, or only \
             with its accents as written; `aha-radar reindex` rebuilds the index"
        ));
    }
    if json {
        output::print_json(&found)?;
        return Ok(Exit::Ok);
    }
    if found.results.is_empty() {
        output::note(&format!("nothing was found; {}", found.suggestion.unwrap_or_default()));
        return Ok(Exit::Ok);
    }
    let style = Style { is_coloured: output::colour_on_stdout(), width: output::terminal_width() };
    let texts: Vec<String> = found.results.iter().map(|result| shown(result, style)).collect();
    output::print(&texts.join("\n"))?;
    Ok(Exit::Ok)
}

/// How results are printed.
#[derive(Debug, Clone, Copy)]
struct Style {
    is_coloured: bool,
    /// In columns; `None` for any number.
    width: Option<usize>,
}

/// Marks that enclose a match until the text is broken into lines; they take no column.
const MATCH: [char; 2] = ['\u{1}', '\u{2}'];

fn shown(result: &SearchResult, style: Style) -> String {
    let one_line = |text: &str| output::one_safe_text(text).replace('\n', " ");
    let day = Some(result.time.to_string().chars().take(10).collect::<String>());
    // With this id, `item` explains the item's story and `feedback` takes an opinion of it.
    let id = result.digest_item_id.or(result.unshown_id).map(|id| format!("id {}", item::short(id)));
    let name = result.document.clone().or_else(|| result.source.clone());
    let parts = [day, result.section.clone(), name, id, result.url.clone()];
    let place = parts.into_iter().flatten().map(|part| one_line(&part)).collect::<Vec<_>>().join(" · ");
    let part = |part: &ExcerptPart| {
        let words = one_line(&part.text);
        match (part.is_match, style.is_coloured) {
            (true, true) => format!("{}{words}{}", MATCH[0], MATCH[1]),
            (true, false) => format!("*{words}*"),
            (false, _) => words,
        }
    };
    let excerpt = result.excerpt.iter().map(part).collect::<String>();
    let mut lines = hang(&one_line(&result.title), 2, style.width);
    lines.extend(hang(&format!("  {place}"), 2, style.width));
    lines.extend(hang(&format!("  {}", excerpt.trim()), 2, style.width));
    lines.push(String::new());
    lines.join("\n").replace(MATCH[0], "\u{1b}[1m").replace(MATCH[1], "\u{1b}[0m")
}

/// Rebuilds the index from the rows.
pub(super) async fn reindex(app: &App) -> Result<Exit> {
    let total = reindex_all(app).await?;
    output::print(&format!("{} indexed", count(total, "item or passage", "items and passages")))?;
    Ok(Exit::Ok)
}
