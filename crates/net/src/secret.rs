//! Reads keys from files, for settings whose name ends in `_FILE`.

use std::path::Path;

use aha_core::settings::Reader;
use secrecy::SecretString;

/// The expected value of such a setting, for error messages.
pub const EXPECTED_FILE: &str = "the path of a file that holds the key and can be read";

/// Returns the key in the variable `name`, or the contents of the file in `name_FILE`. Reports a problem to `reader` if
/// that file is unreadable or empty.
pub fn of(reader: &mut Reader, name: &str, given: Option<String>, file: Option<String>) -> Option<SecretString> {
    if let Some(key) = given {
        return Some(key.trim().to_owned().into());
    }
    let path = file?;
    let key = in_file(&path);
    if key.is_none() {
        reader.problem(&format!("{name}_FILE"), Some(path), EXPECTED_FILE, "/run/secrets/key");
    }
    key
}

#[must_use]
pub fn in_file(path: &str) -> Option<SecretString> {
    let key = std::fs::read_to_string(Path::new(path.trim())).ok()?;
    let key = key.trim();
    (!key.is_empty()).then(|| key.to_owned().into())
}
