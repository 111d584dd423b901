//! Keys out of files: of settings whose name ends in `_FILE`.

use std::path::Path;

use secrecy::SecretString;

/// What such a setting wants.
pub(super) const WANTS_FILE: &str = "the path of a file that holds the key and can be read";

pub(super) fn in_file(path: &str) -> Option<SecretString> {
    let key = std::fs::read_to_string(Path::new(path.trim())).ok()?;
    let key = key.trim();
    (!key.is_empty()).then(|| key.to_owned().into())
}
