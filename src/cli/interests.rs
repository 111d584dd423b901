//! `aha-radar topic interests`: shows how interests are understood, and what they match.

use anyhow::Result;

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
    let mut table = output::table(&["", "understood as", "words", "places", "items"]);
    for clause in &found.clauses {
        let kind = if clause.wanted { "wanted" } else { "not wanted" };
        let cells =
            [clause.written.clone(), clause.words.join(", "), clause.places.join(", "), clause.items.to_string()];
        table.add_row(std::iter::once(kind.to_owned()).chain(cells));
    }
    let mut lines = vec![table.to_string(), String::new()];
    lines.push(match found.items {
        0 => format!("no items of the last {days} days are stored to match this against"),
        items => format!(
            "of {items} items of the last {days} days {} are what you ask for, {} touch it, {} are left out by what you do not want",
            found.strong, found.weak, found.denied
        ),
    });
    for found in &found.best {
        lines.push(format!("{:5.2}  {}  ({})", found.degree, found.title, found.clauses.join(", ")));
    }
    lines.join("\n")
}
