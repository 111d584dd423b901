//! The summary of a pasted text on a terminal, formatted like a digest.
//!
//! Input: a story's title and the summary from a model. Output: text. Called by `aha-radar deep-dive`.

use aha_core::summary::Summary;
use anstyle::Style;

use super::sanitise::text;
use super::wrap::wrap;

const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 100;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();

/// Renders the summary. Without `colour` the text has no escape sequences; `cost_summary` is the second part of the
/// last line.
#[must_use]
pub fn render(title: &str, summary: &Summary, cost_summary: &str, width: usize, colour: bool) -> String {
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let mut lines = Vec::new();
    let mut put = |style: Style, first: &str, raw: &str| {
        let margin = " ".repeat(first.chars().count());
        for (nth, line) in wrap(&text(raw), width - margin.len()).into_iter().enumerate() {
            let start = if nth == 0 { first } else { &margin };
            lines.push(if colour { format!("{start}{style}{line}{style:#}") } else { format!("{start}{line}") });
        }
    };
    put(BOLD, "", title);
    put(PLAIN, "", &summary.one_liner);
    let parts = [
        ("", &summary.bullets),
        ("Why it matters", &summary.why_it_matters),
        ("Caveats", &summary.risks_or_caveats),
        ("What next", &summary.suggested_followups),
    ];
    for (heading, points) in parts {
        if !points.is_empty() {
            put(BOLD, "", heading);
        }
        for point in points {
            put(PLAIN, "  • ", point);
        }
    }
    put(DIM, "", &format!("by {}/{} ({}) · {cost_summary}", summary.provider, summary.model, summary.prompt_id));
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fits_the_terminal_and_steers_nothing() {
        let summary = Summary {
            schema_version: "manual_summary_v1".to_owned(),
            prompt_id: "manual_summary_v1".to_owned(),
            provider: "openai".to_owned(),
            model: "m".to_owned(),
            one_liner: "\u{1b}[31mOne\u{1b}[0m line.".to_owned(),
            bullets: vec!["word ".repeat(20)],
            why_it_matters: Vec::new(),
            risks_or_caveats: vec!["It may be wrong.".to_owned()],
            suggested_followups: Vec::new(),
        };
        let shown = render("A title", &summary, "cost: nothing", 40, false);
        let expected = "A title\nOne line.\n  • word word word word word word word\n    word word word word word word word\n    word word word word word word\nCaveats\n  • It may be wrong.\nby openai/m (manual_summary_v1) · cost:\nnothing\n";
        assert_eq!(shown, expected);
        assert!(render("A title", &summary, "", 40, true).contains('\u{1b}'));
    }
}
