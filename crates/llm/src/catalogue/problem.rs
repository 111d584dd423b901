//! What is wrong with a catalogue, each with its place, what is wanted there, and an example.

use std::fmt;

/// Characters of a value that are shown: a key put in the wrong place is not to be seen whole.
const SHOWN: usize = 24;

/// Something wrong with one place of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueProblem {
    /// As it is named by `AHA_LLM_CONFIG`.
    pub file: String,
    /// From 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// Keys from the root down, with dots between; empty for the root.
    pub path: String,
    /// What is wrong, and what is wanted.
    pub what: String,
    /// Empty: none.
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

/// A value as it stands in the file, in quotes, its variables unresolved.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("\"{}…\"", text[..end].escape_debug()),
        None => format!("{text:?}"),
    }
}
