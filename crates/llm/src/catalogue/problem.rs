//! A problem in a catalogue: its location, the expected value, and an example.

use std::fmt;

/// Maximum characters of a value that are shown, so that a misplaced key is not printed in full.
const MAX_SHOWN_CHARS: usize = 24;
/// Maximum characters of a path or a name that are shown.
const MAX_NAME_CHARS: usize = 240;

/// A problem at one location of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueProblem {
    /// As named by `AHA_LLM_CONFIG`.
    pub file: String,
    /// From 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// Keys from the root down, separated by dots; empty for the root.
    pub path: String,
    /// What is wrong, and what is expected.
    pub what: String,
    /// Empty when there is none.
    pub example: String,
}

impl fmt::Display for CatalogueProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path.escape_debug())?;
        }
        write!(f, ": {}", self.what)?;
        if !self.example.is_empty() {
            write!(f, ", for example {}", self.example)?;
        }
        Ok(())
    }
}

/// Returns a value as written in the file, in quotes, with unresolved variables, truncated to [`MAX_SHOWN_CHARS`]
/// characters.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("\"{}…\"", text[..end].escape_debug()),
        None => format!("{text:?}"),
    }
}

/// Returns a path or a name, truncated to [`MAX_NAME_CHARS`] characters.
pub(super) fn clipped(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
