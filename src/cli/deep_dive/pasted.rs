//! Reads a pasted text, or explains why it cannot be accepted.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result};

use super::super::exit::UsageError;
use super::super::output;
use crate::services::deep_dive::{MAX_BYTES, accept};

/// Returns the text without surrounding white space.
pub(super) fn read(file: Option<&Path>) -> Result<String> {
    let mut bytes = Vec::new();
    if let Some(file) = file.filter(|file| *file != Path::new("-")) {
        let unreadable = || format!("{} cannot be read", file.display());
        let opened = File::open(file).with_context(unreadable)?;
        opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(unreadable)?;
    } else {
        if std::io::stdin().is_terminal() {
            output::note("paste the text, then press Enter and Ctrl-D");
        }
        std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if bytes.trim_ascii().is_empty() {
        let none = "there is no text: give it with --file PATH, or on standard input";
        return Err(UsageError(none.to_owned()).into());
    }
    Ok(accept(bytes)?)
}
