//! Converts between columns and domain types. An unreadable column is [`StoreError::Corrupt`], with its content.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use aha_core::fetch::FetchErrorKind;
use aha_core::time::Timestamp;
use serde::Serialize;
use serde::de::value::Error as WordError;
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer};

use crate::{FetchStatus, Result, StoreError};

pub fn id<T>(what: &'static str, text: &str) -> Result<T>
where
    T: FromStr,
    T::Err: Display,
{
    text.parse().map_err(|error| StoreError::corrupt(what, format_args!("{text:?}: {error}")))
}

pub(crate) fn optional_id<T>(what: &'static str, text: Option<&str>) -> Result<Option<T>>
where
    T: FromStr,
    T::Err: Display,
{
    text.map(|text| id(what, text)).transpose()
}

/// Parses one of an enumeration's names, as serde spells them.
pub fn word<'a, T: Deserialize<'a>>(what: &'static str, text: &'a str) -> Result<T> {
    T::deserialize(IntoDeserializer::<WordError>::into_deserializer(text)).map_err(|e| StoreError::corrupt(what, e))
}

/// Describes a column with the kind of a fetch's failure.
pub(crate) const FETCH_ERROR_KIND: &str = "kind of failure of a fetch";

/// Reads a fetch's status and the kind of its failure, which the schema requires exactly if it failed.
pub(crate) fn fetch_status(status: &str, error_kind: Option<&str>) -> Result<FetchStatus> {
    let kind: Option<FetchErrorKind> = optional_id(FETCH_ERROR_KIND, error_kind)?;
    match (status, kind) {
        ("ok", None) => Ok(FetchStatus::Ok),
        ("not_modified", None) => Ok(FetchStatus::NotModified),
        ("waiting", None) => Ok(FetchStatus::Waiting),
        ("error", Some(kind)) => Ok(FetchStatus::Error(kind)),
        _ => Err(StoreError::corrupt("fetch's status", format_args!("{status:?} with the kind of failure {kind:?}"))),
    }
}

pub fn number<T: TryFrom<i64>>(what: &'static str, number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| StoreError::corrupt(what, number))
}

pub(crate) fn optional_time(millis: Option<i64>) -> Option<Timestamp> {
    millis.map(Timestamp::from_millis)
}

pub fn millis(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_millis)
}

pub fn json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::corrupt(what, error))
}

pub(crate) fn optional_json<T: DeserializeOwned>(what: &'static str, text: Option<&str>) -> Result<Option<T>> {
    text.map(|text| json(what, text)).transpose()
}

pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(match json_text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cleaned) => cleaned,
    })
}

pub(crate) fn to_optional_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    value.map(to_json).transpose()
}

/// Returns text that both databases can store: Postgres refuses U+0000, so it is removed for both.
pub fn text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}

pub(crate) fn optional_text(text: Option<&str>) -> Option<Cow<'_, str>> {
    text.map(self::text)
}

/// Returns JSON without escaped U+0000.
pub(crate) fn json_text(json: &str) -> Cow<'_, str> {
    const NUL: &str = "\\u0000";
    if !json.contains(NUL) {
        return Cow::Borrowed(json);
    }
    let mut cleaned = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        cleaned.push_str(before);
        rest = if let Some(after) = escape.strip_prefix(NUL) {
            after
        } else {
            // The character after a backslash belongs to the escape, so an escaped backslash before "u0000" is kept.
            let end = escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end);
            cleaned.push_str(&escape[..end]);
            &escape[end..]
        };
    }
    cleaned.push_str(rest);
    Cow::Owned(cleaned)
}

/// Converts a count to a column value; our counts are far below the limit.
pub fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{json_text, text};

    #[test]
    fn nul_is_left_out() {
        assert_eq!(text("a\0b\0"), "ab");
        assert_eq!(json_text(r#"{"a\u0000":"\\u0000 \n\u0000\"x"}"#), r#"{"a":"\\u0000 \n\"x"}"#);
        assert_eq!(json_text(r#""\u0001""#), r#""\u0001""#);
    }
}
