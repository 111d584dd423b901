//! The digest as JSON: its serde form, in the order of its fields.
//!
//! Input: a digest. Output: pretty-printed JSON, ending with a line break. Called by `digest::render`.

use std::fmt::Write as _;

use aha_core::digest::Digest;

use super::sanitise::is_hidden;

pub(super) fn render(digest: &Digest) -> Result<String, serde_json::Error> {
    let mut json = escape_hidden(&serde_json::to_string_pretty(digest)?);
    json.push('\n');
    Ok(json)
}

/// Escapes characters that could control a terminal (C1, direction controls) as `\uXXXX`, which leaves the value
/// unchanged.
fn escape_hidden(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        // serde_json has escaped C0 characters already, except its own line breaks.
        if c == '\n' || !is_hidden(c) {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    escaped
}
