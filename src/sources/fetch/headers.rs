//! Single headers of an answer, read.

use chrono::DateTime;
use reqwest::header::HeaderMap;

/// A header as text, if it is any.
pub(super) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = std::str::from_utf8(headers.get(name)?.as_bytes()).ok()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Milliseconds since the epoch.
pub(super) fn http_date(value: &str) -> Option<i64> {
    DateTime::parse_from_rfc2822(value).ok().map(|date| date.timestamp_millis())
}
