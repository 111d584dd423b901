//! The language of search queries.

use aha_core::time::Timestamp;
use chrono::{NaiveDate, NaiveTime, TimeDelta};

use super::{Result, ServiceError};

/// Maximum length of a query.
const MAX_QUERY_CHARS: usize = 1_000;

/// A parsed query.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) wanted: Vec<String>,
    pub(super) unwanted: Vec<String>,
    pub(super) source: Option<String>,
    pub(super) topic: Option<String>,
    pub(super) since: Option<String>,
    /// Whether the query contains a phrase, which excludes entries that are only similar in meaning.
    pub(super) has_phrase: bool,
}

/// Parses a query.
///
/// # Errors
/// When it is too long, or a filter has a minus.
pub(super) fn parse(text: &str) -> Result<Parsed> {
    if text.chars().count() > MAX_QUERY_CHARS {
        return Err(ServiceError::invalid("q", format!("the query has more than {MAX_QUERY_CHARS} characters")));
    }
    let mut parsed = Parsed::default();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (is_unwanted, from) = match rest.strip_prefix('-') {
            Some(from) => (true, from),
            None => (false, rest),
        };
        let (name, from) = match ["source:", "topic:", "since:"].iter().find(|name| from.starts_with(**name)) {
            Some(name) => (*name, &from[name.len()..]),
            None => ("", from),
        };
        if is_unwanted && !name.is_empty() {
            let why = "-source:, -topic: and -since: are not supported; leave out the minus";
            return Err(ServiceError::invalid("q", why));
        }
        let (word, behind) = word_of(from);
        rest = behind.trim_start();
        match (name, is_unwanted) {
            ("source:", _) => parsed.source = Some(word.to_owned()),
            ("topic:", _) => parsed.topic = Some(word.to_owned()),
            ("since:", _) => parsed.since = Some(word.to_owned()),
            (_, true) => parsed.unwanted.push(word.to_owned()),
            (_, false) => {
                parsed.has_phrase |= from.starts_with('"');
                parsed.wanted.push(word.to_owned());
            }
        }
    }
    parsed.wanted.retain(|word| !word.is_empty());
    parsed.unwanted.retain(|word| !word.is_empty());
    Ok(parsed)
}

/// Splits at the closing quotation mark, or at the next white space.
fn word_of(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// Parses `2026-05-01`, an RFC 3339 time, or `30d`.
///
/// # Errors
/// When it is none of these.
pub fn since_when(text: &str, now: Timestamp) -> Result<Timestamp> {
    let days =
        text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok()).filter(|days| (0..=36_500).contains(days));
    if let Some(days) = days {
        let millis = TimeDelta::try_days(days).map_or(0, |days| days.num_milliseconds());
        return Ok(Timestamp::from_millis(now.as_millis() - millis));
    }
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Ok(Timestamp::from_millis(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis()));
    }
    let time =
        chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| Timestamp::from_millis(time.timestamp_millis()));
    time.ok_or_else(|| ServiceError::invalid("since", "since expects a date (2026-05-01), an RFC 3339 time, or 30d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_taken_apart() {
        let parsed =
            parse(r#"heat "air source" -gas source:wire topic:home since:30d -"district heating" "open"#).unwrap();
        assert_eq!(parsed.wanted, ["heat", "air source", "open"]);
        assert_eq!(parsed.unwanted, ["gas", "district heating"]);
        assert_eq!((parsed.source.as_deref(), parsed.topic.as_deref()), (Some("wire"), Some("home")));
        assert_eq!(parsed.since.as_deref(), Some("30d"));
        assert!(parsed.has_phrase && !parse("heat pump -\"side by side\"").unwrap().has_phrase);
        assert!(parse(&"x".repeat(2_000)).is_err());
    }

    #[test]
    fn a_filter_with_a_minus_is_refused() {
        for query in ["heat -source:wire", "-topic:home heat", "heat -since:30d", "heat -source:\"the wire\""] {
            let error = parse(query).unwrap_err().to_string();
            assert!(error.contains("leave out the minus"), "{query}: {error}");
        }
        assert_eq!(parse("heat -sources -\"source:wire\"").unwrap().unwanted, ["sources", "source:wire"]);
    }

    #[test]
    fn since_is_a_date_a_time_or_a_span() {
        let now = Timestamp::from_millis(86_400_000 * 40);
        assert_eq!(since_when("30d", now).unwrap().as_millis(), 86_400_000 * 10);
        assert_eq!(since_when("1970-01-02", now).unwrap().as_millis(), 86_400_000);
        assert_eq!(since_when("1970-01-02T00:00:01Z", now).unwrap().as_millis(), 86_401_000);
        assert!(since_when("yesterday", now).is_err());
    }
}
