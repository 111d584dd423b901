//! `aha-radar topic interests`: shows how interests are understood, and what they match.

use aha_content::numbers::count;
use anyhow::Result;
use comfy_table::Table;

use crate::app::App;
use crate::services::topics;
use crate::services::topics::InterestMatches;

use super::output;

pub(super) async fn show(app: &App, topic: &str, trial: Option<&str>, days: u16, json: bool) -> Result<()> {
    let found = topics::preview_interests(app, topic, trial, days).await?;
    if json {
        return output::print_json(&found);
    }
    output::print(&output::one_safe_text(&in_words(&found, days)))
}

fn in_words(found: &InterestMatches, days: u16) -> String {
    if found.clauses.is_empty() {
        return "no interests: nothing in these words says what is wanted; \
                try --try \"embedded databases, tidal energy in Scotland. No sport.\""
            .to_owned();
    }
    let mut lines = vec![understood(found).to_string(), String::new()];
    if found.only_exclude() {
        lines.push("nothing is asked for; all else is ranked by general worth".to_owned());
    }
    lines.push(counts(found, days));
    if !found.best.is_empty() {
        let mut table = output::table(&["", "date", "title", "because of"]);
        for item in &found.best {
            let (kind, clauses) = match &item.clauses[..] {
                [] => ("in part", &item.touched),
                _ => ("asked for", &item.clauses),
            };
            let cells = [
                kind.to_owned(),
                item.published_at.to_utc().date_naive().to_string(),
                item.title.clone(),
                clauses.join(", "),
            ];
            table.add_row(cells);
        }
        lines.extend([String::new(), table.to_string()]);
    }
    lines.join("\n")
}

fn understood(found: &InterestMatches) -> Table {
    let mut table = output::table(&["", "understood as", "words", "places", "items"]);
    for clause in &found.clauses {
        let kind = match (clause.wanted, clause.minor) {
            (true, true) => "wanted less",
            (true, false) => "wanted",
            (false, _) => "not wanted",
        };
        let words = match &clause.only_with[..] {
            [] => clause.words.join(", "),
            names => format!("{} (beside {})", clause.words.join(", "), names.join(", ")),
        };
        let cells = [clause.written.clone(), words, clause.places.join(", "), clause.items.to_string()];
        table.add_row(std::iter::once(kind.to_owned()).chain(cells));
    }
    table
}

fn counts(found: &InterestMatches, days: u16) -> String {
    if found.items == 0 {
        let days = if days == 1 { "day".to_owned() } else { format!("{days} days") };
        return format!("no items of the last {days} are stored to match this against");
    }
    let items = count(found.items, "item", "items");
    let (start, end) = (found.start.to_utc().date_naive(), found.end.to_utc().date_naive());
    if found.only_exclude() {
        return format!("of {items} from {start} to {end}, {} of what you do not want", are(found.denied));
    }
    format!(
        "of {items} from {start} to {end}, {} what you ask for, {} so in part, and {} of what you do not want",
        are(found.strong),
        are(found.weak),
        are(found.denied)
    )
}

/// `1 is`, `2 are`.
fn are(count: usize) -> String {
    if count == 1 { "1 is".to_owned() } else { format!("{count} are") }
}
