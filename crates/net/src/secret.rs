//! Keys out of files: of settings whose name ends in `_FILE`.

use std::path::Path;

use aha_core::settings::Reader;
use secrecy::SecretString;

/// What such a setting wants.
pub const WANTS_FILE: &str = "the path of a file that holds the key and can be read";

/// A key from the variable `name`, or from the file that `name_FILE` names.
pub fn of(reader: &mut Reader, name: &str, given: Option<String>, file: Option<String>) -> Option<SecretString> {
    if let Some(key) = given {
        return Some(key.trim().to_owned().into());
    }
    let path = file?;
    let key = in_file(&path);
    if key.is_none() {
        reader.problem(&format!("{name}_FILE"), Some(path), WANTS_FILE, "/run/secrets/key");
    }
    key
}

#[must_use]
pub fn in_file(path: &str) -> Option<SecretString> {
    let key = std::fs::read_to_string(Path::new(path.trim())).ok()?;
    let key = key.trim();
    (!key.is_empty()).then(|| key.to_owned().into())
}
