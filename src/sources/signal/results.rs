//! Extracts the results from a service's response: the list, the objects that each result refers to, and its
//! fingerprint. Pure.

use std::collections::HashMap;

use aha_content::html::clean_line;
use aha_core::fetch::FetchErrorKind;
use aha_net::hash::hex32;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::provider::SearchProvider;
use crate::sources::fetch::FetchError;
use crate::sources::http::json;

/// Common JSON pointers to lists of results.
const COMMON_POINTERS: [&str; 9] =
    ["", "/data", "/results", "/tweets", "/statuses", "/items", "/posts", "/data/results", "/web/results"];
/// JSON pointers to the number of results.
const COUNT_POINTERS: [&str; 4] = ["/meta/result_count", "/total", "/count", "/total_results"];
/// JSON pointers to error messages.
const ERROR_POINTERS: [&str; 6] =
    ["/errors/0/message", "/errors/0/detail", "/error/message", "/error", "/detail", "/message"];
/// Longer texts within a result are cut: no post is that long.
const MAX_TEXT_CHARS: usize = 6_000;
/// A result that is still larger is left out.
const MAX_RESULT_BYTES: usize = 24 * 1024;
const MAX_RELATED: usize = 4;
/// Smaller numbers are counts of likes or views, which change all the time.
const MIN_IDENTIFYING: u64 = 1_000_000_000;

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchResponse {
    pub title: String,
    /// URL template of a result, with `{id}`, if the service returns no URL.
    pub link: Option<String>,
    pub results: Vec<SearchResult>,
    /// Number of results that were too large to read.
    pub too_large: usize,
    /// Number of all results returned, for which the service charges.
    pub returned: usize,
}

/// One result, as the service returned it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    pub result: Value,
    pub related: Vec<Value>,
}

impl SearchResult {
    /// Returns a key that is stable between fetches: the hash of its texts and its large numbers, which are ids or
    /// times.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut parts = Vec::new();
        scalars(&self.result, &mut |value| match value {
            // Some services return counts as strings.
            Value::String(text) if text.parse::<u64>().is_ok_and(|n| n < MIN_IDENTIFYING) => {}
            Value::String(text) => parts.push(text.clone()),
            Value::Number(number) if number.as_u64().is_some_and(|n| n >= MIN_IDENTIFYING) => {
                parts.push(number.to_string());
            }
            _ => {}
        });
        // The order of fields may vary.
        parts.sort_unstable();
        hex32(parts.join("\u{1f}").as_bytes())
    }
}

pub(super) fn read(provider: &SearchProvider, bytes: &[u8]) -> Result<SearchResponse, FetchError> {
    let document: Value = json(bytes)?;
    let related = related_by_id(provider, &document);
    let list = list(provider, &document)?;
    let mut found = SearchResponse { returned: list.len(), ..SearchResponse::default() };
    for result in list.iter().take(provider.max_results) {
        let result = clipped(result);
        if !result.is_object() || result.to_string().len() > MAX_RESULT_BYTES {
            found.too_large += 1;
            continue;
        }
        let related = referred_to(&result, &related);
        found.results.push(SearchResult { result, related });
    }
    Ok(found)
}

/// Returns the list of results. A missing list counts as empty only if the service reports zero results, or if its
/// pointer is configured and the document is an object.
fn list<'a>(provider: &SearchProvider, document: &'a Value) -> Result<&'a [Value], FetchError> {
    let at = |pointer: &str| document.pointer(pointer).and_then(Value::as_array);
    let found = match &provider.results {
        Some(pointer) => at(pointer),
        None => COMMON_POINTERS.into_iter().find_map(at),
    };
    if let Some(list) = found {
        return Ok(list);
    }
    let is_none = || COUNT_POINTERS.iter().any(|pointer| document.pointer(pointer).and_then(Value::as_u64) == Some(0));
    if let Some(complaint) = ERROR_POINTERS.iter().find_map(|pointer| document.pointer(pointer)?.as_str()) {
        let said: String = clean_line(complaint).chars().take(200).collect();
        let reason = format!("the search answers with a complaint in place of results: {said}");
        return Err(FetchError::Search { kind: FetchErrorKind::SearchFailed, status: None, reason });
    }
    if is_none() || (provider.results.is_some() && document.is_object()) {
        return Ok(&[]);
    }
    let reason =
        "the search answers with JSON in which no list of results was found; AHA_SIGNAL_RESULTS says where it is";
    Err(FetchError::Search { kind: FetchErrorKind::SearchFailed, status: None, reason: reason.to_owned() })
}

fn related_by_id(provider: &SearchProvider, document: &Value) -> HashMap<String, Value> {
    let lists = provider.related.iter().filter_map(|pointer| document.pointer(pointer)?.as_array());
    let with_id = |thing: &Value| Some((scalar(thing.get("id").or_else(|| thing.get("id_str"))?)?, clipped(thing)));
    lists.flatten().filter_map(with_id).collect()
}

fn referred_to(result: &Value, related: &HashMap<String, Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    if related.is_empty() {
        return found;
    }
    scalars(result, &mut |value| {
        if let Some(thing) = scalar(value).and_then(|id| related.get(&id))
            && found.len() < MAX_RELATED
            && !found.contains(thing)
        {
            found.push(thing.clone());
        }
    });
    found
}

/// Returns a text or a number as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Calls `take` with every value that is neither a list nor an object, at any depth, which the parser limits.
pub(super) fn scalars<'a>(value: &'a Value, take: &mut impl FnMut(&'a Value)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| scalars(value, take)),
        Value::Object(fields) => fields.values().for_each(|value| scalars(value, take)),
        scalar => take(scalar),
    }
}

fn clipped(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_CHARS => {
            text.chars().take(MAX_TEXT_CHARS).collect::<String>().into()
        }
        Value::Array(values) => values.iter().map(clipped).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), clipped(value))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::provider::tests::provider;
    use super::{SearchResult, read};

    fn found(document: &serde_json::Value) -> Result<usize, String> {
        let provider = provider("https://api.example/?q={query}");
        read(&provider, document.to_string().as_bytes()).map(|found| found.results.len()).map_err(|e| e.to_string())
    }

    #[test]
    fn lists_are_found_where_services_put_them() {
        assert_eq!(found(&json!({"data": [{"id": "1"}], "meta": {"result_count": 1}})), Ok(1));
        assert_eq!(found(&json!([{"id": "1"}, {"id": "2"}, 3])), Ok(2));
        assert_eq!(found(&json!({"meta": {"result_count": 0}})), Ok(0));
        assert!(found(&json!({"errors": [{"message": "Usage \u{1b}[1mcap"}]})).unwrap_err().contains("Usage"));
        assert!(found(&json!({"hits": {"list": []}})).unwrap_err().contains("AHA_SIGNAL_RESULTS"));
        assert!(found(&json!("x")).is_err());
    }

    #[test]
    fn related_objects_are_included() {
        let mut provider = provider("https://api.example/?q={query}");
        provider.results = Some("/data".to_owned());
        provider.related = vec!["/includes/users".to_owned()];
        let document = json!({"data": [{"id": "7", "author_id": "12"}],
            "includes": {"users": [{"id": "11", "username": "b"}, {"id": "12", "username": "a"}]}});
        let found = read(&provider, document.to_string().as_bytes()).unwrap();
        assert_eq!(found.results[0].related, [json!({"id": "12", "username": "a"})]);
        assert_eq!(read(&provider, b"{}").unwrap().results.len(), 0, "some services leave an empty list out");
    }

    #[test]
    fn the_fingerprint_depends_on_texts_but_not_on_counts() {
        let of = |text: &str, likes: i64| {
            let result = json!({"id": 1_893_456_789_012_345_678_u64, "text": text, "likes": likes});
            SearchResult { result, related: Vec::new() }.fingerprint()
        };
        assert_eq!(of("a", 1), of("a", 2));
        assert_ne!(of("a", 1), of("b", 1));
    }

    #[test]
    fn an_enormous_result_is_left_out() {
        let text = "x".repeat(100_000);
        let many: Vec<_> = (0..10).map(|n| json!({ "t": format!("{n}{text}") })).collect();
        let provider = provider("https://api.example/?q={query}");
        let document = json!([{ "text": text }, { "texts": many }]).to_string();
        let found = read(&provider, document.as_bytes()).unwrap();
        assert_eq!((found.results.len(), found.too_large), (1, 1));
        assert_eq!(found.results[0].result["text"].as_str().unwrap().len(), 6_000);
    }
}
