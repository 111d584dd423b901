//! Output to a terminal, or to a pipe that may be closed at any time.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use std::sync::OnceLock;

use aha_content::escapes::without_escapes;
use aha_content::numbers::count;
use aha_core::time::Timestamp;
use anyhow::Result;
use clap::ValueEnum;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::digest::sanitise::{escape_hidden, is_hidden};
use crate::digest::terminal::Terminal;
use crate::services::ServiceError;
use crate::services::sources::SourcesAdded;

/// Columns where no terminal is, if `COLUMNS` does not give the width.
const DEFAULT_COLUMNS: usize = 100;
/// Columns of a terminal that does not report its width, if `COLUMNS` does not give it.
const TERMINAL_COLUMNS: usize = 80;
/// Digits of an id that tables show: enough to identify one among many thousands.
const ID_DIGITS: usize = 8;

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
    print(&escape_hidden(&serde_json::to_string_pretty(value)?))
}

/// Prints a note to the user on standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_safe_text(text));
}

/// Prints an error with its causes.
pub(super) fn error(error: &anyhow::Error) {
    let mut text = format!("aha-radar: {}", with_option(error));
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    note(&text);
}

/// Returns an error's text. A service names the field of a wrong value; on the command line it is an option.
fn with_option(error: &anyhow::Error) -> String {
    let text = error.to_string();
    let Some(field) = error.downcast_ref::<ServiceError>().and_then(ServiceError::field) else { return text };
    match text.strip_prefix(field).filter(|rest| rest.starts_with(" expects ")) {
        Some(rest) => format!("--{}{rest}", field.replace('_', "-")),
        None => text,
    }
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
    without_escapes(text).chars().filter(|c| *c == '\n' || !is_hidden(*c)).collect()
}

pub(super) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings.to_vec());
    if let Some(width) = terminal_width() {
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    } else {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table
}

/// Returns the columns of a text that is arranged also where no terminal is.
pub(super) fn width() -> usize {
    terminal_width().or_else(environment_width).unwrap_or(DEFAULT_COLUMNS)
}

fn environment_width() -> Option<usize> {
    columns_of(&std::env::var_os("COLUMNS")?)
}

fn columns_of(value: &OsStr) -> Option<usize> {
    value.to_str()?.trim().parse::<usize>().ok().filter(|columns| *columns > 0)
}

/// Returns what standard output supports.
pub(super) fn terminal() -> Terminal {
    // What is no terminal keeps the sequences of a hyperlink as characters, so no choice of colour forces them.
    let hyperlinks = std::io::stdout().is_terminal() && is_environment_coloured() && choice() != ColourChoice::Never;
    Terminal { width: width(), colour: colour_on_stdout(), hyperlinks, addresses: false }
}

/// Returns the columns of the terminal; `None` if standard output is none.
pub(super) fn terminal_width() -> Option<usize> {
    let width = || columns_of_terminal(Table::new().width(), environment_width());
    std::io::stdout().is_terminal().then(width)
}

/// Returns the columns of a terminal that reports this width. Serial consoles and some programs that start others in a
/// terminal report 0, which means that they do not know it.
fn columns_of_terminal(reported: Option<u16>, of_environment: Option<usize>) -> usize {
    let known = reported.filter(|columns| *columns > 0).map(usize::from);
    known.or(of_environment).unwrap_or(TERMINAL_COLUMNS)
}

/// Returns the first digits of an id.
pub(super) fn short_id(id: impl Display) -> String {
    id.to_string().chars().take(ID_DIGITS).collect()
}

/// Formats a time to the second.
pub(super) fn to_the_second(time: Timestamp) -> String {
    Timestamp::from_millis(time.as_millis().div_euclid(1000) * 1000).to_string()
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ColourChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

static COLOUR: OnceLock<ColourChoice> = OnceLock::new();

/// Sets the choice of this process; only the first call has an effect.
pub(super) fn choose_colour(choice: ColourChoice) {
    let _ = COLOUR.set(choice);
}

fn choice() -> ColourChoice {
    COLOUR.get().copied().unwrap_or_default()
}

pub(super) fn colour_on_stdout() -> bool {
    is_coloured(std::io::stdout().is_terminal())
}

pub(super) fn colour_on_stderr() -> bool {
    is_coloured(std::io::stderr().is_terminal())
}

fn is_coloured(is_terminal: bool) -> bool {
    match choice() {
        ColourChoice::Auto => is_terminal && is_environment_coloured(),
        ColourChoice::Always => true,
        ColourChoice::Never => false,
    }
}

/// Follows the convention of no-color.org; a terminal of the kind `dumb` shows escape sequences as they are.
fn is_environment_coloured() -> bool {
    allows_colour(std::env::var_os("NO_COLOR").as_deref(), std::env::var_os("TERM").as_deref())
}

fn allows_colour(no_colour: Option<&OsStr>, kind: Option<&OsStr>) -> bool {
    no_colour.is_none_or(OsStr::is_empty) && kind.is_none_or(|kind| kind != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_keeps_lines_and_nothing_that_a_terminal_obeys() {
        assert_eq!(one_safe_text("a\u{9b}31mb\nc\u{61c}\u{202e}d\u{7}\u{1b}[2Je"), "ab\ncde");
    }

    #[test]
    fn the_field_of_a_wrong_value_is_an_option() {
        let shown = |field, message: &str| with_option(&ServiceError::invalid(field, message).into());
        assert_eq!(shown("decay_hours", "decay_hours expects hours"), "--decay-hours expects hours");
        assert_eq!(shown("source", "2 sources fit \"a\""), "2 sources fit \"a\"");
    }

    #[test]
    fn the_environment_can_switch_colour_off_and_give_the_width() {
        let allows = |no_colour: Option<&str>, kind: Option<&str>| {
            allows_colour(no_colour.map(OsStr::new), kind.map(OsStr::new))
        };
        assert!(allows(None, None) && allows(Some(""), Some("xterm-256color")));
        assert!(!allows(Some("1"), Some("xterm")) && !allows(None, Some("dumb")));
        let columns = ["60", " 72 ", "0", "wide", ""].map(|value| columns_of(OsStr::new(value)));
        assert_eq!(columns, [Some(60), Some(72), None, None, None]);
    }

    #[test]
    fn a_terminal_without_a_width_has_that_of_the_environment() {
        assert_eq!(columns_of_terminal(Some(132), Some(60)), 132);
        assert_eq!(columns_of_terminal(Some(0), Some(60)), 60);
        assert_eq!(columns_of_terminal(Some(0), None), 80);
        assert_eq!(columns_of_terminal(None, None), 80);
    }

    #[test]
    fn a_time_is_shown_to_the_second() {
        assert_eq!(to_the_second(Timestamp::from_millis(1_999)), "1970-01-01T00:00:01Z");
    }

    #[test]
    fn json_says_the_same_with_hidden_characters_escaped() {
        let value = serde_json::json!({"title": "a\u{9b}31m\u{202e}b\u{e0041}\"\\ é"});
        let escaped = escape_hidden(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!escaped.chars().any(|c| c != '\n' && is_hidden(c)), "{escaped}");
        assert!(escaped.contains("\\u009b31m\\u202eb\\udb40\\udc41"), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
