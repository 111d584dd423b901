//! Output to a terminal, or to a pipe that may be closed at any time.

use std::io::{IsTerminal as _, Write as _};

use aha_content::escapes::without_escapes;
use aha_content::numbers::count;
use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::services::sources::SourcesAdded;

/// Columns if the terminal does not report its width.
const DEFAULT_COLUMNS: usize = 100;

/// Prints a result. A closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}

/// Prints a note to the user on standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_safe_text(text));
}

/// Prints an error with its causes.
pub(super) fn error(error: &anyhow::Error) {
    let mut text = format!("aha-radar: {error}");
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    note(&text);
}

/// Formats how many sources were added.
pub(super) fn sources_added(counts: SourcesAdded) -> String {
    added(counts.added, counts.known, "source", "sources")
}

/// `2 stars added, 1 known already`.
pub(super) fn added(added: usize, known: usize, one: &str, many: &str) -> String {
    let added = format!("{} added", count(added, one, many));
    if known == 0 { added } else { format!("{added}, {known} known already") }
}

/// Returns text from outside without terminal control sequences.
pub(super) fn one_safe_text(text: &str) -> String {
    without_escapes(text).chars().filter(|c| *c == '\n' || !(c.is_control() || is_direction(*c))).collect()
}

/// Unicode bidirectional controls, which reorder the text shown.
const fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

pub(super) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings.to_vec());
    if !std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table
}

pub(super) fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return DEFAULT_COLUMNS;
    }
    table(&[]).width().map_or(DEFAULT_COLUMNS, usize::from)
}

pub(super) fn colour_on_stdout() -> bool {
    std::io::stdout().is_terminal() && is_colour_enabled()
}

pub(super) fn colour_on_stderr() -> bool {
    std::io::stderr().is_terminal() && is_colour_enabled()
}

/// Follows the convention of no-color.org.
fn is_colour_enabled() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
