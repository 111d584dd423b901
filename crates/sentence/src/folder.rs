//! Reads files of the model folder, up to a maximum size.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::SentenceError;

/// Larger models are too slow on a CPU.
pub(crate) const MAX_WEIGHTS_BYTES: u64 = 1024 * 1024 * 1024;
pub(crate) const MAX_TEXT_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the contents of a file; `None` if it does not exist. An error if it is unreadable or larger than
/// `max_bytes`.
pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>, SentenceError> {
    let unreadable = |error: std::io::Error| SentenceError::new(path, format!("it cannot be read: {error}"));
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(SentenceError::new(path, "it is no file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(max_bytes)).unwrap_or(0) + 1);
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > max_bytes {
        return Err(SentenceError::new(path, format!("it is larger than {max_bytes} bytes")));
    }
    Ok(Some(bytes))
}

pub(crate) fn required(path: &Path, max_bytes: u64) -> Result<Vec<u8>, SentenceError> {
    read(path, max_bytes)?.ok_or_else(|| SentenceError::new(path, "it is missing"))
}
