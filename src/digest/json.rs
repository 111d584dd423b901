//! The digest as JSON: its serde form, in the order of its fields.
//!
//! Input: a digest. Output: pretty-printed JSON, ending with a line break. Called by `digest::render`.

use aha_core::digest::Digest;

use super::sanitise::escape_hidden;

pub(super) fn render(digest: &Digest) -> Result<String, serde_json::Error> {
    let mut json = escape_hidden(&serde_json::to_string_pretty(digest)?);
    json.push('\n');
    Ok(json)
}
