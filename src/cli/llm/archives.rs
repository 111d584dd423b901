//! Writes the archives of conversations (`--archive DIR`).

use std::path::{Path, PathBuf};

use aha_core::files::write_atomically;
use aha_llm::conversation::Archive;
use anyhow::{Context as _, Result};

/// Writes a conversation to `FOLDER/NAME.json`, atomically.
pub(super) fn write(folder: &Path, name: &str, archive: &Archive) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(&archive.to_json())?;
    let written = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        write_atomically(&path, (text + "\n").as_bytes())
    };
    written().with_context(|| format!("the archive {} cannot be written", path.display()))?;
    Ok(path)
}

/// Turns any `text` into a file name.
pub(super) fn file_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}
