//! A problem in a catalogue: its location, the expected value, and an example.

use std::fmt;

use crate::tasks::clip;

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

/// Returns a path or a name, truncated to [`MAX_NAME_CHARS`] characters.
pub(super) fn clipped(name: &str) -> String {
    let clipped = clip(name, MAX_NAME_CHARS);
    if clipped.len() < name.len() { format!("{clipped}…") } else { clipped }
}
