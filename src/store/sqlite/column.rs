//! Between columns and domain types. A column that cannot be read is [`StoreError::Corrupt`] and says what it held.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde::de::value::Error as WordError;
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer};

use crate::domain::time::Timestamp;
use crate::store::{Result, StoreError};

pub(super) fn id<T>(what: &'static str, text: &str) -> Result<T>
where
    T: FromStr,
    T::Err: Display,
{
    text.parse().map_err(|error| StoreError::corrupt(what, format_args!("{text:?}: {error}")))
}

pub(super) fn optional_id<T>(what: &'static str, text: Option<&str>) -> Result<Option<T>>
where
    T: FromStr,
    T::Err: Display,
{
    text.map(|text| id(what, text)).transpose()
}

/// Reads one of an enumeration's words, as serde spells them.
pub(super) fn word<'a, T: Deserialize<'a>>(what: &'static str, text: &'a str) -> Result<T> {
    T::deserialize(IntoDeserializer::<WordError>::into_deserializer(text)).map_err(|e| StoreError::corrupt(what, e))
}

pub(super) fn number<T: TryFrom<i64>>(what: &'static str, number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| StoreError::corrupt(what, number))
}

pub(super) fn optional_time(millis: Option<i64>) -> Option<Timestamp> {
    millis.map(Timestamp::from_millis)
}

pub(super) fn millis(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_millis)
}

pub(super) fn json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::corrupt(what, error))
}

pub(super) fn optional_json<T: DeserializeOwned>(what: &'static str, text: Option<&str>) -> Result<Option<T>> {
    text.map(|text| json(what, text)).transpose()
}

pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

pub(super) fn to_optional_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    value.map(to_json).transpose()
}

/// Ids as a JSON array, for `json_each`: any number of them in one parameter.
pub(super) fn id_list<T: Display>(ids: &[T]) -> Result<String> {
    to_json(&ids.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A count as a column; none of ours comes near the limit.
pub(super) fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
