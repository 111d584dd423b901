//! Finds and reads the two files of a weights folder.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::WeightsError;

/// A larger table is not a static model.
const MAX_WEIGHTS_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_TOKENIZER_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of the hash that appear in the name of a space.
const SHOWN_BYTES: usize = 8;

/// A file and its contents.
pub(super) struct Content {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

pub(super) struct Files {
    pub(super) weights: Content,
    pub(super) tokenizer: Content,
}

impl Files {
    pub(super) fn read(folder: &Path) -> Result<Self, WeightsError> {
        if !folder.is_dir() {
            return Err(WeightsError::new(folder, "it is no folder that can be read"));
        }
        let weights = find(folder, "model.safetensors", "weights", |name| name.ends_with(".safetensors"))?;
        let tokenizer = find(folder, "tokenizer.json", "tokenizers", |name| name.ends_with("tokenizer_config.json"))?;
        Ok(Self { weights: read(weights, MAX_WEIGHTS_BYTES)?, tokenizer: read(tokenizer, MAX_TOKENIZER_BYTES)? })
    }

    /// Hashes both files: another tokenizer also produces other vectors.
    pub(super) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for content in [&self.weights, &self.tokenizer] {
            hash.update((content.bytes.len() as u64).to_le_bytes());
            hash.update(&content.bytes);
        }
        hash.finalize().iter().take(SHOWN_BYTES).fold(String::new(), |mut shown, byte| {
            let _ = write!(shown, "{byte:02x}");
            shown
        })
    }
}

/// Returns a file by its usual name, otherwise the only matching file in the subfolder that `wordllama` uses.
fn find(
    folder: &Path,
    file_name: &str,
    subfolder: &str,
    matches: impl Fn(&str) -> bool,
) -> Result<PathBuf, WeightsError> {
    let path = folder.join(file_name);
    if path.exists() {
        return Ok(path);
    }
    let subfolder = folder.join(subfolder);
    let entries = match std::fs::read_dir(&subfolder) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(WeightsError::new(&subfolder, format!("it cannot be read: {error}"))),
    };
    let entries = entries.into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(&matches)).map(|entry| entry.path()).collect();
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), others) => {
            let why = format!("it contains {} candidate files; keep one, or name it {file_name}", others + 1);
            Err(WeightsError::new(&subfolder, why))
        }
        (None, _) => Err(WeightsError::new(&path, "it is missing")),
    }
}

fn read(path: PathBuf, max_bytes: u64) -> Result<Content, WeightsError> {
    let unreadable = |error: std::io::Error| WeightsError::new(&path, format!("it cannot be read: {error}"));
    let file = File::open(&path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(WeightsError::new(&path, "it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > max_bytes {
        return Err(WeightsError::new(&path, format!("it is larger than {max_bytes} bytes")));
    }
    Ok(Content { path, bytes })
}
